"""Recipes in both forms: their texts, and functions of Python that make the same modules."""

import re

import pytest
from ozaki_in_python import factor_kernels, product_kernel
from recipes_in_python import small_gemm_batched, tall_and_skinny
from test_round_trip import assert_same

import tinytc_mlir as tt
from equal_modules import canonical
from tinytc_mlir import recipes


def without_names(functions):
    return [re.sub(r"tinytc.func @\w+", "tinytc.func", function) for function in functions]


def assert_recipe(recipe, kernels):
    """Check that kernels make the module of a recipe."""
    found = [function for kernel in kernels for function in canonical(kernel.module)]
    assert without_names(found) == without_names(canonical(tt.Context().parse(recipe.text)))


GENERATED = {
    "small_gemm_batched": lambda: recipes.small_gemm_batched("c32", 3, 4, 5, transpose_a=True),
    "tall_and_skinny": lambda: recipes.tall_and_skinny("f32", 7, 5, target="cpu"),
    "ozaki_gemm": lambda: recipes.ozaki_gemm(40, 30, 20, transpose_b=True, target="cpu"),
    "ozaki_gemm of f32": lambda: recipes.ozaki_gemm(4, 3, 2, "f32", target="cpu"),
    "contract": lambda: recipes.contract(
        "Q[kp] += dt * (K[kl] * I[lq] * A[qp] - 0.5 * I[kq] * E[qp])",
        {"Q": (4, 3, None), "I": (4, 3, None), "K": (4, 4), "A": (3, 3, None), "E": (3, 3)},
        dtype="f64",
        target="cpu",
    ),
    "einsum": lambda: recipes.einsum("ij,jk->ik", (4, 5), (5, 6), dtype="f32", target="cpu"),
}


@pytest.mark.parametrize("name", GENERATED)
def test_one_call_for_each_instruction(name, tmp_path):
    assert_same(tt.Context().parse(GENERATED[name]().text), tmp_path)


@pytest.mark.parametrize("transposes", [(False, False), (True, False), (False, True), (True, True)])
def test_small_gemm_batched(transposes):
    options = dict(zip(("transpose_a", "transpose_b"), transposes, strict=True))
    recipe = recipes.small_gemm_batched("f64", 3, 4, 5, **options)
    a = tt.f64[(5, 3) if transposes[0] else (3, 5)]
    b = tt.f64[(4, 5) if transposes[1] else (5, 4)]
    a, b = (tt.f64[(*each.shape, None)] for each in (a, b))
    assert_recipe(recipe, small_gemm_batched(tt.f64, a, b, tt.f64[3, 4, None], **options))


def test_one_matrix_for_all():
    recipe = recipes.small_gemm_batched("c32", 3, 4, 5, lda=7, stride_b=0, stride_c=20)
    a, c = tt.c32[3, 5, None].strided(1, 7, 35), tt.c32[3, 4, None].strided(1, 3, 20)
    assert_recipe(recipe, small_gemm_batched(tt.c32, a, tt.c32[5, 4], c))


@pytest.mark.parametrize("m", [None, 64, 5, 70])
def test_tall_and_skinny(m):
    recipe = recipes.tall_and_skinny("f32", 6, 5, m=m, m_block_size=32, target="cpu")
    strided = {"a": (m, 5), "b": (5, 6), "c": (m, 6)}
    types = {n: tt.f32[shape].strided(1, None) for n, shape in strided.items()}
    width = 2 if m is None else 6
    assert_recipe(recipe, tall_and_skinny(tt.f32, **types, block=32, width=width))


@pytest.mark.parametrize(
    ("sizes", "options"),
    [
        ((70, 30, 20), {"transpose_b": True}),
        ((4, 3, 200), {"dtype": "f32", "splits": 3, "transpose_a": True, "stride_b": 0}),
    ],
)
def test_ozaki_gemm(sizes, options):
    recipe = recipes.ozaki_gemm(*sizes, target="cpu", **options)
    problem = recipe._problem
    kernels = [product_kernel(problem, has_beta=has_beta) for has_beta in (True, False)]
    kernels += [k for f in (problem.a, problem.b) for k in factor_kernels(f, problem)]
    assert_recipe(recipe, kernels)
