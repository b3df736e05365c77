# SPDX-License-Identifier: BSD-3-Clause
"""Which arrays a kernel overwrites without reading what they held before."""

from __future__ import annotations

import re
from typing import Any

_VIEWS = ("tinytc.subview", "tinytc.expand", "tinytc.fuse")
_PRODUCTS = (
    "tinytc.axpby",
    "tinytc.cumsum",
    "tinytc.gemm",
    "tinytc.gemv",
    "tinytc.ger",
    "tinytc.hadamard_product",
    "tinytc.sum",
)
# As MLIR prints them: 0 : i32, 0.000000e+00 : f64, [0.000000e+00, 0.000000e+00].
_ZERO = re.compile(r"\[?0(\.0+e\+00)?( :|, 0\.0+e\+00\]|$)")


def overwritten_parameters(function: Any) -> set[int]:
    """Return the numbers of a kernel's arrays whose values before it do not matter.

    The kernel stores into such an array, updates it by collective instructions with a constant beta
    of 0, and reads only views that such an instruction has written before.

    Args:
        function: the operation of the kernel.
    """
    block = function.regions[0].blocks[0]
    walk = _Walk()
    for number, argument in enumerate(block.arguments):
        walk.roots[argument] = number
    walk.visit(block, ())
    return set(range(len(block.arguments))) - walk.read


class _Walk:
    """Visits instructions in the order of the program."""

    def __init__(self) -> None:
        self.roots: dict[Any, int] = {}  # parameters of views
        self.read: set[int] = set()
        self._zeros: set[Any] = set()
        self._written: dict[Any, list[tuple[int, ...]]] = {}  # by view, the regions that write it

    def visit(self, block: Any, path: tuple[int, ...]) -> None:
        """Visit a block, which is in regions with these numbers."""
        for number, op in enumerate(block.operations):
            self._visit(op.operation, path)
            for index, region in enumerate(op.operation.regions):
                for inner in region.blocks:
                    self.visit(inner, (*path, number, index))

    def _visit(self, op: Any, path: tuple[int, ...]) -> None:
        operands = list(op.operands)
        if op.name == "tinytc.constant":
            if _ZERO.match(str(op.attributes["value"])):
                self._zeros.add(op.results[0])
            return
        if op.name in _VIEWS and operands[0] in self.roots:
            self.roots[op.results[0]] = self.roots[operands[0]]
            return
        checked = operands
        overwrites = op.name in _PRODUCTS and operands[-2] in self._zeros
        overwrites = overwrites and "atomic" not in op.attributes
        if overwrites:
            checked = operands[:-2]
        elif op.name == "tinytc.store" and "atomic" not in str(op.attributes["flag"]):
            checked = [operands[0], *operands[2:]]
        for operand in checked:
            if operand in self.roots and not self._is_written(operand, path):
                self.read.add(self.roots[operand])
        if overwrites and operands[-1] in self.roots:
            self._written.setdefault(operands[-1], []).append(path)

    def _is_written(self, view: Any, path: tuple[int, ...]) -> bool:
        return any(path[: len(each)] == each for each in self._written.get(view, []))
