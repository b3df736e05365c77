"""Arrays of the host that are not aligned, or not NumPy's."""

import array
import ctypes
import sys

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.runtime.arrays.host_arrays import host_array

TEXT = """
func @add(%A: memref<f32x4x?>, %B: memref<f32x4x?>) {
  %g = builtin.group_id : index
  %a = subview %A[:,%g] : memref<f32x4>
  %b = subview %B[:,%g] : memref<f32x4>
  %one = constant 1.0 : f32
  axpby.n %one, %a, %one, %b
}

func @add_elements(%A: memref<f32x4x?>, %B: memref<f32x4x?>) {
  foreach (%i) = (0), (4) {
    %a = load %A[%i, 0] : f32
    %b = load %B[%i, 0] : f32
    %sum = arith.add %a, %b : f32
    store %sum, %B[%i, 0]
  }
}

func @line(%A: memref<f32x6>) {
  %one = constant 1.0 : f32
  axpby.n %one, %A, %one, %A
}

func @members(%A: group<memref<f64x3>x?>) {
  %g = builtin.group_id : index
  %a = load %A[%g] : memref<f64x3>
  %one = constant 1.0 : f64
  axpby.n %one, %a, %one, %a
}
"""


@pytest.fixture(scope="module")
def program():
    return tt.Context().parse(TEXT).compile()


def at_byte(first, shape, dtype, order="F"):
    """Return an array of ones whose address is some bytes after an aligned one."""
    dtype = np.dtype(dtype)
    memory = np.zeros(64 + int(np.prod(shape)) * dtype.itemsize + 8, np.uint8)
    start = -memory.ctypes.data % 64 + first
    found = np.ndarray(shape, dtype, memory, start, order=order)
    found[...] = 1
    assert found.ctypes.data % 64 == first
    return found


@pytest.mark.parametrize("first", range(8))
def test_any_alignment(program, first):
    a, b = at_byte(first, (4, 3), np.float32), at_byte(7 - first, (4, 3), np.float32)
    program["add"](a, b)
    assert (a == 1).all()
    assert (b == 2).all()
    members = [at_byte(first, 3, np.float64), np.ones(3)]
    program["members"](members, groups=2)
    assert (members[0] == 2).all()


def test_unaligned_arrays_that_overlap(program):
    whole = at_byte(1, (4, 6), np.float32)
    program["add"](whole[:, :3], whole[:, 3:])
    assert (whole[:, 3:] == 2).all()
    both = at_byte(0, 64, np.uint8)
    a, b = (np.ndarray((4, 1), np.float32, both, start, order="F") for start in (0, 18))
    program["add"](a, b)  # next to each other, at an odd distance
    b = np.ndarray((4, 1), np.float32, both, 6, order="F")
    message = r"argument 'B': expected an array that begins whole elements of"
    with pytest.raises(tt.ArgumentError, match=message):
        program["add_elements"](a, b)


def test_arrays_used_in_place_must_be_aligned(program):
    usm = tt.empty(64, np.int8)
    unaligned = np.ndarray((4, 1), np.float32, usm, 2, order="F")
    with pytest.raises(tt.ArgumentError, match="'A': expected an address that is a multiple of"):
        program["add"](unaligned, np.ones((4, 1), np.float32, order="F"))


class OnlyDlpack:
    """An array that another library hands out by DLPack."""

    def __init__(self, values, device=(1, 0)):
        self.values, self.device = values, device

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.device


class OldDlpack(OnlyDlpack):
    """One of a library that knows no versions of DLPack, like older PyTorch."""

    def __dlpack__(self, stream=None):
        return self.values.__dlpack__()


class OnlyInterface:
    """An array that shows its memory by NumPy's array interface."""

    def __init__(self, values):
        self.values = values
        self.__array_interface__ = values.__array_interface__


EXPORTERS = {
    "DLPack": OnlyDlpack,
    "DLPack without versions": OldDlpack,
    "interface": OnlyInterface,
    "buffer": memoryview,
    "ctypes": np.ctypeslib.as_ctypes,
}


@pytest.mark.parametrize("kind", EXPORTERS)
def test_arrays_of_other_libraries(program, kind):
    values = np.ones(6, np.float32)
    program["line"](EXPORTERS[kind](values), groups=1)
    assert (values == 2).all()
    members = [np.ones(3), np.ones(3)]
    program["members"]([EXPORTERS[kind](member) for member in members], groups=2)
    assert (np.array(members) == 2).all()
    usm = tt.asarray(EXPORTERS[kind](values))
    assert usm.tolist() == [2] * 6
    assert not np.shares_memory(usm, values)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.float64, np.complex64, np.bool_])
def test_dlpack_without_versions(dtype):
    values = np.arange(24).astype(dtype).reshape((2, 3, 4), order="F")[:, ::2]
    before = sys.getrefcount(values)
    taken = host_array(OldDlpack(values))
    assert taken.flags.writeable
    assert (taken.dtype, taken.strides) == (values.dtype, values.strides)
    assert np.shares_memory(taken, values)
    assert (taken == values).all()
    del taken
    assert sys.getrefcount(values) == before  # its library has got it back


def test_dlpack_that_must_not_be_written(program):
    values = np.ones(6, np.float32)
    values.flags.writeable = False
    with pytest.raises(tt.ArgumentError, match="expected a writable array because the kernel wri"):
        program["line"](OnlyDlpack(values), groups=1)


def test_arrays_of_python(program):
    values = array.array("f", [1.0] * 6)
    program["line"](values, groups=1)
    assert values.tolist() == [2] * 6
    data = (ctypes.c_float * 6)(*range(6))
    program["line"](data, groups=1)
    assert list(data) == [0, 2, 4, 6, 8, 10]
    with pytest.raises(tt.ArgumentError, match="expected a writable array because the kernel wri"):
        program["line"](memoryview(bytes(24)).cast("f"), groups=1)
    with pytest.raises(tt.ArgumentError, match="'A': expected dtype float32, got uint8"):
        program["line"](bytes(24), groups=1)


def test_a_view_of_memory_that_is_used_in_place(program):
    usm = tt.asarray(np.ones(6, np.float32))
    program["line"].submit(memoryview(usm), groups=1).wait()  # host arrays would be refused
    assert (usm == 2).all()


@pytest.mark.parametrize("value", [np.float32(1), "text", [], 3, np.bool_(True)], ids=repr)
def test_what_is_no_array(program, value):
    with pytest.raises(tt.ArgumentError, match="'A': expected a NumPy or USM array, got "):
        program["line"](value, groups=1)


def test_libraries_that_fail(program):
    class Broken:
        def __dlpack_device__(self):
            raise RuntimeError("no")

        __dlpack__ = __dlpack_device__

    with pytest.raises(tt.ArgumentError, match="'A': expected an array that NumPy can read"):
        program["line"](Broken(), groups=1)
    elsewhere = OnlyDlpack(np.ones(6, np.float32), device=(7, 0))
    with pytest.raises(tt.ArgumentError, match=r"'A': expected memory of the host, .*\(7, 0\)"):
        program["line"](elsewhere, groups=1)


@pytest.mark.parametrize("kind", EXPORTERS)
def test_the_interpreter_takes_them(monkeypatch, kind):
    monkeypatch.setenv("TINYTC_INTERPRET", "1")
    values = np.ones(6, np.float32)
    tt.Context().parse(TEXT).compile()["line"](EXPORTERS[kind](values), groups=1)
    assert (values == 2).all()
