# SPDX-License-Identifier: BSD-3-Clause
"""Makes instructions of the text's syntax tree: what all parts of a function need."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence

from ..frontend import ast as text
from ..frontend.cursor import closest
from ..frontend.instructions import INSTRUCTIONS
from ..frontend.instructions import Instruction as Spec
from ..frontend.scope import DependsOnError
from ..frontend.source import Note, Reporter, Span, TextError
from .source import FunctionSource, JoinedSource
from .types import TYPES, Coopmatrix, Scalar, Type
from .values import Gone, Instruction, Local, Method, Static, Transposed, Value

BUILTINS = {
    "range": range,
    "float": float,
    "complex": complex,
    "int": int,
    "abs": abs,
    "min": min,
    "max": max,
    "True": True,
    "False": False,
}
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_]")


class Reader:
    """Holds what is visible, and where instructions go.

    Args:
        source: the function.
        reporter: where errors go.
        constants: values of `tt.const` parameters.
    """

    def __init__(
        self, source: FunctionSource, reporter: Reporter, constants: Mapping[str, object]
    ) -> None:
        self.source = source
        self.reporter = reporter
        self.scope: dict[str, Value | Gone] = {n: Static(v) for n, v in constants.items()}
        self.statements: list[text.Statement] = []
        self.callers: tuple[Note, ...] = ()
        self._used: set[str] = set()
        self._next = 0

    def error(self, message: str, node: ast.AST, *hints: str) -> TextError:
        """Return an error at a node; hints are notes without a place."""
        return TextError(message, self.span(node), *map(Note, hints), *self.callers)

    def span(self, node: ast.AST) -> Span:
        """Return the place of a node."""
        source = self.reporter.source
        start = source.start_of(self.source.source) if isinstance(source, JoinedSource) else 0
        span = self.source.span(node)
        return Span(span.start + start, span.end + start)

    def new_name(self, hint: str = "") -> str:
        """Return an identifier that the program does not have yet."""
        stem = _NOT_IN_NAMES.sub("_", hint)
        if not stem or not stem[0].isalpha():
            self._next += 1
            return str(self._next - 1)
        name, count = stem, 0
        while name in self._used:
            count += 1
            name = f"{stem}_{count}"
        self._used.add(name)
        return name

    def lookup(self, node: ast.Name) -> Value:
        """Return what a name stands for."""
        found = self.scope.get(node.id)
        if isinstance(found, Gone):
            if not found.reason:
                raise DependsOnError
            note = Note(f"'{node.id}' is assigned here", found.span)
            raise TextError(
                f"expected a value, got '{node.id}' {found.reason}", self.span(node), note
            )
        if found is not None:
            return found
        try:
            value = self.source.names[node.id]
        except KeyError:
            if node.id in BUILTINS:
                return Static(BUILTINS[node.id])
            hint = closest(node.id, [*self.scope, *self.source.names])
            hints = [f"did you mean '{hint}'?"] if hint else []
            raise self.error(f"expected a defined name, got '{node.id}'", node, *hints) from None
        return Static(value)

    # Instructions ---------------------------------------------------------------------------

    def add(
        self,
        node: ast.AST,
        name: str,
        operands: Sequence[text.Operand] = (),
        type_: Type | None = None,
        **fields: object,
    ) -> Local | None:
        """Append an instruction; return its result, which has a new name."""
        spec = INSTRUCTIONS[name]
        hint = fields.pop("hint", "")
        results = []
        if type_ is not None:
            results = [text.Identifier(self.span(node), self.new_name(str(hint)))]
        made = make(spec, self.span(node), results, operands)
        made.type = None if type_ is None else type_.node(self.span(node))
        for field, value in fields.items():
            setattr(made, field, value)
        self.statements.append(made)
        return Local(results[0].name, type_) if type_ is not None else None

    def value_of(self, node: ast.AST, name: str, *rest: object, **fields: object) -> Local:
        """Append an instruction that has a result, and return it."""
        made = self.add(node, name, *rest, **fields)  # type: ignore[arg-type]
        assert made is not None
        return made

    def operand(self, value: Value, node: ast.AST, type_: Type | None) -> text.Operand:
        """Return a value as an operand.

        Args:
            value: the value.
            node: its place.
            type_: type that a number has here, None if nothing determines one.
        """
        if isinstance(value, Local):
            return text.Identifier(self.span(node), value.name)
        if isinstance(value, Static) and value.is_number:
            return self.literal(value.value, node, type_)
        raise self.error(f"expected a value, got {describe(value)}", node)

    def literal(self, value: object, node: ast.AST, type_: Type | None) -> text.Constant:
        """Return a number as a constant of a type."""
        type_ = type_.element if isinstance(type_, Coopmatrix) else type_
        if not isinstance(type_, Scalar):
            raise self.error(
                f"expected a value with a type, got {value!r}",
                node,
                f"nothing here says which type it has: write tt.f32({value!r}), for example",
            )
        span = self.span(node)
        if isinstance(value, bool):
            return text.Boolean(span, value)
        if type_.kind == "floating" and isinstance(value, (int, float)):
            return text.Floating(span, repr(float(value)))
        if type_.kind == "complex":
            parts = complex(value)  # type: ignore[call-overload]
            real, imaginary = (text.Floating(span, repr(p)) for p in (parts.real, parts.imag))
            return text.Complex(span, (real, imaginary))
        if isinstance(value, float):
            return text.Floating(span, repr(value))
        if isinstance(value, complex):
            raise self.error(f"expected a number of type {type_}, got {value!r}", node)
        assert isinstance(value, int)
        return text.Integer(span, value)

    def constant(self, value: object, node: ast.AST, type_: Type, hint: str = "") -> Local:
        """Append a constant."""
        literal = self.literal(value, node, type_)
        return self.value_of(node, "constant", [literal], type_, hint=hint)

    def region(self, node: ast.AST, fill: Callable[[], None]) -> text.Region:
        """Return a region with the instructions that a function appends.

        Names that are assigned in it are those of before again when it ends.
        """
        outer, self.statements = self.statements, []
        scope = dict(self.scope)
        try:
            fill()
            return text.Region(self.span(node), self.statements)
        finally:
            self.statements, self.scope = outer, scope


def quotable(shown: str) -> str:
    """Return a text as strings of the language can hold it.

    >>> quotable('name == "x"')
    "name == 'x'"
    """
    return shown.replace('"', "'").encode("ascii", "backslashreplace").decode()


def make(
    spec: Spec, span: Span, results: Sequence[text.Identifier], operands: Sequence[text.Operand]
) -> text.Instruction:
    """Return an instruction without what only some have."""
    kind = _NODES.get(spec.name, text.Instruction)
    modifiers: list[str | None] = [None] * len(spec.modifiers)
    return kind(span, spec, list(results), modifiers, list(operands))


def describe(value: Value) -> str:  # noqa: PLR0911, one for each kind
    """Return how a message names a value that is not what was expected."""
    if isinstance(value, Local):
        return f"a value of type {value.type}"
    if isinstance(value, Transposed):
        return "a transposed matrix"
    if isinstance(value, Method):
        return f"the method '{value.name}', which is not called"
    if isinstance(value, Instruction):
        return f"'tt.{'.'.join(value.words)}', which is not called" if value.words else "a module"
    given = value.value
    if isinstance(given, TYPES):
        return f"the type {given}"
    if value.is_number or given is None or isinstance(given, str):
        return repr(given)
    if hasattr(given, "__array_interface__") or hasattr(given, "__dlpack__"):
        return "an array from outside of the function"
    return f"an object of type {type(given).__name__}"


_NODES: dict[str, type[text.Instruction]] = {
    "subview": text.Subview,
    "expand": text.Expand,
    "for": text.For,
    "foreach": text.Foreach,
    "foreach_tile": text.ForeachTile,
    "if": text.If,
    "parallel": text.Parallel,
    "cooperative_matrix_apply": text.Apply,
}
