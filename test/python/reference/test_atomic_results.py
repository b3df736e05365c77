"""Atomic accesses: results, scopes, semantics, and which of them race."""

import numpy as np
import pytest

from interpreting import DTYPES, array, failure, result_of, run
from reference.test_races import parallel, zeros
from tinytc_mlir.scalars import SCALAR_TYPES

KINDS = ("add", "min", "max")
TYPES = [name for name in DTYPES if name not in ("bool", "index")]


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("kind", KINDS)
def test_results_in_the_order_of_the_iterations(kind, type_):
    if type_[0] == "c" and kind != "add":
        return
    constant = {"i": "{}", "c": "[{}.0, 0.0]"}.get(type_[0], "{}.0").format(2)
    text = f"""
    func @f(%s: memref<{type_}>, %out: memref<{type_}x3>) {{
        %0 = constant 0 : index
        %3 = constant 3 : index
        foreach (%i)=(%0),(%3) {{
            %x = constant {constant} : {type_}
            %r = atomic_{kind}.device %x, %s[] : {type_}
            store %r, %out[%i]
        }}
    }}"""
    numbers = {"add": ([5, 7, 9], 11), "min": ([5, 2, 2], 2), "max": ([5, 5, 5], 5)}[kind]
    before, after, five = (SCALAR_TYPES[type_].to_memory(each) for each in (*numbers, 5))
    s = array(five, type_)
    assert (result_of(text, type_, s, shape=(3,)) == before).all()
    assert s == after


def test_loads_and_stores():
    text = """
    func @f(%a: memref<c32x4>, %out: memref<c32x4>) {
        %0 = constant 0 : index
        %4 = constant 4 : index
        foreach (%i)=(%0),(%4) {
            %x = atomic_load.acquire %a[%i] : c32
            atomic_store.release %x, %out[%i]
        }
    }"""
    a = array([1, 2j, 3, 4 - 1j], "c32")
    assert np.array_equal(result_of(text, "c32", a, shape=(4,)), a)


COLLECTIVE = """
    func @f(%x: i32, %s: memref<i32>, %out: memref<i32>)
      attributes {subgroup_size=4, work_group_size=[8,2]} {
        %r = atomic_{} %x, %s[] : i32
    }"""


@pytest.mark.parametrize(("kind", "expected"), [("add", 5 + 16 * 3), ("min", 3), ("max", 5)])
def test_all_work_items_update_in_a_collective_region(kind, expected):
    s = array(5, "i32")
    run(COLLECTIVE.replace("{}", kind), 3, s, array(0, "i32"))
    assert s == expected


def test_results_that_differ_in_a_collective_region():
    text = COLLECTIVE.replace("%s[] : i32\n", "%s[] : i32\n store %r, %out[]\n")
    diagnostic = failure(text.replace("{}", "add"), 3, array(5, "i32"), array(0, "i32"))
    assert diagnostic.message.startswith(
        "expected all work-items of a collective region to get the same result of 'atomic_add', "
        "got 5 and 8"
    )
    out = array(0, "i32")
    run(text.replace("{}", "max"), 3, array(5, "i32"), out)
    assert out == 5


@pytest.mark.parametrize("memory", ["A", "tmp"])
@pytest.mark.parametrize(
    "instructions",
    [
        "%x = atomic_add %one, %{}[%0] : f32 %y = atomic_max %one, %{}[%0] : f32",
        "atomic_store %one, %{}[%i] %x = atomic_load %{}[%j] : f32",
        "store %one, %{}[%i] %x = atomic_min.subgroup %one, %{}[%i] : f32",
        "%x = atomic_add.subgroup %one, %{}[%i] : f32 %y = atomic_add %one, %{}[%i] : f32",
        # Of one subgroup.
        "%q = cast %s : index %x = atomic_add.subgroup %one, %{}[%q] : f32",
        # What was released before the access that acquires is no longer concurrent.
        "store %one, %{}[%i] %x = atomic_add.device.acquire_release %one, %F[%0] : f32 "
        "%y = load %{}[%j] : f32",
    ],
)
def test_without_a_race(memory, instructions):
    text = parallel(
        instructions.replace("{}", memory), parameters="%A: memref<f32x8>, %F: memref<f32x8>"
    )
    run(text, zeros(), zeros())


@pytest.mark.parametrize("memory", ["A", "tmp"])
@pytest.mark.parametrize(
    ("instructions", "message"),
    [
        ("%x = atomic_add %one, %{}[%0] : f32 %y = load %{}[%0] : f32", "this reads element 0"),
        ("store %one, %{}[%i] %x = atomic_load %{}[%j] : f32", "this updates atomically for"),
        ("%x = atomic_load %{}[%j] : f32 store %one, %{}[%i]", "this writes element 0"),
        (
            "%x = atomic_add.subgroup %one, %{}[%0] : f32",
            "this updates atomically for its subgroup",
        ),
        (
            "%x = atomic_max.subgroup %one, %{}[%i] : f32 "
            "%y = atomic_max.device %one, %{}[%j] : f32",
            "this updates atomically element",
        ),
        (
            "store %one, %{}[%i] %x = atomic_add.device.release %one, %F[%0] : f32 "
            "%y = load %{}[%j] : f32",
            "this reads element",
        ),
    ],
)
def test_with_a_race(memory, instructions, message):
    text = parallel(
        instructions.replace("{}", memory), parameters="%A: memref<f32x8>, %F: memref<f32x8>"
    )
    diagnostic = failure(text, zeros(), zeros())
    assert diagnostic.message.startswith(f"race: {message}")


@pytest.mark.parametrize("scope", ["subgroup", "work_group", "device", "cross_device"])
def test_between_work_groups(scope):
    text = f"""
    func @f(%A: memref<i32>) attributes {{subgroup_size=4, work_group_size=[4,1]}} {{
        %one = constant 1 : i32
        parallel {{ %x = atomic_add.{scope} %one, %A[] : i32 }}
    }}"""
    a = array(0, "i32")
    run(text, a, groups=1)
    assert a == 4
    if scope in ("device", "cross_device"):
        run(text, a, groups=3)
        assert a == 16
    else:
        diagnostic = failure(text, a, groups=3)
        assert "which another work-group updates atomically for its" in diagnostic.message
        assert "that is in one step only within the scope" in diagnostic.message


@pytest.mark.parametrize("word", ["load", "store", "add", "min", "max"])
@pytest.mark.parametrize("transpose", [".n", ".t"])
def test_matrices(word, transpose):
    """A block that sticks out: what is outside is not touched, and 0 in the result."""
    matrix = "coopmatrix<i32x4x2,matrix_acc>"
    access = f"cooperative_matrix_atomic_{word}{transpose}.both_checked"
    result = "" if word == "store" else "%r = "
    value = "" if word == "load" else "%m, "
    suffix = "" if word == "store" else f" : {matrix}"
    store = "" if word == "store" else "cooperative_matrix_store %r, %R[%0,%0]"
    text = f"""
    func @f(%A: memref<i32x5x5>, %R: memref<i32x4x2>)
      attributes {{subgroup_size=4, work_group_size=[4,1]}} {{
        %0 = constant 0 : index
        %2 = constant 2 : index
        %4 = constant 4 : index
        %x = constant 3 : index
        parallel {{
            %m = constant 12 : {matrix}
            {result}{access} {value}%A[%x, %4]{suffix}
            {store}
        }}
    }}"""
    a = np.arange(25, dtype=np.int32).reshape(5, 5).copy(order="F")
    before, r = a.copy(), np.full((4, 2), -1, np.int32, order="F")
    run(text, a, r)
    inside = before[3:, 4:] if transpose == ".n" else before[3:, 4:].T
    expected = np.zeros((4, 2), np.int32)
    expected[: inside.shape[0], : inside.shape[1]] = inside
    if word != "store":
        assert np.array_equal(r, expected)
    functions = {"store": lambda x: 0 * x + 12, "add": lambda x: x + 12, "load": lambda x: x}
    functions |= {"min": lambda x: np.minimum(x, 12), "max": lambda x: np.maximum(x, 12)}
    before[3:, 4:] = functions[word](before[3:, 4:])
    assert np.array_equal(a, before)


def test_bounds():
    text = """
    func @f(%A: memref<f32x?>, %i: index) {
        %x = atomic_load %A[%i] : f32
    }"""
    assert "expected index 0 to lie in [0, 3), got 3" in failure(text, array([1, 2, 3]), 3).message


def test_an_element_of_local_memory_that_nobody_has_written():
    text = """
    func @f(%x: f32) {
        %t = alloca : memref<f32>
        parallel { %y = atomic_add %x, %t[] : f32 }
    }"""
    assert "to be initialised" in failure(text, 1.0).message
