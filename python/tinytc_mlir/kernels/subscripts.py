# SPDX-License-Identifier: BSD-3-Clause
"""What is in the square brackets of an expression."""

from __future__ import annotations

import ast


def slices(node: ast.Subscript) -> list[ast.expr]:
    """Return the items in square brackets."""
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def length_of(node: ast.Slice) -> ast.expr | None:
    """Return the size of `i : i + n`, None if the end is not written so."""
    upper = node.upper
    if node.lower is None or not isinstance(upper, ast.BinOp) or not isinstance(upper.op, ast.Add):
        return None
    return upper.right if ast.dump(upper.left) == ast.dump(node.lower) else None


def is_whole(node: ast.expr) -> bool:
    """Return whether an item in square brackets is `:`."""
    return isinstance(node, ast.Slice) and node.lower is node.upper is node.step is None


def is_slice(node: ast.expr) -> bool:
    """Return whether an item in square brackets is a slice or `...`."""
    return isinstance(node, ast.Slice) or (
        isinstance(node, ast.Constant) and node.value is Ellipsis
    )
