# SPDX-License-Identifier: BSD-3-Clause
"""Regions: what is visible in them, what they yield, and what is left after them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from ..frontend import ast as text
from ..frontend.scope import DependsOnError
from . import liveness
from .products import Products
from .reader import describe
from .types import Type
from .values import Gone, Local, Value


class Regions(Products):
    """The part that reads regions."""

    def body(self, nodes: Sequence[ast.stmt], after: set[str]) -> None:
        """Append the instructions of statements."""
        raise NotImplementedError

    def inner(
        self,
        node: ast.AST,
        nodes: Sequence[ast.stmt],
        after: set[str],
        end: Callable[[], None] = lambda: None,
        names: Sequence[tuple[str, Local]] = (),
    ) -> text.Region:
        """Return the region of statements.

        Args:
            node: the statement around them.
            nodes: the statements.
            after: names that are used after them.
            end: what is appended at the end.
            names: what is visible in the region only.
        """

        def fill() -> None:
            self.scope.update(names)
            self.body(nodes, after)
            end()

        return self.region(node, fill)

    def leave(self, node: ast.stmt, kept: Sequence[str] = ()) -> None:
        """Mark what a region assigned as gone."""
        for name in liveness.assigned([node]):
            if name not in kept:
                what = "an 'if'" if isinstance(node, ast.If) else "a region"
                self.scope[name] = Gone(self.span(node), f"from {what} that has ended")

    def bind_results(
        self, node: ast.AST, made: text.For | text.If, names: Sequence[tuple[str, Type]]
    ) -> None:
        """Give a loop or a conditional its results, and bind the names."""
        span = self.span(node)
        made.return_types = [type_.node(span) for _, type_ in names]
        for name, type_ in names:
            local = Local(self.new_name(name), type_)
            made.results.append(text.Identifier(span, local.name))
            self.scope[name] = local

    def yield_values(self, node: ast.AST, values: Sequence[tuple[Value | Gone, Type]]) -> None:
        """Append a yield of values that must have these types."""
        operands = []
        for value, type_ in values:
            if isinstance(value, Gone):
                raise DependsOnError
            if isinstance(value, Local) and value.type != type_:
                raise self.error(
                    f"expected a value of type {type_} at the end of the region, got "
                    f"{describe(value)}",
                    node,
                )
            operands.append(self.operand(value, node, type_))
        self.add(node, "yield", operands)


def items(node: ast.expr) -> Sequence[ast.expr]:
    """Return the items of a tuple, or the only one."""
    return node.elts if isinstance(node, ast.Tuple) else [node]
