# SPDX-License-Identifier: BSD-3-Clause
"""Kernels that the library writes: batched and tall products of matrices, sums of contractions.

Each recipe is a program in the tensor language (`.text`) whose kernels are compiled when they are
first launched.
"""

from __future__ import annotations

from .contract import Contraction, contract
from .einsum import Einsum, einsum
from .small_gemm_batched import SmallGemmBatched, small_gemm_batched
from .tall_and_skinny import TallAndSkinny, tall_and_skinny

__all__ = [
    "Contraction",
    "Einsum",
    "SmallGemmBatched",
    "TallAndSkinny",
    "contract",
    "einsum",
    "small_gemm_batched",
    "tall_and_skinny",
]
