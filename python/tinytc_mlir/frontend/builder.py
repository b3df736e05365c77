# SPDX-License-Identifier: BSD-3-Clause
"""Values and locations of ops being made: what all instructions need from the emitter."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import NamedTuple

from mlir import ir

from tinytc_mlir.frontend import ast
from tinytc_mlir.frontend.preprocessor import Preprocessor, describe
from tinytc_mlir.frontend.resolver import Resolver, Type
from tinytc_mlir.frontend.scope import DependsOnError, Scope
from tinytc_mlir.frontend.source import Note, Reporter, Span, TextError, quote

_CONSTANT_KINDS = ("bool", "integer", "floating", "complex")


@functools.cache
def _encodable(filename: str) -> str:
    return filename.encode("utf-8", "replace").decode("utf-8")


class Value(NamedTuple):
    """Value of the IR with its type."""

    value: ir.Value
    type: Type


class Builder:
    """Makes ops at the end of the current block.

    Attributes:
        reporter: where errors go.
        preprocessor: what compile-time variables stand for.
        resolver: types and attributes.
        values: local identifiers that are visible; None for results of wrong instructions.
        block: insertion point at the end of the current block.
        nodes: functions and instructions by the offset of their locations, parts of expressions
            by their places.
    """

    block: ir.InsertionPoint
    nodes: dict[int | Span, ast.Instruction | ast.Function | ast.Operation]

    def __init__(self, reporter: Reporter, context: ir.Context, preprocessor: Preprocessor) -> None:
        self.reporter = reporter
        self.context = context
        self.preprocessor = preprocessor
        self.resolver = Resolver(context, preprocessor)
        self.values = Scope[Value | None]("%", "local identifier")
        self.nodes = {}

    def location(
        self, span: Span, names: Sequence[ast.Identifier] = (), *, with_numbers: bool = False
    ) -> ir.Location:
        """Return the location of a range of the text, with the names of what it defines.

        Several names are nested, with the first one outermost.

        Args:
            span: the range.
            names: what it defines.
            with_numbers: whether names that are numbers count, as those of parameters do.
        """
        source = self.reporter.source
        filename = _encodable(source.filename_at(span.start))
        location = ir.Location.file(filename, *source.range(span), self.context)
        words = [identifier.name for identifier in names]
        if not with_numbers and "".join(words).isdigit():
            return location
        for word in reversed(words):
            location = ir.Location.name(word, location, self.context)
        return location

    def create(
        self,
        node: ast.Instruction,
        operands: list[ir.Value],
        attributes: dict[str, ir.Attribute],
        results: Sequence[Type] | None = (),
        regions: int = 0,
    ) -> ir.Operation:
        """Make the op of an instruction; without results, the dialect infers them."""
        self.nodes.setdefault(node.span.start, node)
        self.nodes[node.span] = node
        return ir.Operation.create(
            node.spec.op_name,
            results=None if results is None else [result.mlir for result in results],
            operands=operands,
            attributes=attributes,
            regions=regions,
            loc=self.location(node.span, node.results),
            ip=self.block,
            infer_type=results is None,
        )

    def define(self, node: ast.Instruction, op: ir.Operation, types: Sequence[Type]) -> None:
        """Bind the result identifiers of an instruction to the results of its op."""
        for index, (identifier, type_) in enumerate(zip(node.results, types, strict=True)):
            value = Value(op.results[index], type_)
            self.values.define(identifier.name, identifier.span, value)

    def rename(self, value: Value, name: str) -> None:
        """Call the result of an op by another name."""
        op = value.value.owner
        op.location = ir.Location.name(name, op.location, self.context)

    def lookup(self, node: ast.Identifier) -> Value:
        """Return the value that a local identifier stands for."""
        if isinstance(node, ast.Known):
            known: Value = node.value
            return known
        found = self.values.lookup(node.name, node.span)
        if found is None:
            raise DependsOnError
        return found

    def value(self, node: ast.Operand, constant_type: Type | None) -> Value:
        """Return the value of an operand.

        Args:
            node: identifier, or a constant where one is allowed.
            constant_type: type that a constant has here, None if none is allowed.
        """
        if isinstance(node, ast.Identifier):
            return self.lookup(node)
        assert not isinstance(node, (ast.String, ast.Choice, ast.Dense))
        constant = self.constant_node(node)
        if constant_type is None and isinstance(constant, ast.Number):
            shown = repr(constant.value)
            hint = f"nothing here says which type it has: write tt.f32({shown}), for example"
            raise TextError(f"expected a value with a type, got {shown}", node.span, Note(hint))
        if constant_type is None or constant_type.kind not in _CONSTANT_KINDS:
            note = Note(
                "only operands whose type is known from elsewhere may be constants; "
                "name the value with 'constant' first"
            )
            raise TextError(
                f"expected a local identifier, got {describe(constant)}", node.span, note
            )
        return Value(self.constant(constant, constant_type), constant_type)

    def constant(self, node: ast.Constant, type_: Type) -> ir.Value:
        """Make a constant op for a constant that is written as an operand."""
        attribute = self.resolver.constant(node, type_)
        op = ir.Operation.create(
            "tinytc.constant",
            results=[type_.mlir],
            attributes={"value": attribute},
            loc=self.location(node.span),
            ip=self.block,
        )
        return op.results[0]

    def constant_node(self, node: ast.Constant) -> ast.Constant:
        """Return a constant, or the one that a compile-time variable stands for."""
        if not isinstance(node, ast.Variable):
            return node
        value = self.preprocessor.lookup(node)
        if isinstance(value, (ast.Boolean, ast.Integer, ast.Floating, ast.Complex)):
            return value
        raise TextError(f"expected an operand, got {describe(value)}", node.span)

    def typed_value(self, node: ast.Operand, type_: Type) -> ir.Value:
        """Return the value of an operand that must have this type; it may be a constant."""
        value, found = self.value(node, type_)
        if found is not type_:
            raise self.type_mismatch(node, type_, found)
        return value

    def type_mismatch(self, node: ast.Operand, expected: Type, found: Type) -> TextError:
        """Return the error that an operand has the wrong type."""
        assert isinstance(node, ast.Identifier)
        return TextError(
            f"expected {quote('%' + node.name)} to have type {expected.text}, got {found.text}",
            node.span,
            *self.values.note(node.name),
        )
