"""What a memref parameter accepts, and how it rejects the rest."""

import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

import tinytc_mlir as tt
from in_place import in_place
from tinytc_mlir.runtime.arrays.layouts import MemrefChecker
from tinytc_mlir.runtime.kernel_info import MemrefArgument


def memref(shape=(16, 8), stride=(1, 16), element_type="f32", **fields):
    return MemrefArgument("A", element_type, shape, stride, **fields)


def fortran(*shape, dtype=np.float32):
    return np.zeros(shape, dtype, order="F")


def read_only(array):
    array.flags.writeable = False
    return array


def at_address(remainder, divisor, size=4):
    buffer = np.zeros(size * 4 + 2 * divisor, np.uint8)
    start = (remainder - buffer.ctypes.data) % divisor
    return buffer[start : start + size * 4].view(np.float32)


ANY = (None, None)
ACCEPTED = {
    "exact": (memref(), fortran(16, 8), ()),
    "order_0": (memref((), ()), np.zeros((), np.float32), ()),
    "column_of_c_order": (memref((8,), (1,)), np.zeros((8, 1), np.float32)[:, 0], ()),
    "dynamic_sizes": (memref(ANY, (1, None)), fortran(3, 5), (3, 5, 3)),
    "dynamic_strides": (memref((3, 5), ANY), fortran(6, 10)[::2, ::2], (2, 12)),
    "leading_dimension": (memref(ANY, (1, None)), fortran(9, 5)[2:7], (5, 5, 9)),
    "leading_dimension_of_type": (memref((4, 8), (1, 16)), fortran(16, 8)[4:8], ()),
    "one_row_of_c_order": (memref((1, 8), (1, 1)), np.zeros((1, 8), np.float32), ()),
    "one_column_of_c_order": (memref((8, 1), (1, 8)), np.zeros((8, 1), np.float32), ()),
    "one_column_dynamic": (memref(ANY, (1, None)), np.zeros((8, 1), np.float32), (8, 1, 8)),
    "reversed_mode_of_size_1": (memref(ANY, ANY), fortran(1, 3)[::-1], (1, 3, 1, 1)),
    "no_elements": (memref((16, None)), fortran(16, 0), (0,)),
    "no_elements_dynamic": (memref(ANY, ANY), np.zeros((0, 3), np.float32), (0, 3, 1, 1)),
    "read_only_input": (memref(access="read"), read_only(fortran(16, 8)), ()),
    "unused_read_only": (memref(access="none"), read_only(fortran(16, 8)), ()),
    "bf16_as_uint16": (memref(element_type="bf16"), fortran(16, 8, dtype=np.uint16), ()),
    "bf16_as_int16": (memref(element_type="bf16"), fortran(16, 8, dtype=np.int16), ()),
    "index": (memref(element_type="index"), fortran(16, 8, dtype=np.int64), ()),
    "complex": (memref(element_type="c64"), fortran(16, 8, dtype=np.complex128), ()),
    "shape_gcd": (memref(ANY, (1, None), shape_gcd=(4,)), fortran(12, 5), (12, 5, 12)),
    "stride_gcd": (memref(ANY, (1, None), stride_gcd=(1, 4)), fortran(12, 5), (12, 5, 12)),
    "host_copies_are_aligned": (memref((4,), (1,), alignment=64), at_address(4, 64), ()),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepted(name):
    argument, array, expected = ACCEPTED[name]
    view, dope = MemrefChecker(argument).check(array)
    assert view.address == array.ctypes.data
    assert view.is_written == argument.is_written
    assert dope == expected


def test_bfloat16_of_ml_dtypes():
    array = fortran(16, 8, dtype=ml_dtypes.bfloat16)
    assert MemrefChecker(memref(element_type="bf16")).check(array)[1] == ()


def test_types_of_kernels_are_dtypes():
    array = tt.zeros((4, 3), tt.bf16)
    array[...] = 1.5
    assert array.dtype == np.dtype(tt.bf16) == ml_dtypes.bfloat16
    assert array.view(np.uint16)[0, 0] == 0x3FC0


def test_bits_need_no_ml_dtypes(tmp_path):
    text = "func @f(%x: bf16, %A: memref<bf16x4>) { store %x, %A[0] }"
    tt.Context().parse(text).compile("native").save(tmp_path / "f.tinytcb")
    code = (
        "import sys, numpy as np, tinytc_mlir as tt\n"
        "a = np.zeros(4, np.uint16)\n"
        "tt.load(sys.argv[1])['f'](np.float32(1.5), a)\n"
        "print(hex(a[0]), 'ml_dtypes' in sys.modules)\n"
    )
    command = [sys.executable, "-c", code, tmp_path / "f.tinytcb"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.stdout == "0x3fc0 False\n", result.stderr


_GENERAL = memref(ANY, ANY)
REFUSED = {
    "none": (memref(), None, "expected a NumPy or USM array, got None"),
    "list": (memref(), [1.0], "expected a NumPy or USM array, got [1.0] (list)"),
    "scalar": (memref(), 1.0, "expected a NumPy or USM array, got 1.0 (float)"),
    "dtype": (
        memref(),
        fortran(16, 8, dtype=np.float64),
        "expected dtype float32, got float64",
    ),
    "signedness": (
        memref(element_type="i32"),
        fortran(16, 8, dtype=np.uint32),
        "expected dtype int32, got uint32",
    ),
    "byte_order": (
        memref(),
        fortran(16, 8, dtype=">f4"),
        "expected dtype float32, got float32 of foreign byte order",
    ),
    "object_dtype": (memref(), fortran(16, 8, dtype=object), "expected dtype float32, got object"),
    "rank": (
        memref((16, None)),
        fortran(16),
        "expected an array of 2 modes, shape (16, ?), got 1 modes, shape (16,)",
    ),
    "shape": (memref(), fortran(16, 9), "expected shape (16, 8), got (16, 9)"),
    "shape_transposed": (
        memref(),
        fortran(8, 16),
        "expected shape (16, 8), got (8, 16) (transposed: modes are in column-major order)",
    ),
    "shape_partly_dynamic": (
        memref((16, None)),
        fortran(15, 9),
        "expected shape (16, ?), got (15, 9)",
    ),
    "memory_order": (
        memref(),
        in_place(np.zeros((16, 8), np.float32)),
        "expected strides (1, 16) in elements, got (8, 1); np.asfortranarray",
    ),
    "strides": (
        memref((4, 8), (1, 16)),
        in_place(fortran(4, 8)),
        "expected strides (1, 16) in elements, got (1, 4)",
    ),
    "no_unit_stride": (
        memref(ANY, (1, None)),
        in_place(fortran(8, 8)[::2]),
        "expected strides (1, ?) in elements, got (2, 8)",
    ),
    "memory_order_dynamic": (
        _GENERAL,
        in_place(np.zeros((16, 8), np.float32)),
        "expected stride of mode 1 to be at least size times stride of mode 0 = 128, got 1",
    ),
    "negative_stride": (
        _GENERAL,
        in_place(fortran(16, 8)[::-1]),
        "expected stride of mode 0 to be at least 1, got -1",
    ),
    "broadcast": (
        memref(ANY, ANY, access="read"),
        in_place(np.broadcast_to(np.zeros((16, 1), np.float32), (16, 8))),
        "expected stride of mode 1 to be at least size times stride of mode 0 = 16, got 0",
    ),
    "strides_in_bytes": (
        _GENERAL,
        in_place(np.zeros((4, 1), [("x", "f4"), ("y", "i1")])["x"]),
        "expected strides of whole elements (4 bytes), got (5, 5) bytes",
    ),
    "read_only": (
        memref(),
        read_only(fortran(16, 8)),
        "expected a writable array because the kernel writes it, got a read-only one",
    ),
    "shape_gcd": (
        memref(ANY, ANY, shape_gcd=(1, 4)),
        fortran(3, 6),
        "expected size of mode 1 to be a multiple of 4 (shape_gcd), got 6",
    ),
    "stride_gcd": (
        memref(ANY, ANY, stride_gcd=(1, 4)),
        in_place(fortran(6, 8)),
        "expected stride of mode 1 to be a multiple of 4 (stride_gcd), got 6",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    argument, value, message = REFUSED[name]
    with pytest.raises(ValueError) as caught:
        MemrefChecker(argument).check(value)
    assert message in str(caught.value)
