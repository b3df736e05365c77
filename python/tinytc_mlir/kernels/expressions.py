# SPDX-License-Identifier: BSD-3-Clause
"""Expressions: numbers, arithmetic, comparisons, elements and parts of arrays."""

from __future__ import annotations

import ast
import operator
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..frontend import ast as text
from ..scalars import SCALAR_TYPES
from .foreign_names import instead
from .names import InstructionName
from .operators import BINARY, COMPARE, UNARY, quotient
from .outside import plain
from .reader import Reader, describe
from .subscripts import is_slice, is_whole, length_of, slices
from .types import (
    OBJECTS,
    SCALARS,
    TYPES,
    Coopmatrix,
    CoopmatrixOf,
    Group,
    GroupOf,
    Memref,
    Scalar,
    Type,
)
from .values import Choice, InForm, Instruction, Local, Method, Static, Value

_BOOL = SCALARS["bool"]
PACKAGE = __name__.split(".", maxsplit=1)[0]
_INSTEAD: dict[type[ast.AST], tuple[str, str]] = {
    ast.Lambda: ("a lambda", "functions marked with @tt.inline"),
    ast.ListComp: ("a list comprehension", "a for loop"),
    ast.GeneratorExp: ("a generator", "a for loop"),
    ast.List: ("a list", "a tuple of constants"),
    ast.Dict: ("a dict", "tt.const parameters"),
    ast.Set: ("a set", "tt.const parameters"),
    ast.SetComp: ("a set comprehension", "a for loop"),
    ast.DictComp: ("a dict comprehension", "a for loop"),
    ast.Yield: ("'yield'", "an array to write to"),
    ast.YieldFrom: ("'yield from'", "an array to write to"),
    ast.NamedExpr: ("':='", "an assignment of its own"),
    ast.Await: ("'await'", "kernel.submit(...) outside of the function"),
    ast.JoinedStr: ("an f-string", "tt.print(text, ...) in a debug build"),
    ast.Starred: ("'*'", "operands one by one"),
    ast.Slice: ("a slice", "square brackets after an array"),
    ast.MatMult: ("'@' of numbers", "'*'"),
}
"""Counterparts in kernels, by name."""


class Expressions(Reader):
    """The part that reads expressions."""

    def expression(self, node: ast.expr) -> Value:
        """Return the value of an expression, after appending what computes it."""
        if node in self.given:
            return self.given[node]
        rule = getattr(self, "_" + type(node).__name__.lower(), None)
        if rule is None:
            raise self.unsupported(node, node)
        value: Value = rule(node)
        return value

    def unsupported(self, node: ast.AST, kind: ast.AST) -> Exception:
        """Return the error for a part of Python that kernels do not have.

        Args:
            node: its place.
            kind: what it is; an operator has no place.
        """
        name, instead = _INSTEAD.get(type(kind), (type(kind).__name__, ""))
        hints = [f"use {instead}"] if instead else []
        return self.error(f"expected an expression that kernels have, got {name}", node, *hints)

    def expect_operator(self, node: ast.AST, op: ast.operator) -> None:
        """Refuse an operator that numbers do not have in kernels."""
        if type(op) not in BINARY and not isinstance(op, ast.Pow):
            raise self.unsupported(node, op)

    def static(self, node: ast.expr, what: str) -> Any:  # noqa: ANN401, a value of Python
        """Return the value of an expression that must be known now."""
        value = self.expression(node)
        if isinstance(value, Static):
            return value.value
        raise self.unexpected(f"{what} that is known now", value, node)

    def scalar(self, node: ast.expr) -> Value:
        """Return the value of an expression that must be a number, also one of a subgroup's."""
        value = self.expression(node)
        if isinstance(value, Local) and isinstance(value.type, (Memref, Group)):
            raise self.unexpected("a number", value, node)
        return value

    def _constant(self, node: ast.Constant) -> Value:
        return Static(node.value)

    def _name(self, node: ast.Name) -> Value:
        value = self.lookup(node)
        if isinstance(value, Static) and isinstance(value.value, np.ndarray):
            return self.outside_array(value.value, node)
        if isinstance(value, Static):
            return _of_outside(value.value)
        return value

    def _tuple(self, node: ast.Tuple) -> Value:
        values = [self.expression(item) for item in node.elts]
        for value, item in zip(values, node.elts, strict=True):
            if not isinstance(value, Static):
                hint = "a tuple holds constants, or is assigned to as many names"
                raise self.unexpected("a constant that is known now", value, item, hint)
        return Static(tuple(value.value for value in values))  # type: ignore[union-attr]

    def _attribute(self, node: ast.Attribute) -> Value:
        if node.attr in ("shape", "ndim", "size", "dtype") and isinstance(node.value, ast.Name):
            array = self.lookup(node.value)
            if isinstance(array, Static) and isinstance(array.value, np.ndarray):
                return Static(getattr(array.value, node.attr))
        holder = self.called(node.value)
        if isinstance(holder, Instruction):
            found = holder.words == () and OBJECTS.get(node.attr)
            if found:
                return Static(found)
            return Instruction((*holder.words, node.attr))
        if isinstance(holder, Static):
            try:
                return _of_outside(self._attribute_of_outside(node, holder.value))
            except AttributeError:
                raise self.error(
                    f"expected an attribute of {describe(holder)}, got '{node.attr}'", node
                ) from None
        if isinstance(holder, InForm):
            return self._in_form(holder.matrix, holder.form, node)
        if isinstance(holder, Local) and isinstance(holder.type, (Memref, Group)):
            return self._attribute_of_memref(holder, node)
        message = f"expected no attribute of {describe(holder)}, got '{node.attr}'"
        raise self.error(message, node, instead(node.attr))

    def _attribute_of_outside(self, node: ast.Attribute, holder: object) -> object:
        name, base = ast.unparse(node), node.value
        while isinstance(base, ast.Attribute):
            base = base.value
        is_outside = isinstance(base, ast.Name) and base.id not in self.scope
        return self.source.value_of(name, holder) if is_outside else getattr(holder, node.attr)

    def _attribute_of_memref(self, holder: Local, node: ast.Attribute) -> Value:
        type_ = holder.type
        if isinstance(type_, Memref) and node.attr in ("T", "H", "conj"):
            return self._in_form(holder, "n", node)
        if node.attr == "shape" and isinstance(type_, Memref):
            return Method(holder, "shape")
        if node.attr in ("expand", "fuse", "sum", "max", "min", "size"):
            return Method(holder, node.attr)
        raise self.error(
            f"expected T, H, conj, shape, expand, fuse, size, sum, max or min, got '{node.attr}'",
            node,
            instead(node.attr),
        )

    def _in_form(self, array: Local, form: str, node: ast.Attribute) -> Value:
        if node.attr == "conj":
            return Method(array, "conj", form)
        if node.attr not in ("T", "H"):
            message = f"expected T, H or conj of {describe(InForm(array, form))}, got '{node.attr}'"
            raise self.error(message, node)
        return in_form(array, form, node.attr)

    # Arithmetic -----------------------------------------------------------------------------

    def _binop(self, node: ast.BinOp) -> Value:
        if isinstance(node.op, ast.MatMult):
            factors = [self.expression(each) for each in (node.left, node.right)]
            if all(isinstance(each, Local) and _is_vector(each.type) for each in factors):
                return self.dot(node, *factors)  # type: ignore[arg-type]
            raise self.error(
                "expected a product of matrices in an assignment to a matrix, got it elsewhere",
                node,
                f"write t = tt.local(type, shape); t[:] = {ast.unparse(node)}; and use t here",
            )
        spine = [node]  # of a sum of many terms, which is not a recursion
        while isinstance(spine[-1].left, ast.BinOp) and not isinstance(
            spine[-1].left.op, ast.MatMult
        ):
            spine.append(spine[-1].left)
        value = self.expression(spine[-1].left)
        for each in reversed(spine):
            value = self._operation(each, value)
        return value

    def dot(self, node: ast.expr, left: Local, right: Local) -> Local:
        """Return the product of two vectors."""
        raise NotImplementedError

    def _operation(self, node: ast.BinOp, left: Value) -> Value:
        self.expect_operator(node, node.op)
        return self.operation(node, node.op, left, self.expression(node.right))

    def operation(self, node: ast.expr, op: ast.operator, left: Value, right: Value) -> Value:
        """Return the value of an operator that has been checked."""
        if isinstance(op, ast.Pow):
            return self.power(node, left, right)
        return self.binary(node, BINARY[type(op)], left, right)

    def power(self, node: ast.expr, left: Value, right: Value) -> Value:
        """Return the value of `x ** y`."""
        raise NotImplementedError

    def binary(
        self,
        node: ast.expr,
        found: tuple[str, Callable[[Any, Any], Any]],
        left: Value,
        right: Value,
    ) -> Value:
        """Return the value of an operation of two numbers."""
        name, fold = found
        for value in (left, right):
            if self.is_view(value):
                raise self.unexpected(
                    "numbers",
                    value,
                    node,
                    "arithmetic on arrays is for assignments to arrays: C[:] += alpha * A",
                )
        if isinstance(left, Static) and isinstance(right, Static):
            return self._folded(node, fold, left, right)
        if not isinstance(left, Local) and not isinstance(right, Local):
            if name in ("arith.add", "arith.sub", "arith.mul"):
                return self.choice(node, name, left, right)
            left, right = self.settled(left, node), self.settled(right, node)
        self.expect_kind_of_division(node, fold, left, right)
        self._expect_defined(node, name, left, right)
        return self.apply(node, name, [left, right])

    @staticmethod
    def is_view(value: Value) -> bool:
        """Return whether a value is an array, a part of one, or a group of arrays."""
        is_local = isinstance(value, Local) and isinstance(value.type, (Memref, Group))
        return is_local or isinstance(value, InForm)

    def expect_kind_of_division(
        self, node: ast.expr, fold: Callable[[Any, Any], Any], *values: Value
    ) -> None:
        """Refuse `/` of integers and `//` of others, which would not be what Python has."""
        for value in values:
            type_ = value.type if isinstance(value, Local) else None
            scalar = type_.element if isinstance(type_, Coopmatrix) else type_
            is_integer = isinstance(scalar, Scalar) and scalar.kind == "integer"
            if fold is operator.truediv and is_integer:
                hint = "write //, which rounds towards zero, or convert them before"
                raise self.unexpected("no integers around '/'", value, node, hint)
            if fold is quotient and isinstance(scalar, Scalar) and not is_integer:
                raise self.unexpected("integers around '//'", value, node, "write /")

    def _expect_defined(self, node: ast.expr, name: str, left: Value, right: Value) -> None:
        """Refuse constants that the language leaves undefined, or reads as Python does not."""
        type_ = left.type if isinstance(left, Local) else None
        scalar = type_.element if isinstance(type_, Coopmatrix) else type_
        number = right.value if isinstance(right, Static) else None
        if type(number) is not int or not isinstance(scalar, Scalar) or scalar.kind != "integer":
            return
        if name in ("arith.div", "arith.rem") and number == 0:
            raise self.error("expected a divisor of integers that is not 0, got 0", node)
        bits = SCALAR_TYPES[scalar.name].bits
        if name in ("arith.shl", "arith.shr") and not 0 <= number < bits:
            message = f"expected a shift of 0 to {bits - 1} for type {scalar}, got {number}"
            raise self.error(message, node, f"the language takes it modulo {bits}")

    def _folded(self, node: ast.expr, fold: Callable[..., Any], *values: Static) -> Value:
        try:
            return Static(fold(*(value.value for value in values)))
        except Exception as error:  # whatever the operation raises
            raise self.error(
                f"expected constants that can be combined, got {error}", node
            ) from None

    def apply(
        self, node: ast.AST, name: str, values: Sequence[Value], type_: Type | None = None
    ) -> Local:
        """Append an instruction that takes numbers, and return its result."""
        return self.value_of(node, name, [self.operand(value, node) for value in values], type_)

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        value = self.scalar(node.operand)
        if isinstance(node.op, ast.UAdd):
            return value
        name, fold = UNARY[type(node.op)]
        if isinstance(node.op, ast.Not) and isinstance(value, Local):
            self.truth_value(value, node)
        if isinstance(value, Static):
            return self._folded(node, fold, value)
        if isinstance(value, Choice) and name == "arith.neg":
            return self.choice(node, name, value)
        return self.apply(node, name, [self.settled(value, node)])

    def compared(self, node: ast.Compare, op: ast.cmpop, left: Value, right: Value) -> Value:
        """Return the value of one comparison."""
        if type(op) not in COMPARE:
            message = "expected a comparison of numbers, got 'in' or 'is'"
            hint = "write == for numbers and types, and 'or' between several"
            raise self.error(message, node, hint)
        name, fold = COMPARE[type(op)]
        if isinstance(left, Static) and isinstance(right, Static):
            return self._folded(node, fold, left, right)
        if not isinstance(left, Local) and not isinstance(right, Local):
            left, right = self.settled(left, node), self.settled(right, node)
        if name in ("cmp.eq", "cmp.ne") and any(map(is_condition, (left, right))):
            differ = self.apply(node, "arith.xor", [left, right])
            return differ if name == "cmp.ne" else self.apply(node, "arith.not", [differ])
        return self.apply(node, name, [left, right])

    def truth_value(self, value: Value, node: ast.expr) -> Value:
        """Return a value that must be a truth value."""
        if is_condition(value) or (isinstance(value, Static) and isinstance(value.value, bool)):
            return value
        hint = "" if isinstance(value, Static) else "compare it: x != 0"
        raise self.unexpected("truth values", value, node, hint)

    # Elements and parts ---------------------------------------------------------------------

    def _subscript(self, node: ast.Subscript) -> Value:
        holder = self.expression(node.value)
        if isinstance(holder, Method) and holder.name == "shape":
            return self.size(node, holder.holder, self.static(node.slice, "the number of a mode"))
        if isinstance(holder, Static):
            return self._item(node, holder)
        if not (isinstance(holder, Local) and isinstance(holder.type, (Memref, Group))):
            raise self.unexpected("an array before '['", holder, node.value)
        if isinstance(holder.type, Group) or self.is_element(node, holder.type):
            place = [self.operand(holder, node.value)]
            return self.value_of(node, "load", place, indices=self.indices(node))
        return self.part(node, holder)

    def _item(self, node: ast.Subscript, holder: Static) -> Value:
        key = self.static(node.slice, "a constant in square brackets")
        if not isinstance(holder.value, (*TYPES, GroupOf, CoopmatrixOf, tuple)):
            hint = "use a tuple" if isinstance(holder.value, (dict, list)) else ""
            raise self.unexpected("an array or a type before '['", holder, node.value, hint)
        try:
            return Static(holder.value[key])  # type: ignore[index]
        except (TypeError, IndexError) as error:
            raise self.error(str(error), node) from None

    def size(self, node: ast.AST, holder: Local, mode: object) -> Value:
        """Return the size of a mode, a number if it is known."""
        assert isinstance(holder.type, Memref)
        shape = holder.type.shape
        if type(mode) is not int or not 0 <= mode < len(shape):
            raise self.error(f"expected a mode from 0 to {len(shape) - 1}, got {mode!r}", node)
        if shape[mode] is not None:
            return Static(shape[mode])
        indices = [text.Integer(self.span(node), mode)]
        return self.value_of(node, "size", [self.operand(holder, node)], indices=indices)

    def is_element(self, node: ast.Subscript, type_: Memref) -> bool:
        """Return whether square brackets name one element."""
        items = slices(node)
        return len(items) == len(type_.shape) and not any(map(is_slice, items))

    def indices(self, node: ast.Subscript) -> list[text.Operand]:
        """Return the indices in square brackets."""
        return [self.index(item) for item in slices(node)]

    def index(self, node: ast.expr) -> text.Operand:
        """Return an index."""
        return self.operand(self._index_value(node), node)

    def _index_value(self, node: ast.expr) -> Value:
        if is_slice(node):
            raise self.error("expected an index, got a slice", node)
        value = self.settled(self.scalar(node), node)
        if isinstance(value, Static) and not (type(value.value) is int and value.value >= 0):
            number = value.value if type(value.value) is int else 0
            hint = f"indices from the end are not in the language: write A.shape[0] - {-number}"
            raise self.unexpected("an index of at least 0", value, node, hint if number else "")
        if isinstance(value, Local) and value.type != SCALARS["index"]:
            if getattr(value.type, "kind", "") == "integer":
                return self.apply(node, "cast", [value], SCALARS["index"])
            shown = ast.unparse(node)
            raise self.error(f"expected '{shown}' to have type index, got {value.type}", node)
        return value

    def part(
        self,
        node: ast.Subscript,
        holder: Local,
        result: Memref | None = None,
        *,
        is_explicit: bool = False,
    ) -> Local:
        """Append a subview, and return its result.

        Args:
            node: the expression.
            holder: the array.
            result: type of the result, if it is given.
            is_explicit: whether the whole array is a part, too.
        """
        assert isinstance(holder.type, Memref)
        items, rank = slices(node), len(holder.type.shape)
        for n, item in enumerate(items):
            if isinstance(item, ast.Constant) and item.value is Ellipsis:
                whole = [ast.copy_location(ast.Slice(), item)] * (rank - len(items) + 1)
                items = [*items[:n], *whole, *items[n + 1 :]]
                break
        if all(map(is_whole, items)) and len(items) <= rank and not is_explicit:
            return holder
        if len(items) != rank:
            raise self.error(
                f"expected {rank} indices or slices for {holder.type}, got {len(items)}", node
            )
        place, parts = self.operand(holder, node.value), [self._slice(item) for item in items]
        return self.value_of(node, "subview", [place], result, slices=parts)

    def _slice(self, node: ast.expr) -> text.Slice:
        """Return offset and size of a slice, which has offset and end in Python."""
        span = self.span(node)
        if not isinstance(node, ast.Slice):
            return text.Slice(span, self.index(node), text.Integer(span, 0))
        if node.step is not None:
            hint = "write a for loop, with an index for each element"
            raise self.error("expected a slice without a step, got one", node.step, hint)
        if is_whole(node):
            return text.Slice(span, None, None)
        start = Static(0) if node.lower is None else self._index_value(node.lower)
        offset = self.operand(start, node.lower or node)
        if node.upper is None:
            return text.Slice(span, offset, text.Dynamic(span))
        length = None if node.lower and self._has_effect(node.lower) else length_of(node)
        size = self._index_value(length or node.upper)
        if start != Static(0) and length is None:
            size = self.binary(node, BINARY[ast.Sub], size, start)
        if isinstance(size, Static) and size.value < 1:  # type: ignore[operator]
            raise self.error(f"expected a slice of at least 1 element, got {size.value}", node)
        return text.Slice(span, offset, self.operand(size, node))

    def called(self, node: ast.expr) -> Value:
        """Return what is called."""
        raise NotImplementedError

    def _has_effect(self, node: ast.expr) -> bool:
        """Return whether an expression may change memory when it is computed."""
        called = [self.called(n.func) for n in ast.walk(node) if isinstance(n, ast.Call)]
        return any(
            each.words[0].startswith("atomic")
            if isinstance(each, Instruction)
            else hasattr(getattr(each, "value", None), "inlined_source")
            for each in called
        )


def _is_vector(type_: Type) -> bool:
    return isinstance(type_, Memref) and len(type_.shape) == 1


def in_form(array: Local, form: str, attribute: str) -> Local | InForm:
    """Return an attribute of an array in a form: T, H or conj."""
    assert isinstance(array.type, Memref)
    has_columns, is_complex = len(array.type.shape) > 1, array.type.element.kind == "complex"
    is_transposed = has_columns and (form in "tc") != (attribute != "conj")
    is_conjugated = is_complex and (form in "rc") != (attribute != "T")
    found = "ntrc"[is_transposed + 2 * is_conjugated]
    return array if found == "n" else InForm(array, found)


def is_condition(value: Value) -> bool:
    """Return whether a value is a truth value that only a launch knows."""
    return isinstance(value, Local) and value.type == _BOOL


def _of_outside(value: object) -> Value:
    """Return a value of Python; our own package and names from it stand for the language."""
    if isinstance(value, types.ModuleType) and value.__name__ == PACKAGE:
        return Instruction(())
    if isinstance(value, InstructionName):
        return Instruction(value.instruction_words)
    return Static(plain(value))
