# SPDX-License-Identifier: BSD-3-Clause
"""Which names statements use and assign: what loops carry, and what conditionals yield."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence


def assigned(statements: Iterable[ast.AST], updates: bool = True) -> list[str]:
    """Return the names that statements assign, in order, also as variables of loops.

    Without updates, `x += 1` does not count.

    >>> assigned(ast.parse("for i in r: x = i; y[0] = x").body)
    ['i', 'x']
    """
    found: dict[str, None] = {}
    pending = list(statements)
    while pending:
        node = pending.pop(0)
        if isinstance(node, ast.For):
            items = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
            named = [item.id for item in items if isinstance(item, ast.Name)]
            found |= dict.fromkeys([*named, *applied(node)])
            pending = [*node.body, *pending]
        elif isinstance(node, (ast.If, ast.With)):
            pending = [*node.body, *getattr(node, "orelse", []), *pending]
        elif isinstance(node, ast.AugAssign) and not updates:
            continue
        elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            found |= dict.fromkeys(t.id for t in targets(node) if isinstance(t, ast.Name))
    return list(found)


def applied(node: ast.For) -> list[str]:
    """Return the name of the matrix whose components a loop replaces."""
    call = node.iter
    if not isinstance(call, ast.Call):
        return []
    is_apply = ast.unparse(call.func).endswith("cooperative_matrix_apply")
    return [arg.id for arg in call.args[:1] if is_apply and isinstance(arg, ast.Name)]


def targets(node: ast.Assign | ast.AnnAssign | ast.AugAssign) -> list[ast.expr]:
    """Return the targets of an assignment, those in a tuple one by one."""
    found = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [item for t in found for item in (t.elts if isinstance(t, ast.Tuple) else [t])]


def names(node: ast.AST) -> set[str]:
    """Return all names in an expression."""
    return {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}


def live_before(statements: Sequence[ast.stmt], after: set[str]) -> set[str]:
    """Return the names that are used before they are assigned, in statements or after them.

    >>> sorted(live_before(ast.parse("x = a; y = x + b").body, {"y", "z"}))
    ['a', 'b', 'z']
    """
    live = set(after)
    for node in reversed(statements):
        match node:
            case ast.For(target, iterable, body):
                again = live_before(body, live)
                live |= (live_before(body, live | again) - names(target)) | names(iterable)
            case ast.If(test, then, orelse):
                live = live_before(then, live) | live_before(orelse, live) | names(test)
            case ast.With(_, body):
                live = live_before(body, live)
            case ast.Assign(value=value) | ast.AnnAssign(value=value):
                live -= {t.id for t in targets(node) if isinstance(t, ast.Name)}
                used = [value, *(t for t in targets(node) if not isinstance(t, ast.Name))]
                live |= set().union(*(names(each) for each in used if each))
            case _:
                live |= names(node)
    return live
