# SPDX-License-Identifier: BSD-3-Clause
"""Kernels that the library writes: products of matrices, and sums of contractions.

Each recipe is a program in the tensor language (`.text`) whose kernels are compiled when they are
first launched.
"""

from __future__ import annotations

from .contract import Contraction, contract
from .einsum import Einsum, einsum
from .gemm_recipe import BoundGemm, GemmRecipe
from .ozaki_gemm import ozaki_gemm
from .ozaki_launches import OzakiGemm
from .small_gemm_batched import SmallGemmBatched, small_gemm_batched
from .tall_and_skinny import TallAndSkinny, tall_and_skinny

__all__ = [
    "BoundGemm",
    "Contraction",
    "Einsum",
    "GemmRecipe",
    "OzakiGemm",
    "SmallGemmBatched",
    "TallAndSkinny",
    "contract",
    "einsum",
    "ozaki_gemm",
    "small_gemm_batched",
    "tall_and_skinny",
]
