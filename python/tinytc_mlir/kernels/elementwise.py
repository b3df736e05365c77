# SPDX-License-Identifier: BSD-3-Clause
"""Assignments to all elements of an array: `A[:] = tt.exp(A) + 1.0` is a loop over them.

It is `foreach`, or `for` where work-items are on their own. Arrays are not copied before, so that
those on the right side must be the target itself, or have no element of it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from mlir import ir

from .calls import Calls
from .reductions import REDUCTIONS
from .subscripts import is_slice, slices
from .types import Group, Memref, Scalar
from .values import InForm, Instruction, Local, Value

_VIEWS = ("tinytc.subview", "tinytc.expand", "tinytc.fuse", "tinytc.expandc2r", "tinytc.load")
_REPEATED = ("tinytc.load", "tinytc.expand", "tinytc.fuse")
_DYNAMIC = -(2**63)
_Range: TypeAlias = tuple[Any, Any]  # offset and size, which may be values
_PARTS = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.IfExp)


class Elementwise(Calls):
    """The part that reads assignments to all elements."""

    def assign_elements(
        self, node: ast.stmt, target: Local, op: ast.operator | None, value: ast.expr
    ) -> None:
        """Append a loop over the elements of an array.

        Args:
            node: the statement.
            target: the array.
            op: the operator before `=`, None for a plain assignment.
            value: the right side.
        """
        if op is not None:
            self.expect_operator(node, op)
        outer, self.given = self.given, dict(self.given)
        arrays: dict[ast.expr, Value] = {}
        try:
            self._compute(value, arrays)
            for place, array in arrays.items():
                self._expect_separate(place, array, target)
            names = [f"element {mode}" for mode in range(len(target.type.shape))]  # type: ignore[union-attr]

            def fill() -> None:
                indices = [self.operand(self.scope[name], node) for name in names]
                for place, array in arrays.items():
                    self.given[place] = self.element(place, array, indices)
                found = self.scalar(value)
                if op is not None:
                    before = self.element(node, target, indices)
                    found = self.operation(value, op, before, found)
                self.expect_element(node, target, found, value)
                operands = [self.operand(found, value), self.operand(target, node)]
                self.add(node, "store", operands, indices=indices)

            if names:
                self._over(node, target, names, fill)
            else:
                fill()
        finally:
            self.given = outer

    def expect_element(self, target: ast.AST, holder: Local, value: Value, place: ast.expr) -> None:
        """Refuse a value that is not of the type of an array's elements."""
        element = holder.type.element  # type: ignore[union-attr]
        if isinstance(value, Local) and value.type != element:
            shown = ast.unparse(getattr(target, "value", target))
            expected = f"a value of type {element} for '{shown}'"
            raise self.unexpected(expected, value, place, _converted(value, element, place))

    def _over(
        self, node: ast.stmt, target: Local, names: list[str], fill: Callable[[], None]
    ) -> None:
        """Append loops over all elements."""
        ends = [self.operand(self.size(node, target, mode), node) for mode in range(len(names))]
        variables = [self.identifier(node, "i") for _ in names]
        zeros = [self.integer(node, 0) for _ in names]
        pairs = list(zip(names, variables, strict=True))
        if not self.is_spmd:
            body = self.spmd_region(node, fill, pairs)
            self.add(node, "foreach", zeros, indices=ends, variables=variables, body=body)
            return

        def nested(mode: int) -> None:
            if mode < 0:
                fill()
                return
            self.add(
                node,
                "for",
                [zeros[mode], ends[mode]],
                results=[],
                variable=variables[mode],
                attributes=None,
                carried=[],
                inits=[],
                body=self.region(node, lambda: nested(mode - 1), pairs[mode : mode + 1]),
            )

        nested(len(names) - 1)

    def _compute(self, node: ast.expr, arrays: dict[ast.expr, Value]) -> None:
        """Compute what is the same for all elements, and collect the arrays."""
        if not self.has_array(node):
            self.given[node] = self.scalar(node)
        elif isinstance(node, _PARTS) and not isinstance(getattr(node, "op", None), ast.MatMult):
            for child in _parts(node):
                self._compute(child, arrays)
        elif isinstance(node, ast.Call) and self.array_type(node) is None:
            for child in [*node.args, *(each.value for each in node.keywords)]:
                self._compute(child, arrays)
        else:
            arrays[node] = self.expression(node)

    def is_collective(self, node: ast.expr) -> bool:
        """Return whether an expression has a product, a sum or the like of arrays."""
        return any(
            isinstance(each, (ast.BinOp, ast.Call)) and self._of_arrays(each)
            for each in ast.walk(node)
        )

    def _of_arrays(self, node: ast.BinOp | ast.Call) -> bool:
        if isinstance(node, ast.BinOp):
            return isinstance(node.op, ast.MatMult) and self.has_array(node)
        if isinstance(node.func, ast.Attribute) and self.array_type(node.func.value):
            return node.func.attr in REDUCTIONS and self.has_array(node)
        called = self.called(node.func) if self.has_array(node) else None
        return isinstance(called, Instruction) and called.words[:1] in (("cumsum",), ("outer",))

    def has_array(self, node: ast.expr) -> bool:
        """Return whether the value of an expression depends on more than one element."""
        match node:
            case ast.BinOp(left=left, op=ast.MatMult(), right=right):
                types = (self.array_type(left), self.array_type(right))
                return any(type_ is None or len(type_.shape) != 1 for type_ in types)
            case ast.Call(func=ast.Attribute(value=holder, attr=name)) if name in REDUCTIONS and (
                type_ := self.array_type(holder)
            ):
                return len(type_.shape) > 1 and bool(node.args or node.keywords)
        inner = [] if isinstance(node, (ast.Subscript, ast.Attribute)) else _parts(node)
        return self.array_type(node) is not None or any(map(self.has_array, inner))

    def array_type(self, node: ast.expr) -> Memref | None:  # noqa: PLR0911, one for each kind
        """Return the type of an array, whose sizes may be missing; None if it is none."""
        match node:
            case ast.Name(id=name):
                value = self.scope.get(name)
                type_ = value.type if isinstance(value, Local) else None
                return type_ if isinstance(type_, Memref) else None
            case ast.Subscript(value=ast.Name(id=name)) if self.is_array(name):
                held: Any = self.scope[name]
                type_ = held.type
                return type_.memref if isinstance(type_, Group) else self._part_of(type_, node)
            case ast.Subscript(value=holder):
                type_ = self.array_type(holder)
                return type_ and self._part_of(type_, node)
            case ast.Attribute(value=holder, attr="T" | "H"):
                return self.array_type(holder)
            case ast.Call(func=ast.Attribute(value=holder, attr="expand" | "fuse" | "conj")):
                return self.array_type(holder)
            case ast.Call(func=ast.Attribute(attr="subview"), args=[holder, *_]):
                return self.array_type(holder)
        return None

    def _part_of(self, type_: Memref, node: ast.Subscript) -> Memref | None:
        if self.is_element(node, type_):
            return None
        count = sum(1 for item in slices(node) if not is_slice(item))
        return Memref(type_.element, type_.shape[count:])

    def is_array(self, name: str) -> bool:
        """Return whether a name is an array or a group of arrays."""
        found = self.scope.get(name)
        return isinstance(found, Local) and isinstance(found.type, (Memref, Group))

    def _expect_separate(self, place: ast.expr, array: Value, target: Local) -> None:
        """Refuse an array of another shape, or one that has elements of the target elsewhere."""
        matrix = array.matrix if isinstance(array, InForm) else array
        assert isinstance(matrix, Local)
        assert isinstance(matrix.type, Memref)
        assert isinstance(target.type, Memref)
        is_turned = isinstance(array, InForm) and array.form in "tc"
        shape = matrix.type.shape[:: -1 if is_turned else 1]
        sizes = zip(shape, target.type.shape, strict=False)
        if len(shape) != len(target.type.shape) or any(a != b for a, b in sizes if a and b):
            expected, found = (f"({', '.join(map(str, s))})" for s in (target.type.shape, shape))
            message = f"expected an array of shape {expected}, as the left side has, got {found}"
            raise self.error(message, place)
        if may_overlap(matrix.value.value, target.value.value, is_turned):
            shown = ast.unparse(place)
            raise self.error(
                f"expected the left side, or an array apart from it, got '{shown}'",
                place,
                f"write {temporary(target)}; t[:] = {shown}; and use t here",
            )


def _converted(value: Local, type_: Scalar, node: ast.expr) -> str:
    """Return what to write for a value of another type, nothing if that is not a number."""
    if not isinstance(value.type, Scalar):
        return ""
    is_part = value.type.kind == "complex" and type_.kind != "complex"
    function = "re" if is_part and value.type.real == type_ else str(type_)
    return f"write tt.{function}({ast.unparse(node)})"


def is_conjugate(node: ast.expr) -> bool:
    """Return whether an expression is `A.conj()`."""
    is_method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    return is_method and node.func.attr == "conj"  # type: ignore[attr-defined]


def temporary(array: Local) -> str:
    """Return the line that makes local memory like an array."""
    assert isinstance(array.type, Memref)
    shape = array.type.shape
    known = f"tt.{array.type.element}, {shape}" if None not in shape else "type, shape"
    return f"t = tt.local({known})"


def may_overlap(source: ir.Value, target: ir.Value, is_turned: bool) -> bool:
    """Return whether an element of a view may be another element of the target."""
    if _root(source) != _root(target) or _are_apart(source, target):
        return False
    return is_turned or not _is_same(source, target)


def _maker(value: ir.Value) -> ir.Operation | None:
    """Return the op that makes a value, None for a parameter."""
    found: ir.Operation | None = getattr(value.owner, "operation", None)
    return found


def _root(value: ir.Value) -> ir.Value:
    """Return what a view is a part of; members of one group may be the same."""
    while (maker := _maker(value)) and maker.name in _VIEWS:
        value = maker.operands[0]
    return value


def _pairs(a: ir.Value, b: ir.Value) -> list[tuple[_Range, _Range]]:
    """Return the ranges of two subviews of equal arrays, for each mode; none if they are not."""
    makers = [_maker(a), _maker(b)]
    if any(maker is None or maker.name != "tinytc.subview" for maker in makers):
        return []
    first, second = (maker for maker in makers if maker)
    if not _is_same(first.operands[0], second.operands[0]):
        return []
    return list(zip(_ranges(first), _ranges(second), strict=True))


def _ranges(view: ir.Operation) -> list[_Range]:
    """Return offset and size of each mode of a subview, values where they are not known."""
    operands = list(view.operands)[1:]
    found = []
    for name in ("static_offsets", "static_sizes"):
        static = list(view.attributes[name])
        found.append([operands.pop(0) if n == _DYNAMIC else n for n in static])
    return list(zip(*found, strict=True))


def _is_same(a: ir.Value, b: ir.Value) -> bool:
    """Return whether two views are equal, or have no element in common.

    Indices of one element may differ: the views are then apart.
    """
    if a == b or _is_repeated(a, b, _REPEATED):
        return True
    pairs = _pairs(a, b)
    return bool(pairs) and all(
        one[1] == other[1] == 0 or all(map(_is_equal, one, other)) for one, other in pairs
    )


def _is_repeated(a: ir.Value, b: ir.Value, names: Sequence[str]) -> bool:
    """Return whether two ops without effect make a value in the same way."""
    one, other = _maker(a), _maker(b)
    if one is None or other is None or one.name != other.name or one.name not in names:
        return False
    attributes = (
        {name: each.attributes[name] for name in each.attributes} for each in (one, other)
    )
    return list(one.operands) == list(other.operands) and len({*map(str, attributes)}) == 1


def _is_equal(a: int | ir.Value, b: int | ir.Value) -> bool:
    """Return whether two numbers are equal, also if both are the size of one mode."""
    if isinstance(a, int) or isinstance(b, int) or a == b:
        return bool(a == b)
    return _is_repeated(a, b, ["tinytc.size"])


def _are_apart(a: ir.Value, b: ir.Value) -> bool:
    """Return whether two parts of one array are known to be apart."""
    for (start, size), (begin, count) in _pairs(a, b):
        if not any(isinstance(each, ir.Value) for each in (start, size, begin, count)):
            first, second = range(start, start + max(size, 1)), range(begin, begin + max(count, 1))
            if first.stop <= second.start or second.stop <= first.start:
                return True
    return False


def _parts(node: ast.AST) -> list[ast.expr]:
    return [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr)]
