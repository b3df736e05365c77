# SPDX-License-Identifier: BSD-3-Clause
"""Reads constants and attributes; each method is the rule of the grammar of that name."""

from __future__ import annotations

from tinytc_mlir.frontend import ast
from tinytc_mlir.frontend.cursor import (
    FLOATING,
    INTEGER,
    LOCAL,
    STRING,
    VARIABLE,
    WORD,
    Cursor,
    identifier_name,
)
from tinytc_mlir.frontend.lexer import Token
from tinytc_mlir.frontend.source import Note, Reporter, Span, TextError, quote
from tinytc_mlir.frontend.tokens import ATTRIBUTE_NAMES, LITERAL_WORDS, TYPE_NAMES
from tinytc_mlir.shapes import INT64_MAX

"""Largest integer constant; the smallest one is its negation."""

_MAX_DIGITS = 19
_MAX_FLOATING = 1000


class AttributeParser(Cursor):
    """The part of the parser that reads constants and attributes."""

    def __init__(self, reporter: Reporter) -> None:
        super().__init__(reporter)
        self.definitions: dict[str, Span] = {}

    def operand(self) -> ast.Operand:
        """operand = local-identifier | constant."""
        token = self.token
        if token.kind == LOCAL:
            self.advance()
            return ast.Identifier(token.span, identifier_name(token))
        return self.constant("a local identifier or a constant")

    def constant(self, expected: str = "a constant") -> ast.Constant:
        """constant = boolean | integer-constant | floating-constant | complex-constant."""
        token = self.token
        if token.kind in (INTEGER, VARIABLE):
            return self.integer_constant()
        if token.kind == FLOATING:
            return self.floating_constant()
        if token.kind == "[":
            return self.complex_constant()
        if token.kind == WORD and token.text in ("true", "false"):
            self.advance()
            return ast.Boolean(token.span, token.text == "true")
        raise self.error(expected, *self._word_hints(expected))

    def integer_constant(self) -> ast.Integer | ast.Variable:
        """integer-constant = [sign] digit {digit}; may be a compile-time variable."""
        token = self.token
        if token.kind == VARIABLE:
            self.advance()
            return ast.Variable(token.span, identifier_name(token))
        if token.kind != INTEGER:
            raise self.error("an integer constant", *self.missing_dollar())
        self.advance()
        return ast.Integer(token.span, self._integer_value(token))

    def floating_constant(self) -> ast.Floating | ast.Variable:
        """floating-constant = decimal or hexadecimal number in C syntax, "inf" or "nan"."""
        token = self.token
        if token.kind == VARIABLE:
            self.advance()
            return ast.Variable(token.span, identifier_name(token))
        if token.kind != FLOATING:
            notes = [Note(f"write '{token.text}.0'")] if token.kind == INTEGER else []
            raise self.error("a floating constant", *notes)
        self.advance()
        if len(token.text) > _MAX_FLOATING:
            message = f"expected at most {_MAX_FLOATING} characters in a floating constant"
            self.reporter.add(TextError(f"{message}, got {len(token.text)}", token.span))
        return ast.Floating(token.span, token.text)

    def complex_constant(self) -> ast.Complex:
        """complex-constant = "[" floating-constant "," floating-constant "]"."""
        start = self.advance().start
        real = self.floating_constant()
        self.expect(",", "',' and the imaginary part")
        imaginary = self.floating_constant()
        self.expect("]")
        return ast.Complex(Span(start, self.previous_end), (real, imaginary))

    def dense(self) -> ast.Dense:
        """dense = "dense<" elements ">"."""
        start = self.advance().start
        self.expect("<")
        value = self.elements()
        self.expect(">")
        return ast.Dense(Span(start, self.previous_end), value)

    def elements(self) -> ast.Elements | ast.Constant:
        """elements = "[" [elements {"," elements}] "]" | constant."""
        if self.token.kind != "[":
            return self.constant("elements such as [1.0, 2.0], or a constant")
        start = self.advance().start
        self.enter("lists")
        items = self.list_until("]", self.elements)
        self.leave()
        return ast.Elements(Span(start, self.previous_end), items)

    def attribute(self) -> ast.Attribute:
        """attribute = array | boolean | dictionary | integer-constant | string."""
        token = self.token
        if token.kind in (INTEGER, VARIABLE):
            return self.integer_constant()
        if token.kind == STRING:
            return self.string()
        if token.kind == "[":
            return self.array_attribute()
        if token.kind == "{":
            return self.dictionary_attribute()
        if token.kind == WORD and token.text in ("true", "false"):
            self.advance()
            return ast.Boolean(token.span, token.text == "true")
        raise self.error("an attribute", *self._word_hints("an attribute"))

    def string(self) -> ast.String:
        """Read a string."""
        token = self.expect(STRING, "a string")
        return ast.String(token.span, token.text[1:-1])

    def array_attribute(self) -> ast.Array:
        """array-attribute = "[" [attribute {"," attribute}] "]"."""
        start = self.advance().start
        self.enter("attributes")
        items = self.list_until("]", self.attribute)
        self.leave()
        return ast.Array(Span(start, self.previous_end), items)

    def dictionary_attribute(self) -> ast.Dictionary:
        """dictionary-attribute = "{" [named-attribute {"," named-attribute}] "}"."""
        start = self.expect("{", "a dictionary attribute").start
        self.enter("attributes")
        entries = self.list_until("}", self.named_attribute)
        self.leave()
        self._check_distinct(entries)
        return ast.Dictionary(Span(start, self.previous_end), entries)

    def named_attribute(self) -> ast.Entry:
        """named-attribute = attribute-name "=" attribute."""
        token = self.token
        quoted = token.kind == STRING
        if not quoted and (token.kind != WORD or token.text not in ATTRIBUTE_NAMES):
            raise self.error("an attribute name", *self._attribute_name_hints())
        self.advance()
        self.expect("=")
        name = token.text[1:-1] if quoted else token.text
        return ast.Entry(token.span, name, quoted, self.attribute())

    def attributes(self) -> ast.Dictionary | ast.Variable:
        """attributes = dictionary-attribute; may be a compile-time variable."""
        token = self.token
        if token.kind == VARIABLE:
            self.advance()
            return ast.Variable(token.span, identifier_name(token))
        return self.dictionary_attribute()

    def missing_dollar(self) -> list[Note]:
        """Return a hint if the current word is a variable without its dollar sign."""
        text = self.token.text
        if self.token.kind == WORD and text in self.definitions:
            return [Note(f"did you mean '${text}'?")]
        return []

    def _integer_value(self, token: Token) -> int:
        """Return the value of an integer constant, 0 after reporting one out of range."""
        digits = token.text.lstrip("+-").lstrip("0")
        if len(digits) <= _MAX_DIGITS:
            value = int(token.text)
            if abs(value) <= INT64_MAX:
                return value
        message = f"expected an integer from -{INT64_MAX} to {INT64_MAX}"
        self.reporter.add(TextError(f"{message}, got {quote(token.text)}", token.span))
        return 0

    def _check_distinct(self, entries: list[ast.Entry]) -> None:
        first: dict[str, ast.Entry] = {}
        for entry in entries:
            if entry.name in first:
                note = Note("first given here", first[entry.name].span)
                message = f"expected distinct attribute names, got {quote(entry.name)} twice"
                self.reporter.add(TextError(message, entry.span, note))
            first.setdefault(entry.name, entry)

    def _attribute_name_hints(self) -> list[Note]:
        if self.token.kind != WORD:
            return []
        return self.misspelling(ATTRIBUTE_NAMES) or [
            Note(f"a name other than {', '.join(ATTRIBUTE_NAMES)} is written in double quotes")
        ]

    def _word_hints(self, expected: str) -> list[Note]:
        """Return what a word may mean that was found in place of an operand or constant."""
        text = self.token.text
        if self.token.kind != WORD:
            return []
        hints = self.missing_dollar() or self.misspelling(LITERAL_WORDS)
        if hints or "identifier" not in expected or text in TYPE_NAMES:
            return hints
        return [Note(f"write '%{text}' for a value")]
