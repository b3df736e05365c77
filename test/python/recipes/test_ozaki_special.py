"""Products from slices: subnormal numbers, infinity, NaN, and results that leave the range."""

import functools

import numpy as np
import pytest

import tinytc_mlir as tt
from cases import ozaki_numbers as exact
from target_under_test import TARGET
from tinytc_mlir.scalars import SCALAR_TYPES

SIZES = (5, 4, 6)
M, N, K = SIZES


@functools.cache
def recipe(type_):
    return tt.recipes.ozaki_gemm(*SIZES, type_, target=TARGET)


def multiply(type_, a, b, alpha=1, beta=0, c=None):
    """Return alpha A B + beta C of one pair of matrices."""
    dtype = SCALAR_TYPES[type_].dtype
    a, b = (np.asfortranarray(x[:, :, np.newaxis], dtype) for x in (a, b))
    old = np.nan if c is None else c[:, :, np.newaxis]
    result = np.asfortranarray(np.broadcast_to(old, (M, N, 1)), dtype)
    recipe(type_)(alpha, a, b, beta, result)
    return result[:, :, 0]


def matrices(type_, orders=8):
    rng = np.random.default_rng(5)
    return [exact.spread_values(rng, type_, shape, orders) for shape in ((M, K), (K, N))]


def assert_close(type_, a, b, c):
    """Compare with exact numbers; bound and rounding as for numbers that are not subnormal."""
    whole = exact.integers(a) @ exact.integers(b)
    scales = exact.scale(type_, a, b)
    tiny = 1 << 2148 - (1075 if type_ == "f64" else 150)  # half a subnormal number
    error = abs(exact.integers(c) * exact.ONE - whole)
    bound = recipe(type_).error_bound / 4 + SCALAR_TYPES[type_].epsilon
    assert (error << 100 <= scales * int(bound * 2.0**100) + (tiny << 100)).all()


@pytest.mark.parametrize("type_", ["f64", "f32"])
def test_subnormal_numbers(type_):
    """Of A, of a row and a column, and of the result."""
    a, b = matrices(type_)
    least = float(np.finfo(SCALAR_TYPES[type_].dtype).smallest_normal)
    tiny = (a * least / 16).astype(a.dtype)
    assert_close(type_, tiny, b, multiply(type_, tiny, b))
    mixed_a, mixed_b = a.copy(), b.copy()
    mixed_a[2] *= least / 4
    mixed_a[3, 1] *= least / 4
    mixed_b[:, 1] *= least / 4
    assert_close(type_, mixed_a, mixed_b, multiply(type_, mixed_a, mixed_b))
    root = 2.0 ** (-535 if type_ == "f64" else -73)
    small_a, small_b = (x * x.dtype.type(root) for x in (a, b))
    assert_close(type_, small_a, small_b, multiply(type_, small_a, small_b))


@pytest.mark.parametrize("type_", ["f64", "f32"])
def test_the_smallest_and_the_largest_numbers(type_):
    limits = np.finfo(SCALAR_TYPES[type_].dtype)
    a, b = np.zeros((M, K)), np.zeros((K, N))
    a[0, 0], a[1, 1], a[2, 2], a[3, 2] = limits.smallest_subnormal, limits.max, limits.max, 2
    b[0, 0], b[1, 1], b[2, 2], b[1, 3] = 1, 1, limits.max, limits.smallest_normal
    found = multiply(type_, a, b)
    expected = np.zeros((M, N))
    expected[0, 0], expected[1, 1] = limits.smallest_subnormal, limits.max
    expected[2, 2] = expected[3, 2] = np.inf
    expected[1, 3] = float(limits.max) * float(limits.smallest_normal)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("type_", ["f64", "f32"])
def test_zeros(type_):
    a, b = matrices(type_)
    a[1], b[:, 2], a[0, 0] = 0, -0.0, 0
    found = multiply(type_, a, b)
    assert not found[1].any()
    assert not found[:, 2].any()
    assert_close(type_, a, b, found)
    zero = np.zeros_like(a)
    assert not multiply(type_, zero, b * b.dtype.type(2.0**100)).any()


@pytest.mark.parametrize("type_", ["f64", "f32"])
@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, -np.nan])
def test_infinity_and_nan(type_, value):
    """NaN exactly where the product of the language is not finite, whatever the other factor."""
    a, b = matrices(type_)
    clean = multiply(type_, a, b)
    a[1, 2] = b[3, 2] = value
    b[2, 0] = 0  # times infinity, that is NaN
    with np.errstate(invalid="ignore"):
        expected = np.isfinite(a @ b)
    found = multiply(type_, a, b)
    np.testing.assert_array_equal(np.isnan(found), ~expected)
    np.testing.assert_array_equal(found[2:, [1, 3]], clean[2:, [1, 3]])


def test_signs():
    a, b = matrices("f64")
    whole = multiply("f64", a, b)
    np.testing.assert_array_equal(multiply("f64", -a, b), -whole)
    np.testing.assert_array_equal(multiply("f64", -a, -b), whole)
    np.testing.assert_array_equal(multiply("f64", a, b, alpha=-1), -whole)


def test_factors_of_zero_infinity_and_nan():
    a, b = matrices("f64")
    old = np.ones((M, N))
    assert (multiply("f64", a, b, 0, 3, old) == 3).all()
    assert np.isnan(multiply("f64", a, b, np.nan, 1, old)).all()
    assert np.isinf(multiply("f64", a, b, np.inf, 1, old)).all()
    old[2, 3] = np.nan
    found = multiply("f64", a, b, 1, 1, old)
    assert np.argwhere(np.isnan(found)).tolist() == [[2, 3]]
