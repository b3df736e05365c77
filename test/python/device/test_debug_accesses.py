"""Debug builds report accesses out of bounds and make none."""

import numpy as np
import pytest

from cases.violations import expect, expect_nothing
from interpreting import DTYPES, HEAD, ITEM, array

INDEX_MAX = 2**63 - 1


@pytest.mark.similar
@pytest.mark.parametrize("index", [-1, 3, INDEX_MAX, -INDEX_MAX])
@pytest.mark.parametrize(
    "instruction",
    [
        "%x = @@ load %A[%one,%i] : f32",
        "@@ store %y, %A[%one,%i]",
        "@@ store.atomic %y, %A[%one,%i]",
        "@@ store.atomic_add %y, %A[%one,%i]",
        "%x = @@ atomic_load.acquire %A[%one,%i] : f32",
        "@@ atomic_store.release %y, %A[%one,%i]",
        "%x = @@ atomic_max.device %y, %A[%one,%i] : f32",
    ],
)
@pytest.mark.parametrize("shape", ["2x3", "?x?"])
def test_index(instruction, index, shape):
    text = f"""
    func @f(%A: memref<f32x{shape}>, %I: memref<index>) {{
        %one = constant 1 : index
        %y = constant 1.0 : f32
        %i = load %I[] : index
        {instruction}
    }}"""
    message = f"expected index 1 of 'A' to be at least 0 and less than 3, got {index} (group 0)"
    (a, _) = expect(text, message, np.zeros((2, 3), np.float32), np.array(index))
    assert a.is_untouched


@pytest.mark.parametrize("index", [0, 2])
def test_index_within_bounds(index):
    text = """
    func @f(%A: memref<f32x?>, %I: memref<index>) {
        %i = load %I[] : index
        %x = load %A[%i] : f32
        %y = arith.add %x, %x : f32
        store %y, %A[%i]
    }"""
    a, _ = expect_nothing(text, array([1, 2, 3]), np.array(index))
    assert a.tolist() == [2 * x if i == index else x for i, x in enumerate([1, 2, 3])]


@pytest.mark.similar
@pytest.mark.parametrize("type_", [type_ for type_ in DTYPES if type_ != "bool"])
def test_types(type_):
    text = f"""
    func @f(%A: memref<{type_}x4>, %I: memref<indexx2>) {{
        %0 = constant 0 : index
        %1 = constant 1 : index
        %i = load %I[%0] : index
        %j = load %I[%1] : index
        %x = load %A[%i] : {type_}
        @@ store %x, %A[%j]
    }}"""
    (a, _) = expect(text, "less than 4, got 4", array([1, 2, 3, 4], type_), np.array([3, 4]))
    assert a.is_untouched


def test_result_of_an_invalid_load_is_zero():
    text = """
    func @f(%A: memref<f32x4>, %I: memref<index>) {
        %0 = constant 0 : index
        %i = load %I[] : index
        %x = @@ load %A[%i] : f32
        store %x, %A[%0]
    }"""
    (a, _) = expect(text, "got 4", array([1, 2, 3, 4]), np.array(4))
    assert a.array.tolist() == [0, 2, 3, 4]


def test_foreach_names_the_lane_and_counts():
    text = f"""
    func @f(%A: memref<f32x20>, %n: index) {HEAD} {{
        %0 = constant 0 : index
        %x = constant 5.0 : f32
        foreach (%i)=(%0),(%n) {{
            @@ store %x, %A[%i]
        }}
    }}"""
    (a,) = expect(text, "; 2 more violations)", np.zeros(20, np.float32), 23)
    assert (a.array == 5).all()
    (a,) = expect(text, "got 20 (group 0, subgroup 1, lane 0)", np.zeros(20, np.float32), 21)


@pytest.mark.parametrize("item", range(8))
def test_parallel_names_subgroup_and_lane(item):
    text = f"""
    func @f(%A: memref<i32x?>, %I: memref<indexx8>) {HEAD} {{
        parallel {{
            {ITEM}
            %j = load %I[%i] : index
            @@ store %item, %A[%j]
        }}
    }}"""
    indices = np.arange(8)
    indices[item] = 8
    message = f"got 8 (group 0, subgroup {item // 4}, lane {item % 4})"
    (a, _) = expect(text, message, np.full(8, -1, np.int32), indices)
    assert a.array.tolist() == [-1 if i == item else i for i in range(8)]


def test_groups_are_counted_and_named():
    text = """
    func @f(%A: memref<f32x10>, %I: memref<indexx?>) {
        %g = builtin.group_id : index
        %x = constant 1.0 : f32
        %i = load %I[%g] : index
        @@ store %x, %A[%i]
    }"""
    indices = np.arange(10)
    indices[6] = 17
    (a, _) = expect(text, "got 17 (group 6)", np.zeros(10, np.float32), indices, groups=10)
    assert a.array.sum() == 9
    indices[2] = -1
    (a, _) = expect(text, "; 1 more violation)", np.zeros(10, np.float32), indices, groups=10)


def test_several_modes_of_groups():
    text = """
    func @f(%A: memref<f32x4>, %I: memref<index>) {
        %i = load %I[] : index
        %x = @@ load %A[%i] : f32
    }"""
    message = ", got 4 (group "
    values = (np.zeros(4, np.float32), np.array(4))
    expect(text, message, *values, groups=(2, 3, 2))
    expect(text, "; 11 more violations)", *values, groups=(2, 3, 2))


def test_member_of_a_group():
    text = """
    func @f(%A: group<memref<f32x2>x?>, %I: memref<indexx3>) {
        %g = builtin.group_id : index
        %0 = constant 0 : index
        %x = constant 9.0 : f32
        %i = load %I[%g] : index
        %a = @@ load %A[%i] : memref<f32x2>
        store %x, %a[%0]
        axpby.n %x, %a, %x, %a
    }"""
    message = "expected index 0 of 'A' to be at least 0 and less than 2, got 2 (group 1)"
    members = [array([1, 2]), array([3, 4])]
    first, second, _ = expect(text, message, members, np.array([0, 2, 1]), groups=3)
    assert (first.array.tolist(), second.array.tolist()) == ([162, 36], [162, 72])


def test_local_memory():
    text = """
    func @f(%R: memref<f32>, %I: memref<indexx2>) {
        %0 = constant 0 : index
        %1 = constant 1 : index
        %x = constant 1.0 : f32
        %before = alloca : memref<f32x16>
        %tmp = alloca : memref<f32x16>
        %i = load %I[%0] : index
        %j = load %I[%1] : index
        store %x, %tmp[%i]
        %y = @@ load %tmp[%j] : f32
        store %y, %R[]
    }"""
    expect(text, "expected index 0 of 'tmp'", np.zeros((), np.float32), np.array([3, 16]))
    (r, _) = expect_nothing(text.replace("@@ ", ""), np.zeros((), np.float32), np.array([3, 3]))
    assert r == 1


@pytest.mark.similar
@pytest.mark.parametrize("place", [(-1, 0), (0, -1), (9, 0), (0, 3), (INDEX_MAX, 0)])
@pytest.mark.parametrize(
    "instruction",
    [
        "%m = @@ cooperative_matrix_load.n %A[%x,%y] : coopmatrix<f32x8x2,matrix_acc>",
        "%m = @@ cooperative_matrix_load.t %A[%x,%y] : coopmatrix<f32x2x8,matrix_acc>",
        "@@ cooperative_matrix_store %c, %A[%x,%y]",
        "@@ cooperative_matrix_store.atomic_add %c, %A[%x,%y]",
        "%m = @@ cooperative_matrix_atomic_load.device %A[%x,%y] : coopmatrix<f32x8x2,matrix_a>",
        "@@ cooperative_matrix_atomic_store.n.release %c, %A[%x,%y]",
        "%m = @@ cooperative_matrix_atomic_min %c, %A[%x,%y] : coopmatrix<f32x8x2,matrix_acc>",
        "@@ cooperative_matrix_store.t %t, %A[%x,%y]",
    ],
)
def test_cooperative_matrix(instruction, place):
    text = f"""
    func @f(%A: memref<f32x16x4>, %x: index, %y: index) {HEAD} {{
        parallel {{
            %c = constant 1.0 : coopmatrix<f32x8x2,matrix_acc>
            %t = constant 1.0 : coopmatrix<f32x2x8,matrix_acc>
            {instruction}
        }}
    }}"""
    mode = 0 if place[1] == 0 else 1
    message = f"of the block, got index {place[mode]} in a mode of size {(16, 4)[mode]}"
    (a,) = expect(text, message, np.zeros((16, 4), np.float32), *place)
    assert a.is_untouched


@pytest.mark.parametrize("checked", ["rows", "cols", "both"])
def test_checked_modes_of_cooperative_matrices(checked):
    text = f"""
    func @f(%A: memref<f32x16x4>, %x: index, %y: index) {HEAD} {{
        parallel {{
            %c = constant 1.0 : coopmatrix<f32x8x2,matrix_acc>
            @@ cooperative_matrix_store.{checked}_checked %c, %A[%x,%y]
        }}
    }}"""
    for mode, place in enumerate([(12, 0), (0, 3)]):
        values = (np.zeros((16, 4), np.float32), *place)
        if checked in (("rows", "cols")[mode], "both"):
            a, *_ = expect_nothing(text.replace("@@ ", ""), *values)
            assert a.sum() == 8
        else:
            expect(text, f"expected mode {mode} of 'A'", *values)
