import numpy as np
import pytest

from interpreting import array, expect, failure, random, run
from tinytc_mlir.reference.coopmatrix_layout import places

HEAD = "attributes {subgroup_size=4, work_group_size=[4,1]}"


def in_parallel(parameters, instructions, *args, head=HEAD):
    """Run instructions on arrays; %0 ... %3 are indices."""
    run(text(parameters, instructions, head), *args)


def text(parameters, instructions, head=HEAD):
    indices = "".join(f"%{n} = constant {n} : index\n" for n in range(4))
    return f"func @f({parameters}) {head} {{ {indices} parallel {{ {instructions} }} }}"


def test_layout_of_many_rows():
    """A lane owns a row of each block; the entries of a block run over the columns."""
    found = places((8, 3), "matrix_acc", 4, 4)
    assert found.entries == 6
    assert found.rows[1].tolist() == [1, 1, 1, 5, 5, 5]
    assert found.columns[1].tolist() == [0, 1, 2, 0, 1, 2]
    assert found.held.all()


def test_layout_of_few_rows():
    """Columns lie side by side in the lanes; those past the last are padding."""
    found = places((2, 5), "matrix_a", 8, 8)
    assert found.entries == 2
    assert found.rows[3].tolist() == [1, 0]
    assert found.columns[3].tolist() == [1, 0]
    assert found.held.sum(axis=1).tolist() == [2, 2, 1, 1, 1, 1, 1, 1]


def test_layout_of_small_components_of_b():
    """Two row blocks alternate if a component has one byte."""
    assert places((8, 2), "matrix_b", 1, 4).rows[2].tolist() == [2, 6, 2, 6]
    assert places((8, 2), "matrix_b", 2, 4).rows[2].tolist() == [2, 2, 6, 6]
    assert places((8, 2), "matrix_a", 1, 4).rows[2].tolist() == [2, 2, 6, 6]
    assert places((4, 2), "matrix_b", 1, 4).rows[2].tolist() == [2, 2]


@pytest.mark.parametrize("use", ["matrix_a", "matrix_b", "matrix_acc"])
@pytest.mark.parametrize("size", [1, 4, 8, 16, 32])
def test_layouts_hold_each_component_once(size, use):
    for rows in (1, 2, 3, 5, 8, 16, 17, 33, 64):
        for columns, width in ((1, 1), (3, 1), (8, 2), (13, 4)):
            found = places((rows, columns), use, width, size)
            held = np.zeros((rows, columns), int)
            np.add.at(held, (found.rows[found.held], found.columns[found.held]), 1)
            assert (held == 1).all(), (rows, columns, size)


def test_apply_gets_row_column_and_component():
    a = random(np.random.default_rng(0), "i32", 3, 5)
    out = np.zeros((3, 5), np.int32, order="F")
    in_parallel(
        "%A: memref<i32x3x5>, %out: memref<i32x3x5>",
        """%m = cooperative_matrix_load %A[%0,%0] : coopmatrix<i32x3x5,matrix_acc>
           %r = cooperative_matrix_apply (%i, %j, %x) = %m -> coopmatrix<i32x3x5,matrix_acc> {
               %y = mul %i, 10 : i32
               %z = add %y, %j : i32
               %w = mul %x, 100 : i32
               %v = add %z, %w : i32
               yield (%v)
           }
           cooperative_matrix_store %r, %out[%0,%0]""",
        a,
        out,
    )
    rows, columns = np.indices((3, 5))
    assert (out == 100 * a + 10 * rows + columns).all()


def test_apply_runs_for_components_only():
    count = np.zeros((), np.int32)
    in_parallel(
        "%count: memref<i32>",
        """%m = constant 1.0 : coopmatrix<f32x1x5,matrix_acc>
           %r = cooperative_matrix_apply (%i, %j, %x) = %m -> coopmatrix<f32x1x5,matrix_acc> {
               store.atomic_add 1, %count[]
               yield (%x)
           }""",
        count,
    )
    assert count == 5


def test_instructions_of_subgroups_need_all_lanes_in_an_apply():
    program = """
    func @f(%A: memref<f32x1x5>) attributes {subgroup_size=4, work_group_size=[4,1]} {
        parallel {
            %m = constant 1.0 : coopmatrix<f32x1x5,matrix_acc>
            %r = cooperative_matrix_apply (%i, %j, %x) = %m -> coopmatrix<f32x1x5,matrix_acc> {
                %y = @@ cooperative_matrix_extract %m [0] : f32
                yield (%y)
            }
        }
    }"""
    message = (
        "expected all 4 work-items of subgroup 0 to execute 'cooperative_matrix_extract', got 1"
    )
    expect(program, message, np.zeros((1, 5), np.float32, order="F"))


def test_extract_and_insert():
    vectors = np.full((4, 2), -1, np.float32, order="F")
    out = np.zeros((1, 5), np.float32, order="F")
    in_parallel(
        "%A: memref<f32x1x5>, %V: memref<f32x4x2>, %out: memref<f32x1x5>",
        """%m = cooperative_matrix_load %A[%0,%0] : coopmatrix<f32x1x5,matrix_acc>
           %l = subgroup_local_id : i32
           %lane = cast %l : index
           %x = cooperative_matrix_extract %m [0] : f32
           %y = cooperative_matrix_extract %m [1] : f32
           store %x, %V[%lane, %0]
           store %y, %V[%lane, %1]
           %z = cast %l : f32
           %n = cooperative_matrix_insert %z, %m [1] : coopmatrix<f32x1x5,matrix_acc>
           %p = cooperative_matrix_extract %n [1] : f32
           %q = equal %l, 3 : bool
           if %q { store %p, %V[%lane, %0] }
           cooperative_matrix_store %n, %out[%0,%0]""",
        array([[1, 2, 3, 4, 5]]),
        vectors,
        out,
    )
    # The padding of the last three lanes stays 0 whatever is inserted there.
    assert vectors.tolist() == [[1, 5], [2, 0], [3, 0], [0, 0]]
    assert out.tolist() == [[1, 2, 3, 4, 0]]


def test_index_beyond_the_vector():
    program = """
    func @f(%V: memref<f32x4>) {
        parallel {
            %m = constant 1.0 : coopmatrix<f32x8x2,matrix_acc>
            %x = @@ cooperative_matrix_extract %m [2] : f32
        }
    }"""
    message = "expected the index to be less than 1, the number of components"
    expect(program, message, array([0, 0, 0, 0]), subgroup_size=16)
    run(program.replace("@@ ", ""), array([0, 0, 0, 0]), subgroup_size=4)


def test_construct_needs_one_value():
    program = text(
        "%A: memref<f32x4>",
        """%l = subgroup_local_id : i32
           %x = cast %l : f32
           %m = cooperative_matrix_construct %x : coopmatrix<f32x4x2,matrix_acc>""",
    )
    assert "expected 'scalar' to be the same" in failure(program, array([0, 0, 0, 0])).message


@pytest.mark.parametrize("type_", ["i8", "i32", "f16", "f32", "c64"])
@pytest.mark.parametrize("word", ["add", "max", "min"])
def test_reduce(type_, word):
    if type_ == "c64" and word != "add":
        return
    a = random(np.random.default_rng(0), type_, 5, 6)
    rows, columns = np.zeros((5, 1), a.dtype, order="F"), np.zeros((1, 6), a.dtype, order="F")
    in_parallel(
        f"%A: memref<{type_}x5x6>, %r: memref<{type_}x5x1>, %c: memref<{type_}x1x6>",
        f"""%m = cooperative_matrix_load %A[%0,%0] : coopmatrix<{type_}x5x6,matrix_b>
            %s = cooperative_matrix_reduce_{word}.row %m : coopmatrix<{type_}x5x1,matrix_b>
            %t = cooperative_matrix_reduce_{word}.column %m : coopmatrix<{type_}x1x6,matrix_b>
            cooperative_matrix_store %s, %r[%0,%0]
            cooperative_matrix_store %t, %c[%0,%0]""",
        a,
        rows,
        columns,
    )
    function = {"add": np.sum, "max": np.max, "min": np.min}[word]
    for got, axis in ((rows, 1), (columns, 0)):
        expected = function(a, axis=axis, keepdims=True)
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("checked", ["", ".rows_checked", ".cols_checked", ".both_checked"])
def test_transposed_store(checked):
    whole = np.zeros((7, 8), np.float32, order="F")
    a = random(np.random.default_rng(0), "f32", 4, 3)
    # Rows of the matrix run along the second mode of the memory.
    x, y = (4 if "cols" in checked or "both" in checked else 1), 3 if checked else 2
    y += 2 if "rows" in checked or "both" in checked else 0
    y = 2 if checked == ".cols_checked" else y
    in_parallel(
        "%A: memref<f32x4x3>, %out: memref<f32x6x8,strided<1,7>>",
        f"""%m = cooperative_matrix_load %A[%0,%0] : coopmatrix<f32x4x3,matrix_acc>
            %x = constant {x} : index
            %y = constant {y} : index
            cooperative_matrix_store.t{checked} %m, %out[%x,%y]""",
        a,
        whole[:6],
    )
    expected = np.zeros((16, 16), np.float32)
    expected[x : x + 3, y : y + 4] = a.T
    assert np.array_equal(whole[:6], expected[:6, :8])
    assert (whole[6] == 0).all()


def test_cast_between_uses():
    out = np.zeros((8, 2), np.int8, order="F")
    a = random(np.random.default_rng(0), "i32", 8, 2)
    in_parallel(
        "%A: memref<i32x8x2>, %out: memref<i8x8x2>",
        """%m = cooperative_matrix_load %A[%0,%0] : coopmatrix<i32x8x2,matrix_acc>
           %b = cast %m : coopmatrix<i8x8x2,matrix_b>
           cooperative_matrix_store %b, %out[%0,%0]""",
        a,
        out,
    )
    assert (out == a).all()


def test_prefetch_outside_does_nothing():
    a = np.zeros((4, 4), np.float32, order="F")
    in_parallel("%A: memref<f32x4x4>", "cooperative_matrix_prefetch 1, %A[%3,%3], 16, 16", a)
    assert (a == 0).all()
