# SPDX-License-Identifier: BSD-3-Clause
"""Expressions: numbers, arithmetic, comparisons, elements and parts of arrays."""

from __future__ import annotations

import ast
import operator
import types
from collections.abc import Callable, Sequence
from typing import Any

from ..frontend import ast as text
from ..frontend.instructions import INSTRUCTIONS
from . import typing
from .reader import Reader, describe
from .types import SCALARS, TYPES, CoopmatrixOf, Group, GroupOf, Memref, Size, Type, const
from .values import Instruction, Local, Method, Static, Transposed, Value

_INDEX, _BOOL = SCALARS["index"], SCALARS["bool"]
PACKAGE = __name__.split(".", maxsplit=1)[0]
BINARY: dict[type[ast.AST], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("arith.add", operator.add),
    ast.Sub: ("arith.sub", operator.sub),
    ast.Mult: ("arith.mul", operator.mul),
    ast.Div: ("arith.div", operator.truediv),
    ast.FloorDiv: ("arith.div", operator.floordiv),
    ast.Mod: ("arith.rem", operator.mod),
    ast.LShift: ("arith.shl", operator.lshift),
    ast.RShift: ("arith.shr", operator.rshift),
    ast.BitAnd: ("arith.and", operator.and_),
    ast.BitOr: ("arith.or", operator.or_),
    ast.BitXor: ("arith.xor", operator.xor),
}
_COMPARE: dict[type[ast.AST], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Eq: ("cmp.eq", operator.eq),
    ast.NotEq: ("cmp.ne", operator.ne),
    ast.Lt: ("cmp.lt", operator.lt),
    ast.LtE: ("cmp.le", operator.le),
    ast.Gt: ("cmp.gt", operator.gt),
    ast.GtE: ("cmp.ge", operator.ge),
}
_INSTEAD = {
    ast.Lambda: "functions marked with @tt.inline",
    ast.ListComp: "a for loop",
    ast.GeneratorExp: "a for loop",
    ast.List: "a tuple of constants",
    ast.Dict: "tt.const parameters",
    ast.NamedExpr: "an assignment of its own",
    ast.Await: "kernel.submit(...) outside of the function",
    ast.JoinedStr: "a debug build, which reports places",
    ast.Pow: "tt.exp2 and tt.log2, or products",
}


class Expressions(Reader):
    """The part that reads expressions."""

    def expression(self, node: ast.expr) -> Value:
        """Return the value of an expression, after appending what computes it."""
        rule = getattr(self, "_" + type(node).__name__.lower(), None)
        if rule is None:
            raise self.unsupported(node)
        value: Value = rule(node)
        return value

    def unsupported(self, node: ast.AST) -> Exception:
        """Return the error for a part of Python that kernels do not have."""
        instead = next((w for kind, w in _INSTEAD.items() if isinstance(node, kind)), "")
        name = type(node).__name__.lower()
        hints = [f"use {instead}"] if instead else []
        return self.error(f"expected an expression that kernels have, got a {name}", node, *hints)

    def static(self, node: ast.expr, what: str) -> Any:  # noqa: ANN401, a value of Python
        """Return the value of an expression that must be known now."""
        value = self.expression(node)
        if isinstance(value, Static):
            return value.value
        raise self.error(f"expected {what} that is known now, got {describe(value)}", node)

    def scalar(self, node: ast.expr) -> Value:
        """Return the value of an expression that must be a number, also one of a subgroup's."""
        value = self.expression(node)
        if isinstance(value, Local) and isinstance(value.type, (Memref, Group)):
            raise self.error(f"expected a number, got {describe(value)}", node)
        return value

    def _constant(self, node: ast.Constant) -> Value:
        return Static(node.value)

    def _name(self, node: ast.Name) -> Value:
        value = self.lookup(node)
        if isinstance(value, Static):
            return _of_outside(value.value)
        return value

    def _tuple(self, node: ast.Tuple) -> Value:
        return Static(tuple(self.static(item, "a constant") for item in node.elts))

    def _attribute(self, node: ast.Attribute) -> Value:
        holder = self.expression(node.value)
        if isinstance(holder, Instruction):
            found = holder.words == () and OBJECTS.get(node.attr)
            if found:
                return Static(found)
            return self.instruction_value(Instruction((*holder.words, node.attr)), node)
        if isinstance(holder, Static):
            try:
                return _of_outside(getattr(holder.value, node.attr))
            except AttributeError:
                raise self.error(
                    f"expected an attribute of {describe(holder)}, got '{node.attr}'", node
                ) from None
        if isinstance(holder, Local) and isinstance(holder.type, (Memref, Group)):
            return self._attribute_of_memref(holder, node)
        raise self.error(f"expected no attribute of {describe(holder)}, got '{node.attr}'", node)

    def _attribute_of_memref(self, holder: Local, node: ast.Attribute) -> Value:
        type_ = holder.type
        if isinstance(type_, Memref) and node.attr in ("T", "H"):
            if node.attr == "H" and type_.element.kind == "complex":
                raise self.error(
                    "expected '.T', got '.H' of a complex matrix",
                    node,
                    "no instruction conjugates a factor: store tt.conj of its elements first",
                )
            return Transposed(holder)
        if node.attr == "shape" and isinstance(type_, Memref):
            return Method(holder, "shape")
        if node.attr in ("expand", "fuse", "sum", "size"):
            return Method(holder, node.attr)
        raise self.error(
            f"expected T, H, shape, expand, fuse, size or sum, got '{node.attr}'", node
        )

    def instruction_value(self, value: Instruction, node: ast.expr) -> Value:
        """Return a word after `tt`; calls give it its operands."""
        return value

    def number_or_local(self, value: Value, node: ast.expr) -> Value:
        """Return a value, where `tt.group_id.x` is a call without operands."""
        raise NotImplementedError

    # Arithmetic -----------------------------------------------------------------------------

    def _binop(self, node: ast.BinOp) -> Value:
        found = BINARY.get(type(node.op))
        if found is None:
            if isinstance(node.op, ast.MatMult):
                raise self.error(
                    "expected a product of matrices in an assignment to a matrix, got it elsewhere",
                    node,
                    *self.lines_for_product(node),
                )
            raise self.unsupported(node.op if isinstance(node.op, ast.Pow) else node)
        left, right = self.expression(node.left), self.expression(node.right)
        return self.binary(node, found, left, right)

    def lines_for_product(self, node: ast.BinOp) -> list[str]:
        """Return a hint with the lines to write in place of a product."""
        shown = ast.unparse(node)
        return [f"write t = tt.local(type, shape), and then t[:] = {shown}"]

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
            is_memref = isinstance(value, Transposed) or (
                isinstance(value, Local) and isinstance(value.type, (Memref, Group))
            )
            if is_memref:
                raise self.error(
                    f"expected numbers, got {describe(value)}",
                    node,
                    "arithmetic on arrays is for assignments to arrays: C[:] += alpha * A",
                )
        if isinstance(left, Static) and isinstance(right, Static):
            return self._folded(node, fold, left, right)
        return self.apply(node, name, [left, right])

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
        """Append an instruction of the table that takes numbers, and return its result."""
        spec = INSTRUCTIONS[name]
        types_ = [value.type if isinstance(value, Local) else None for value in values]
        result = type_ or typing.result_type(spec, types_)
        if result is None:
            raise self.error(
                f"expected a value with a type, got {', '.join(map(describe, values))}", node
            )
        operands = [
            self.operand(value, node, typing.literal_type(spec, n, types_, result))
            for n, value in enumerate(values)
        ]
        return self.value_of(node, name, operands, result)

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        value = self.scalar(node.operand)
        if isinstance(node.op, ast.UAdd):
            return value
        if isinstance(value, Static):
            fold: dict[type[ast.unaryop], Callable[[Any], Any]] = {
                ast.USub: operator.neg,
                ast.Not: operator.not_,
                ast.Invert: operator.invert,
            }
            return self._folded(node, fold[type(node.op)], value)
        return self.apply(
            node, "arith.neg" if isinstance(node.op, ast.USub) else "arith.not", [value]
        )

    def _compare(self, node: ast.Compare) -> Value:
        operands = [self.scalar(item) for item in (node.left, *node.comparators)]
        found: Value = Static(True)
        for op, left, right in zip(node.ops, operands, operands[1:], strict=False):
            if type(op) not in _COMPARE:
                raise self.error("expected a comparison of numbers, got 'in' or 'is'", node)
            name, fold = _COMPARE[type(op)]
            if isinstance(left, Static) and isinstance(right, Static):
                each: Value = self._folded(node, fold, left, right)
            else:
                each = self.apply(node, name, [left, right])
            found = self._both(node, "arith.and", found, each)
        return found

    def _boolop(self, node: ast.BoolOp) -> Value:
        """Both sides are computed, as instructions without effects can be."""
        name = "arith.and" if isinstance(node.op, ast.And) else "arith.or"
        found = self.scalar(node.values[0])
        for item in node.values[1:]:
            found = self._both(node, name, found, self.scalar(item))
        return found

    def _both(self, node: ast.expr, name: str, left: Value, right: Value) -> Value:
        for known, other in ((left, right), (right, left)):
            if isinstance(known, Static) and isinstance(known.value, bool):
                decides = known.value is (name == "arith.or")
                return known if decides else other
        for value in (left, right):
            if not (isinstance(value, Local) and value.type == _BOOL):
                raise self.error(f"expected truth values, got {describe(value)}", node)
        return self.apply(node, name, [left, right])

    # Elements and parts ---------------------------------------------------------------------

    def _subscript(self, node: ast.Subscript) -> Value:
        holder = self.expression(node.value)
        if isinstance(holder, Method) and holder.name == "shape":
            return self.size(node, holder.holder, self.static(node.slice, "the number of a mode"))
        if isinstance(holder, Static):
            return self._item(node, holder)
        if not (isinstance(holder, Local) and isinstance(holder.type, (Memref, Group))):
            raise self.error(f"expected an array before '[', got {describe(holder)}", node.value)
        if isinstance(holder.type, Group) or self.is_element(node, holder.type):
            place = [self.text_of(holder, node.value)]
            indices = self.indices(node)
            result = typing.result_type(INSTRUCTIONS["load"], [holder.type])
            return self.value_of(node, "load", place, result, indices=indices)
        return self.part(node, holder)

    def _item(self, node: ast.Subscript, holder: Static) -> Value:
        key = self.static(node.slice, "a constant in square brackets")
        if not isinstance(holder.value, (*TYPES, GroupOf, CoopmatrixOf, tuple)):
            raise self.error(
                f"expected an array or a type before '[', got {describe(holder)}", node.value
            )
        try:
            return Static(holder.value[key])  # type: ignore[index]
        except (TypeError, IndexError) as error:
            raise self.error(str(error), node) from None

    def size(self, node: ast.expr, holder: Local, mode: object) -> Value:
        """Return the size of a mode, a number if it is known."""
        assert isinstance(holder.type, Memref)
        shape = holder.type.shape
        if type(mode) is not int or not 0 <= mode < len(shape):
            raise self.error(f"expected a mode from 0 to {len(shape) - 1}, got {mode!r}", node)
        if shape[mode] is not None:
            return Static(shape[mode])
        indices = [text.Integer(self.span(node), mode)]
        return self.value_of(node, "size", [self.text_of(holder, node)], _INDEX, indices=indices)

    def text_of(self, local: Local, node: ast.AST) -> text.Identifier:
        """Return an operand that is a value of the program."""
        return text.Identifier(self.span(node), local.name)

    def is_element(self, node: ast.Subscript, type_: Memref) -> bool:
        """Return whether square brackets name one element."""
        items = slices(node)
        return len(items) == len(type_.shape) and not any(map(_is_slice, items))

    def indices(self, node: ast.Subscript) -> list[text.Operand]:
        """Return the indices in square brackets."""
        return [self.index(item) for item in slices(node)]

    def index(self, node: ast.expr) -> text.Operand:
        """Return an index."""
        if _is_slice(node):
            raise self.error("expected an index, got a slice", node)
        value = self.scalar(node)
        if isinstance(value, Static) and isinstance(value.value, int) and value.value < 0:
            raise self.error(
                f"expected an index of at least 0, got {value.value}",
                node,
                "indices from the end are not in the language: write A.shape[0] - 1",
            )
        return self.operand(value, node, _INDEX)

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
        type_ = holder.type
        assert isinstance(type_, Memref)
        items = slices(node)
        if any(isinstance(i, ast.Constant) and i.value is Ellipsis for i in items):
            at = next(
                n
                for n, i in enumerate(items)
                if isinstance(i, ast.Constant) and i.value is Ellipsis
            )
            whole = [ast.copy_location(ast.Slice(), items[at])] * (
                len(type_.shape) - len(items) + 1
            )
            items = [*items[:at], *whole, *items[at + 1 :]]
        if len(items) != len(type_.shape):
            raise self.error(
                f"expected {len(type_.shape)} indices or slices for {type_}, got {len(items)}", node
            )
        is_whole = all(
            isinstance(i, ast.Slice) and i.lower is i.upper is i.step is None for i in items
        )
        if is_whole and not is_explicit:
            return holder
        parts: list[text.Slice] = []
        kept: list[tuple[int, Size]] = []
        for mode, item in enumerate(items):
            if _is_slice(item):
                made, size = self._slice(item, holder, mode)  # type: ignore[arg-type]
                kept.append((mode, size))
            else:
                made = text.Slice(
                    self.span(item), self.index(item), text.Integer(self.span(item), 0)
                )
            parts.append(made)
        result = result or typing.view(type_, kept)
        place = [self.text_of(holder, node.value)]
        return self.value_of(node, "subview", place, result, slices=parts)

    def _slice(self, node: ast.Slice, holder: Local, mode: int) -> tuple[text.Slice, Size]:
        """Return offset and size of a slice, which has offset and end in Python."""
        span = self.span(node)
        assert isinstance(holder.type, Memref)
        if node.step is not None:
            raise self.error("expected a slice without a step, got one", node.step)
        if node.lower is None and node.upper is None:
            return text.Slice(span, None, None), holder.type.shape[mode]
        start = Static(0) if node.lower is None else self.scalar(node.lower)
        start_node = node.lower or node
        offset = self.operand(start, start_node, _INDEX)
        if node.upper is None:
            end: Value = self.size(node, holder, mode)
        else:
            end = self._length(node) or self.scalar(node.upper)
        for value, each in ((start, start_node), (end, node.upper or node)):
            if isinstance(value, Static) and (type(value.value) is not int or value.value < 0):
                raise self.error(
                    f"expected an offset or end of at least 0, got {value.value!r}", each
                )
        is_size = start == Static(0) or (node.upper is not None and self._is_sum(node))
        size = end if is_size else self.binary(node, BINARY[ast.Sub], end, start)
        if isinstance(size, Static):
            return self._bounded(node, holder, mode, offset, int(size.value))  # type: ignore
        return text.Slice(span, offset, self.operand(size, node, _INDEX)), None

    def _bounded(
        self, node: ast.Slice, holder: Local, mode: int, offset: text.Operand, size: int
    ) -> tuple[text.Slice, Size]:
        if size < 1:
            raise self.error(f"expected a slice of at least 1 element, got {size}", node)
        assert isinstance(holder.type, Memref)
        whole = holder.type.shape[mode]
        if whole is not None and isinstance(offset, text.Integer) and offset.value + size > whole:
            raise self.error(
                f"expected a slice of mode {mode} to end within its size {whole}, got the end "
                f"{offset.value + size}",
                node,
            )
        return text.Slice(self.span(node), offset, text.Integer(self.span(node), size)), size

    def _is_sum(self, node: ast.Slice) -> bool:
        """Return whether a slice is written as `i : i + n`."""
        upper = node.upper
        if node.lower is None or not isinstance(upper, ast.BinOp):
            return False
        return isinstance(upper.op, ast.Add) and ast.dump(upper.left) == ast.dump(node.lower)

    def _length(self, node: ast.Slice) -> Value | None:
        """Return the size of `i : i + n`, None if the end is not written so."""
        if not self._is_sum(node):
            return None
        assert isinstance(node.upper, ast.BinOp)
        return self.scalar(node.upper.right)


def slices(node: ast.Subscript) -> list[ast.expr]:
    """Return what is in square brackets."""
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def _is_slice(node: ast.expr) -> bool:
    return isinstance(node, ast.Slice) or (
        isinstance(node, ast.Constant) and node.value is Ellipsis
    )


def _of_outside(value: object) -> Value:
    """Return a value of Python; our own package stands for the language."""
    if isinstance(value, types.ModuleType) and value.__name__ == PACKAGE:
        return Instruction(())
    return Static(value)


OBJECTS: dict[str, object] = {
    **SCALARS,
    "group": GroupOf(),
    "coopmatrix": CoopmatrixOf(),
    "const": const,
}
"""What is no instruction in `tt`."""
