"""Rounding to types of 16 bits: once, to nearest, ties to even."""

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.scalars import SCALAR_TYPES

CAST = """
func @cast(%A: memref<{source}x?>, %B: memref<{result}x?>) {{
  %n = size %A[0] : index
  foreach (%i)=(0),(%n) {{
    %a = load %A[%i] : {source}
    %b = cast %a : {result}
    store %b, %B[%i]
  }}
}}
"""
# Bits of the fraction of each type, with the leading one.
PRECISION = {"bf16": 8, "f16": 11}


def near_ties(precision, rng, count, largest):
    """Return integers that are nearly half-way between two numbers of few bits."""
    exponents = rng.integers(precision + 1, largest, count)
    heads = rng.integers(1 << (precision - 1), 1 << precision, count)
    found = []
    for head, exponent in zip(heads.tolist(), exponents.tolist(), strict=True):
        tie = (2 * head + 1) << (exponent - precision - 1)
        found += [sign * (tie + step) for sign in (1, -1) for step in (-1, 0, 1)]
    return found


def ran(source, result, values, target="native"):
    """Return the bits of values that a kernel converts."""
    out = np.zeros(len(values), SCALAR_TYPES[result].dtype)
    program = tt.Context().parse(CAST.format(source=source, result=result)).compile(target)
    program["cast"](values, out)
    return out.view(f"u{out.itemsize}")


def rounded(result, values):
    """Return the bits of the nearest numbers; the arithmetic is exact."""
    kind = SCALAR_TYPES[result]
    nearest = [kind.round(nearest_odd(value)) for value in values]
    return kind.to_memory(np.array(nearest, kind.value_dtype)).view(np.uint16)


def nearest_odd(value):
    """Return a number of 53 bits that is on the same side of all numbers of fewer bits."""
    if value == float(value):
        return float(value)
    size = abs(value).bit_length() - 53
    head = abs(value) >> size << size | 1 << size
    return float(head if value > 0 else -head)


@pytest.mark.parametrize("result", ["bf16", "f16"])
@pytest.mark.parametrize("source, bits", [("i64", 63), ("i32", 31), ("i16", 15)])
def test_integers(source, bits, result):
    rng = np.random.default_rng(1)
    values = near_ties(PRECISION[result], rng, 500, bits)
    np.testing.assert_array_equal(
        ran(source, result, np.array(values, f"i{(bits + 1) // 8}")), rounded(result, values)
    )


@pytest.mark.parametrize("result", ["bf16", "f16"])
def test_doubles(result):
    rng = np.random.default_rng(2)
    ties = np.array(near_ties(PRECISION[result], rng, 500, 52), np.float64)
    scales = np.ldexp(1.0, rng.integers(-190, 90, ties.size))
    values = np.concatenate([ties * scales, ties * 2.0**-60, [0.0, -0.0, np.inf, -np.inf, 1e300]])
    np.testing.assert_array_equal(ran("f64", result, values), rounded(result, values.tolist()))


@pytest.mark.parametrize("target", ["native", "x86-64-v2"])
def test_all_numbers_of_f16(target):
    numbers = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    # Signalling NaN become quiet in some conversions.
    numbers = np.where(np.isnan(numbers), np.float16(np.nan), numbers)
    singles = ran("f16", "f32", numbers, target)
    np.testing.assert_array_equal(singles, numbers.astype(np.float32).view(np.uint32))
    doubles = ran("f16", "f64", numbers, target)
    np.testing.assert_array_equal(doubles, numbers.astype(np.float64).view(np.uint64))


@pytest.mark.parametrize("target", ["native", "x86-64-v2"])
def test_singles_near_numbers_of_f16(target):
    """Ties, and what is next to them."""
    f16 = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    numbers = f16[np.isfinite(f16)].astype(np.float32)
    ties = (numbers + np.nextafter(f16[np.isfinite(f16)], np.float16(0)).astype(np.float32)) / 2
    largest = np.float32([65519.996, 65520, 1e38, np.inf, -np.inf, np.nan])
    around = [np.nextafter(ties, np.float32(end)) for end in (-np.inf, np.inf)]
    values = np.concatenate([numbers, ties, *around, largest, np.float32([2**-149, 2**-25])])
    with np.errstate(over="ignore"):
        expected = values.astype(np.float16).view(np.uint16)
    np.testing.assert_array_equal(ran("f32", "f16", values, target), expected)


def test_arithmetic_of_f16_without_instructions_for_it():
    text = """
func @f(%A: memref<f16x64>, %B: memref<f16x64>) {
  foreach (%i)=(0),(64) {
    %a = load %A[%i] : f16
    %b = load %B[%i] : f16
    %c = arith.mul %a, %b : f16
    %d = arith.add %c, %a : f16
    store %d, %B[%i]
  }
}
"""
    rng = np.random.default_rng(3)
    a, b = rng.standard_normal((2, 64)).astype(np.float16)
    expected = (a.astype(np.float64) * b + a).astype(np.float16)  # kept in f32 until it is stored
    tt.Context().parse(text).compile("x86-64-v2")["f"](a, b)
    np.testing.assert_array_equal(b, expected)
