# SPDX-License-Identifier: BSD-3-Clause
"""Notes what depends on types in a text that is translated."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mlir import ir

from tinytc_mlir.dialects.tinytc import register_dialect
from tinytc_mlir.errors import ParseError
from tinytc_mlir.frontend import ast
from tinytc_mlir.frontend.builder import Value
from tinytc_mlir.frontend.defines import outside_values
from tinytc_mlir.frontend.emit import Emitter
from tinytc_mlir.frontend.preprocessor import Preprocessor
from tinytc_mlir.frontend.preprocessor import Value as Meaning
from tinytc_mlir.frontend.resolver import Type
from tinytc_mlir.frontend.source import Note, Reporter, Span, TooManyErrors, counted, quote


class OpenSlice(NamedTuple):
    """A slice without a size, or with `?` for one.

    Args:
        mode: mode of the memref.
        size: size of the mode, None if it is dynamic.
        offset: where the slice begins, None if that is dynamic.
        is_value: whether the size of the slice is a value although it is known.
    """

    mode: int
    size: int | None
    offset: int | None
    is_value: bool = False


class NewerFeature(NamedTuple):
    """Programs that versions before 0.5 refuse although they have all of the words.

    Args:
        what: what it is called in messages.
        span: where it is.
        notes: other places that explain it.
    """

    what: str
    span: Span
    notes: tuple[Note, ...] = ()


class _Preprocessor(Preprocessor):
    """Notes the uses of variables after their region."""

    def __init__(self, outside: Mapping[str, Meaning]) -> None:
        super().__init__(outside)
        self.novelties: list[NewerFeature] = []

    def lookup(self, node: ast.Variable) -> Meaning:
        notes = self.scope.note_of_outlived(node.name)
        if notes:
            what = f"{quote('$' + node.name)} after its region"
            self.novelties.append(NewerFeature(what, node.span, tuple(notes)))
        return super().lookup(node)


class Recorder(Emitter):
    """Makes a module and notes what depends on types, by the offset in the text."""

    def __init__(
        self, reporter: Reporter, context: ir.Context, preprocessor: _Preprocessor
    ) -> None:
        super().__init__(reporter, context, preprocessor)
        self.novelties = preprocessor.novelties
        self.types: dict[int, Type] = {}
        self.immediates: dict[int, Span] = {}
        self.slices: dict[int, OpenSlice] = {}
        self.spaceless: set[int] = set()
        self.integers: dict[int, int] = {}
        self.partial: set[int] = set()
        self.written: dict[int, ast.Type] = {}
        self.parts: dict[int, tuple[Type, list[Type]]] = {}
        self._written_of: dict[str, ast.Type] = {}

    def function(self, node: ast.Function) -> None:
        """Make a function, and note the types of its parameters."""
        self._written_of = {parameter.name: parameter.type for parameter in node.parameters}
        super().function(node)

    def define(self, node: ast.Instruction, op: ir.Operation, types: Sequence[Type]) -> None:
        """Name results, and note the types that are written for them."""
        super().define(node, op, types)
        for result in node.results:
            self._written_of.pop(result.name, None)
            if node.type is not None:
                self._written_of[result.name] = node.type

    def surplus_divisors(self, name: str, divisors: ast.Array, order: int) -> None:
        """Note divisors of modes that there are not."""
        count = counted(len(divisors.items), "number")
        self.novelties.append(
            NewerFeature(f"{count} in {name} for a memref of order {order}", divisors.span)
        )

    def value(self, node: ast.Operand, constant_type: Type | None) -> Value:
        """Return the value of an operand, and note its type."""
        result = super().value(node, constant_type)
        self.types[node.span.start] = result.type
        if not isinstance(node, ast.Identifier):
            self.immediates[node.span.start] = node.span
        elif node.name in self._written_of:
            self.written[node.span.start] = self._written_of[node.name]
        return result

    def operand_types(self, node: ast.Operation, result: Type) -> list[Type]:
        """Return the types of the operands of a part of an expression, and note them."""
        types = super().operand_types(node, result)
        self.parts[node.place.start] = (result, types)
        return types

    def annotation(self, node: ast.Instruction) -> Type | None:
        """Return the type after the colon, and note it."""
        result = super().annotation(node)
        if result is not None:
            self.types[node.span.start] = result
        return result

    def constant_instruction(self, node: ast.Instruction) -> None:
        """Make a constant, and note its integer."""
        super().constant_instruction(node)
        constant = node.operands[0]
        found: ast.Node = constant
        if isinstance(constant, ast.Variable):
            found = self.preprocessor.lookup(constant)
        if isinstance(found, ast.Integer):
            self.integers[node.span.start] = found.value

    def for_instruction(self, node: ast.Instruction) -> None:
        """Make a loop, and note whether it is unrolled in part."""
        super().for_instruction(node)
        if node.attributes is None:
            return
        attributes = self.preprocessor.attribute(node.attributes)
        assert isinstance(attributes, ast.Dictionary)
        for entry in attributes.entries:
            if entry.name == "unroll" and not isinstance(entry.value, ast.Boolean):
                self.partial.add(node.attributes.span.start)

    def alloca(self, node: ast.Instruction) -> None:
        """Make an alloca, and note whether its type names no space."""
        super().alloca(node)
        assert node.type is not None
        spaces = [self.resolver.type(node.type, space) for space in ("global", "local")]
        if spaces[0] is not spaces[1]:
            self.spaceless.add(node.span.start)
        self.types[node.span.start] = spaces[1]

    def _define_argument(self, name: ast.Identifier, value: Value) -> None:
        super()._define_argument(name, value)
        self.types[name.span.start] = value.type

    def _size_of_mode(
        self, node: ast.Subview, part: ast.Slice, mode: int, source: ir.Value, type_: Type
    ) -> int | ir.Value:
        size = super()._size_of_mode(node, part, mode, source, type_)
        offset: int | None = 0
        if isinstance(part.offset, ast.Identifier):
            offset = None
        elif part.offset is not None:
            offset = self.preprocessor.integer(part.offset).value
        known = size if isinstance(size, int) else None
        self.slices[part.span.start] = OpenSlice(mode, known, offset)
        return size

    def _rest_of_mode(
        self, part: ast.Slice, size: int | ir.Value, is_value: bool
    ) -> int | ir.Value:
        place = part.span.start
        self.slices[place] = self.slices[place]._replace(is_value=is_value)
        rest = super()._rest_of_mode(part, size, is_value)
        if part.offset is not None:  # it may be a constant in both versions
            self.immediates.pop(part.offset.span.start, None)
        return rest


def recorded(
    program: ast.Program,
    reporter: Reporter,
    defines: Mapping[str, str | complex],
) -> Recorder:
    """Return what depends on types in a program.

    Args:
        program: syntax tree of the text.
        reporter: its source, and where errors go.
        defines: values of compile-time variables that the text does not define.

    Raises:
        ParseError: the text is not a program.
    """
    context = ir.Context()
    register_dialect(context)
    preprocessor = _Preprocessor(outside_values(defines))
    preprocessor.definitions = program.definitions
    recorder = Recorder(reporter, context, preprocessor)
    with contextlib.suppress(TooManyErrors):
        recorder.program(program)
    if reporter:
        raise ParseError(reporter.diagnostics())
    return recorder
