# SPDX-License-Identifier: BSD-3-Clause
"""The check of what kernels of another language compute for the benchmark."""

from __future__ import annotations

from typing import Any


def check_last_product(torch: Any, a: Any, b: Any, c: Any) -> None:
    """Check the last product of a batch.

    Args:
        torch: PyTorch.
        a: (batch, K, M) tensor, whose matrices are A transposed.
        b: (batch, N, K) tensor, likewise.
        c: (batch, N, M) tensor, the products.

    Raises:
        ValueError: it is not the product.
    """
    left, right, result = (each[-1].to(torch.float64) for each in (b, a, c))
    if not torch.allclose(left @ right, result, rtol=1e-2, atol=1e-3 * a.shape[1]):
        raise ValueError("expected the product, got another result")
