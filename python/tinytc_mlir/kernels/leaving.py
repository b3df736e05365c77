# SPDX-License-Identifier: BSD-3-Clause
"""`continue` and `return` in branches: what follows becomes the other branch of the conditional."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence

RESULT = "return"
"""The name of what a function returns, which no name of Python can be."""


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
    for position, node in enumerate(statements):
        before, rest = statements[:position], statements[position + 1 :]
        if isinstance(node, kind):
            return [*before, *_result(node)]
        if isinstance(node, ast.If) and _leaves(kind, [node], any):
            then, orelse = (
                without(kind, branch if _leaves(kind, branch, all) else [*branch, *rest])
                for branch in (node.body, node.orelse)
            )
            made = ast.If(node.test, then or [ast.copy_location(ast.Pass(), node)], orelse)
            return [*before, ast.copy_location(made, node)]
    return list(statements)


def _leaves(
    kind: type[ast.stmt], statements: Sequence[ast.stmt], paths: Callable[[Iterable[bool]], bool]
) -> bool:
    """Return whether any or all paths through statements leave."""
    return any(
        isinstance(node, kind)
        or (
            isinstance(node, ast.If)
            and paths(_leaves(kind, b, paths) for b in (node.body, node.orelse))
        )
        for node in statements
    )


def _result(node: ast.stmt) -> list[ast.stmt]:
    """Return the assignment of what a function returns."""
    value = getattr(node, "value", None)
    if value is None or (isinstance(value, ast.Constant) and value.value is None):
        return []
    target = ast.copy_location(ast.Name(RESULT, ast.Store()), node)
    return [ast.copy_location(ast.Assign([target], value), node)]
