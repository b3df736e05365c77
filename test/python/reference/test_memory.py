import numpy as np
import pytest

import tinytc_mlir as tt
from interpreting import DTYPES, array, random, result_of, run
from tinytc_mlir.scalars import SCALAR_TYPES

TYPES = [name for name in DTYPES if name not in ("bool", "index")]


@pytest.mark.parametrize("type_", TYPES)
def test_load_and_store(type_):
    text = f"""
    func @f(%A: memref<{type_}x3x2>, %B: memref<{type_}x2x3>) {{
        %0 = constant 0 : index
        %2 = constant 2 : index
        %3 = constant 3 : index
        foreach (%i,%j)=(%0,%0),(%3,%2) {{
            %x = load %A[%i,%j] : {type_}
            store %x, %B[%j,%i]
        }}
    }}"""
    a = random(np.random.default_rng(0), type_, 3, 2)
    assert np.array_equal(result_of(text, type_, a, shape=(2, 3)), a.T)


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("flag", ["atomic", "atomic_add"])
def test_atomic_stores(type_, flag):
    one = {"i": "1", "c": "[1.0, 0.0]"}.get(type_[0], "1.0")
    text = f"""
    func @f(%n: index, %out: memref<{type_}>) {{
        %0 = constant 0 : index
        foreach (%i)=(%0),(%n) {{
            %one = constant {one} : {type_}
            store.{flag} %one, %out[]
        }}
    }}"""
    out = result_of(text, type_, 20)
    assert out == SCALAR_TYPES[type_].to_memory(1 if flag == "atomic" else 20)


def test_an_atomic_add_of_a_collective_region_comes_from_all_work_items():
    text = """
    func @f(%x: i32, %out: memref<i32>) attributes {subgroup_size=4, work_group_size=[8,2]} {
        store.atomic_add %x, %out[]
    }"""
    assert result_of(text, "i32", 3) == 48


def test_group_id_selects_the_member_of_a_group():
    text = """
    func @f(%A: group<memref<f32x2x2>x?>, %n: memref<index>) {
        %g = builtin.group_id : index
        %size = builtin.group_size : index
        %a = load %A[%g] : memref<f32x2x2>
        %one = constant 1.0 : f32
        axpby.n %one, %a, %one, %a
        %members = size %A[0] : index
        %both = arith.add %size, %members : index
        store.atomic %both, %n[]
    }"""
    members = [array([[1, 2], [3, 4]]) * factor for factor in (1, 10, 100)]
    members = [np.asfortranarray(member) for member in members]
    n = array(0, "index")
    run(text, members, n, groups=3)
    assert [member[0, 0] for member in members] == [2, 20, 200]
    assert n == 6


@pytest.mark.parametrize("offset", ["4", "?"])
def test_group_offset_counts_elements_behind_each_pointer(offset):
    text = f"""
    func @f(%A: group<memref<f32x2>x2, offset: {offset}>, %out: memref<f32x2x2>) {{
        %one = constant 1.0 : f32
        %0 = constant 0 : index
        %1 = constant 1 : index
        %2 = constant 2 : index
        for %g=%0,%2 {{
            %a = load %A[%g] : memref<f32x2>
            %b = subview %out[:,%g] : memref<f32x2>
            axpby.n %one, %a, %one, %b
        }}
    }}"""
    members = [np.arange(8, dtype=np.float32), 10 + np.arange(8, dtype=np.float32)]
    out = result_of(text, "f32", tt.Group(members, offset=4, shape=(2,)), shape=(2, 2))
    assert out.T.tolist() == [[4, 5], [14, 15]]


def test_members_of_a_group_may_differ_in_their_dynamic_sizes():
    text = """
    func @f(%A: group<memref<f32x?x?>x?>, %out: memref<f32x?>) {
        %one = constant 1.0 : f32
        %g = builtin.group_id : index
        %a = load %A[%g] : memref<f32x?x?>
        %n = size %a[1] : index
        %0 = constant 0 : index
        for %j=%0,%n {
            %column = subview %a[:,%j] : memref<f32x?>
            %sum = subview %out[%g] : memref<f32>
            sum.n %one, %column, %one, %sum
        }
    }"""
    members = [np.ones((2, 3), np.float32, order="F"), np.ones((5, 1), np.float32, order="F")]
    out = np.zeros(2, np.float32)
    run(text, members, out, groups=2)
    assert out.tolist() == [6, 5]


def test_work_items_may_load_different_members_of_a_group():
    text = """
    func @f(%A: group<memref<f32x?>x3>, %out: memref<f32x3>) {
        %0 = constant 0 : index
        %3 = constant 3 : index
        foreach (%i)=(%0),(%3) {
            %a = load %A[%i] : memref<f32x?>
            %n = size %a[0] : index
            %one = constant 1 : index
            %last = arith.sub %n, %one : index
            %x = load %a[%last] : f32
            store %x, %out[%i]
        }
    }"""
    members = [array([1]), array([1, 2, 3]), array([1, 2])]
    assert result_of(text, "f32", members, shape=(3,)).tolist() == [1, 3, 2]


def test_lane_views_of_one_memref():
    text = """
    func @f(%A: memref<f32x3x4>, %out: memref<f32x4>) {
        %0 = constant 0 : index
        %4 = constant 4 : index
        foreach (%j)=(%0),(%4) {
            %column = subview %A[1:2,%j] : memref<f32x2>
            %x = load %column[1] : f32
            store %x, %out[%j]
        }
    }"""
    a = random(np.random.default_rng(0), "f32", 3, 4)
    assert np.array_equal(result_of(text, "f32", a, shape=(4,)), a[2])


def test_every_execution_of_alloca_gives_new_memory():
    text = """
    func @f(%out: memref<f32x2>) {
        %one = constant 1.0 : f32
        %zero = constant 0.0 : f32
        %0 = constant 0 : index
        %3 = constant 3 : index
        for %i=%0,%3 {
            %tmp = alloca : memref<f32x2>
            axpby.n %one, %out, %zero, %tmp
            axpby.n %one, %tmp, %one, %out
            lifetime_stop %tmp
        }
    }"""
    out = array([1, 2])
    run(text, out)
    assert out.tolist() == [8, 16]


def test_arguments_may_overlap():
    text = """
    func @f(%A: memref<f32x2>, %B: memref<f32x2>) {
        %one = constant 1.0 : f32
        axpby.n %one, %A, %one, %B
    }"""
    whole = array([1, 2, 3, 4])
    run(text, whole[:2], whole[2:])
    assert whole.tolist() == [1, 2, 4, 6]
    run(text, whole[:2], whole[:2])
    assert whole.tolist() == [2, 4, 4, 6]


def test_arguments_by_name():
    text = """
    func @f(%alpha: f32, %out: memref<f32>) {
        store %alpha, %out[]
    }"""
    out = array(0)
    tt.reference.interpret(tt.Context().parse(text), "f", {"out": out, "alpha": 2.0}, 1)
    assert out == 2


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([np.zeros(3, np.float32)], r"argument 'A': expected shape \(2,\), got \(3,\)"),
        ([np.zeros(2)], "argument 'A': expected dtype float32, got float64"),
        ([], r"expected 1 arguments \(A\), got 0; missing: A"),
    ],
)
def test_arguments_that_do_not_fit(args, message):
    with pytest.raises(tt.errors.ArgumentError, match=message):
        run("func @f(%A: memref<f32x2>) { }", *args)


def test_unknown_kernel():
    with pytest.raises(tt.errors.LaunchError, match=r"name of a kernel \(f\), got 'g'"):
        run("func @f() { }", kernel="g")


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"work_group_size": (8, 1), "subgroup_size": 16}, "multiple of the subgroup size 16"),
        ({"work_group_size": (0, 1)}, "from 1 to .* as size of the work-group, got 0 .int."),
    ],
)
def test_sizes_that_do_not_fit(sizes, message):
    with pytest.raises(tt.errors.LaunchError, match=message):
        run("func @f() { }", **sizes)
