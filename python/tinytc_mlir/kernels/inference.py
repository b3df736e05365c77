# SPDX-License-Identifier: BSD-3-Clause
"""Types of numbers before a loop, from what the loop makes of them: `s = 0.0`, then `s += x[k]`.

A type is only what the number becomes: where the loop makes another of it, that is an error.
"""

from __future__ import annotations

import ast

from .elementwise import Elementwise
from .types import SCALARS, Memref, Scalar
from .values import Instruction, Local, Static

_KINDS: dict[type, tuple[str, ...]] = {
    bool: ("bool",),
    int: ("integer", "floating", "complex"),
    float: ("floating", "complex"),
    complex: ("complex",),
}


class Inference(Elementwise):
    """The part that finds types of numbers in statements that have not been read."""

    def type_in(self, name: str, number: object, node: ast.stmt) -> Scalar | None:
        """Return the type that a number becomes as the value of a name, None if none is known.

        Args:
            name: the name, which the statement assigns.
            number: its value before the statement.
            node: the statement.
        """
        assigned: dict[str, list[ast.expr]] = {}
        for each in ast.walk(node):
            if isinstance(each, ast.Assign):
                pairs = [(each.targets[0], each.value)]
                if isinstance(each.targets[0], ast.Tuple) and isinstance(each.value, ast.Tuple):
                    pairs = list(zip(each.targets[0].elts, each.value.elts, strict=False))
            elif isinstance(each, ast.For) and isinstance(each.iter, ast.Call):
                pairs = [(each.target, bound) for bound in each.iter.args]
            elif isinstance(each, (ast.AugAssign, ast.AnnAssign)):
                value = each.annotation if isinstance(each, ast.AnnAssign) else each.value
                pairs = [(each.target, value)]
            else:
                continue
            for target, value in pairs:
                if isinstance(target, ast.Name):
                    assigned.setdefault(target.id, []).append(value)
        found = self._first(assigned.get(name, []), assigned, {name})
        return found if found and found.kind in _KINDS.get(type(number), ()) else None

    def _first(
        self, nodes: list[ast.expr], assigned: dict[str, list[ast.expr]], seen: set[str]
    ) -> Scalar | None:
        return next(filter(None, (self._scalar_of(each, assigned, seen) for each in nodes)), None)

    def _scalar_of(  # noqa: PLR0911, one for each kind
        self, node: ast.expr, assigned: dict[str, list[ast.expr]], seen: set[str]
    ) -> Scalar | None:
        """Return the type of an expression, None where it is not known."""
        match node:
            case ast.Name(id=name) if name in assigned:
                new = [] if name in seen else assigned[name]
                seen.add(name)
                return self._first(new, assigned, seen)
            case ast.Name(id=name):
                value = self.scope.get(name)
                type_ = value.type if isinstance(value, Local) else None
                return type_ if isinstance(type_, Scalar) else None
            case (
                ast.Subscript(value=holder)
                | ast.Call(func=ast.Attribute(value=holder, attr="sum" | "max" | "min"))
            ) if type_ := self._array_of(holder, assigned, seen):
                return type_.element
            case ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
                return SCALARS["bool"]
            case ast.Call(func=function, args=args):
                called = self.called(function) if _is_path(function) else None
                held = called.value if isinstance(called, Static) else None
                given = held if isinstance(held, Scalar) else None
                found = given or self._first([*args[::-1]], assigned, seen)
                is_real = isinstance(called, Instruction) and called.words[0] in ("re", "im")
                return found.real if found and is_real else found
            case ast.Attribute():
                value = self.called(node) if _is_path(node) else None
                if isinstance(value, Static) and isinstance(value.value, Scalar):
                    return value.value
                return SCALARS["index"] if isinstance(value, Instruction) else None
            case ast.IfExp(body=then, orelse=orelse):
                return self._first([then, orelse], assigned, seen)
        return self._first(
            [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr)],
            assigned,
            seen,
        )

    def _array_of(
        self, node: ast.expr, assigned: dict[str, list[ast.expr]], seen: set[str]
    ) -> Memref | None:
        """Return the type of an array, also of one that the statement makes."""
        while isinstance(node, ast.Name) and node.id in assigned and node.id not in seen:
            seen.add(node.id)
            node = assigned[node.id][0]
        return self.array_type(node) or (
            self._array_of(node.value, assigned, seen) if isinstance(node, ast.Subscript) else None
        )


def _is_path(node: ast.expr) -> bool:
    """Return whether an expression is a name, perhaps with attributes."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)
