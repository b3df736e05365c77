# SPDX-License-Identifier: BSD-3-Clause
"""Cases of the recipes: batched small products, tall and skinny ones, chains of contractions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tinytc_mlir import recipes

from .case import Array, Arrays, Case, Gemm, Source

_SMALL_SHAPES = ((8, 8, 8), (35, 9, 35), (56, 9, 20))
_SKINNY_SHAPES = ((4, 4), (8, 16), (32, 32))  # N and K
_CHAIN = "ij,jk,kl->il"
_CHAIN_SIZES = {"i": 56, "j": 56, "k": 9, "l": 9}
_FACTORS = {"alpha": 1.0, "beta": 0.0}


def recipe_cases() -> Iterator[Case]:
    """Yield all cases of recipes."""
    for type_ in ("f32", "f64"):
        for shape in _SMALL_SHAPES:
            yield _small_gemm(type_, shape)
        for n, k in _SKINNY_SHAPES:
            yield _tall_and_skinny(type_, n, k)
        yield _chain(type_)


def _small_gemm(type_: str, shape: tuple[int, int, int]) -> Case:
    m, n, k = shape
    arrays = (
        Array("A", type_, (m, k)),
        Array("B", type_, (k, n)),
        Array("C", type_, (m, n), "out"),
    )
    return Case(
        name=f"recipe.small_gemm_batched.{type_}.{m}x{n}x{k}",
        family="recipe",
        type=type_,
        arrays=arrays,
        ours=Source(recipes.small_gemm_batched(type_, m, n, k).text, ("gemm_beta0",)),
        flops=2 * m * n * k,
        expected=_batched_product,
        terms=k,
        scalars=_FACTORS,
        gemm=Gemm(type_, shape, "nn", (m, k, m)),
    )


def _tall_and_skinny(type_: str, n: int, k: int) -> Case:
    recipe = recipes.tall_and_skinny(type_, n, k, target="cpu")
    on_gpus = recipes.tall_and_skinny(type_, n, k, target="cuda:sm_90")
    m = recipe.m_block_size
    arrays = (
        Array("A", type_, (m, k), is_tall=True),
        Array("B", type_, (k, n), is_shared=True),
        Array("C", type_, (m, n), "out", is_tall=True),
    )
    return Case(
        name=f"recipe.tall_and_skinny.{type_}.{n}x{k}",
        family="recipe",
        type=type_,
        arrays=arrays,
        ours=Source(recipe.text, ("gemm_beta0",), on_gpus.text),
        flops=2 * m * n * k,
        expected=lambda arrays: {"C": np.einsum("mkg,kn->mng", arrays["A"], arrays["B"])},
        terms=k,
        scalars=_FACTORS,
        gemm=Gemm(type_, (m, n, k), "nn", (m, k, m), is_tall=True),
    )


def _chain(type_: str) -> Case:
    """Return a chain as in wave solvers: a constant matrix and two of each element."""
    i, j, k, l = _CHAIN_SIZES.values()  # noqa: E741
    recipe = recipes.einsum(_CHAIN, (i, j), (j, k, None), (k, l, None), dtype=type_)
    arrays = (
        Array("operand0", type_, (i, j), is_shared=True),
        Array("operand1", type_, (j, k)),
        Array("operand2", type_, (k, l)),
        Array("result", type_, (i, l), "out"),
    )
    return Case(
        name=f"recipe.einsum.{type_}.56x56x9x9",
        family="recipe",
        type=type_,
        arrays=arrays,
        ours=Source(recipe.text, ("einsum_beta0",)),
        flops=2 * j * k * l + 2 * i * j * l,
        expected=_chain_product,
        terms=j * k,
        scalars=_FACTORS,
    )


def _batched_product(arrays: Arrays) -> dict[str, Any]:
    return {"C": np.einsum("mkg,kng->mng", arrays["A"], arrays["B"])}


def _chain_product(arrays: Arrays) -> dict[str, Any]:
    operands = [arrays[f"operand{number}"] for number in range(3)]
    return {"result": np.einsum("ij,jkg,klg->ilg", *operands, optimize=True)}
