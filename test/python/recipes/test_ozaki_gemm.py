"""Products from slices of integers, compared with exact ones."""

import numpy as np
import pytest
from numbers_of import Guarded

import tinytc_mlir as tt
from cases import ozaki_numbers as exact
from target_under_test import TARGET
from tinytc_mlir.scalars import SCALAR_TYPES

COUNT = 2
TRANSPOSES = [(a, b) for a in (False, True) for b in (False, True)]
#: Binary orders that the exponents of numbers are spread over.
ORDERS = (0, 8, 40, 200)


def operands(rng, type_, sizes, orders, count=COUNT):
    """Return op(A) and op(B)."""
    m, n, k = sizes
    return (exact.spread_values(rng, type_, (*s, count), orders) for s in ((m, k), (k, n)))


def stored(values, is_transposed):
    """Return matrices as they are in memory."""
    return np.asfortranarray(values.swapaxes(0, 1) if is_transposed else values)


def check(recipe, type_, a, b, c):
    """Compare products without factors with exact ones, and with exact ones of slices."""
    splits, unit = recipe.splits, 2.0**-53
    # Sums of f64: one addition for each product of slices, and the rounding of the result.
    rounding = (splits * (splits + 1) / 2 + 2) * unit + SCALAR_TYPES[type_].epsilon / 2
    for i in range(c.shape[2]):
        x, y = a[:, :, i], b[:, :, i]
        scales = exact.scale(type_, x, y)
        whole = exact.integers(x) @ exact.integers(y)
        # Powers of two are up to four times the largest numbers of a row and a column.
        bound = recipe.error_bound / 4 + rounding
        assert exact.difference(c[:, :, i], whole, scales) <= bound
        sliced = exact.sliced_product(type_, x, y, splits)
        assert exact.difference(c[:, :, i], sliced, scales, 14 * splits) <= rounding


def run(type_, sizes, transposes=(False, False), orders=ORDERS, **options):
    """Compute products, C filled with NaN, and compare."""
    recipe = tt.recipes.ozaki_gemm(
        *sizes,
        type_,
        transpose_a=transposes[0],
        transpose_b=transposes[1],
        target=TARGET,
        **options,
    )
    rng = np.random.default_rng(sum(sizes))
    for spread in orders:
        if type_ == "f32" and spread > 100 and sizes[2] == 1:
            continue  # single products may be rounded to zero
        a, b = operands(rng, type_, sizes, spread)
        c = np.full((*sizes[:2], COUNT), np.nan, a.dtype, order="F")
        recipe(1, stored(a, transposes[0]), stored(b, transposes[1]), 0, c)
        check(recipe, type_, a, b, c)


@pytest.mark.similar
@pytest.mark.parametrize("type_", ["f64", "f32"])
@pytest.mark.parametrize("sizes", [(1, 1, 1), (7, 3, 5), (66, 34, 67)], ids=str)
def test_sizes(type_, sizes):
    """More than a tile, too, whose exact products take a while."""
    run(type_, sizes, orders=ORDERS if max(sizes) < 10 else (8,))


@pytest.mark.similar
@pytest.mark.parametrize("transposes", TRANSPOSES[1:], ids=str)
def test_transposes(transposes):
    run("f64", (5, 35, 9), transposes)


@pytest.mark.similar
@pytest.mark.parametrize("type_", ["f64", "f32"])
@pytest.mark.parametrize("splits", [1, 2, 5, 12])
def test_slices(type_, splits):
    run(type_, (5, 4, 9), splits=splits)


def test_the_sums_of_long_lines_do_not_overflow():
    """Numbers whose slices have all bits: 140,000 times 127 * 127 is more than 2^31."""
    k = 140_000
    recipe = tt.recipes.ozaki_gemm(1, 1, k, splits=2, target=TARGET)
    number = 1 - 2.0**-14
    a, b = np.full((1, k, 1), number), np.full((k, 1, 1), -number, order="F")
    c = np.full((1, 1, 1), np.nan)
    recipe(1, a, b, 0, c)
    high, low = 127 * 2.0**-7, 127 * 2.0**-14
    assert c.item() == -k * (high * high + 2 * high * low)


@pytest.mark.parametrize("type_", ["f64", "f32"])
def test_results_that_the_type_holds_are_exact(type_):
    """As for small integers, which have few slices that are not zero."""
    rng = np.random.default_rng(1)
    a, b, c = (rng.integers(-500, 501, (*s, 3)) for s in ((11, 6), (6, 9), (11, 9)))
    recipe = tt.recipes.ozaki_gemm(11, 9, 6, type_, target=TARGET)
    dtype = SCALAR_TYPES[type_].dtype
    old = np.asfortranarray(c, dtype)
    recipe(2, np.asfortranarray(a, dtype), np.asfortranarray(b, dtype), -3, old)
    np.testing.assert_array_equal(old, 2 * np.einsum("mki,kni->mni", a, b) - 3 * c)


@pytest.mark.similar
@pytest.mark.parametrize("transposes", TRANSPOSES, ids=str)
@pytest.mark.parametrize("allocate", [np.empty, tt.empty])
def test_nothing_else_is_written(transposes, allocate):
    """Arrays with gaps, between guard zones; with a beta of zero, NaN in C does no harm."""
    m, n, k = 9, 10, 11
    rng = np.random.default_rng(3)
    a, b, c = (rng.integers(-8, 9, (*s, 3)) / 8.0 for s in ((m, k), (k, n), (m, n)))
    recipe = tt.recipes.ozaki_gemm(
        *(m, n, k), transpose_a=transposes[0], transpose_b=transposes[1], target=TARGET,
        lda=14, stride_a=200, ldb=13, stride_b=143, ldc=12, stride_c=125,
    )  # fmt: skip
    left, right = (
        Guarded("f64", values, values.shape, strides, allocate)
        for values, strides in (
            (stored(a, transposes[0]), (1, 14, 200)),
            (stored(b, transposes[1]), (1, 13, 143)),
        )
    )
    product = np.einsum("mki,kni->mni", a, b)
    for beta, initial in ((0, None), (2, c)):
        result = Guarded("f64", initial, c.shape, (1, 12, 125), allocate)
        recipe(0.5, left.array, right.array, beta, result.array)
        result.assert_only(0.5 * product + (beta * c if beta else 0), 0)
