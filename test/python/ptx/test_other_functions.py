"""More functions of math for NVIDIA's GPUs and native code: their errors in units.

The expected values are those of the host's library in 64 bits of mantissa.
"""

import numpy as np
import pytest

from nearness import assert_units
from ptx.host_functions import HostFunction

FUNCTIONS = {
    "expm1": np.expm1,
    "log1p": np.log1p,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sqrt": np.sqrt,
    "tanh": np.tanh,
}
LIMITS = {"expm1": 2, "log1p": 1, "rsqrt": 1.5, "sqrt": 0.5, "tanh": 3}
DTYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
TYPES = ("f32", "f64")
COUNT = 50000


def units(found, exact):
    """Return the distances from exact values in units of their last place."""
    rounded = exact.astype(found.dtype)
    spacing = np.abs(np.spacing(rounded)).astype(np.longdouble)
    distance = np.abs(found.astype(np.longdouble) - exact) / spacing
    return np.where(found == rounded, np.minimum(distance, 0.5), distance)


def samples(function, type_):
    """Return numbers of all magnitudes, and many of usual size."""
    generator = np.random.default_rng(sum(map(ord, function + type_)))
    info = np.finfo(DTYPES[type_])
    exponents = generator.uniform(np.log(info.smallest_subnormal), np.log(info.max), COUNT)
    usual = generator.uniform(-0.99 if function == "log1p" else -40, 40, 2 * COUNT)
    small = generator.uniform(-1, 1, 2 * COUNT) if function != "log1p" else usual / 50
    x = np.concatenate([np.exp(exponents), usual, small]).astype(DTYPES[type_])
    return np.abs(x) if "sqrt" in function else x


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_error(function, type_):
    x = samples(function, type_)
    with np.errstate(all="ignore"):
        exact = FUNCTIONS[function](x.astype(np.longdouble))
        found = HostFunction(f"math.{function}", type_)(x)
        fits = np.isfinite(exact.astype(x.dtype))
        error = np.where(fits, units(found, exact), found != exact.astype(x.dtype))
    assert error.max() <= LIMITS[function], (x[error.argmax()], found[error.argmax()])


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_limits(function, type_):
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -1.0, -2.0], DTYPES[type_])
    with np.errstate(all="ignore"):
        exact = FUNCTIONS[function](x.astype(np.longdouble)).astype(x.dtype)
    found = HostFunction(f"math.{function}", type_)(x)
    limits = slice(0, 5)
    np.testing.assert_array_equal(found[limits], exact[limits])
    assert np.array_equal(np.signbit(found[:2]), np.signbit(exact[:2]))
    assert_units(found, exact, 4)


@pytest.mark.parametrize("type_", TYPES)
def test_powers(type_):
    generator = np.random.default_rng(7)
    dtype = DTYPES[type_]
    info = np.finfo(dtype)
    largest = float(np.log2(info.max))
    # Bases of usual size and near 1 with exponents up to those of the largest result.
    bases = np.concatenate(
        [np.exp(generator.uniform(-9, 9, COUNT)), generator.uniform(0.9, 1.1, COUNT)]
    )
    x = bases.astype(dtype)
    with np.errstate(all="ignore"):
        limit = np.minimum(largest / np.abs(np.log2(x.astype(np.float64))), 1e9)
    y = (generator.uniform(-1, 1, x.size) * limit).astype(dtype)
    exact = np.power(x.astype(np.longdouble), y.astype(np.longdouble))
    fits = (exact > info.smallest_normal) & (exact < info.max)
    found = HostFunction("math.powf", type_, 2)(x, y)
    error = np.where(fits, units(found, exact), 0)
    assert error.max() <= 1, (x[error.argmax()], y[error.argmax()], found[error.argmax()])


@pytest.mark.parametrize("type_", TYPES)
def test_limits_of_powers(type_):
    numbers = [0.0, 1.0, 0.5, 2.0, 3.0, 1.5, 1e30, 1e-30, np.inf, 2.0**24 + 2, 7.0]
    x, y = np.meshgrid(*[np.array([*numbers, *(-n for n in numbers), np.nan], DTYPES[type_])] * 2)
    x, y = x.ravel(), y.ravel()
    with np.errstate(all="ignore"):
        exact = np.power(x, y)
    found = HostFunction("math.powf", type_, 2)(x, y)
    assert_units(found, exact, 4)
    is_number = ~np.isnan(exact)
    assert np.array_equal(np.signbit(found)[is_number], np.signbit(exact)[is_number])
