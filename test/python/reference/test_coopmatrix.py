import numpy as np
import pytest

from interpreting import array, random, run

TYPES = ("i8", "i32", "f16", "f32", "f64", "c32", "c64")
HEAD = "attributes {subgroup_size=4, work_group_size=[4,1]}"


def in_parallel(parameters, instructions, *args, head=HEAD):
    """Run instructions on arrays; %0 ... %9 are indices."""
    indices = "".join(f"%{n} = constant {n} : index\n" for n in range(10))
    run(f"func @f({parameters}) {head} {{ {indices} parallel {{ {instructions} }} }}", *args)


def copied(type_, a, shape, load, *, use="matrix_acc"):
    """Return a cooperative matrix that was loaded from %A."""
    out = np.zeros(shape, a.dtype, order="F")
    rows, columns = shape
    matrix = f"coopmatrix<{type_}x{rows}x{columns},{use}>"
    in_parallel(
        f"%A: memref<{type_}x{a.shape[0]}x{a.shape[1]}>, %out: memref<{type_}x{rows}x{columns}>",
        f"""%m = {load} : {matrix}
            cooperative_matrix_store %m, %out[%0,%0]""",
        a,
        out,
    )
    return out


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("use", ["matrix_a", "matrix_b", "matrix_acc"])
def test_load(type_, use):
    a = random(np.random.default_rng(0), type_, 9, 7)
    got = copied(type_, a, (3, 5), "cooperative_matrix_load.n %A[%2,%1]", use=use)
    assert np.array_equal(got, a[2:5, 1:6])
    got = copied(type_, a, (3, 5), "cooperative_matrix_load.t %A[%2,%1]", use=use)
    assert np.array_equal(got, a[2:7, 1:4].T)


@pytest.mark.parametrize("transpose", "nt")
@pytest.mark.parametrize("checked", ["rows", "cols", "both"])
@pytest.mark.parametrize("position", [(4, 5), (-1, -2)])
def test_checked_load_gives_zeros_outside(transpose, checked, position):
    padded = np.zeros((20, 20), np.float32)
    a = random(np.random.default_rng(0), "f32", 6, 7)
    padded[5:11, 5:12] = a
    x, y = position
    # In unchecked modes the block must be inside.
    if checked == "rows":
        x, y = (x, 2) if transpose == "n" else (1, y)
    if checked == "cols":
        x, y = (2, y) if transpose == "n" else (x, 1)
    rows, columns = (4, 3) if transpose == "n" else (3, 4)
    block = padded[5 + x : 5 + x + rows, 5 + y : 5 + y + columns]
    got = _load(a, (4, 3), f"{transpose}.{checked}_checked", x, y)
    assert np.array_equal(got, block if transpose == "n" else block.T)


def _load(a, shape, modifiers, x, y):
    out = np.zeros(shape, a.dtype, order="F")
    rows, columns = shape
    in_parallel(
        f"%A: memref<f32x{a.shape[0]}x{a.shape[1]}>, %out: memref<f32x{rows}x{columns}>",
        f"""%x = constant {x} : index
            %y = constant {y} : index
            %m = cooperative_matrix_load.{modifiers} %A[%x,%y] :
                coopmatrix<f32x{rows}x{columns},matrix_acc>
            cooperative_matrix_store %m, %out[%0,%0]""",
        a,
        out,
    )
    return out


@pytest.mark.parametrize("flag", ["", ".atomic", ".atomic_add"])
def test_checked_store_writes_15_columns_only(flag):
    whole = np.full((8, 17), 1, np.float32, order="F")
    in_parallel(
        "%C: memref<f32x8x15>",
        f"""%m = constant 2.0 : coopmatrix<f32x8x16,matrix_acc>
            cooperative_matrix_store.cols_checked{flag} %m, %C[%0,%0]""",
        whole[:, :15],
    )
    assert (whole[:, :15] == (3 if flag == ".atomic_add" else 2)).all()
    assert (whole[:, 15:] == 1).all()


def test_checked_store_at_negative_positions():
    c = np.zeros((3, 3), np.float32, order="F")
    in_parallel(
        "%C: memref<f32x3x3>",
        """%m = constant 2.0 : coopmatrix<f32x2x2,matrix_acc>
           %n = constant -1 : index
           cooperative_matrix_store.both_checked %m, %C[%n,%n]
           cooperative_matrix_store.both_checked %m, %C[%2,%2]""",
        c,
    )
    assert c.tolist() == [[2, 0, 0], [0, 0, 0], [0, 0, 2]]


@pytest.mark.parametrize(
    ("a_type", "b_type", "c_type", "d_type"),
    [
        ("f32", "f32", "f32", "f32"),
        ("f16", "f16", "f32", "f32"),
        ("f16", "f16", "f16", "f32"),
        ("i8", "i8", "i32", "i32"),
        ("f64", "f64", "f64", "f64"),
        ("c32", "c32", "c32", "c32"),
        ("f32", "f32", "c32", "c32"),
        ("f32", "f32", "f32", "f16"),
    ],
)
def test_mul_add(a_type, b_type, c_type, d_type):
    rng = np.random.default_rng(0)
    a, b, c = (
        np.rint(random(rng, type_, *shape) * 2)
        for type_, shape in ((a_type, (3, 4)), (b_type, (4, 5)), (c_type, (3, 5)))
    )
    d = array(np.zeros((3, 5)), d_type)
    in_parallel(
        f"%A: memref<{a_type}x3x4>, %B: memref<{b_type}x4x5>, %C: memref<{c_type}x3x5>, "
        f"%D: memref<{d_type}x3x5>",
        f"""%a = cooperative_matrix_load.n %A[%0,%0] : coopmatrix<{a_type}x3x4,matrix_a>
            %b = cooperative_matrix_load.n %B[%0,%0] : coopmatrix<{b_type}x4x5,matrix_b>
            %c = cooperative_matrix_load.n %C[%0,%0] : coopmatrix<{c_type}x3x5,matrix_acc>
            %d = cooperative_matrix_mul_add %a, %b, %c : coopmatrix<{d_type}x3x5,matrix_acc>
            cooperative_matrix_store %d, %D[%0,%0]""",
        array(a, a_type),
        array(b, b_type),
        array(c, c_type),
        d,
    )
    assert np.array_equal(d, (a @ b + c).astype(d.dtype))


def test_arithmetic_scale_and_cast():
    out = np.zeros((2, 3), np.float64, order="F")
    in_parallel(
        "%A: memref<f32x2x3>, %out: memref<f64x2x3>",
        """%m = cooperative_matrix_load.n %A[%0,%0] : coopmatrix<f32x2x3,matrix_acc>
           %two = constant 2.0 : f32
           %s = cooperative_matrix_scale %two, %m : coopmatrix<f32x2x3,matrix_acc>
           %ones = constant 1.0 : coopmatrix<f32x2x3,matrix_acc>
           %t = arith.add %s, %ones : coopmatrix<f32x2x3,matrix_acc>
           %n = arith.neg %t : coopmatrix<f32x2x3,matrix_acc>
           %d = cast %n : coopmatrix<f64x2x3,matrix_acc>
           cooperative_matrix_store %d, %out[%0,%0]""",
        array([[1, 2, 3], [4, 5, 6]]),
        out,
    )
    assert out.tolist() == [[-3, -5, -7], [-9, -11, -13]]


def test_every_subgroup_has_its_own_matrix():
    out = np.zeros((2, 6), np.int32, order="F")
    in_parallel(
        "%out: memref<i32x2x6>",
        """%s = builtin.subgroup_id : i32
           %ones = constant 1 : coopmatrix<i32x2x2,matrix_acc>
           %m = cooperative_matrix_scale %s, %ones : coopmatrix<i32x2x2,matrix_acc>
           %i = cast %s : index
           %column = arith.mul %i, %2 : index
           cooperative_matrix_store %m, %out[%0,%column]""",
        out,
        head="attributes {subgroup_size=4, work_group_size=[12,1]}",
    )
    assert out.tolist() == [[0, 0, 1, 1, 2, 2]] * 2


def test_matrices_carried_by_loops_of_different_length():
    out = np.zeros((2, 4), np.int32, order="F")
    in_parallel(
        "%out: memref<i32x2x4>",
        """%s = builtin.subgroup_id : i32
           %trips = cast %s : index
           %ones = constant 1 : coopmatrix<i32x2x2,matrix_acc>
           %m = for %k=%0,%trips init(%sum=%ones) -> (coopmatrix<i32x2x2,matrix_acc>) {
               %more = arith.add %sum, %ones : coopmatrix<i32x2x2,matrix_acc>
               yield (%more)
           }
           %column = arith.mul %trips, %2 : index
           cooperative_matrix_store %m, %out[%0,%column]""",
        out,
        head="attributes {subgroup_size=4, work_group_size=[8,1]}",
    )
    assert out.tolist() == [[1, 1, 2, 2]] * 2
