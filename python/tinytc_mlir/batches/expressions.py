# SPDX-License-Identifier: BSD-3-Clause
"""Expressions of batched functions: arithmetic of arrays, products, elements and parts."""

from __future__ import annotations

import ast
import contextlib
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..frontend.source import Note, Span, TextError
from ..kernels.operators import BINARY, COMPARE, UNARY
from ..kernels.translation import Translation
from ..kernels.types import SCALARS, Scalar
from ..kernels.values import Static
from .arrays import (
    Array,
    Block,
    Item,
    OfArray,
    Range,
    Several,
    Shape,
    item_sizes,
    result_type,
    scalar_of,
    shown,
)

BOOL = SCALARS["bool"]
INDEX = SCALARS["index"]
_NAMES = {ast.FloorDiv: "floor_divide", ast.Mod: "remainder"}
_PYTHON: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_IDENTITIES: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}


def _instead_of_a_number(*factors: Array) -> str:
    """Return what to write where a product has a number."""
    for each in factors:
        parameter = each.place[0]
        if not each.shape and isinstance(parameter, ast.arg) and parameter.annotation is None:
            return (
                f"'{parameter.arg}' has no annotation, so its first mode is that of the batch; "
                f"annotate {parameter.arg}: tt.f64[None], or pass a batch"
            )
    return "write *"


class ArrayExpressions(Translation):
    """The part that reads expressions; nothing is emitted, operations are added to a block."""

    block: Block
    _located: tuple[Span, tuple[Note, ...]] | None = None

    @contextlib.contextmanager
    def located(self, node: ast.AST) -> Iterator[None]:
        """Locate errors in functions of ours where they are called."""
        outer = self._located
        self._located = outer or (self.span(node), self.callers)
        try:
            yield
        finally:
            self._located = outer

    def error(self, message: str, node: ast.AST, *hints: str) -> TextError:
        """Return an error at a node, or where a function of ours is called."""
        if self._located is None:
            return super().error(message, node, *hints)
        span, callers = self._located
        return TextError(message, span, *map(Note, filter(None, hints)), *callers)

    default_type: Scalar

    def expression(self, node: ast.expr) -> Any:
        """Return the value of an expression, also an array or several values."""
        return super().expression(node)

    # Operations -----------------------------------------------------------------------------

    def made(
        self,
        node: ast.AST,
        op: str,
        args: Sequence[Array],
        shape: Shape,
        type_: Scalar,
        data: Any = None,
    ) -> Array:
        """Return the result of an operation, which is added to the block."""
        found = Array(op, tuple(args), shape, type_, (node, self.source), data)
        self.block.arrays.append(found)
        return found

    def array(  # type: ignore[override]
        self, value: Any, node: ast.AST, type_: Scalar | None = None
    ) -> Array:
        """Return a value as an array, of a type if one is given."""
        if isinstance(value, Several) or (
            isinstance(value, Static) and isinstance(value.value, (tuple, list, range))
        ):
            value = self._stacked(value, node)
        if isinstance(value, Static) and isinstance(value.value, (np.ndarray, np.generic)):
            value = self._literal(value.value, node)
        if isinstance(value, Static) and value.is_number:
            number = value.value
            found = type_ or scalar_of(np.result_type(np.asarray(number)))
            return self.made(node, "constant", (), (), found, number)
        if not isinstance(value, Array):
            raise self.unexpected("an array or a number", value, node)
        return value if type_ is None else self.cast(value, node, type_)

    def outside_array(self, array: Any, node: ast.AST) -> Any:
        """Return an array from outside, of which a part may be all that is used."""
        return Static(array)

    def _literal(self, value: Any, node: ast.AST) -> Any:
        """Return an array from outside as a constant."""
        if value.ndim == 0:
            return Static(value.item())
        type_ = self.type_of_dtype(value.dtype, node)
        return self.made(node, "literal", (), value.shape, type_, np.array(value))

    def type_of_dtype(self, dtype: Any, node: ast.AST) -> Scalar:
        """Return the type of elements of a dtype."""
        try:
            return scalar_of(dtype)
        except TypeError as error:
            raise self.error(str(error), node) from None

    def _stacked(self, value: Any, node: ast.AST) -> Array:
        """Return the rows of a tuple or list as one array, as `np.array` does."""
        items = value.items if isinstance(value, Several) else map(Static, value.value)
        rows = [self._row(each, node) for each in items]
        return self.stack(rows, node)

    def _row(self, value: Any, node: ast.AST) -> Any:
        is_number = isinstance(value, Static) and value.is_number
        return value if is_number else self.array(value, node)

    def stack(self, rows: Sequence[Any], node: ast.AST) -> Array:
        """Return arrays or numbers of equal shapes as the rows of one."""
        if not rows:
            raise self.error("expected at least one array, got none", node)
        type_ = self.common_type(rows)
        arrays = [self.array(each, node, type_) for each in rows]
        for each in arrays[1:]:
            if each.shape != arrays[0].shape:
                first, other = shown(arrays[0].shape), shown(each.shape)
                raise self.error(f"expected rows of one shape, got {first} and {other}", node)
        return self.made(node, "stack", arrays, (len(arrays), *arrays[0].shape), type_)

    @staticmethod
    def common_type(values: Sequence[Any]) -> Scalar:
        """Return the type that holds all of some arrays and numbers."""
        given = [v if isinstance(v, Array) else v.value for v in values]
        return result_type(*given)

    def cast(self, value: Array, node: ast.AST, type_: Scalar) -> Array:
        """Return an array with elements of another type."""
        if value.type == type_:
            return value
        if value.op == "constant":
            return self.made(node, "constant", (), (), type_, value.data)
        if type_ == BOOL:
            zero = self.made(node, "constant", (), (), value.type, 0)
            return self.made(node, "cmp.ne", [value, zero], value.shape, BOOL)
        if value.type.kind == "complex" and type_.kind != "complex":
            part = self.made(node, "arith.re", [value], value.shape, value.type.real)
            return self.cast(part, node, type_)
        if value.type == BOOL:
            ends = [self.made(node, "constant", (), (), type_, n) for n in (1, 0)]
            return self.made(node, "select", [value, *ends], value.shape, type_)
        return self.made(node, "cast", [value], value.shape, type_)

    def elementwise(
        self,
        node: ast.AST,
        op: str,
        values: Sequence[Any],
        *,
        inside: Scalar | None = None,
        result: Scalar | None = None,
        data: Any = None,
    ) -> Array:
        """Return an operation element by element, after broadcasting.

        Args:
            node: its place.
            op: the instruction.
            values: arrays and numbers.
            inside: type of the arguments, None for the one that holds them all.
            result: type of the result, None for that of the arguments.
            data: what else the operation needs.
        """
        inside = inside or self.common_type(values)
        arrays = [self.array(each, node, inside) for each in values]
        shape = self.broadcast_shape(node, [each.shape for each in arrays])
        return self.made(node, op, arrays, shape, result or inside, data)

    def broadcast_shape(self, node: ast.AST, shapes: Sequence[Shape]) -> Shape:
        """Return the shape that NumPy broadcasts shapes to."""
        try:
            return np.broadcast_shapes(*shapes)
        except ValueError:
            listed = " and ".join(shown(s) for s in dict.fromkeys(shapes) if s)
            raise self.error(f"expected shapes that broadcast, got {listed}", node) from None

    def broadcast(self, value: Array, node: ast.AST, shape: Shape) -> Array:
        """Return an array of a shape that it broadcasts to."""
        if value.shape == shape:
            return value
        found = self.broadcast_shape(node, [value.shape, shape])
        if found != shape:
            raise self.error(f"expected shape {shown(shape)}, got {shown(value.shape)}", node)
        return self.made(node, "broadcast", [value], shape, value.type)

    # Arithmetic -----------------------------------------------------------------------------

    def _binop(self, node: ast.BinOp) -> Any:
        left, right = self.expression(node.left), self.expression(node.right)
        return self.combined(node, node.op, left, right)

    def combined(self, node: ast.AST, op: ast.operator, left: Any, right: Any) -> Any:
        """Return the value of an operator."""
        if isinstance(left, Several) and isinstance(right, Several) and isinstance(op, ast.Add):
            return Several((*left.items, *right.items), left.is_list)
        if isinstance(left, Static) and isinstance(right, Static):
            fold = _PYTHON.get(type(op)) or BINARY.get(type(op), (None, None))[1]
            if fold is None:
                raise self.unsupported(node, op)
            return self._folded(node, fold, left, right)  # type: ignore[arg-type]
        left, right = (self.factor(each, node) for each in (left, right))
        if isinstance(op, ast.MatMult):
            return self.product(node, self.array(left, node), self.array(right, node))
        if isinstance(op, ast.Pow):
            return self.raised(node, left, right)
        if type(op) in _NAMES:
            return self.divided(node, _NAMES[type(op)], left, right)
        if type(op) not in BINARY:
            raise self.unsupported(node, op)
        name, inside = BINARY[type(op)][0], self.common_type([left, right])
        if isinstance(op, ast.Div):
            inside = self.floating(inside)
        if inside == BOOL and name in ("arith.add", "arith.mul"):
            name = "arith.or" if name == "arith.add" else "arith.and"
        return self.elementwise(node, name, [left, right], inside=inside)

    def factor(self, value: Any, node: ast.AST) -> Any:
        """Return a number of Python or an array as it is, others as an array."""
        is_number = isinstance(value, Static) and value.is_number
        return value if is_number or isinstance(value, Array) else self.array(value, node)

    @staticmethod
    def floating(type_: Scalar) -> Scalar:
        """Return the type in which NumPy divides."""
        return type_ if type_.kind in ("floating", "complex") else SCALARS["f64"]

    def divided(self, node: ast.AST, name: str, left: Any, right: Any) -> Array:
        """Return `left // right` or `left % right`, rounded down as in Python."""
        inside = self.common_type([left, right])
        if inside.kind == "floating":
            quotient = self.elementwise(node, "arith.div", [left, right], inside=inside)
            down = self.elementwise(node, "floor", [quotient])
        else:
            found = self.elementwise(node, "arith.div", [left, right], inside=inside)
            rest = self.elementwise(node, "arith.rem", [left, right], inside=inside)
            signs = self.elementwise(node, "arith.xor", [rest, right], inside=inside)
            is_low = self.elementwise(node, "cmp.lt", [signs, Static(0)], result=BOOL)
            is_odd = self.elementwise(node, "cmp.ne", [rest, Static(0)], result=BOOL)
            both = self.elementwise(node, "arith.and", [is_low, is_odd])
            one = self.cast(both, node, inside)
            down = self.elementwise(node, "arith.sub", [found, one])
        if name == "floor_divide":
            return down
        whole = self.elementwise(node, "arith.mul", [down, right], inside=inside)
        return self.elementwise(node, "arith.sub", [left, whole], inside=inside)

    def raised(self, node: ast.AST, left: Any, right: Any) -> Array:
        """Return `left ** right`; constant exponents become products and roots."""
        if isinstance(right, Static) and type(right.value) in (int, float):
            exponent: Any = right.value
            if float(exponent).is_integer() and abs(exponent) <= 16:
                exponent = int(exponent)
                base = self.array(left, node)
                type_ = result_type(base, exponent)
                if exponent < 0 and type_.kind == "integer":
                    hint = "write 1.0 / x ** n"
                    message = "expected an exponent of integers of at least 0"
                    raise self.error(f"{message}, got {exponent}", node, hint)
                base = self.cast(base, node, type_)
                if exponent == 0:
                    one = self.made(node, "constant", (), (), type_, 1)
                    return self.broadcast(one, node, base.shape)
                return self.made(node, "power", [base], base.shape, type_, exponent)
            if exponent == 0.5:
                return self.elementwise(
                    node,
                    "sqrt",
                    [self.array(left, node)],
                    inside=self.floating(self.common_type([left, right])),
                )
        inside = self.floating(self.common_type([left, right]))
        return self.elementwise(node, "pow", [left, right], inside=inside)

    def _unaryop(self, node: ast.UnaryOp) -> Any:
        value = self.expression(node.operand)
        if isinstance(value, Static):
            return super()._unaryop(node)
        value = self.array(value, node)
        if isinstance(node.op, ast.UAdd):
            return value
        name = UNARY[type(node.op)][0]
        if isinstance(node.op, ast.Not):
            value = self.truth(value, node)
        return self.elementwise(node, name, [value])

    def _compare(self, node: ast.Compare) -> Any:
        values = [self.expression(each) for each in (node.left, *node.comparators)]
        found: Any = None
        for op, left, right in zip(node.ops, values, values[1:], strict=False):
            one = self._compared(node, op, left, right)
            found = one if found is None else self.both(node, "and", found, one)
        return found

    def _compared(self, node: ast.Compare, op: ast.cmpop, left: Any, right: Any) -> Any:
        if isinstance(left, Static) and isinstance(right, Static):
            if isinstance(op, (ast.Is, ast.IsNot, ast.In, ast.NotIn)):
                return self._folded(node, _IDENTITIES[type(op)], left, right)
            return self._folded(node, COMPARE[type(op)][1], left, right)
        if isinstance(op, (ast.Is, ast.IsNot)):  # x is None
            return Static(isinstance(op, ast.IsNot))
        if type(op) not in COMPARE:
            return self.compared(node, op, left, right)  # which says what is wrong
        values = [self.factor(each, node) for each in (left, right)]
        name = COMPARE[type(op)][0]
        if self.common_type(values) == BOOL and name not in ("cmp.eq", "cmp.ne"):
            values = [self.array(each, node, SCALARS["i32"]) for each in values]
        elif self.common_type(values) == BOOL:
            differ = self.elementwise(node, "arith.xor", values)
            return differ if name == "cmp.ne" else self.elementwise(node, "arith.not", [differ])
        return self.elementwise(node, name, values, result=BOOL)

    def both(self, node: ast.AST, word: str, left: Any, right: Any) -> Any:
        """Return `left and right` or `left or right` of truth values."""
        is_or = word == "or"
        if isinstance(left, Static):
            return left if bool(left.value) is is_or else right
        if isinstance(right, Static):
            return right if bool(right.value) is is_or else left
        return self.elementwise(node, f"arith.{word}", [left, right])

    def _boolop(self, node: ast.BoolOp) -> Any:
        word = "or" if isinstance(node.op, ast.Or) else "and"
        found = self.expression(node.values[0])
        for each in node.values[1:]:
            if isinstance(found, Static) and bool(found.value) is (word == "or"):
                return found
            found = self._either(node, word, found, self.expression(each))
        return found

    def _either(self, node: ast.AST, word: str, left: Any, right: Any) -> Any:
        """Return `left and right` or `left or right`, one of both values."""
        if isinstance(left, Static):
            return right
        condition = self.truth(self.array(left, node), node)
        if self.common_type([self.factor(each, node) for each in (left, right)]) == BOOL:
            right = right if isinstance(right, Static) else self.truth(right, node)
            return self.both(node, word, condition, right)
        then, orelse = (left, right) if word == "or" else (right, left)
        return self.where(node, condition, then, orelse)

    def _truth_of(self, node: ast.expr) -> Any:
        value = self.expression(node)
        return value if isinstance(value, Static) else self.truth(self.array(value, node), node)

    def truth(self, value: Array, node: ast.AST) -> Array:
        """Return an array that must be one truth value."""
        if value.shape and value.size != 1:
            message = f"expected one truth value, got an array of shape {shown(value.shape)}"
            raise self.error(message, node, "use tt.where(condition, x, y) for arrays")
        if value.shape:
            value = self.made(node, "reshape", [value], (), value.type)
        return self.cast(value, node, BOOL)

    def _ifexp(self, node: ast.IfExp) -> Any:
        condition = self._truth_of(node.test)
        if isinstance(condition, Static):
            return self.expression(node.body if condition.value else node.orelse)
        return self.where(node, condition, self.expression(node.body), self.expression(node.orelse))

    def where(self, node: ast.AST, condition: Any, then: Any, orelse: Any) -> Array:
        """Return one of two arrays, element by element."""
        condition = self.array(condition, node, BOOL)
        values = [self.factor(each, node) for each in (then, orelse)]
        type_ = self.common_type(values)
        arrays = [self.array(each, node, type_) for each in values]
        shape = self.broadcast_shape(node, [each.shape for each in (condition, *arrays)])
        return self.made(node, "select", [condition, *arrays], shape, type_)

    # Products -------------------------------------------------------------------------------

    def product(self, node: ast.AST, left: Array, right: Array) -> Array:
        """Return `left @ right` of vectors and matrices, or of stacks of them."""
        if not left.shape or not right.shape:
            message = "expected arrays around '@', got a number"
            raise self.error(message, node, _instead_of_a_number(left, right))
        inner = left.shape[-1], right.shape[max(len(right.shape) - 2, 0)]
        if inner[0] != inner[1]:
            message = f"expected {shown(left.shape)} @ {shown(right.shape)} with equal inner sizes"
            raise self.error(f"{message}, got {inner[0]} and {inner[1]}", node)
        type_ = result_type(left, right)
        left, right = self.cast(left, node, type_), self.cast(right, node, type_)
        if len(left.shape) <= 2 and len(right.shape) <= 2:
            shape = (
                *left.shape[:-1],
                *right.shape[:-2],
                *right.shape[-1:] * (len(right.shape) > 1),
            )
            return self.made(node, "matmul", [left, right], shape, type_)
        return self._stacked_product(node, left, right)

    def _stacked_product(self, node: ast.AST, left: Array, right: Array) -> Array:
        """Return the products of stacks, as sums over a mode."""
        if len(left.shape) == 1:  # a row
            found = self._stacked_product(node, self.index_new(node, left, 0), right)
            return self.reshaped(node, found, (*found.shape[:-2], found.shape[-1]))
        if len(right.shape) == 1:  # a column
            found = self._stacked_product(node, left, self.index_new(node, right, 1))
            return self.reshaped(node, found, found.shape[:-1])
        one = self.index_new(node, left, -1)  # (..., m, k, 1)
        two = self.index_new(node, right, -3)  # (..., 1, k, n)
        found = self.elementwise(node, "arith.mul", [one, two])
        return self.over_modes(node, "arith.add", found, (len(found.shape) - 2,))

    def index_new(self, node: ast.AST, value: Array, place: int) -> Array:
        """Return an array with a mode of size 1 more."""
        rank = len(value.shape)
        place = place % (rank + 1)
        items: list[Item] = [Range(0, 1, size) for size in value.shape]
        items.insert(place, None)
        return self.made(node, "slice", [value], item_sizes(items), value.type, tuple(items))

    def transposed(self, node: ast.AST, value: Array, order: Sequence[int]) -> Array:
        """Return an array with its modes in another order."""
        rank = len(value.shape)
        places = tuple(each % rank if -rank <= each < rank else rank for each in order)
        if sorted(places) != list(range(rank)):
            raise self.error(f"expected an order of {rank} modes, got {shown(order)}", node)
        if places == tuple(range(rank)):
            return value
        shape = tuple(value.shape[each] for each in places)
        return self.made(node, "transpose", [value], shape, value.type, places)

    def over_modes(self, node: ast.AST, op: str, value: Array, axes: tuple[int, ...]) -> Array:
        """Return an array without some modes, over which an operation goes."""
        if not axes:
            return value
        shape = tuple(size for mode, size in enumerate(value.shape) if mode not in axes)
        return self.made(node, "reduce", [value], shape, value.type, (op, axes))

    def reshaped(self, node: ast.AST, value: Array, shape: Sequence[int]) -> Array:
        """Return the same elements in another shape; -1 is what remains."""
        sizes = list(shape)
        if sizes.count(-1) == 1:
            rest = -math.prod(sizes)
            sizes[sizes.index(-1)] = value.size // rest if rest else 0
        if math.prod(sizes) != value.size or min(sizes, default=0) < 0:
            given, found = shown(value.shape), shown(shape)
            raise self.error(
                f"expected a shape of {value.size} elements for {given}, got {found}", node
            )
        if tuple(sizes) == value.shape:
            return value
        return self.made(node, "reshape", [value], tuple(sizes), value.type)

    def _tuple(self, node: ast.Tuple | ast.List) -> Any:
        values = [self.expression(item) for item in node.elts]
        if all(isinstance(value, Static) for value in values) and isinstance(node, ast.Tuple):
            return Static(tuple(value.value for value in values))
        return Several(tuple(values), isinstance(node, ast.List))

    _list = _tuple

    def _listcomp(self, node: ast.ListComp | ast.GeneratorExp) -> Any:
        """Return the items of a list whose number is known now."""
        (first, *others) = node.generators
        if others or first.ifs or first.is_async:
            raise self.error("expected one 'for' without 'if' in a list, got more", node)
        outer, self.scope = self.scope, self.scope.new_child()
        try:
            found = []
            for value in self.turns(first.iter):
                self.bind(first.target, value, first.iter)
                found.append(self.expression(node.elt))
            return Several(tuple(found), is_list=True)
        finally:
            self.scope = outer

    _generatorexp = _listcomp

    def turns(self, node: ast.expr) -> list[Any]:
        """Return the values that a loop goes through, whose number is known now."""
        raise NotImplementedError

    def bind(self, target: ast.expr, value: Any, node: ast.expr) -> None:
        """Make a name, names in a tuple, or a part of an array stand for a value."""
        raise NotImplementedError

    def unexpected(self, what: str, value: Any, node: ast.AST, *hints: str) -> TextError:
        """Return the error that something else was expected than a value."""
        given = ""
        if isinstance(value, Array):
            given = f"an array of shape {shown(value.shape)}" if value.shape else "a number"
            given += " that a launch computes" if not value.shape else ""
        elif isinstance(value, Several):
            given = "a list" if value.is_list else "a tuple"
        elif isinstance(value, OfArray):
            given = f"the method '{value.name}', which is not called"
        if not given:
            return super().unexpected(what, value, node, *hints)
        return self.error(f"expected {what}, got {given}", node, *hints)

    def _slice(self, node: ast.Slice) -> Any:  # type: ignore[override]
        parts = [None if e is None else self.static(e, "a constant") for e in
                 (node.lower, node.upper, node.step)]  # fmt: skip
        return Static(slice(*parts))
