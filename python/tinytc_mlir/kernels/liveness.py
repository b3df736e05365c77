# SPDX-License-Identifier: BSD-3-Clause
"""Which names statements use and assign: what loops carry, and what conditionals yield."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Effect(NamedTuple):
    """What statements do with names.

    Args:
        assigned: the names that they assign, in order; whether by more than `x += 1`.
        used: the names that they use before they assign them.
        replaced: the names that they assign on all paths.
    """

    assigned: dict[str, bool]
    used: set[str]
    replaced: set[str]


class Liveness:
    """The effects of statements, each of which is looked at once."""

    def __init__(self) -> None:
        self._known: dict[ast.stmt, Effect] = {}

    def effect(self, statements: Iterable[ast.stmt]) -> Effect:
        """Return what statements do, one after the other.

        >>> body = ast.parse("for i in r: x = i; y[0] = x; x = a").body
        >>> Liveness().effect(body).assigned, sorted(Liveness().effect(body).used)
        ({'i': True, 'x': True}, ['a', 'r', 'y'])
        """
        found = Effect({}, set(), set())
        for each in map(self._of, statements):
            found.used.update(each.used - found.replaced)
            found.replaced.update(each.replaced)
            _add(found.assigned, each.assigned)
        return found

    def after(self, statements: Sequence[ast.stmt], used: set[str]) -> list[set[str]]:
        """Return, for each statement, which of the names that it assigns are used after it.

        Args:
            statements: the statements.
            used: the names that are used after all of them.

        >>> Liveness().after(ast.parse("x = a; y = x; z = 1").body, {"z"})
        [{'x'}, set(), {'z'}]
        """
        live, found = set(used), []
        for each in reversed([self._of(node) for node in statements]):
            found.append({name for name in each.assigned if name in live})
            live -= each.replaced
            live |= each.used
        return found[::-1]

    def _of(self, node: ast.stmt) -> Effect:
        if node not in self._known:
            self._known[node] = self._first_look(node)
        return self._known[node]

    def _first_look(self, node: ast.stmt) -> Effect:
        match node:
            case ast.For(target, iterable, body):
                inner = self.effect(body)
                bound = [t.id for t in _items(target) if isinstance(t, ast.Name)]
                assigned = dict.fromkeys([*bound, *_applied(node)], True)
                used = (inner.used - names(target)) | names(iterable)
                return Effect(_add(assigned, inner.assigned), used, set())
            case ast.If(test, then, orelse):
                first, second = self.effect(then), self.effect(orelse)
                return Effect(
                    _add(dict(first.assigned), second.assigned),
                    first.used | second.used | names(test),
                    first.replaced & second.replaced,
                )
            case ast.With(_, body):
                return self.effect(body)
            case ast.Assign(value=value) | ast.AnnAssign(value=value):
                bound = [t.id for t in targets(node) if isinstance(t, ast.Name)]
                parts = [value, *(t for t in targets(node) if not isinstance(t, ast.Name))]
                used = set().union(*(names(each) for each in parts if each))
                return Effect(dict.fromkeys(bound, True), used, set(bound))
            case ast.AugAssign(ast.Name(id=name)):
                return Effect({name: False}, names(node), set())
        return Effect({}, names(node), set())


def _add(assigned: dict[str, bool], more: dict[str, bool]) -> dict[str, bool]:
    for name, is_bound in more.items():
        assigned[name] = assigned.get(name, False) or is_bound
    return assigned


def _applied(node: ast.For) -> list[str]:
    """Return the name of the matrix whose components a loop replaces."""
    call = node.iter
    if not isinstance(call, ast.Call):
        return []
    is_apply = ast.unparse(call.func).endswith("cooperative_matrix_apply")
    return [arg.id for arg in call.args[:1] if is_apply and isinstance(arg, ast.Name)]


def targets(node: ast.Assign | ast.AnnAssign | ast.AugAssign) -> list[ast.expr]:
    """Return the targets of an assignment, those in a tuple one by one."""
    found = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [item for target in found for item in _items(target)]


def _items(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple) else [node]


def names(node: ast.AST) -> set[str]:
    """Return all names in an expression."""
    return {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}
