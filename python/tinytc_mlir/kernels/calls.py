# SPDX-License-Identifier: BSD-3-Clause
"""Calls: instructions under their names, types as conversions, methods of arrays, inlining."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from ..frontend import ast as text
from ..frontend.instructions import INSTRUCTIONS, Syntax, Typing
from ..frontend.instructions import Instruction as Spec
from ..frontend.source import Note, counted
from . import typing
from .expressions import OBJECTS, Expressions
from .names import InstructionName, Named, named, parameters
from .reader import describe, quotable
from .types import SCALARS, TYPES, Memref, Scalar, Size, Type, attributes_node, sizes
from .values import Instruction, Local, Method, Static, Value

_INDEX = SCALARS["index"]
_FUSE = INSTRUCTIONS["fuse"]
_FUNCTIONS: dict[object, str] = {abs: "arith.abs", min: "arith.min", max: "arith.max"}


class Calls(Expressions):
    """The part that reads calls."""

    def _call(self, node: ast.Call) -> Value:
        result = self.call(node)
        if result is None:
            raise self.error("expected an instruction with a result, got one without", node)
        return result

    def call(self, node: ast.Call) -> Value | None:  # noqa: PLR0911, one for each kind
        """Append what a call does; return its result if it has one."""
        called = self._called(node.func)
        if isinstance(called, Instruction):
            return self._instruction(node, called.words)
        if isinstance(called, Method):
            return self._method(node, called)
        if isinstance(called, Static) and isinstance(called.value, Scalar):
            return self._conversion(node, called.value)
        if isinstance(called, Static):
            value = called.value
            if isinstance(getattr(value, "__self__", None), TYPES):  # strided or promise
                return self._type_with(node, value)
            if value in (float, complex, int):
                arguments = [Static(self.static(arg, "a constant")) for arg in node.args]
                return self._folded(node, value, *arguments)
            if callable(value) and value in _FUNCTIONS:
                return self._function(node, value)
            if hasattr(value, "inlined_source"):
                return self.inline(node, value)
            name = getattr(value, "__name__", None)
            if name == "range":
                raise self.error("expected 'range' in a for loop, got it elsewhere", node)
            hints = [f"mark {name!r} with @tt.inline to call it in kernels"] if name else []
            raise self.error(f"expected an instruction, got {describe(called)}", node.func, *hints)
        raise self.error(f"expected an instruction, got {describe(called)}", node.func)

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

    def _called(self, node: ast.expr) -> Value:
        """Return what is called, which must not be computed as an instruction without operands."""
        return self._words(node) or self.expression(node)

    def _words(self, node: ast.expr) -> Instruction | None:
        """Return the instruction that a chain of names stands for, None if it is something else."""
        words: list[str] = []
        while isinstance(node, ast.Attribute):
            words.insert(0, node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        value = self._name(node)
        if not isinstance(value, Instruction) or (len(words) == 1 and words[0] in OBJECTS):
            return None
        return Instruction((*value.words, *words))

    def _name(self, node: ast.Name) -> Value:
        value = super()._name(node)
        if isinstance(value, Static) and isinstance(value.value, InstructionName):
            return Instruction(value.value.words)
        return value

    def _attribute(self, node: ast.Attribute) -> Value:
        """`tt.group_id.x` is an instruction without operands, which needs no call."""
        value = self._words(node)
        return super()._attribute(node) if value is None else self._without_operands(node, value)

    def _without_operands(self, node: ast.expr, value: Instruction) -> Value:
        found = named(value.words)
        if isinstance(found, str):
            raise self.error(found, node)
        if found.spec.operands or found.spec.syntax is not Syntax.OPERANDS:
            raise self.error(f"expected a call of {_shown(value.words)}, got its name", node)
        return self._made(node, found, [], None)  # type: ignore[return-value]

    # Instructions ---------------------------------------------------------------------------

    def _instruction(self, node: ast.Call, words: tuple[str, ...]) -> Value | None:
        if words in (("local",), ("alloca",)):
            return self._local(node)
        if words in (("subview",), ("expand",)):
            return self._view(node, words[0])
        if words in (("outer",), ("foreach",), ("foreach_tile",), ("parallel",)):
            where = {"outer": "an assignment to a matrix", "parallel": "a with statement"}
            place = where.get(words[0], "a for loop")
            raise self.error(f"expected tt.{words[0]} in {place}, got it elsewhere", node)
        found = named(words)
        if isinstance(found, str):
            raise self.error(found, node.func)
        args = list(node.args)
        type_ = self._type_argument(node, args, found.spec)
        if found.spec.syntax is Syntax.CONSTANT:
            self._check_count(node, words, args, ["value"])
            if type_ is None:
                raise self.error("expected a number and a type, got no type", node)
            return self.constant(self.static(args[0], "a number"), node, type_)
        return self._made(node, found, self._bound(node, words, args, found.spec), type_)

    def _view(self, node: ast.Call, name: str) -> Local:
        """`tt.subview(A[1, :], type=...)` and `tt.expand(A, mode, sizes, type=...)`."""
        given = [k.value for k in node.keywords if k.arg == "type"]
        type_ = self.static(given[0], "a type") if given else None
        if type_ is not None and not isinstance(type_, Memref):
            raise self.error(f"expected the type of an array, got {type_!r}", given[0])
        place = node.args[0] if node.args else node
        source = place.value if isinstance(place, ast.Subscript) and name == "subview" else place
        holder = self.expression(source) if source is not node else None
        if not isinstance(holder, Local) or not isinstance(holder.type, Memref):
            raise self.error(f"expected an array in 'tt.{name}', got something else", place)
        if name == "expand":
            return self._expand(node, node.args[1:], holder, type_)
        if not isinstance(place, ast.Subscript):
            raise self.error("expected a part of an array in 'tt.subview', got a whole one", place)
        return self.part(place, holder, type_, is_explicit=True)

    def _type_argument(self, node: ast.Call, args: list[ast.expr], spec: Spec) -> Type | None:
        """Take the type of the result from the arguments, where it is the last one or a keyword."""
        given = [k for k in node.keywords if k.arg == "type"]
        if given:
            type_ = self.static(given[0].value, "a type")
        elif spec.typing is not Typing.NONE and args and self._may_be_type(args[-1]):
            value = self.expression(args[-1])
            type_ = value.value if isinstance(value, Static) else None
            if not isinstance(type_, TYPES):
                return None
            args.pop()
        else:
            return None
        if not isinstance(type_, TYPES):
            raise self.error(f"expected a type, got {type_!r}", given[0].value)
        return type_

    def _may_be_type(self, node: ast.expr) -> bool:
        """Return whether an expression can name a type: it then has no effect."""
        while isinstance(node, (ast.Attribute, ast.Subscript)):
            node = node.value
        return isinstance(node, ast.Name) and not isinstance(self.scope.get(node.id), Local)

    def _bound(
        self, node: ast.Call, words: tuple[str, ...], args: list[ast.expr], spec: Spec
    ) -> list[ast.expr]:
        """Return the arguments in the order of the instruction."""
        names = parameters(spec)
        keywords = {k.arg: k.value for k in node.keywords if k.arg != "type"}
        for name in names[len(args) :]:
            if name in keywords:
                args.append(keywords.pop(name))
        if keywords:
            name = next(iter(keywords)) or "**"
            raise self.error(
                f"expected the operands {', '.join(names)} of {_shown(words)}, got '{name}'", node
            )
        self._check_count(node, words, args, names)
        return args

    def _check_count(
        self, node: ast.Call, words: tuple[str, ...], args: Sequence[ast.expr], names: Sequence[str]
    ) -> None:
        is_open = bool(names) and names[-1][0] == "*"
        least = len(names) - is_open
        if len(args) < least or (len(args) > least and not is_open):
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
        self, node: ast.expr, found: Named, args: Sequence[ast.expr], type_: Type | None
    ) -> Value | None:
        """Append an instruction of the table."""
        spec = found.spec
        values = [self.expression(arg) for arg in args[: len(spec.operands)]]
        types = [value.type if isinstance(value, Local) else None for value in values]
        result = type_
        if type_ is None and spec.typing is not Typing.NONE:
            result = self._view_type(node, spec, values, args) or typing.result_type(spec, types)
            if result is None:
                hint = "give the type of the result as last operand"
                raise self.error(f"expected a type for '{spec.name}', got none", node, hint)
        operands = [
            self._operand(spec, n, value, arg, typing.literal_type(spec, n, types, result))
            for n, (value, arg) in enumerate(zip(values, args, strict=False))
        ]
        names = [*spec.indices, *spec.trailing]
        indices = [
            self._integer(arg) if (names[min(n, len(names) - 1)])[0] == "#" else self.index(arg)
            for n, arg in enumerate(args[len(spec.operands) :])
        ]
        return self.add(
            node, spec.name, operands, result, modifiers=list(found.modifiers), indices=indices
        )

    def _operand(
        self, spec: Spec, position: int, value: Value, node: ast.expr, type_: Type | None
    ) -> text.Operand:
        if spec.operands[position][0] == "#":
            return self._integer_of(value, node)
        if spec.operands[position][0] == '"':
            if not isinstance(value, Static) or not isinstance(value.value, str):
                raise self.error(f"expected a text, got {describe(value)}", node)
            return text.String(self.span(node), quotable(value.value))
        is_named = spec.typing is Typing.NONE and spec.syntax is Syntax.OPERANDS
        if is_named and isinstance(value, Static) and value.is_number and type_ is not None:
            return self.text_of(self.constant(value.value, node, type_), node)
        return self.operand(value, node, type_)

    def _integer(self, node: ast.expr) -> text.Integer:
        return self._integer_of(Static(self.static(node, "an integer")), node)

    def _integer_of(self, value: Value, node: ast.expr) -> text.Integer:
        if isinstance(value, Static) and type(value.value) is int:
            return text.Integer(self.span(node), value.value)
        raise self.error(f"expected an integer constant, got {describe(value)}", node)

    def _view_type(
        self, node: ast.expr, spec: Spec, values: Sequence[Value], args: Sequence[ast.expr]
    ) -> Type | None:
        if spec.name != "fuse" or not isinstance(values[0], Local):
            return None
        first, last = (self._integer(arg).value for arg in args[1:])
        source = values[0].type
        if not isinstance(source, Memref) or not 0 <= first < last < len(source.shape):
            raise self.error(f"expected two modes of a memref, got {first} and {last}", node)
        return typing.fused(source, first, last)

    def _local(self, node: ast.Call) -> Local:
        """`tt.local(type, shape)`, or `tt.local(memref)`."""
        args = [self.static(arg, "a type or a shape") for arg in node.args]
        options = {str(k.arg): self.static(k.value, "a constant") for k in node.keywords}
        try:
            if len(args) == 2 and isinstance(args[0], Scalar):
                args = [Memref(args[0], sizes(args[1], "a size"))]
            memref = args[0] if args else None
            if len(args) != 1 or not isinstance(memref, Memref):
                raise TypeError("expected tt.local(type, shape), got other operands")
            stride = options.pop("stride", None)
            memref = memref.strided(*stride) if stride is not None else memref
            attributes = attributes_node(options, self.span(node))
        except TypeError as error:
            raise self.error(str(error), node) from None
        local = Memref(memref.element, memref.shape, memref.stride, "local")
        return self.value_of(node, "alloca", [], local, attributes=attributes)

    # Conversions, functions and methods -----------------------------------------------------

    def _conversion(self, node: ast.Call, type_: Scalar) -> Value:
        self._check_count(node, (type_.name,), node.args, ["value"])
        value = self.scalar(node.args[0])
        if isinstance(value, Static):
            return self.constant(value.value, node, type_)
        return self.apply(node, "cast", [value], type_)

    def _function(self, node: ast.Call, function: Callable[..., object]) -> Value:
        values = [self.scalar(arg) for arg in node.args]
        if len(values) != (1 if function is abs else 2):
            raise self.error(
                f"expected {1 if function is abs else 2} operands of "
                f"'{function.__name__}', got {len(values)}",
                node,
            )
        if all(isinstance(value, Static) for value in values):
            return self._folded(node, function, *values)  # type: ignore[arg-type]
        return self.apply(node, _FUNCTIONS[function], values)

    def _method(self, node: ast.Call, method: Method) -> Value:
        holder, type_ = method.holder, method.holder.type
        if not isinstance(type_, Memref):
            raise self.error(f"expected an array, got {describe(holder)}", node)
        if method.name == "size":
            self._check_count(node, ("size",), node.args, ["mode"])
            return self.size(node, holder, self.static(node.args[0], "the number of a mode"))
        if method.name == "fuse":
            self._check_count(node, ("fuse",), node.args, ["from", "to"])
            indices: list[text.Operand] = [self._integer(arg) for arg in node.args]
            result = self._view_type(node, _FUSE, [holder], [node, *node.args])
            return self.value_of(
                node, "fuse", [self.text_of(holder, node)], result, indices=indices
            )
        if method.name == "expand":
            return self._expand(node, node.args, holder)
        raise self.error(f"expected '.{method.name}' in an assignment to an array", node)

    def _expand(
        self,
        node: ast.Call,
        args: Sequence[ast.expr],
        holder: Local,
        result: Memref | None = None,
    ) -> Local:
        type_ = holder.type
        assert isinstance(type_, Memref)
        self._check_count(node, ("expand",), args, ["mode", "sizes"])
        mode = self._integer(args[0])
        items = args[1].elts if isinstance(args[1], ast.Tuple) else [args[1]]
        if not 0 <= mode.value < len(type_.shape) or len(items) < 2:
            raise self.error(
                f"expected a mode of {type_} and at least 2 sizes, got {mode.value} and "
                f"{counted(len(items), 'size')}",
                node,
            )
        shape = [self.index(item) for item in items]
        known: list[Size] = [s.value if isinstance(s, text.Integer) else None for s in shape]
        result = result or typing.expanded(type_, mode.value, known)
        return self.value_of(
            node, "expand", [self.text_of(holder, node)], result, indices=[mode, *shape]
        )

    def call_notes(self, node: ast.Call, name: str) -> tuple[Note, ...]:
        """Return the notes of errors in a function that is inlined here."""
        return (Note(f"'{name}' is called here", self.span(node)), *self.callers)


def _shown(words: tuple[str, ...]) -> str:
    return f"'tt.{'.'.join(words)}'"
