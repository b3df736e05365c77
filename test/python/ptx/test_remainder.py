"""The remainder of floating-point numbers for NVIDIA's GPUs: exact for all operands, on the host.

The nvvm stage has no instruction for it (test/Conversion/GPUToNVVM/functions.mlir), so that it is
the kernel's own arithmetic that runs here, not a function of the host.
"""

import numpy as np
import pytest

from ptx.host_functions import HostFunction

TYPES = {"f16": np.float16, "bf16": np.float32, "f32": np.float32, "f64": np.float64}
COUNT = 20000


def narrowed(x, type_):
    """Return numbers of a type as the kernel stores them, and what they are."""
    if type_ != "bf16":
        x = x.astype(TYPES[type_])
        return x, x
    bits = (x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return bits, widened(bits)


def widened(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def check(type_, x, y):
    apply = HostFunction("arith.remf", type_, 2)
    with np.errstate(all="ignore"):
        (stored_x, x), (stored_y, y) = narrowed(x, type_), narrowed(y, type_)
        expected = np.fmod(x, y)
    found = apply(stored_x, stored_y)
    found = widened(found) if type_ == "bf16" else found
    np.testing.assert_array_equal(found, expected.astype(found.dtype))
    is_number = ~np.isnan(expected)
    assert np.array_equal(np.signbit(found[is_number]), np.signbit(x[is_number]))


def any_bits(type_, generator):
    """Return numbers of all exponents, subnormal ones, infinities and NaN included."""
    bits = {"f16": np.uint16, "bf16": np.uint32, "f32": np.uint32, "f64": np.uint64}[type_]
    numbers = generator.integers(0, np.iinfo(bits).max, COUNT, bits, endpoint=True)
    return numbers.view(TYPES[type_])


@pytest.mark.parametrize("type_", TYPES)
def test_any_numbers(type_):
    generator = np.random.default_rng(1)
    check(type_, any_bits(type_, generator), any_bits(type_, generator))


@pytest.mark.parametrize("type_", TYPES)
def test_usual_numbers(type_):
    """Multiples of tenths and of integers, whose quotients are close to integers or are some."""
    generator = np.random.default_rng(2)
    for unit in (0.1, 1.0):
        x, y = (np.round(generator.uniform(-limit, limit, COUNT)) * unit for limit in (5000, 50))
        check(type_, x, y)


@pytest.mark.parametrize("type_", TYPES)
def test_quotients_of_all_sizes(type_):
    """One less than a multiple, the multiple, and one more."""
    generator = np.random.default_rng(3)
    dtype = np.float16 if type_ == "f16" else TYPES[type_]
    y = generator.uniform(1, 2, COUNT).astype(dtype)
    largest = 15 if type_ == "f16" else 100 if type_ in ("bf16", "f32") else 1000
    with np.errstate(over="ignore"):
        x = np.ldexp(y, generator.integers(0, largest, COUNT)).astype(dtype)
    for neighbour in (x, np.nextafter(x, dtype(0)), np.nextafter(x, dtype(np.inf))):
        check(type_, neighbour, y)


@pytest.mark.parametrize("type_", TYPES)
def test_limits(type_):
    info = np.finfo(np.float16 if type_ == "f16" else TYPES[type_])
    special = [0.0, info.smallest_subnormal, info.tiny, 0.5, 1.0, 3.0, info.max, np.inf, np.nan]
    special = np.array([*special, *(-number for number in special)])
    x, y = (each.ravel() for each in np.meshgrid(special, special))
    check(type_, x, y)
