# SPDX-License-Identifier: BSD-3-Clause
"""Makes the ops of expressions, one for each of their parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir

from tinytc_mlir.frontend import ast
from tinytc_mlir.frontend.builder import Value
from tinytc_mlir.frontend.emit_ops import OpEmitter
from tinytc_mlir.frontend.instructions import Syntax, Typing
from tinytc_mlir.frontend.resolver import Type
from tinytc_mlir.frontend.source import Span, TextError
from tinytc_mlir.scalars import SCALAR_TYPES

_PARTS = ("arith.abs", "arith.im", "arith.re")


class ExpressionEmitter(OpEmitter):
    """The part of the emitter that makes the ops of expressions."""

    def simple_rules(self) -> dict[Syntax, Callable[[ast.Instruction], None]]:
        """Return the method for each syntax of instructions without regions."""
        return {**super().simple_rules(), Syntax.EXPRESSION: self.expression_instruction}

    def expression_instruction(self, node: ast.Instruction) -> None:
        """Make the ops of an expression; the last one has the name of the result."""
        assert isinstance(node, ast.Assignment)
        assert node.value is not None
        result = self.annotation(node)
        assert result is not None
        self.nodes[node.span.start] = node
        op = self.operation(node.value, result, node.results)
        self.define(node, op, (result,))

    def value(self, node: ast.Operand, constant_type: Type | None) -> Value:
        """Return the value of an operand, which may also be a choice of numbers."""
        if not isinstance(node, ast.Choice):
            return super().value(node, constant_type)
        if constant_type is None:
            raise TextError("expected a value with a type, got numbers without one", node.span)
        return Value(self.operation(node, constant_type).results[0], constant_type)

    def operation(
        self, node: ast.Operation, result: Type, names: Sequence[ast.Identifier] = ()
    ) -> ir.Operation:
        """Make the op of a part of an expression, after those of its operands.

        Args:
            node: the part.
            result: type that the part must have.
            names: names of the value.
        """
        if node.spec.typing is Typing.COMPARE and result is not self.resolver.bool:
            message = f"expected a value of type {result.text}, got a comparison, which is a bool"
            raise TextError(message, node.span)
        types = self.operand_types(node, result)
        operands = [
            self.part(operand, type_) for operand, type_ in zip(node.operands, types, strict=True)
        ]
        self.nodes[node.span] = node
        return ir.Operation.create(
            node.spec.op_name,
            results=[result.mlir],
            operands=operands,
            loc=self.location(node.span, names),
            ip=self.block,
        )

    def operand_types(self, node: ast.Operation, result: Type) -> list[Type]:
        """Return the types of the operands of a part that has a type."""
        count, typing = len(node.operands), node.spec.typing
        if typing is Typing.CHOICE:
            return [self.resolver.bool, result, result]
        if typing is Typing.SAME:
            return [result] * count
        for operand in node.operands:
            known = self.known_type(operand)
            if known is not None:
                return [known] * count
        message = "expected a local identifier among the operands, which tells their type, got none"
        raise TextError(message, node.span)

    def part(self, node: ast.Expression, type_: Type) -> ir.Value:
        """Return the value of a part of an expression that must have a type."""
        if isinstance(node, ast.Operation):
            return self.operation(node, type_).results[0]
        if not isinstance(node, (ast.Identifier, ast.String, ast.Dense)):
            node = literal(self.constant_node(node), type_)
        return self.typed_value(node, type_)

    def known_type(self, node: ast.Expression) -> Type | None:
        """Return the type that names tell of a part of an expression; None if there are none."""
        if isinstance(node, ast.Identifier):
            return self.lookup(node).type
        if not isinstance(node, ast.Operation):
            return None
        if node.spec.typing is Typing.COMPARE:
            return self.resolver.bool
        if node.spec.name in _PARTS:
            return self._real_part(self.known_type(node.operands[0]))
        if node.spec.typing is Typing.RESULT:
            return None
        operands = node.operands[1:] if node.spec.typing is Typing.CHOICE else node.operands
        return next(filter(None, map(self.known_type, operands)), None)

    def _real_part(self, type_: Type | None) -> Type | None:
        if type_ is None or type_.kind != "complex":
            return type_
        return self.resolver.type(ast.SimpleType(Span(0, 0), SCALAR_TYPES[type_.text].real.name))


def literal(node: ast.Constant, type_: Type) -> ast.Constant:
    """Return a number as one of the kind of a type: 2 is also 2.0 and [2.0, 0.0]."""
    if isinstance(node, ast.Integer) and type_.kind in ("floating", "complex"):
        node = ast.Floating(node.span, f"{node.value}.0")
    if isinstance(node, ast.Floating) and type_.kind == "complex":
        return ast.Complex(node.span, (node, ast.Floating(node.span, "0.0")))
    return node
