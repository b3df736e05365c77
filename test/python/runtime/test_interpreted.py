"""TINYTC_INTERPRET=1: an unchanged program runs in the reference interpreter, with its errors."""

import asyncio
import gc
import re

import numpy as np
import pytest

import tinytc_mlir as tt
from fake_runtime import PROGRAM as LAUNCHES
from tinytc_mlir.runtime import devices, interpreted, loaders

PROGRAM = (
    LAUNCHES
    + """
func @scalars(%a: i8, %b: bf16, %c: c64, %d: bool, %e: index, %A: memref<i8x1>,
              %B: memref<bf16x1>, %C: memref<c64x1>, %E: memref<index x1>) {
  store %a, %A[0]
  store %b, %B[0]
  store %c, %C[0]
  if %d { store %e, %E[0] }
}

func @maybe(%A: memref<f32x?>, %G: group<memref<f32x?>x?>, %Y: memref<i32x2>) {
  %a = associated %A : bool
  %g = associated %G : bool
  %one = constant 1 : i32
  if %a { store %one, %Y[0] }
  if %g { store %one, %Y[1] }
}
"""
).replace("memref<index x1>", "memref<indexx1>")


@pytest.fixture(autouse=True)
def interpreting(monkeypatch):
    monkeypatch.setenv("TINYTC_INTERPRET", "1")


@pytest.fixture
def program():
    return tt.Context().parse(PROGRAM, "program.ir").compile()


def failure(text, *arguments, groups=1):
    kernel = tt.Context().parse(text, "f.ir").compile()["f"]
    with pytest.raises(tt.InterpreterError) as caught:
        kernel(*arguments, groups=groups)
    return str(caught.value)


def test_host_arrays_and_arrays_in_place(program):
    whole = np.zeros((6, 3), np.float32, order="F")
    whole[1:5] = np.arange(12).reshape(4, 3)
    program["scale"](2, whole[1:5])
    assert (whole[1:5] == 2 * np.arange(12).reshape(4, 3)).all()
    assert not whole[[0, 5]].any()
    x = tt.asarray(np.ones((4, 3), np.float32))
    assert tt.asarray(x) is x
    event = program["scale"].submit(3, x, groups=2)
    assert (event.is_complete, x[0].tolist()) == (True, [3, 3, 1])
    assert event.time_ns > 0
    program["scale"].submit(3, x, groups=1, depends=[event, event.native]).wait()
    assert x[0].tolist() == [9, 3, 1]
    bound = program["scale"].bind(2, x)
    bound()
    bound.submit()
    assert x[0].tolist() == [36, 12, 4]
    assert repr(bound).endswith("3 groups on reference interpreter>")

    async def wait():
        await bound.submit()

    asyncio.run(wait())
    assert x[0].tolist() == [72, 24, 8]


def test_groups_and_offsets(program):
    members = [np.arange(n + 0.0) for n in (8, 5, 6)]
    y = np.ones((2, 3), order="F")
    program["gather"](1 + 2j, tt.Group(members, offset=1, shape=(4,)), y, groups=3)
    assert y.tolist() == [[2, 2, 2], [3, 3, 3]]


def test_scalars(program):
    arrays = [np.zeros(1, dtype) for dtype in (np.int8, np.uint16, np.complex128, np.int64)]
    program["scalars"](-3, 1.5, 1 - 2j, True, 2**40, *arrays, groups=1)
    assert [array[0] for array in arrays] == [-3, 0x3FC0, 1 - 2j, 2**40]


@pytest.mark.parametrize("given", [(True, True), (False, True), (False, False)])
def test_arrays_that_are_not_there(program, given):
    y = np.zeros(2, np.int32)
    array = np.ones(3, np.float32)
    program["maybe"](array if given[0] else None, [array] if given[1] else None, y, groups=1)
    assert y.tolist() == [int(each) for each in given]


def test_local_memory_that_is_not_initialised():
    text = """func @f(%A: memref<f32x8>) {
  %L = alloca : memref<f32x8,local>
  %one = constant 1.0 : f32
  axpby.n %one, %L, %one, %A
}"""
    found = failure(text, np.zeros(8, np.float32))
    assert re.match(r"f.ir:4:3: error: expected element \d of .* to be initialised", found)
    assert "  axpby.n %one, %L, %one, %A\n" in found


def test_bounds():
    """Launches check what scalars and sizes say, not what arrays contain."""
    text = """func @f(%A: memref<f32x?>, %I: memref<i64x1>) {
  %i = load %I[0] : i64
  %j = cast %i : index
  %x = load %A[%j] : f32
}"""
    found = failure(text, np.zeros(4, np.float32), np.array([4]))
    assert found.startswith("f.ir:4:8: error: expected index 0 ")
    kernel = tt.Context().parse(text).compile(debug=True)["f"]
    with pytest.raises(tt.InterpreterError, match="expected index 0"):
        kernel(tt.empty(4), np.array([4]), groups=1)


def test_races():
    text = """func @f(%A: memref<f32x1>) {
  parallel {
    %zero = constant 0.0 : f32
    store %zero, %A[0]
  }
}"""
    assert "race: this writes element 0 of argument 'A'" in failure(text, np.zeros(1, np.float32))


def test_groups_packed_in_work_groups(program):
    # The compiled kernel runs several groups in a work-group; the interpreter runs each alone.
    text = """func @f(%A: memref<f32x4x4x?>) {
  %g = group_id : index
  %n = num_groups.x : index
  %a = subview %A[:,:,%g] : memref<f32x4x4>
  %one = constant 1.0 : f32
  axpby.n %one, %a, %one, %a
}"""
    packed = tt.Context().parse(text).compile("cpu")["f"]
    x = np.ones((4, 4, 7), np.float32, order="F")
    packed(x)
    assert (x == 2).all()
    packed(x, groups=3)
    assert (x[..., :3] == 4).all() and (x[..., 3:] == 2).all()


def test_no_device_is_needed(program, monkeypatch):
    def fail():
        raise tt.DeviceError("expected the packages dpctl")

    for loader in loaders._LOADERS:
        monkeypatch.setattr(loader, "devices", fail)
    assert devices.default_device().name == "reference interpreter"
    program["scale"](2, tt.asarray(np.ones((4, 3), np.float32)))
    for target in ("cpu", "intel-gpu:pvc"):
        compiled = tt.Context().parse(PROGRAM).compile(target)
        compiled["scale"](2, np.ones((4, 3), np.float32, order="F"))


def test_queues_and_arrays_of_dpctl(program, monkeypatch):
    dpctl = pytest.importorskip("dpctl")
    monkeypatch.setenv("TINYTC_INTERPRET", "0")
    device = devices.default_device("cpu").native
    queue = dpctl.SyclQueue(device, property=["in_order"])
    shared = tt.asarray(np.ones((4, 3), np.float32), queue=queue)
    event = tt.Context().parse(PROGRAM).compile(queue)["scale"].submit(2, shared)
    only_there = dpctl.memory.MemoryUSMDevice(48, queue=queue)
    monkeypatch.setenv("TINYTC_INTERPRET", "1")
    kernel = tt.Context().parse(PROGRAM).compile(queue)["scale"]
    kernel.submit(3, shared, queue=queue, depends=[event.native])
    assert (shared == 6).all()
    text = "func @f(%X: memref<i8x48>) {}"
    with pytest.raises(tt.ArgumentError, match="'X': expected memory that the host uses in place"):
        tt.Context().parse(text).compile()["f"](Bytes(only_there), groups=1)


class Bytes:
    """An array in a device's own memory."""

    def __init__(self, memory):
        self.__sycl_usm_array_interface__ = memory.__sycl_usm_array_interface__ | {"typestr": "|i1"}
        self.memory = memory

    __sycl_usm_array_interface__ = None


def test_programs_without_source(program, tmp_path, monkeypatch):
    monkeypatch.setenv("TINYTC_INTERPRET", "")
    other = (
        tt.Context().parse(PROGRAM.replace("%alpha", "%beta") + "func @more() {}").compile("cpu")
    )
    other.save(tmp_path / "p.tinytc")
    monkeypatch.setenv("TINYTC_INTERPRET", "1")
    loaded = tt.load(tmp_path / "p.tinytc")
    with pytest.raises(tt.DeviceError, match="expected a program of the language for the int"):
        loaded["scale"](1, np.ones((4, 3), np.float32, order="F"))
    tt.prebuild([loaded])
    program.build()


def test_memory_that_is_wrong(program):
    with pytest.raises(tt.ArgumentError, match="'X': expected a NumPy or USM array"):
        program["scale"](1, tt.empty(4).base, groups=1)
    with pytest.raises(tt.DeviceError, match="expected 4611686018427387904 bytes of memory"):
        tt.empty(2**60, np.float32)


def test_the_switch_may_be_turned_off(program, monkeypatch):
    x = tt.asarray(np.ones((4, 3), np.float32))
    monkeypatch.setenv("TINYTC_INTERPRET", "0")
    kernel = tt.Context().parse(PROGRAM).compile("cpu")["scale"]
    with pytest.raises(tt.ArgumentError, match="'X': expected memory that .* can use, got HostByt"):
        kernel(2, x, queue="cpu")
    y = tt.asarray(x, queue="cpu")
    kernel(2, y)
    assert (y == 2).all()


def test_sources_live_as_long_as_programs_and_kernels():
    before = dict(interpreted._sources)
    text = "func @f(%A: memref<f32x1>) { %x = constant 4.25 : f32 store %x, %A[0] }"
    program, same = (tt.Context().parse(text).compile("cpu") for _ in range(2))
    assert interpreted._sources[program.digest][1] == 2
    kernel = program["f"]
    del program, same
    x = np.zeros(1, np.float32)
    kernel(x, groups=1)
    assert x == 4.25
    del kernel
    gc.collect()
    assert interpreted._sources.keys() <= before.keys()
