# SPDX-License-Identifier: BSD-3-Clause
"""Conditionals: `if`, `elif`, `else`, and conditional expressions."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Sequence
from types import NoneType
from typing import TYPE_CHECKING

from ..frontend import ast as text
from .products import Products
from .reader import numbers_of
from .types import SCALARS
from .values import Choice, Instruction, Local, OutOfScope, Static, Value

if TYPE_CHECKING:
    from ..frontend.resolver import Type

_BOOL = SCALARS["bool"]


class Conditionals(Products):
    """The part that reads conditionals."""

    def _if(self, node: ast.If, after: set[str]) -> None:
        condition = self.scalar(node.test)
        if isinstance(condition, Static):  # only the branch that is taken is read
            self.body(node.body if condition.value else node.orelse, after)
            return
        branches_assign = [self.liveness.effect(b).assigned for b in (node.body, node.orelse)]
        names = [
            name
            for name in self.rebound([node])
            if name in after
            and (self._has_value(name) or all(name in each for each in branches_assign))
        ]

        def branch(statements: Sequence[ast.stmt]) -> list[Value | OutOfScope]:
            self.body(statements, after)
            return [self.scope[name] for name in names]

        branches = [lambda: branch(node.body), lambda: branch(node.orelse)]
        kept = branches if node.orelse or names else branches[:1]
        results = [self.identifier(node, name) for name in names]
        made = self._conditional(node, self.condition(condition, node.test), kept, names, results)
        self.leave(node)
        self.scope.update(zip(names, made, strict=True))

    def _ifexp(self, node: ast.IfExp) -> Value:
        condition = self.scalar(node.test)
        if isinstance(condition, Static):
            return self.expression(node.body if condition.value else node.orelse)
        if self._is_number(node):
            return self._choice(node, condition)
        branches: list[Callable[[], list[Value | OutOfScope]]] = [
            lambda: [self.scalar(node.body)],
            lambda: [self.scalar(node.orelse)],
        ]
        operand, name = self.condition(condition, node.test), ast.unparse(node)
        return self._conditional(node, operand, branches, [name], [self.identifier(node)])[0]

    def _is_number(self, node: ast.expr) -> bool:
        """Return whether an expression is a number without a type, whatever its conditions are."""
        if isinstance(node, ast.IfExp):
            return self._is_number(node.body) and self._is_number(node.orelse)
        if isinstance(node, ast.Name) and isinstance(self.scope.get(node.id), Choice):
            return True
        kinds = (ast.Constant, ast.Name, ast.Attribute, ast.BinOp, ast.UnaryOp)
        parts = [each for each in ast.walk(node) if isinstance(each, ast.expr)]
        if not all(isinstance(each, kinds) and not self._is_computed(each) for each in parts):
            return False
        value = self.expression(node)
        return isinstance(value, Static) and type(value.value) in (int, float, complex)

    def _is_computed(self, node: ast.expr) -> bool:
        """Return whether a name is no constant."""
        if isinstance(node, ast.Name) and node.id in self.scope:
            return not isinstance(self.scope[node.id], Static)
        if not isinstance(node, (ast.Name, ast.Attribute)):
            return False
        value = self.called(node)
        return isinstance(value, Instruction) and value.words != ()

    def _choice(self, node: ast.IfExp, condition: Value) -> Value:
        """Return one of several numbers; conditions inside decide only where the outer one lets."""
        if isinstance(condition, Static):
            return self.expression(node.body if condition.value else node.orelse)
        branches: list[Value] = []
        for op, branch in ((ast.And(), node.body), (ast.Or(), node.orelse)):
            if isinstance(branch, ast.IfExp):
                right = functools.partial(self.scalar, branch.test)
                inner = self._decide(branch, op, condition, [branch.test], right)
                branches.append(self._choice(branch, inner))
            else:
                branches.append(self.expression(branch))
        self.condition(condition, node.test)
        return self.choice(node, "select", condition, *branches)

    def _compare(self, node: ast.Compare) -> Value:
        """`a < b < c` is `a < b and b < c`, with one value of b."""

        def from_(position: int, left: Value) -> Value:
            right = self.scalar(node.comparators[position])
            found = self.compared(node, node.ops[position], left, right)
            rest = node.comparators[position + 1 :]
            if not rest:
                return found
            return self._decide(node, ast.And(), found, rest, lambda: from_(position + 1, right))

        return from_(0, self.scalar(node.left))

    def _boolop(self, node: ast.BoolOp) -> Value:
        def from_(position: int) -> Value:
            found = self.scalar(node.values[position])
            rest = node.values[position + 1 :]
            if not rest:
                return found
            return self._decide(node, node.op, found, rest, lambda: from_(position + 1))

        return from_(0)

    def _decide(
        self,
        node: ast.expr,
        op: ast.boolop,
        left: Value,
        rest: Sequence[ast.expr],
        right: Callable[[], Value],
    ) -> Value:
        """Return `left and right` or `left or right`.

        The right side is computed in any case where that cannot be seen, else in an `if`.
        """
        is_or = isinstance(op, ast.Or)
        if isinstance(left, Static):
            return left if bool(left.value) is is_or else right()
        left = self.truth_value(left, node)
        if all(map(_is_pure, rest)):
            other = self.truth_value(right(), node)
            if isinstance(other, Static):
                return other if other.value is is_or else left
            return self.apply(node, "arith.or" if is_or else "arith.and", [left, other])

        def decided() -> list[Value | OutOfScope]:
            outer, self.deciding = self.deciding, "or" if is_or else "and"
            try:
                return [self.truth_value(right(), node)]
            finally:
                self.deciding = outer

        branches: list[Callable[[], list[Value | OutOfScope]]] = [decided, lambda: [Static(is_or)]]
        kept = reversed(branches) if is_or else branches
        operand, name = self.condition(left, node), ast.unparse(node)
        return self._conditional(node, operand, list(kept), [name], [self.identifier(node)])[0]

    def _conditional(
        self,
        node: ast.AST,
        condition: text.Operand,
        branches: Sequence[Callable[[], list[Value | OutOfScope]]],
        names: Sequence[str],
        results: list[text.Identifier],
    ) -> list[Local]:
        """Append a conditional, and return its results.

        Args:
            node: its place.
            condition: the condition.
            branches: append the instructions of the branches, and return their values.
            names: what messages call the values.
            results: what the results are called.
        """
        ends: list[list[Value | OutOfScope]] = []

        def yielded() -> tuple[list[list[text.Operand]], list[Type]]:
            pairs = zip(names, zip(*ends, strict=True), strict=True) if names else ()
            types = [self._common(node, name, values) for name, values in pairs]
            return [[self.operand(value, node) for value in values] for values in ends], types

        regions = [self.region(node, lambda b=b: ends.append(b())) for b in branches]  # type: ignore[misc]
        return self.add(
            node,
            "if",
            [condition],
            results=results,
            then_region=regions[0],
            else_region=regions[1] if len(regions) > 1 else None,
            ends=yielded if names else None,
        )

    def condition(self, value: Value, node: ast.expr) -> text.Operand:
        """Return an operand that is a truth value."""
        if isinstance(value, Choice) or (isinstance(value, Local) and value.type != _BOOL):
            raise self.unexpected(
                "a condition of type bool",
                value,
                node,
                "compare it: x != 0",
            )
        return self.operand(value, node)

    def _has_value(self, name: str) -> bool:
        return not isinstance(self.scope.get(name), (OutOfScope, NoneType))

    def _common(self, node: ast.AST, name: str, values: Sequence[Value | OutOfScope]) -> Type:
        """Return the type of a name after both branches."""
        for value in values:
            if isinstance(value, OutOfScope):
                raise self.unusable(value, node, name)
        types = [value.value.type for value in values if isinstance(value, Local)]
        if any(type_.kind in ("memref", "group") for type_ in types):
            raise self.error(
                f"expected a number for '{name}', which branches change, got an array", node
            )
        if types:
            if types[0] is not types[-1]:
                raise self.error(
                    f"expected one type for '{name}' after both branches, got "
                    f"{types[0].text} and {types[-1].text}",
                    node,
                )
            return types[0]
        given = [number for value in values for number in numbers_of(value)]  # type: ignore[arg-type]
        hint = "{}" if isinstance(node, ast.IfExp) else f"{name} = {{}}"
        found = {self.typed(name, value, node, "", f"{hint} in a branch") for value in given}
        resolver = self.emitter.resolver
        return resolver.bool if found == {"bool"} else resolver.index

    def rebound(self, statements: Sequence[ast.stmt]) -> list[str]:
        """Return the names that statements bind; `+=` on an array changes only its elements."""
        assigned = self.liveness.effect(statements).assigned
        return [name for name, is_bound in assigned.items() if is_bound or not self.is_array(name)]

    def expect_none_carried(self, node: ast.For) -> None:
        """Refuse names that a turn of a loop without carried values reads and then assigns."""
        used = self.liveness.effect(node.body).used
        for name in self.rebound(node.body):
            if name in used and self._has_value(name):
                raise self.error(
                    f"expected no value of '{name}' from before the region, which changes it",
                    node,
                    "use range, or store it in an array",
                )

    def leave(self, node: ast.stmt) -> None:
        """Mark what a region has assigned as gone."""
        what = "an 'if'" if isinstance(node, ast.If) else "a region"
        for name in self.rebound([node]):
            self.scope[name] = OutOfScope(self.span(node), f"from {what} that has ended")


def _is_pure(node: ast.expr) -> bool:
    """Return whether an expression has no effect and reads no memory, so that it always can run."""
    return not any(
        isinstance(child, (ast.Subscript, ast.Call, ast.FloorDiv, ast.Mod))
        for child in ast.walk(node)
    )
