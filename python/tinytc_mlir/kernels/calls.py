# SPDX-License-Identifier: BSD-3-Clause
"""Calls: instructions under their names, types as conversions, methods of arrays, inlining."""

from __future__ import annotations

import ast
import functools
import types
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from ..frontend import ast as text
from ..frontend.instructions import INSTRUCTIONS, Syntax, Typing
from ..frontend.instructions import Instruction as Spec
from ..frontend.source import Note, counted
from .expressions import in_form, is_condition
from .foreign_names import instead
from .names import Named, named, parameters
from .nodes import attributes_node
from .reader import quotable
from .reductions import REDUCTIONS, Reductions
from .types import TYPES, Element, Memref, Scalar, Type, sizes
from .values import Choice, Instruction, Local, Method, Static, Value

_ARRAY_TYPE = ("the type of an array", (Memref,))
_FUNCTIONS: dict[object, str] = {abs: "arith.abs", min: "arith.min", max: "arith.max"}


class Calls(Reductions):
    """The part that reads calls."""

    def _call(self, node: ast.Call) -> Value:
        result = self.call(node)
        if result is None:
            shown = ast.unparse(node.func)
            raise self.error(f"expected a result of '{shown}', got none", node)
        return result

    def call(self, node: ast.Call) -> Value | None:  # noqa: PLR0911, one for each kind
        """Append what a call does; return its result if it has one."""
        called = self.called(node.func)
        match called:
            case Instruction(words):
                return self._instruction(node, words, list(node.args))
            case Method():
                return self._method(node, called)
            case Static(Scalar() as type_):
                return self._conversion(node, type_)
            case Static(value) if isinstance(getattr(value, "__self__", None), (*TYPES, Element)):
                return self._type_with(node, value)  # strided, promise or nonzero
            case Static(type() as value) if value in (float, complex, int):
                return self._conversion_now(node, value)
            case Static(value) if callable(value) and value in _FUNCTIONS:
                return self._function(node, value)
            case Static(value) if hasattr(value, "inlined_source"):
                return self.inline(node, value)
        raise self._not_callable(node, called)

    def _conversion_now(self, node: ast.Call, function: Callable[..., object]) -> Value:
        """`float("inf")`, of what is known now."""
        values = [self.expression(arg) for arg in node.args]
        for value, place in zip(values, node.args, strict=True):
            if not isinstance(value, Static):
                hint = instead(function.__name__)
                raise self.unexpected("a constant that is known now", value, place, hint)
        return self._folded(node, function, *values)  # type: ignore[arg-type]

    def _not_callable(self, node: ast.Call, called: Value) -> Exception:
        value = called.value if isinstance(called, Static) else None
        name = getattr(value, "__name__", "")
        if value is range:
            return self.error("expected 'range' in a for loop, got it elsewhere", node)
        hint = "mark it with @tt.inline in place of @tt.kernel" if hasattr(value, "typed") else ""
        hint = hint or instead(name)
        if not hint and name and isinstance(named((name,)), Named):
            hint = f"use tt.{name}"
        if isinstance(value, types.FunctionType):
            is_own = value.__code__.co_filename == self.source.filename
            if is_own or not hint:
                hint = f"mark {name!r} with @tt.inline to call it in kernels"
        return self.unexpected("an instruction", called, node.func, hint)

    def _type_with(self, node: ast.Call, method: Any) -> Static:  # noqa: ANN401, of a type
        arguments = [self.static(arg, "a constant") for arg in node.args]
        named = {str(k.arg): self.static(k.value, "a constant") for k in node.keywords}
        try:
            return Static(method(*arguments, **named))
        except TypeError as error:
            raise self.error(str(error), node) from None

    def inline(self, node: ast.Call, function: object) -> Value | None:
        """Append the instructions of another function."""
        raise NotImplementedError

    def called(self, node: ast.expr) -> Value:
        """Return what is called, which must not be computed as an instruction without operands."""
        if isinstance(node, ast.Name):
            return super()._name(node)
        return (
            super()._attribute(node) if isinstance(node, ast.Attribute) else self.expression(node)
        )

    def _name(self, node: ast.Name) -> Value:
        return self._without_operands(node, super()._name(node))

    def _attribute(self, node: ast.Attribute) -> Value:
        return self._without_operands(node, super()._attribute(node))

    def _without_operands(self, node: ast.expr, value: Value) -> Value:
        """`tt.group_id.x` is an instruction without operands, which needs no call."""
        if not isinstance(value, Instruction) or not value.words:
            return value
        found = named(value.words)
        if isinstance(found, str):
            raise self.error(found, node)
        if found.spec.operands or found.spec.syntax is not Syntax.OPERANDS:
            raise self.error(f"expected a call of {_shown(value.words)}, got its name", node)
        return self._made(node, found, [], None)  # type: ignore[return-value]

    # Instructions ---------------------------------------------------------------------------

    def _instruction(
        self, node: ast.Call, words: tuple[str, ...], args: list[_Argument]
    ) -> Value | None:
        """Append an instruction.

        Args:
            node: its place.
            words: the words after `tt`.
            args: operands, indices, and perhaps the type of the result.
        """
        if words in (("local",), ("alloca",)):
            return self._local(node)
        if words == ("expand",):
            return self._expand(node, args)
        if words == ("subview",):
            return self._subview(node)
        if words in (("outer",), ("foreach",), ("foreach_tile",), ("parallel",)):
            where = {"outer": "an assignment to a matrix", "parallel": "a with statement"}
            place = where.get(words[0], "a for loop")
            raise self.error(f"expected tt.{words[0]} in {place}, got it elsewhere", node)
        found = named(words)
        if isinstance(found, str):
            raise self.error(found, node.func)
        type_ = self._type_argument(node, args, found.spec)
        if found.spec.syntax is Syntax.CONSTANT:
            self._check_count(node, words, args, ["value"])
            if type_ is None:
                raise self.error("expected a number and a type, got no type", node)
            number = Static(self.static(args[0], "a number"))  # type: ignore[arg-type]
            return self.constant(number, node, type_)
        return self._made(node, found, self._bound(node, words, args, found.spec), type_)

    def _subview(self, node: ast.Call) -> Local:
        """`tt.subview(A[1, :], type=...)`, whose result may have a type with less that is known."""
        place = node.args[0] if node.args else node
        if not isinstance(place, ast.Subscript):
            raise self.error("expected a part of an array in 'tt.subview', got a whole one", place)
        holder = self.array(place.value)
        type_ = self.type_keyword(node, *_ARRAY_TYPE)
        return self.part(place, holder, type_, is_explicit=True)

    def _expand(self, node: ast.Call, args: Sequence[_Argument]) -> Local:
        """`tt.expand(A, mode, sizes)`, or `A.expand(mode, sizes)`."""
        self._check_count(node, ("expand",), args, ["source", "mode", "sizes"])
        holder, mode, sizes_ = args
        assert isinstance(mode, ast.expr)
        shape = sizes_.elts if isinstance(sizes_, ast.Tuple) else [sizes_]
        return self.value_of(
            node,
            "expand",
            [self.operand(self.array(holder), node)],
            self.type_keyword(node, *_ARRAY_TYPE),
            indices=[self._integer(mode), *(self.index(each) for each in shape)],  # type: ignore[arg-type]
        )

    def array(self, argument: _Argument) -> Local:
        """Return an argument that must be an array."""
        value = argument if isinstance(argument, Local) else self.expression(argument)
        if isinstance(value, Local) and isinstance(value.type, Memref):
            return value
        raise self.unexpected("an array", value, argument)  # type: ignore[arg-type]

    def type_keyword(
        self, node: ast.Call, what: str = "a type", kinds: tuple[type, ...] = TYPES
    ) -> Any:  # noqa: ANN401, one of the kinds
        """Return the type of a result that is given by its name, None if there is none."""
        for each in node.keywords:
            if each.arg == "type":
                type_ = self.static(each.value, "a type")
                if isinstance(type_, kinds):
                    return type_
                raise self.error(f"expected {what}, got {type_!r}", each.value)
        return None

    def _type_argument(self, node: ast.Call, args: list[_Argument], spec: Spec) -> Type | None:
        """Take the type of the result from the arguments, where it is the last one or a keyword."""
        given: Type | None = self.type_keyword(node)
        if given is not None:
            return given
        if spec.typing is Typing.NONE or not args or not self._may_be_type(args[-1]):
            return None
        value = self.called(args[-1])  # type: ignore[arg-type]
        is_type = isinstance(value, Static) and isinstance(value.value, TYPES)
        return self.static(args.pop(), "a type") if is_type else None  # type: ignore[arg-type]

    def _may_be_type(self, node: _Argument) -> bool:
        """Return whether an expression can name a type: it then has no effect."""
        while isinstance(node, (ast.Attribute, ast.Subscript)):
            node = node.value
        return isinstance(node, ast.Name) and not isinstance(self.scope.get(node.id), Local)

    def _bound(
        self, node: ast.Call, words: tuple[str, ...], args: list[_Argument], spec: Spec
    ) -> list[_Argument]:
        """Return the arguments in the order of the instruction."""
        names = parameters(spec)
        keywords = {k.arg: k.value for k in node.keywords if k.arg != "type"}
        for name in names[len(args) :]:
            if name in keywords:
                args.append(keywords.pop(name))
            elif spec.optional:
                break
        if keywords:
            name = next(iter(keywords)) or "**"
            raise self.error(
                f"expected the operands {', '.join(names)} of {_shown(words)}, got '{name}'", node
            )
        self._check_count(node, words, args, names, spec.optional)
        return args

    def _check_count(
        self,
        node: ast.Call,
        words: tuple[str, ...],
        args: Sequence[_Argument],
        names: Sequence[str],
        optional: int = 0,
    ) -> None:
        is_open = bool(names) and names[-1][0] == "*"
        least = len(names) - is_open - optional
        if len(args) < least or (len(args) > least + optional and not is_open):
            listed = f" ({', '.join(names)})" if names else ""
            raise self.error(
                f"expected {counted(len(names), 'operand')}{listed} of {_shown(words)}, "
                f"got {len(args)}",
                node,
            )
        for arg in args:
            if isinstance(arg, ast.Starred):
                raise self.error("expected operands one by one, got '*'", arg)

    def _made(
        self, node: ast.expr, found: Named, args: Sequence[_Argument], type_: Type | None
    ) -> Value | None:
        """Append an instruction of the table."""
        spec = found.spec
        is_open = bool(spec.operands) and spec.operands[-1][0] == "*"
        count = len(args) if is_open else len(spec.operands)
        values = [a if isinstance(a, Local) else self.expression(a) for a in args[:count]]
        places = [node if isinstance(a, Local) else a for a in args]
        operands = [
            self._operand(mark, value, place)
            for mark, value, place in zip(
                [*spec.operands, *["*"] * (count - len(spec.operands))],
                values,
                places,
                strict=False,
            )
        ]
        marks = [*spec.indices, *spec.trailing]
        indices = [
            self._integer(each) if marks[min(n, len(marks) - 1)][0] == "#" else self.index(each)
            for n, each in enumerate(places[count:])
        ]
        if spec.name == "cooperative_matrix_mul_add" and isinstance(values[2], Local):
            type_ = type_ or values[2].type
        made = self.add(
            node, spec.name, operands, type_, modifiers=list(found.modifiers), indices=indices
        )
        return made[0] if made else None

    def _operand(self, mark: str, value: Value, node: ast.expr) -> text.Operand:
        if mark[0] == "#":
            return self._integer_of(value, node)
        if mark[0] != '"':
            return self.operand(value, node)
        if not isinstance(value, Static) or not isinstance(value.value, str):
            raise self.unexpected("a text", value, node)
        return text.String(self.span(node), quotable(value.value))

    def _integer(self, node: ast.expr) -> text.Integer:
        return self._integer_of(Static(self.static(node, "an integer")), node)

    def _integer_of(self, value: Value, node: ast.expr) -> text.Integer:
        if isinstance(value, Static) and type(value.value) is int:
            return text.Integer(self.span(node), value.value)
        raise self.unexpected("an integer constant", value, node)

    def _local(self, node: ast.Call) -> Local:
        """`tt.local(type, shape)`, or `tt.local(memref)`."""
        args = [self.static(arg, "a type or a shape") for arg in node.args]
        options = {str(k.arg): self.static(k.value, "a constant") for k in node.keywords}
        args += [options.pop(name) for name in ("type", "shape")[len(args) :] if name in options]
        try:
            if len(args) == 2 and isinstance(args[0], Scalar):
                args = [Memref(args[0], sizes(args[1], "a size"))]
            memref = args[0] if args else None
            if len(args) != 1 or not isinstance(memref, Memref):
                raise TypeError("expected tt.local(type, shape), got other operands")
            stride = options.pop("stride", None)
            memref = memref.strided(*stride) if stride is not None else memref
            attributes = attributes_node({**dict(memref.known), **options}, self.span(node))
        except TypeError as error:
            raise self.error(str(error), node) from None
        local = Memref(memref.element, memref.shape, memref.stride, "local")
        return self.value_of(node, "alloca", [], local, attributes=attributes)

    # Conversions, functions and methods -----------------------------------------------------

    def _conversion(self, node: ast.Call, type_: Scalar) -> Value:
        self._check_count(node, (type_.name,), node.args, ["value"])
        value = self.scalar(node.args[0])
        if isinstance(value, Static) and value.is_number and type_.name == "bool":
            return self.constant(Static(bool(value.value)), node, type_)
        if isinstance(value, (Static, Choice)):
            return self.constant(value, node, type_)
        if is_condition(value):
            one = self.choice(node, "select", value, Static(1), Static(0))
            return value if type_.name == "bool" else self.constant(one, node, type_)
        if type_.name == "bool":
            return self.apply(node, "cmp.ne", [value, Static(0)])
        return self.apply(node, "cast", [value], type_)

    def _function(self, node: ast.Call, function: Callable[..., object]) -> Value:
        name = _FUNCTIONS[function]
        values = [self.scalar(arg) for arg in node.args]
        if function is not abs and len(values) > 2:
            return functools.reduce(lambda a, b: self._function_of(node, function, [a, b]), values)
        self._check_count(node, (function.__name__,), node.args, parameters(INSTRUCTIONS[name]))
        return self._function_of(node, function, values)

    def _function_of(
        self, node: ast.Call, function: Callable[..., object], values: list[Value]
    ) -> Value:
        if all(isinstance(value, Static) for value in values):
            return self._folded(node, function, *values)  # type: ignore[arg-type]
        if not any(isinstance(value, Local) for value in values):
            values = [self.settled(value, node) for value in values]
        return self.apply(node, _FUNCTIONS[function], values)

    def _method(self, node: ast.Call, method: Method) -> Value | None:
        """`A.fuse(0, 1)` is `tt.fuse(A, 0, 1)`."""
        if method.name == "size":
            self._check_count(node, ("size",), node.args, ["mode"])
            return self.size(node, method.holder, self.static(node.args[0], "the number of a mode"))
        if method.name == "conj":
            self._check_count(node, ("conj",), node.args, [])
            return in_form(method.holder, method.form, "conj")
        if method.name in ("fuse", "expand"):
            return self._instruction(node, (method.name,), [method.holder, *node.args])
        is_vector = len(method.holder.type.shape) == 1  # type: ignore[union-attr]
        if method.name in REDUCTIONS and (is_vector or not node.args or method.name != "sum"):
            return self.reduced(node, method.name, method.holder)
        raise self.error(f"expected '.{method.name}' in an assignment to an array", node)

    def call_notes(self, node: ast.Call, name: str) -> tuple[Note, ...]:
        """Return the notes of errors in a function that is inlined here."""
        return (Note(f"'{name}' is called here", self.span(node)), *self.callers)


_Argument: TypeAlias = ast.expr | Local


def _shown(words: tuple[str, ...]) -> str:
    return f"'tt.{'.'.join(words)}'"
