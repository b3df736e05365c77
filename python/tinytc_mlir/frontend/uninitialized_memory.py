# SPDX-License-Identifier: BSD-3-Clause
"""Finds local memory that is read although nothing writes it."""

from __future__ import annotations

from collections.abc import Iterator

from mlir import ir

_VIEWS = ("expand", "expandc2r", "fuse", "subview")
_UPDATES = ("axpby", "cumsum", "gemm", "gemv", "ger", "hadamard_product", "sum")
_READS = ("load", "atomic_load", "cooperative_matrix_load", "cooperative_matrix_atomic_load")
_OTHERS = ("associated", "lifetime_stop", "size", "cooperative_matrix_prefetch")


def is_only_read(memref: ir.Value) -> bool:
    """Return whether instructions read a memref, or views of it, and none writes it."""
    uses = set(_uses(memref))
    return uses == {"read"}


def _uses(memref: ir.Value) -> Iterator[str]:
    """Yield what is done with the elements of a memref: "read" or "write"."""
    for use in memref.uses:
        op = use.owner.operation
        name = op.name.removeprefix("tinytc.")
        if name in _VIEWS:
            yield from _uses(op.results[0])
        elif name in _READS or (name in _UPDATES and use.operand_number < len(op.operands) - 1):
            yield "read"
        elif name not in _OTHERS:
            yield "write"
