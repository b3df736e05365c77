# SPDX-License-Identifier: BSD-3-Clause
"""Vectors that become numbers, `x.sum()`, `x.max()`, `x.min()` and `x @ y`, and powers.

A sum is the instruction, and a product of vectors `gemv.t`, into local memory of one element; where
work-items are on their own, and for the largest and the smallest element, it is a loop.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable

from ..frontend import ast as text
from ..scalars import SCALAR_TYPES
from .expressions import Expressions
from .types import Memref, Scalar
from .values import InForm, Local, Static, Value

MAX_POWER = 16
"""The largest exponent that becomes products."""

REDUCTIONS = {"sum": "arith.add", "max": "arith.max", "min": "arith.min"}


class Reductions(Expressions):
    """The part that reads sums of vectors and their like."""

    def reduced(self, node: ast.expr, name: str, vector: Local) -> Local:
        """Return the sum, the largest or the smallest element of a vector."""
        assert isinstance(vector.type, Memref)
        if len(vector.type.shape) != 1:
            shown = ast.unparse(node.func.value)  # type: ignore[attr-defined]
            hint = f"write t = tt.local(type, shape); t[:] = {shown}.sum(1); and t.sum() here"
            if name != "sum":
                hint = (
                    f"write r = {shown}; for k in tt.foreach(r.shape[0]): y[k] = r[k, :].{name}(), "
                    "with the left side as y"
                )
            raise self.unexpected(f"a vector before '.{name}()'", vector, node, hint)
        if name == "sum" and not self.is_spmd:
            return self._in_memory(node, (), "sum", [self.operand(vector, node)], [None, None])
        element, first = vector.type.element, 0
        start: Static | Local = Static(0)
        if name != "sum":
            start = self._end_of(node, element, 1 if name == "min" else -1)
        if name != "sum" and vector.type.shape[0] is not None:
            start, first = self.element(node, vector, [self.integer(node, 0)]), 1

        def turn(before: Value, place: Value) -> Value:
            return self.apply(
                node,
                REDUCTIONS[name],
                [before, self.element(node, vector, [self.operand(place, node)])],
            )

        return self._loop(node, (first, vector), start, turn)

    def dot(self, node: ast.expr, left: Local, right: Local) -> Local:
        """Return the product of two vectors."""
        assert isinstance(left.type, Memref)
        if not self.is_spmd:
            size = self.operand(self.size(node, left, 0), node)
            place, shape = [self.operand(left, node)], [self.integer(node, 0), size]
            column = self.value_of(node, "expand", place, indices=[*shape, self.integer(node, 1)])
            operands = [self.operand(column, node), self.operand(right, node)]
            return self._in_memory(node, (1,), "gemv", operands, ["t", None])

        def turn(before: Value, place: Value) -> Value:
            factors = [
                self.element(node, each, [self.operand(place, node)]) for each in (left, right)
            ]
            return self.apply(node, "arith.add", [before, self.apply(node, "arith.mul", factors)])

        return self._loop(node, (0, left), Static(0), turn)

    def power(self, node: ast.expr, left: Value, right: Value) -> Value:
        """`x ** 2` is products, `x ** 0.5` a root, and all else `tt.pow`."""
        if isinstance(left, Static) and isinstance(right, Static):
            return self._folded(node, operator.pow, left, right)
        exponent = right.value if isinstance(right, Static) else None
        if exponent == 0.5:
            return self.apply(node, "sqrt", [left])
        if type(exponent) is not int or not 0 < abs(exponent) <= MAX_POWER:
            return self.apply(node, "pow", [left, right])
        found, square, rest = None, left, abs(exponent)
        while rest:
            if rest % 2:
                found = square if found is None else self.apply(node, "arith.mul", [found, square])
            rest //= 2
            square = self.apply(node, "arith.mul", [square, square]) if rest else square
        assert found is not None
        if exponent > 0:
            return found
        self.expect_kind_of_division(node, operator.truediv, found)
        return self.apply(node, "arith.div", [Static(1), found])

    def integer(self, node: ast.AST, value: int) -> text.Integer:
        """Return an integer at a place."""
        return text.Integer(self.span(node), value)

    def element(self, node: ast.AST, array: Value, indices: list[text.Operand]) -> Local:
        """Append a load of an element."""
        form = array.form if isinstance(array, InForm) else "n"
        if isinstance(array, InForm):
            array, indices = array.matrix, indices[::-1] if form in "tc" else indices
        found = self.value_of(node, "load", [self.operand(array, node)], indices=indices)
        return self.apply(node, "arith.conj", [found]) if form in "rc" else found

    def _in_memory(
        self,
        node: ast.expr,
        shape: tuple[int, ...],
        name: str,
        operands: list[text.Operand],
        modifiers: list[str | None],
    ) -> Local:
        """Return what an instruction stores in local memory of one element."""
        source = operands[0]
        assert isinstance(source, text.Known)
        element = Local(source.name, source.value).type.element  # type: ignore[union-attr]
        found = self.value_of(
            node, "alloca", [], Memref(element, shape, None, "local"), attributes=None
        )
        alpha, beta = (self.operand(Static(number), node) for number in (1, 0))
        operands = [alpha, *operands, beta, self.operand(found, node)]
        self.add(node, name, operands, modifiers=modifiers)
        indices = [self.integer(node, 0) for _ in shape]
        return self.value_of(node, "load", [self.operand(found, node)], indices=indices)

    def _end_of(self, node: ast.expr, type_: Scalar, sign: int) -> Local:
        """Return the largest or the smallest number of a type."""
        if type_.kind != "integer":
            return self.constant(Static(sign * float("inf")), node, type_)
        largest = 2 ** (SCALAR_TYPES[type_.name].bits - 1) - 1
        found = self.constant(Static(sign * largest), node, type_)
        return found if sign > 0 else self.apply(node, "arith.sub", [found, Static(1)])

    def _loop(
        self,
        node: ast.expr,
        place: tuple[int, Local],
        start: Static | Local,
        turn: Callable[[Value, Value], Value],
    ) -> Local:
        """Return what a loop over the elements of a vector makes of a number."""
        first, vector = place
        assert isinstance(vector.type, Memref)
        init = (
            start if isinstance(start, Local) else self.constant(start, node, vector.type.element)
        )
        variable, inside, result = (self.identifier(node) for _ in range(3))

        def fill() -> None:
            found = turn(self.scope["before"], self.scope["place"])  # type: ignore[arg-type]
            self.add(node, "yield", [self.operand(found, node)])

        (made,) = self.add(
            node,
            "for",
            [self.integer(node, first), self.operand(self.size(node, vector, 0), node)],
            results=[result],
            variable=variable,
            attributes=None,
            carried=[inside],
            inits=[self.operand(init, node)],
            body=self.region(node, fill, [("place", variable), ("before", inside)]),
        )
        return made
