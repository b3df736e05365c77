# SPDX-License-Identifier: BSD-3-Clause
"""Chains of SeisSol, compared with chains of library kernels."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

from .case import Array, Arrays, Case, Source
from .chains import CHAINS, Chain

FAMILY = "seissol"


def seissol_cases() -> Iterator[Case]:
    """Yield all chains in both types."""
    for type_ in ("f32", "f64"):
        for chain in CHAINS:
            yield _case(chain, type_)


def _case(chain: Chain, type_: str) -> Case:
    arrays = tuple(
        Array(
            name,
            type_,
            (matrix.rows, matrix.columns),
            matrix.role if matrix.is_batch else "in",
            is_shared=matrix.role == "constant",
        )
        for name, matrix in chain.matrices.items()
        if matrix.role != "temporary"
    )
    return Case(
        name=f"{FAMILY}.{type_}.{chain.name}",
        family=FAMILY,
        type=type_,
        arrays=arrays,
        ours=Source(chain.text(type_), (chain.function(type_),)),
        flops=sum(product.flops for product in chain.products),
        expected=functools.partial(_expected, chain),
        terms=sum(product.sizes[2] for product in chain.products),
        chain=chain,
    )


def _expected(chain: Chain, arrays: Arrays) -> dict[str, Any]:
    """Return the results of some cells, computed in f64."""
    cells = next(arrays[n].shape[-1] for n, m in chain.matrices.items() if m.is_batch)
    values = {}
    for name, matrix in chain.matrices.items():
        if matrix.role == "temporary":
            values[name] = np.full((cells, matrix.rows, matrix.columns), np.nan)
        elif matrix.is_batch:
            values[name] = np.moveaxis(arrays[name].astype(np.float64), -1, 0)
        else:
            values[name] = arrays[name].astype(np.float64)
    for product in chain.products:
        a, b, c = (
            values[getattr(product, operand)][..., row : row + rows, column : column + columns]
            for operand, (row, rows, column, columns) in product.slices().items()
        )
        result = a @ (b.swapaxes(-1, -2) if product.is_b_transposed else b)
        c[...] = c + result if product.adds else result
    return {
        name: np.moveaxis(values[name], 0, -1)
        for name, matrix in chain.matrices.items()
        if matrix.role in ("out", "inout")
    }
