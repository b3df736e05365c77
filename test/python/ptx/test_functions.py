"""Functions of math for NVIDIA's GPUs: their error in units of the last place, on the host.

The expected values are those of the host's library in 64 bits of mantissa.
"""

import numpy as np
import pytest

from function_errors import FUNCTIONS, errors, samples
from nearness import assert_units
from ptx.host_functions import HostFunction


@pytest.mark.parametrize("type_", ["f16", "f32", "f64"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_error(function, type_):
    apply = HostFunction(f"math.{function}", type_)
    with np.errstate(over="ignore"):
        x = samples(function, type_).astype({"f16": "f2", "f32": "f4", "f64": "f8"}[type_])
    x = x[np.isfinite(x) & (x != 0)]
    found = errors(function, x, apply(x))
    assert found.max() <= 2, x[found.argmax()]


@pytest.mark.parametrize("type_", ["f16", "f32", "f64"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_limits(function, type_):
    apply = HostFunction(f"math.{function}", type_)
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0])
    with np.errstate(all="ignore"):
        exact = getattr(np, function)(x)
    found = apply(x)
    limits = slice(0, 5)
    np.testing.assert_array_equal(found[limits], exact[limits].astype(found.dtype))
    assert np.array_equal(np.signbit(found[:2]), np.signbit(exact[:2]))
    assert_units(found, exact, 2)
