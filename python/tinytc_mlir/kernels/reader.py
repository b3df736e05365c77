# SPDX-License-Identifier: BSD-3-Clause
"""Makes instructions while a function is read: what all parts of a function need."""

from __future__ import annotations

import ast
import builtins
import math
import re
from collections import ChainMap, Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..frontend import ast as text
from ..frontend.cursor import closest
from ..frontend.instructions import INSTRUCTIONS, Typing
from ..frontend.scope import DependsOnError
from ..frontend.source import Note, Reporter, Span, TextError
from ..scalars import SCALAR_TYPES
from .early_exits import MAX_DEPTH
from .foreign_names import instead
from .joined_source import JoinedSource
from .liveness import Liveness
from .nodes import type_node
from .source import FunctionSource
from .types import SCALARS, TYPES, Memref, Scalar, Type
from .values import Choice, InForm, Instruction, Local, Method, OutOfScope, Static, Value

if TYPE_CHECKING:
    import numpy.typing as npt

    from ..frontend.emit import Emitter

_BUILTINS = ("range", "float", "complex", "int", "abs", "min", "max")
_ORDER = list(SCALARS)  # from types with few numbers to those with many
_OF_SUBGROUPS = ("barrier", "cooperative_matrix_", "subgroup_")
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_]")


class Reader:
    """Holds what is visible, and makes ops by the emitter of the text.

    Args:
        source: the function.
        reporter: where errors go.
        constants: values of `tt.const` parameters.
        emitter: makes the ops, where there are instructions to read.
    """

    def __init__(
        self,
        source: FunctionSource,
        reporter: Reporter,
        constants: Mapping[str, object],
        emitter: Emitter | None = None,
    ) -> None:
        self.source = source
        self.reporter = reporter
        self.scope: ChainMap[str, Value | OutOfScope] = ChainMap(
            {n: Static(v) for n, v in constants.items()}
        )
        self.callers: tuple[Note, ...] = ()
        self.liveness = Liveness()
        self.untyped: dict[str, tuple[str, str]] = {}  # what loops carry: the name, its number
        self.given: dict[ast.AST, Value] = {}  # expressions that have been computed
        self.is_spmd = False  # whether work-items are on their own
        self.deciding = ""  # the operator whose right side is being read, in a branch
        self._emitter = emitter
        self._used: dict[str, int] = {}  # identifiers, and how many others begin with them
        self._depth = 0
        self._copies: Counter[ast.stmt] = Counter()  # how often each statement has been read
        self._next = 0
        self.written: dict[str, ast.AST] = {}

    @property
    def emitter(self) -> Emitter:
        """Makes the ops."""
        assert self._emitter is not None
        return self._emitter

    def error(self, message: str, node: ast.AST, *hints: str) -> TextError:
        """Return an error at a node; hints are notes without a place, left out where empty."""
        return TextError(message, self.span(node), *map(Note, filter(None, hints)), *self.callers)

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
        name = stem
        while name in self._used:
            self._used[stem] += 1
            name = f"{stem}_{self._used[stem]}"
        self._used[name] = 0
        return name

    def identifier(self, node: ast.AST, hint: str = "") -> text.Identifier:
        """Return what a new value is called."""
        name = self.new_name(hint)
        self.written[name] = node
        return text.Identifier(self.span(node), name)

    def lookup(self, node: ast.Name) -> Value:
        """Return what a name stands for."""
        found = self.scope.get(node.id)
        if isinstance(found, OutOfScope):
            raise self.unusable(found, node, node.id)
        if found is not None:
            return found
        if self._emitter and node.id in self.source.assigned:
            message = f"expected a name that has a value, got '{node.id}'"
            raise self.error(message, node, "the function assigns it, but not before")
        try:
            value = self.source.value_of(node.id)
        except KeyError:
            if node.id in _BUILTINS:
                return Static(getattr(builtins, node.id))
            if hasattr(builtins, node.id):
                message = f"expected what kernels have, got Python's own '{node.id}'"
                raise self.error(message, node, instead(node.id)) from None
            hint = closest(node.id, [*self.scope, *self.source.names])
            hint = f"did you mean '{hint}'?" if hint else instead(node.id)
            message = f"expected a name that has a value, got '{node.id}'"
            raise self.error(message, node, hint) from None
        return Static(value)

    def unexpected(
        self, what: str, value: Value | OutOfScope, node: ast.AST, *hints: str
    ) -> TextError:
        """Return the error that something else was expected than a value."""
        given = value.value if isinstance(value, Static) else None
        if _is_array(given):
            hints = (*hints, "pass it as a parameter")
        return self.error(f"expected {what}, got {describe(value)}", node, *hints)

    # Instructions ---------------------------------------------------------------------------

    def add(
        self,
        node: ast.AST,
        name: str,
        operands: Sequence[text.Operand] = (),
        type_: Type | None = None,
        **fields: Any,  # noqa: ANN401, those of nodes
    ) -> list[Local]:
        """Append an instruction, and return its results.

        Args:
            node: its place.
            name: its name in the table.
            operands: its operands.
            type_: type of the result, None where it follows from the operands.
            fields: other fields of its node.
        """
        if self.deciding and name.startswith(_OF_SUBGROUPS):
            raise self.error(
                f"expected '{name}' where all work-items compute it, got it on the right side of "
                f"'{self.deciding}'",
                node,
                f"bind it to a name before '{self.deciding}'",
            )
        spec, span = INSTRUCTIONS[name], self.span(node)
        has_result = spec.typing is not Typing.NONE and "results" not in fields
        fields.setdefault("modifiers", [None] * len(spec.modifiers))
        made = _NODES.get(name, text.Instruction)(
            span=span,
            spec=spec,
            results=[self.identifier(node)] if has_result else fields.pop("results", []),
            operands=list(operands),
            type=None if type_ is None else type_node(type_, span),
            **fields,
        )
        try:
            values = self.emitter.instruction(made)
        except TextError as error:
            hints = [Note(hint)] if (hint := self._types_hint(made)) else []
            callers = [n for n in self.callers if n not in error.notes]
            error.notes = (*error.notes, *hints, *callers)
            raise
        return [Local(r.name, value) for r, value in zip(made.results, values, strict=True)]

    def _types_hint(self, made: text.Instruction) -> str:
        """Return the hint for numbers of two types that are combined, empty elsewhere."""
        operands = made.operands[made.spec.name == "select" :]
        known = [Local(each.name, each.value) for each in operands if isinstance(each, text.Known)]
        numbers = [each for each in known if isinstance(each.type, Scalar)]
        others = [each for each in numbers if each.type != numbers[0].type]
        if not others:
            return ""
        narrow, wide = sorted((numbers[0], others[0]), key=lambda n: _ORDER.index(str(n.type)))
        return (
            self.retyped(narrow, wide.type)
            or self.retyped(wide, narrow.type)
            or f"write tt.{wide.type}({self._shown(narrow)})"
        )

    def _shown(self, value: Local) -> str:
        """Return how a value is written."""
        names = (n for n, v in self.scope.items() if isinstance(v, Local) and v.name == value.name)
        return next(names, "") or ast.unparse(self.written[value.name])

    def retyped(self, value: Local, type_: Type) -> str:
        """Return how a loop's number gets another type, nothing if it has one of its own."""
        if value.name not in self.untyped or not isinstance(type_, Scalar):
            return ""
        name, number = self.untyped[value.name]
        return f"write {name} = tt.{type_}({number}) before the loop"

    def value_of(self, *given: Any, **fields: Any) -> Local:  # noqa: ANN401, those of add
        """Append an instruction that has a result, and return it."""
        (made,) = self.add(*given, **fields)
        return made

    def unusable(self, value: OutOfScope, node: ast.AST, name: str) -> TextError | DependsOnError:
        """Return the error that a name cannot be used, which may have been reported."""
        if not value.reason:
            return DependsOnError()
        note = Note(f"'{name}' is assigned here", value.span)
        message = f"expected a value, got '{name}' {value.reason}"
        return TextError(message, self.span(node), note)

    def operand(self, value: Value | OutOfScope, node: ast.AST, name: str = "it") -> text.Operand:
        """Return a value as an operand; the type of a number follows from the others."""
        if isinstance(value, OutOfScope):
            raise self.unusable(value, node, name)
        if isinstance(value, Local):
            return text.Known(self.span(node), value.name, value.value)
        if isinstance(value, Choice):
            return value.operation
        if isinstance(value, Static) and value.is_number:
            return text.Number(self.span(node), value.value)  # type: ignore[arg-type]
        raise self.unexpected("a value", value, node)

    def outside_array(self, array: npt.NDArray[Any], node: ast.AST) -> Value:
        """Append an array from outside of the function as a constant memref."""
        names = [name for name, each in SCALAR_TYPES.items() if each.names(array.dtype)]
        if not names or "bool" in names:
            raise self.error(f"expected an array of numbers, got one of {array.dtype}", node)
        # An array of NumPy does not know that its numbers are indices.
        memref = Memref(SCALARS[next((n for n in names if n != "index"), names[0])], array.shape)
        return self.value_of(node, "constant", [text.Dense(self.span(node), array)], memref)

    def constant(self, value: Static | Choice, node: ast.AST, type_: Type) -> Local:
        """Append a number as a value of a type."""
        if isinstance(value, Choice):
            name, operands = value.operation.spec.name, value.operation.operands
            return self.value_of(node, name, operands, type_)
        return self.value_of(node, "constant", [self.operand(value, node)], type_)

    def choice(self, node: ast.AST, name: str, *values: Value) -> Choice:
        """Return what an instruction makes of numbers, the type of which is not decided yet."""
        span = self.span(node)
        operands: list[text.Expression] = [self.operand(value, node) for value in values]
        numbers = tuple(n for value in values for n in numbers_of(value))
        return Choice(text.Choice(span, INSTRUCTIONS[name], operands, span), numbers)

    def settled(self, value: Value, node: ast.expr) -> Value:
        """Return a value whose type is decided: whole numbers are of type index."""
        if not isinstance(value, Choice):
            return value
        shown = ast.unparse(node)
        for number in value.numbers:
            self.typed(shown, number, node, "", "{} in it")
        return self.constant(value, node, SCALARS["index"])

    # Regions --------------------------------------------------------------------------------

    def typed(self, name: str, value: object, node: ast.AST, where: str, hint: str) -> str:
        """Return the type that a number without one gets as the value of a name."""
        if type(value) in (bool, int):
            return "bool" if isinstance(value, bool) else "index"
        message = f"expected a value with a type for '{name}'{where}, got {value!r}"
        typed = f"tt.{self._floating(name, node)}({written(value)})"
        is_number = isinstance(value, (float, complex))
        raise self.error(message, node, f"write {hint.format(typed)}" if is_number else "")

    def _floating(self, name: str, node: ast.AST) -> str:
        """Return a type for hints: the first that is no integer, best where a name is assigned."""
        statements = [n for n in ast.walk(node) if isinstance(n, ast.stmt)]
        assignments = [n for n in statements if name in self.liveness.effect([n]).assigned]
        used = [n.id for each in assignments for n in ast.walk(each) if isinstance(n, ast.Name)]
        values = [*(self.scope.get(each) for each in reversed(used)), *self.scope.values()]
        types = (value.type for value in values if isinstance(value, Local))
        scalars = (getattr(type_, "element", type_) for type_ in types)
        kinds = ("floating", "complex")
        return next((s.name for s in scalars if isinstance(s, Scalar) and s.kind in kinds), "f32")

    def body(self, nodes: Sequence[ast.stmt], after: set[str]) -> None:
        """Append the instructions of statements.

        Args:
            nodes: the statements.
            after: names that are used after them.
        """
        raise NotImplementedError

    def spmd_region(
        self,
        node: ast.AST,
        fill: Callable[[], None],
        names: Sequence[tuple[str, text.Identifier]] = (),
    ) -> text.OpenRegion:
        """Return a region in which work-items are on their own."""

        def filled() -> None:
            outer, self.is_spmd = self.is_spmd, True
            try:
                fill()
            finally:
                self.is_spmd = outer

        return self.region(node, filled, names)

    def region(
        self,
        node: ast.AST,
        fill: Callable[[], None],
        names: Sequence[tuple[str, text.Identifier]] = (),
    ) -> text.OpenRegion:
        """Return a region with the instructions that a function appends.

        Names that are assigned in it are those of before again when it ends.

        Args:
            node: its place.
            fill: the function.
            names: names of Python for the arguments of the region.
        """

        def filled() -> None:
            outer, self._depth = self.scope, self._depth + 1
            arguments: dict[str, Value | OutOfScope] = {
                name: Local(each.name, self.emitter.lookup(each)) for name, each in names
            }
            self.scope = outer.new_child(arguments)
            try:
                if self._depth > MAX_DEPTH:
                    hint = "'elif', 'and', 'or', 'continue' and 'return' nest what follows"
                    message = f"expected at most {MAX_DEPTH} regions nested, got more"
                    raise self.error(message, node, hint)
                fill()
            finally:
                self.scope, self._depth = outer, self._depth - 1

        return text.OpenRegion(self.span(node), [], filled)


def numbers_of(value: Value) -> tuple[object, ...]:
    """Return the numbers of a value that have no type yet."""
    if isinstance(value, Choice):
        return value.numbers
    return (value.value,) if isinstance(value, Static) else ()


def written(number: object) -> str:
    """Return a number as programs of Python write it.

    >>> written(-math.inf), written(2.0)
    ('-float("inf")', '2.0')
    """
    if not isinstance(number, float) or math.isfinite(number):
        return repr(number)
    sign = "-" if number < 0 else ""
    return f'{sign}float("{abs(number)}")'


def quotable(shown: str) -> str:
    """Return a text as strings of the language can hold it.

    >>> quotable('name == "x"')
    "name == 'x'"
    """
    return shown.replace('"', "'").encode("ascii", "backslashreplace").decode()


def describe(value: Value | OutOfScope) -> str:  # noqa: PLR0911, one for each kind
    """Return how a message names a value that is not what was expected."""
    match value:
        case Local():
            return f"a value of type {value.type}"
        case Choice():
            return "a number without a type"
        case InForm():
            return "a transposed matrix" if value.form in "tc" else "a conjugated array"
        case Method(name="shape"):
            return "'shape' without the number of a mode"
        case Method():
            return f"the method '{value.name}', which is not called"
        case Instruction(words):
            return f"'tt.{'.'.join(words)}', which is not called" if words else "a module"
    given = value.value if isinstance(value, Static) else value
    if isinstance(given, TYPES):
        return f"the type {given}"
    if given is None or isinstance(given, (bool, int, float, complex, str)):
        return repr(given)
    if _is_array(given):
        return "an array from outside of the function"
    return f"an object of type {type(given).__name__}"


def _is_array(value: object) -> bool:
    is_class = isinstance(value, type)
    return not is_class and (hasattr(value, "__array_interface__") or hasattr(value, "__dlpack__"))


_NODES: dict[str, type[text.Instruction]] = {
    "subview": text.Subview,
    "expand": text.Expand,
    "for": text.For,
    "foreach": text.Foreach,
    "foreach_tile": text.ForeachTile,
    "if": text.OpenIf,
    "parallel": text.Parallel,
    "cooperative_matrix_apply": text.Apply,
}
