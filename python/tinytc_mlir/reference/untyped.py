# SPDX-License-Identifier: BSD-3-Clause
"""Names for what the reference handles and has no types, and a walk over it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

Ir: TypeAlias = Any
"""An operation, region, value, type or attribute of the `mlir` package, which has no stubs."""

Value: TypeAlias = Any
"""A NumPy number or bool, or an array of them: what an SSA value is while a kernel runs. The dtype
depends on the kernel, so no static type describes it."""


def operations(parent: Ir) -> Iterator[Ir]:
    """Yield all operations inside of one."""
    for region in parent.regions:
        for block in region.blocks:
            for each in block.operations:
                yield each.operation
                yield from operations(each.operation)
