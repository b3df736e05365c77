"""What a scalar parameter accepts, and how it rejects the rest."""

import ctypes
import struct

import ml_dtypes
import numpy as np
import pytest

from tinytc_mlir.runtime.launches.packing import packer
from tinytc_mlir.scalars import SCALAR_TYPES, bfloat16_bits, bfloat16_values

ACCEPTED = [
    ("bool", True, 1),
    ("bool", np.bool_(False), 0),
    ("i8", 127, 127),
    ("i8", -128, 128),
    ("i16", np.int64(-1), -1),
    ("i32", np.uint8(200), 200),
    ("i64", -(2**63), -(2**63)),
    ("index", 0, 0),
    ("f32", 1, 1.0),
    ("f32", np.float64(0.5), 0.5),
    ("f64", np.float32(0.25), 0.25),
    ("f64", 1e-320, 1e-320),
    ("f32", float("inf"), float("inf")),
    ("f16", 1.0, 0x3C00),
    ("f16", float("-inf"), 0xFC00),
    ("bf16", 1.0, 0x3F80),
    ("bf16", float("nan"), 0x7FC0),
    ("f16", 65504, 0x7BFF),
    ("f64", np.array(0.25), 0.25),
    ("i32", np.array(-1, np.int16), -1),
]


@pytest.mark.parametrize(("name", "value", "expected"), ACCEPTED)
def test_accepted(name, value, expected):
    assert packer(name)(value).value == expected


def test_nan():
    assert np.isnan(packer("f32")(float("nan")).value)


@pytest.mark.parametrize(("name", "format_"), [("c32", "<2f"), ("c64", "<2d")])
@pytest.mark.parametrize("value", [1.5 - 2j, np.complex64(3j), 2, 0.5])
def test_complex(name, format_, value):
    number = complex(value)
    assert packer(name)(value) == struct.pack(format_, number.real, number.imag)


REFUSED = [
    ("bool", 1, "expected True or False for bool, got 1 (int)"),
    ("i8", 300, "expected an integer from -128 to 127 for i8, got 300 (int)"),
    ("i8", -129, "expected an integer from -128 to 127 for i8, got -129 (int)"),
    ("i16", 2**15, "expected an integer from -32768 to 32767 for i16, got 32768 (int)"),
    ("i32", 1.0, "for i32, got 1.0 (float)"),
    ("i32", True, "for i32, got True (bool)"),
    ("i64", 2**63, "got 9223372036854775808 (int)"),
    ("index", None, "for index, got None"),
    ("index", "7", "for index, got '7' (str)"),
    ("f32", 1j, "expected a real number for f32, got 1j (complex)"),
    ("f32", True, "expected a real number for f32, got True (bool)"),
    ("f32", None, "expected a real number for f32, got None"),
    ("f32", np.zeros(3), "expected a real number for f32, got an array of shape (3,)"),
    ("f32", 1e39, "expected a real number in the range of f32, got 1e+39 (float)"),
    ("f32", 10**400, "expected a real number in the range of f32, got 1000000000"),
    ("f64", 10**400, "expected a real number in the range of f64, got 1000000000"),
    ("f16", 65520.0, "expected a real number in the range of f16, got 65520.0 (float)"),
    ("bf16", 3.4e38, "expected a real number in the range of bf16, got 3.4e+38 (float)"),
    ("c32", 1e39, "expected a number in the range of c32, got 1e+39 (float)"),
    ("c32", "1", "expected a number for c32, got '1' (str)"),
    ("c64", [1, 2], "expected a number for c64, got [1, 2] (list)"),
]


@pytest.mark.parametrize(("name", "value", "message"), REFUSED)
def test_refused(name, value, message):
    with pytest.raises(ValueError) as caught:
        packer(name)(value)
    assert message in str(caught.value)


@pytest.mark.parametrize("name", SCALAR_TYPES)
def test_size_is_that_of_the_language(name):
    value = True if name == "bool" else 1
    packed = packer(name)(value)
    size = len(packed) if isinstance(packed, bytes) else ctypes.sizeof(packed)
    assert size == SCALAR_TYPES[name].size_bytes


def test_bfloat16_rounds_to_even():
    rng = np.random.default_rng(1)
    values = rng.standard_normal(1000).astype(np.float32)
    values[:3] = np.array([0x3F808000, 0x3F818000, 0x00000001], np.uint32).view(np.float32)
    expected = values.astype(ml_dtypes.bfloat16)
    assert (bfloat16_bits(values) == expected.view(np.uint16)).all()
    assert (bfloat16_values(expected) == expected.astype(np.float32)).all()
    assert packer("bf16")(ml_dtypes.bfloat16(1.5)).value == 0x3FC0
