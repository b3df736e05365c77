# SPDX-License-Identifier: BSD-3-Clause
"""Compile-time variables: their definitions, and the calculator.

A variable stands for a node of the syntax tree that holds no variables itself.
"""

from __future__ import annotations

import contextlib
import dataclasses
import operator
from collections.abc import Callable, Mapping
from typing import TypeAlias, TypeVar, cast

from tinytc_mlir.frontend import ast
from tinytc_mlir.frontend.cursor import MAX_DEPTH, MAX_ITEMS
from tinytc_mlir.frontend.scope import DependsOnError, Scope
from tinytc_mlir.frontend.source import Note, Span, TextError
from tinytc_mlir.shapes import INT64_MAX

Value: TypeAlias = ast.Constant | ast.Attribute | ast.Type
_Nested = TypeVar("_Nested", ast.Array, ast.Dictionary)


class Preprocessor:
    """Replaces compile-time variables with what they stand for.

    Args:
        outside: values given from outside; they replace every definition of these names.

    Attributes:
        scope: variables that are visible.
        definitions: first definition of each variable in the whole text, for hints.
    """

    def __init__(self, outside: Mapping[str, Value]) -> None:
        self.scope = Scope[Value | None]("$", "compile-time variable", outlives_regions=True)
        self.definitions: dict[str, Span] = {}
        self._outside = outside
        for name, value in outside.items():
            self.scope.define(name, None, value)

    def define(self, node: ast.Definition) -> None:
        """Bind a variable to the value of its definition.

        It is seen until the end of the text; after its region, it may be defined again.

        After an error it stands for nothing, so that its uses are not reported.
        """
        is_given = node.name in self._outside
        try:
            value = self.value(node.value)
        except (TextError, DependsOnError):
            if not is_given:
                with contextlib.suppress(TextError):
                    self.scope.define(node.name, node.span, None)
            raise
        if not is_given:
            self.scope.define(node.name, node.span, value)

    def lookup(self, node: ast.Variable) -> Value:
        """Return what a variable stands for, at the place where it is used."""
        try:
            value = self.scope.lookup(node.name, node.span)
        except TextError as error:
            later = self.definitions.get(node.name)
            if later is not None and later.start > node.span.start:
                error.notes = (Note(f"'${node.name}' is defined only here", later),)
            raise
        if value is None:
            raise DependsOnError
        return dataclasses.replace(value, span=node.span)

    def value(self, node: ast.DefinitionValue) -> Value:
        """Return a node with all variables replaced and the calculator evaluated."""
        if isinstance(node, ast.Variable):
            return self.lookup(node)
        if isinstance(node, ast.Calculation):
            items = [self._calculator_item(item) for item in node.items]
            return ast.Integer(node.span, calculate(items, node.span))
        if isinstance(node, ast.Complex):
            return ast.Complex(node.span, cast("_Parts", tuple(map(self.value, node.parts))))
        if isinstance(node, (ast.Array, ast.Dictionary)):
            return self.attribute(node)
        if isinstance(node, (ast.MemrefType, ast.GroupType, ast.CoopMatrixType)):
            return self._type(node)
        return node

    def attribute(self, node: ast.Attribute) -> ast.Attribute:
        """Return an attribute with all variables replaced."""
        if isinstance(node, ast.Variable):
            value = self.lookup(node)
            if isinstance(value, _ATTRIBUTES):
                return value
            raise TextError(f"expected an attribute, got {describe(value)}", node.span)
        if isinstance(node, ast.Array):
            items = [self.attribute(item) for item in node.items]
            return _measured(ast.Array(node.span, items), items)
        if isinstance(node, ast.Dictionary):
            values = [self.attribute(entry.value) for entry in node.entries]
            entries = [
                dataclasses.replace(entry, value=value)
                for entry, value in zip(node.entries, values, strict=True)
            ]
            return _measured(ast.Dictionary(node.span, entries), values)
        return node

    def integer(self, node: ast.Operand) -> ast.Integer:
        """Return an integer constant that is written as such or as a variable."""
        value = self.lookup(node) if isinstance(node, ast.Variable) else node
        value = value.constant("integer") if isinstance(value, ast.Number) else value
        if isinstance(value, ast.Integer):
            return value
        raise TextError(f"expected an integer constant, got {describe(value)}", node.span)

    def size(self, node: ast.Size) -> int | None:
        """Return a size, None if it is dynamic."""
        return None if isinstance(node, ast.Dynamic) else self.integer(node).value

    def _type(self, node: ast.MemrefType | ast.GroupType | ast.CoopMatrixType) -> ast.Type:
        if isinstance(node, ast.MemrefType):
            stride = None if node.stride is None else [self._size(s) for s in node.stride]
            shape = [self._size(s) for s in node.shape]
            element = cast(ast.Type, self.value(node.element))
            return ast.MemrefType(node.span, element, shape, stride, node.space)
        if isinstance(node, ast.GroupType):
            offset = None if node.offset is None else self._size(node.offset)
            memref = cast(ast.Type, self.value(node.memref))
            return ast.GroupType(node.span, memref, self._size(node.size), offset)
        component = cast(ast.Type, self.value(node.component))
        rows, columns = self._size(node.rows), self._size(node.columns)
        return ast.CoopMatrixType(node.span, component, rows, columns, node.use)

    def _size(self, node: ast.Size) -> ast.Size:
        return node if isinstance(node, ast.Dynamic) else self.integer(node)

    def _calculator_item(
        self, item: ast.Integer | ast.Variable | ast.Operator
    ) -> ast.Integer | ast.Operator:
        return item if isinstance(item, ast.Operator) else self.integer(item)


def _measured(node: _Nested, parts: list[ast.Attribute]) -> _Nested:
    """Return an array or a dictionary with its size, after checking it.

    A definition that uses the one before it twice would double what the last one stands for.
    """
    nested = [part for part in parts if isinstance(part, (ast.Array, ast.Dictionary))]
    node.parts = 1 + len(parts) - len(nested) + sum(part.parts for part in nested)
    node.depth = 1 + max((part.depth for part in nested), default=0)
    if node.parts > MAX_ITEMS:
        rule = f"an attribute of at most {MAX_ITEMS} parts with its variables replaced"
        raise TextError(f"expected {rule}, got {node.parts}", node.span)
    if node.depth > MAX_DEPTH:
        message = f"expected at most {MAX_DEPTH} attributes nested, got more"
        raise TextError(message, node.span)
    return node


def calculate(items: list[ast.Integer | ast.Operator], whole: Span) -> int:
    """Return the value of an expression in reverse Polish notation.

    Division rounds down and the remainder has the sign of the divisor, so that
    `$a 1 - $b / 1 +` is the quotient rounded up for every dividend.

    Raises:
        TextError: if operands are missing or left over, or a value is outside the range of
            integer constants.

    Bits are those of integers of 64 bits in two's complement; `shr` keeps the sign.

    >>> span = Span(0, 0)
    >>> calculate([ast.Integer(span, 7), ast.Integer(span, 2), ast.Operator(span, "/")], span)
    3
    """
    stack: list[int] = []
    for item in items:
        if isinstance(item, ast.Integer):
            stack.append(item.value)
            continue
        count = 1 if item.symbol == "not" else 2
        if len(stack) < count:
            operands = "1 operand" if count == 1 else "2 operands"
            message = f"expected {operands} before '{item.symbol}', got {len(stack)}"
            raise TextError(message, item.span)
        stack[-count:] = [_apply(item, stack[-count:])]
    if len(stack) != 1:
        raise TextError(f"expected 1 value at the end of '!calc', got {len(stack)}", whole)
    return stack[0]


def describe(node: ast.Node) -> str:
    """Return how a message names a node that is not what was expected."""
    if isinstance(node, ast.Identifier):
        return f"'%{node.name}'"
    if isinstance(node, ast.Boolean):
        return "true" if node.value else "false"
    if isinstance(node, (ast.Integer, ast.Number)):
        return str(node.value)
    if isinstance(node, ast.Floating):
        return node.text
    return _NAMES[type(node)]


def _apply(node: ast.Operator, operands: list[int]) -> int:
    """Return the value of one operation, after checking its range."""
    if len(operands) == 1:
        return _in_range(node, ~operands[0], f"not {operands[0]}")
    left, right = operands
    written = f"{left} {node.symbol} {right}"
    if node.symbol in "/%" and right == 0:
        raise TextError(f"expected a divisor other than 0, got {written}", node.span)
    if node.symbol == "^" and right < 0:
        raise TextError(f"expected an exponent of at least 0, got {right}", node.span)
    if node.symbol == "^" and abs(left) > 1 and right > _MAX_EXPONENT:
        raise _out_of_range(node, written)
    if node.symbol in ("shl", "shr") and not 0 <= right <= _MAX_SHIFT:
        raise TextError(f"expected a shift by 0 to {_MAX_SHIFT} bits, got {right}", node.span)
    return _in_range(node, _OPERATIONS[node.symbol](left, right), written)


def _in_range(node: ast.Operator, value: int, written: str) -> int:
    """Return a value if integer constants have it."""
    if abs(value) > INT64_MAX:
        raise _out_of_range(node, written)
    return value


def _power(base: int, exponent: int) -> int:
    """Return a power; for bases of -1, 0 and 1 the exponent may be large."""
    if abs(base) < 2 and exponent > 2:
        exponent = 2 - exponent % 2
    return int(base**exponent)


def _out_of_range(node: ast.Operator, written: str) -> TextError:
    message = f"expected a value from -{INT64_MAX} to {INT64_MAX}, got {written}"
    return TextError(message, node.span)


_Parts: TypeAlias = tuple[ast.Floating, ast.Floating]
_MAX_EXPONENT = 63
_MAX_SHIFT = 63
_ATTRIBUTES = (ast.Boolean, ast.Integer, ast.String, ast.Array, ast.Dictionary)
_NAMES: dict[type[ast.Node], str] = {
    ast.Complex: "a complex constant",
    ast.String: "a string",
    ast.Array: "an array",
    ast.Dictionary: "a dictionary",
    ast.SimpleType: "a type",
    ast.MemrefType: "a memref type",
    ast.GroupType: "a group type",
    ast.CoopMatrixType: "a coopmatrix type",
}
_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "^": _power,
    "-": operator.sub,
    "+": operator.add,
    "*": operator.mul,
    "/": operator.floordiv,
    "%": operator.mod,
    "min": min,
    "max": max,
    "shl": operator.lshift,
    "shr": operator.rshift,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
}
