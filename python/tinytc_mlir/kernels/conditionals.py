# SPDX-License-Identifier: BSD-3-Clause
"""Conditionals: `if`, `elif`, `else`, and conditional expressions."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..frontend import ast as text
from ..frontend.scope import DependsOnError
from . import liveness
from .reader import describe
from .regions import Regions
from .types import SCALARS, Group, Memref, Type
from .values import Gone, Local, Static, Value

_INDEX, _BOOL = SCALARS["index"], SCALARS["bool"]


class Conditionals(Regions):
    """The part that reads conditionals."""

    def _if(self, node: ast.If, after: set[str]) -> None:
        condition = self.scalar(node.test)
        if isinstance(condition, Static):  # only the branch that is taken is read
            self.body(node.body if condition.value else node.orelse, after)
            return
        operand = self._condition(condition, node.test)
        names = [n for n in liveness.assigned([node]) if n in after and self._in_both(n, node)]
        types: dict[str, Type] = {}
        regions: list[text.Region] = []
        ends: list[dict[str, Value | Gone]] = []
        for branch in (node.body, node.orelse):

            def keep() -> None:
                ends.append({name: self.scope[name] for name in names})

            regions.append(self.inner(node, branch, after, keep))
        for name in names:
            types[name] = self._common(node, name, [found[name] for found in ends])
        if names:
            for region, found in zip(regions, ends, strict=True):
                outer, self.statements = self.statements, region.statements
                self.yield_values(node, [(found[name], types[name]) for name in names])
                self.statements = outer
        has_else = bool(node.orelse) or bool(names)
        made = self._add_if(node, operand, regions[0], regions[1] if has_else else None)
        self.bind_results(node, made, list(types.items()))
        self.leave(node, names)

    def _add_if(
        self, node: ast.AST, operand: text.Operand, then: text.Region, other: text.Region | None
    ) -> text.If:
        self.add(node, "if", [operand], then_region=then, else_region=other)
        made = self.statements[-1]
        assert isinstance(made, text.If)
        return made

    def _condition(self, value: Value, node: ast.expr) -> text.Operand:
        if isinstance(value, Local) and value.type != _BOOL:
            raise self.error(
                f"expected a condition of type bool, got {describe(value)}",
                node,
                "compare it: x != 0",
            )
        return self.operand(value, node, _BOOL)

    def _in_both(self, name: str, node: ast.If) -> bool:
        """Return whether a name has a value after either branch."""
        branches = (node.body, node.orelse)
        is_known = not isinstance(self.scope.get(name, Gone(self.span(node))), Gone)
        return is_known or all(name in liveness.assigned(each) for each in branches)

    def _common(self, node: ast.AST, name: str, values: Sequence[Value | Gone]) -> Type:
        """Return the type of a name after both branches."""
        if any(isinstance(value, Gone) for value in values):
            raise DependsOnError
        types = [value.type for value in values if isinstance(value, Local)]
        if any(isinstance(type_, (Memref, Group)) for type_ in types):
            raise self.error(
                f"expected a number for '{name}', which branches change, got an array", node
            )
        if types:
            if types[0] != types[-1]:
                raise self.error(
                    f"expected one type for '{name}' after both branches, got "
                    f"{types[0]} and {types[-1]}",
                    node,
                )
            return types[0]
        given = [value.value for value in values if isinstance(value, Static)]
        if all(isinstance(value, bool) for value in given):
            return _BOOL
        if all(type(value) is int for value in given):
            return _INDEX
        raise self.error(
            f"expected a value with a type for '{name}', got {given[0]!r}",
            node,
            f"write {name} = tt.f32({given[0]!r}), for example",
        )

    def _ifexp(self, node: ast.IfExp) -> Value:
        condition = self.scalar(node.test)
        if isinstance(condition, Static):
            return self.expression(node.body if condition.value else node.orelse)
        operand = self._condition(condition, node.test)
        regions, ends = [], []
        for branch in (node.body, node.orelse):
            regions.append(self.region(node, lambda b=branch: ends.append(self.scalar(b))))  # type: ignore
        type_ = self._common(node, ast.unparse(node), ends)
        for region, value in zip(regions, ends, strict=True):
            outer, self.statements = self.statements, region.statements
            self.yield_values(node, [(value, type_)])
            self.statements = outer
        made = self._add_if(node, operand, *regions)
        made.return_types = [type_.node(self.span(node))]
        local = Local(self.new_name(), type_)
        made.results.append(text.Identifier(self.span(node), local.name))
        return local
