# SPDX-License-Identifier: BSD-3-Clause
"""Reads expressions; each method is the rule of the grammar with the same name."""

from __future__ import annotations

from collections.abc import Callable

from tinytc_mlir.frontend import ast
from tinytc_mlir.frontend.cursor import FLOATING, INTEGER, LOCAL, VARIABLE, WORD
from tinytc_mlir.frontend.hints import advice_on, lone_value_hint
from tinytc_mlir.frontend.instructions import (
    EXPRESSION,
    EXPRESSION_FUNCTIONS,
    INSTRUCTIONS,
    Instruction,
)
from tinytc_mlir.frontend.operator_hints import operator_hints
from tinytc_mlir.frontend.source import Note, Span, TextError, counted, quote
from tinytc_mlir.frontend.type_parser import TypeParser

MAX_OPERATIONS = 100
"""Number of operations that an expression may have."""

_COMPARISONS = {
    "==": "cmp.eq",
    "!=": "cmp.ne",
    "<": "cmp.lt",
    "<=": "cmp.le",
    ">": "cmp.gt",
    ">=": "cmp.ge",
}
_SUMS = {"+": "arith.add", "-": "arith.sub"}
_PRODUCTS = {"*": "arith.mul", "/": "arith.div"}
_FIRST = (LOCAL, INTEGER, FLOATING, VARIABLE, "(", "-", "[")


class ExpressionParser(TypeParser):
    """The part of the parser that reads expressions."""

    _operations = 0

    def starts_expression(self) -> bool:
        """Return whether the value of a name is an expression and no instruction."""
        token = self.token
        if token.kind != WORD:
            return token.kind in _FIRST
        if token.text in ("true", "false"):
            return True
        name = self._function_name()
        return name in EXPRESSION_FUNCTIONS and self._follows_call(name)

    def _function_name(self) -> str:
        """Return the name of an instruction at the current token."""
        following = self.peek()
        dotted = self.token.text + following.text
        return dotted if dotted in INSTRUCTIONS else self.token.text

    def _follows_call(self, name: str) -> bool:
        """Return whether a parenthesis follows the name at the current token."""
        text = self.reporter.source.text
        end = self.token.start + len(name)
        return text[end:].lstrip(" \t").startswith("(") and text.startswith(name, self.token.start)

    def expression_instruction(self, results: list[ast.Identifier]) -> ast.Instruction:
        """expression-instruction = expression ":" type."""
        start = self.token.start
        self._operations = 0
        value = self.expression()
        if not isinstance(value, ast.Operation):
            notes = operator_hints(self.token.text) or [Note(lone_value_hint(value))]
            raise self.error("an operator", *notes)
        if len(results) != 1:
            span = Span(start, self.previous_end)
            raise TextError(f"expected 1 result of an expression, got {len(results)}", span)
        notes = operator_hints(self.token.text)
        self.expect(":", "an operator, or ':' and a type", *notes)
        type_ = self.type()
        span = Span(start, self.previous_end)
        return ast.Assignment(span, EXPRESSION, results, type=type_, value=value)

    def expression(self) -> ast.Expression:
        """expression = comparison ["?" expression ":" expression]."""
        self.enter("parts of an expression")
        value = self.comparison()
        if self.token.kind == "?":
            place = self.advance().span
            chosen = self.expression()
            colon = self.expect(":", "':' and the value for false").span
            parts = [value, chosen, self.expression()]
            choice = self._operation(INSTRUCTIONS["select"], parts, place, value.span.start)
            choice.second_place = colon
            value = choice
        self.leave()
        return value

    def comparison(self) -> ast.Expression:
        """comparison = sum [("==" | "!=" | "<" | "<=" | ">" | ">=") sum]."""
        value = self.sum()
        if self.token.kind in _COMPARISONS:
            value = self._binary(value, _COMPARISONS, self.sum)
        if self.token.kind in _COMPARISONS:
            shown = quote(self.token.text)
            message = f"expected one comparison without parentheses, got a second one, {shown}"
            raise TextError(message, self.token.span)
        return value

    def sum(self) -> ast.Expression:
        """sum = product {("+" | "-") product}."""
        value = self.product()
        while self._at_sign():
            value = self._binary(value, _SUMS, self.product)
        return value

    def product(self) -> ast.Expression:
        """product = factor {("*" | "/") factor}."""
        value = self.factor()
        while self.token.kind in _PRODUCTS:
            value = self._binary(value, _PRODUCTS, self.factor)
        return value

    def factor(self) -> ast.Expression:
        """factor = "-" factor | operand | call | "(" expression ")"."""
        token = self.token
        if token.kind == "-":
            self.advance()
            self.enter("parts of an expression")
            value = self._operation(
                INSTRUCTIONS["arith.neg"], [self.factor()], token.span, token.start
            )
            self.leave()
            return value
        if token.kind == "(":
            self.advance()
            inner = self.expression()
            self.close(token, "an operator or ')'")
            if isinstance(inner, ast.Operation):
                inner.span = Span(token.start, self.previous_end)
            return inner
        if token.kind == WORD and token.text not in ("true", "false", "inf", "nan"):
            return self.call()
        doubled = self.reporter.source.text[token.start - 1 : token.start + 1]
        if token.kind in ("*", "/", "<", ">") and (notes := operator_hints(doubled)):
            raise self.error("a local identifier or a constant", *notes)
        return self.operand()

    def call(self) -> ast.Operation:
        """call = instruction-name "(" expression {"," expression} ")"."""
        start = self.token.start
        name = self._function_name()
        spec = EXPRESSION_FUNCTIONS.get(name)
        place = Span(start, start + len(name))
        if spec is None:
            message = f"expected a function of numbers, got {quote(name)}"
            hints = [Note(advice)] if (advice := advice_on(name)) else []
            raise TextError(message, place, *(hints or self.misspelling(EXPRESSION_FUNCTIONS)))
        if self.advance().text != name:
            self.advance()
        opening = self.expect("(", f"'(' after '{name}'")
        operands = self.list_of(self.expression)
        self.close(opening, "an operator, ',' or ')'")
        if len(operands) != len(spec.operands):
            wanted = counted(len(spec.operands), "operand")
            message = f"expected {wanted} of '{name}', got {len(operands)}"
            raise TextError(message, Span(start, self.previous_end))
        return self._operation(spec, operands, place, start)

    def _at_sign(self) -> bool:
        """Return whether a sum goes on; the sign of a number after a value is an operator."""
        token = self.token
        if token.kind in (INTEGER, FLOATING) and token.text[0] in "+-":
            self.split_token(1)
        return self.token.kind in _SUMS

    def _binary(
        self,
        left: ast.Expression,
        operators: dict[str, str],
        rule: Callable[[], ast.Expression],
    ) -> ast.Operation:
        token = self.advance()
        spec = INSTRUCTIONS[operators[token.kind]]
        return self._operation(spec, [left, rule()], token.span, left.span.start)

    def _operation(
        self, spec: Instruction, operands: list[ast.Expression], place: Span, start: int
    ) -> ast.Operation:
        self._operations += 1
        if self._operations > MAX_OPERATIONS:
            message = f"expected at most {MAX_OPERATIONS} operations in an expression, got more"
            raise TextError(message, place)
        return ast.Operation(Span(start, self.previous_end), spec, operands, place)
