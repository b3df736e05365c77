# SPDX-License-Identifier: BSD-3-Clause
"""`continue` and `return` in branches: what follows becomes the other branch of the conditional."""

from __future__ import annotations

import ast
from collections.abc import Sequence

RESULT = "return"
"""The name of what a function returns, which no name of Python can be."""

MAX_DEPTH = 40
"""How deeply regions may be nested, a third of what Python's limit of recursion allows."""


def without(kind: type[ast.stmt], statements: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Return statements that do the same and do not leave early; those in inner loops are kept.

    What follows a conditional that leaves is in each branch that goes on.

    Args:
        kind: what leaves: `ast.Continue`, or `ast.Return`, whose value is assigned to `RESULT`.
        statements: the body of a loop or a function.

    >>> print(*map(ast.unparse, without(ast.Return, ast.parse("if a: return 1").body)))
    if a:
        return = 1
    """
    return _before(kind, statements, [], 0)[0]


def _before(
    kind: type[ast.stmt], statements: Sequence[ast.stmt], following: list[ast.stmt], depth: int
) -> tuple[list[ast.stmt], int]:
    """Return statements with those that follow them, and how many conditionals are nested so."""
    rest = following[::-1]  # from the last statement to the first
    for node in reversed(statements):
        if isinstance(node, kind):
            rest, depth = _result(node), 0
        elif isinstance(node, ast.If) and depth < MAX_DEPTH and _leaves(kind, [node]):
            then, first = _before(kind, node.body, rest[::-1], depth)
            orelse, second = _before(kind, node.orelse, rest[::-1], depth)
            then = then or [ast.copy_location(ast.Pass(), node)]
            rest = [ast.copy_location(ast.If(node.test, then, orelse), node)]
            depth = max(first, second) + 1
        else:
            rest.append(node)
    return rest[::-1], depth


def _leaves(kind: type[ast.stmt], statements: Sequence[ast.stmt]) -> bool:
    """Return whether a path through statements leaves."""
    return any(
        isinstance(node, kind)
        or (isinstance(node, ast.If) and any(_leaves(kind, b) for b in (node.body, node.orelse)))
        for node in statements
    )


def _result(node: ast.stmt) -> list[ast.stmt]:
    """Return the assignment of what a function returns."""
    value = getattr(node, "value", None)
    if value is None or (isinstance(value, ast.Constant) and value.value is None):
        return []
    target = ast.copy_location(ast.Name(RESULT, ast.Store()), node)
    return [ast.copy_location(ast.Assign([target], value), node)]
