"""Errors of recipes speak of the caller's arguments, not of texts that the recipes write."""

import numpy as np
import pytest

import tinytc_mlir as tt
from nearness import whole_numbers
from target_under_test import TARGET
from tinytc_mlir.recipes import contract, einsum, small_gemm_batched, tall_and_skinny

HUGE = 2**40


def refused(argument, message, make):
    with pytest.raises(tt.ArgumentError) as caught:
        assert make().program
    assert str(caught.value) == message
    assert caught.value.argument == argument


@pytest.mark.parametrize(
    ("leading", "rows"), [({"ldc": 17}, 17), ({"lda": 9}, 9), ({"lda": 200, "ldc": 1}, 1)]
)
def test_blocks_fit_leading_dimensions(leading, rows):
    """A matrix has no more rows than its leading dimension, so larger blocks are for nothing."""
    recipe = tall_and_skinny("f32", 5, 8, **leading, target=TARGET)
    assert recipe.m_block_size == rows
    random = np.random.default_rng(0)
    a = np.asfortranarray(whole_numbers(random, (leading.get("lda", rows), 8), np.float32))[:rows]
    b = np.asfortranarray(whole_numbers(random, (8, 5), np.float32))
    c = np.zeros((leading.get("ldc", rows), 5), np.float32, order="F")[:rows]
    recipe(2.0, a, b, 0.0, c)
    np.testing.assert_array_equal(c, 2 * (a @ b))


@pytest.mark.parametrize("name", ["lda", "ldc"])
def test_a_block_that_exceeds_a_leading_dimension(name):
    message = (
        f"tall_and_skinny: argument {name!r}: expected at least 32, the rows of a block, got 17"
    )
    make = lambda: tall_and_skinny("f32", 5, 8, m_block_size=32, **{name: 17}, target=TARGET)  # noqa: E731
    refused(name, message, make)
    assert tall_and_skinny("f32", 5, 8, m=17, m_block_size=32, **{name: 17}, target=TARGET).program


def test_random_sizes_of_tall_matrices_compile_or_are_refused():
    """No combination reaches the compiler with a text that it refuses."""
    random = np.random.default_rng(1)
    context = tt.Context()
    made = 0
    for _ in range(400):
        options = {
            name: int(random.choice([1, 2, 7, 16, 17, 127, 128, 129, 2**62]))
            for name in ("m", "lda", "ldb", "ldc", "m_block_size")
            if whole_numbers(
                random,
            )
            < 0.5
        }
        n, k = (int(random.choice([1, 2, 5, 8, HUGE])) for _ in range(2))
        try:
            recipe = tall_and_skinny("f32", n, k, **options, target=TARGET)
        except tt.ArgumentError:
            continue
        context.parse(recipe.text)
        made += 1
    assert made > 50


LARGE = "expected an array of less than 2^63 bytes, got"
SIZES = [
    (
        "n",
        f"tall_and_skinny: argument 'n': {LARGE} {4 * HUGE**2}",
        lambda: tall_and_skinny("f32", HUGE, HUGE),
    ),
    (
        "lda",
        f"tall_and_skinny: argument 'lda': {LARGE} {8 * 4 * 2**62}",
        lambda: tall_and_skinny("f32", 5, 8, lda=2**62, m=10),
    ),
    (
        "ldc",
        f"small_gemm_batched: argument 'ldc': {LARGE} {8 * 2**31 * 2**31}",
        lambda: small_gemm_batched("f64", 2**31, 2**31, 1),
    ),
    (
        "shapes",
        f"einsum: argument 'shapes': {LARGE} {8 * HUGE**2}",
        lambda: einsum("ij,jk->ik", (HUGE, HUGE), (HUGE, 2), dtype="f64", target=TARGET),
    ),
    (
        "shapes",
        f"einsum: argument 'shapes': {LARGE} {8 * 2**60}",
        lambda: einsum("i,j,k->ijk", *[(2**20,)] * 3, dtype="f64", target=TARGET),
    ),
    (
        "shapes",
        f"contract: argument 'shapes': {LARGE} {4 * HUGE**2}",
        lambda: contract(
            "t[ij] = A[i] * A[j]; C[()] = t[ij]",
            {"A": (HUGE,), "C": ()},
            dtype="f32",
            target=TARGET,
        ),
    ),
]


@pytest.mark.parametrize(("argument", "message", "make"), SIZES, ids=[each[1] for each in SIZES])
def test_arrays_that_no_memory_holds(argument, message, make):
    refused(argument, message, make)


RECIPES = {
    "einsum": lambda target: einsum("ij,jk->ik", (2, 2), (2, 2), dtype="f64", target=target),
    "small_gemm_batched": lambda target: small_gemm_batched("f64", 2, 2, 2, target=target),
    "tall_and_skinny": lambda target: tall_and_skinny("f64", 2, 2, target=target),
}


@pytest.mark.parametrize("name", RECIPES)
def test_a_type_that_the_target_lacks(name):
    with pytest.raises(tt.ArgumentError) as caught:
        assert RECIPES[name]("intel-gpu:dg2").program
    rule = "expected no f64 on target 'intel-gpu:dg2', which has no such type, got f64"
    assert str(caught.value) == f"{name}: argument 'dtype': {rule}"
    assert caught.value.argument == "dtype"


def test_other_errors_stay_what_they_are():
    with pytest.raises(tt.LoweringError, match="expected"):
        assert RECIPES["einsum"]("no-such-target").program


def test_a_product_that_is_no_batch():
    recipe = tall_and_skinny("f32", 5, 8, target=TARGET)
    a, b, c = (np.zeros(shape, np.float32, "F") for shape in ((9, 8), (8, 5), (9, 5)))
    with pytest.raises(tt.ArgumentError) as caught:
        recipe(1.0, a, b, 0.0, c, howmany=2)
    message = "tall_and_skinny: argument 'howmany': expected None for a product that is no batch"
    assert str(caught.value) == f"{message}, got 2 (int)"
