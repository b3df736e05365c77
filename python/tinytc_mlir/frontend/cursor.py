# SPDX-License-Identifier: BSD-3-Clause
"""Steps through the tokens, and words the errors of a parser that expected others."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Callable, Collection, Iterable
from typing import TypeVar

from tinytc_mlir.frontend import ast
from tinytc_mlir.frontend.lexer import END_KIND, Token, TokenReader
from tinytc_mlir.frontend.parentheses import is_closed
from tinytc_mlir.frontend.source import Note, Reporter, Span, TextError, alternatives, quote

MAX_DEPTH = 100
"""How deeply regions or attributes may be nested."""

MAX_ITEMS = 10_000
"""Number of items that a list may hold: operands, parameters, modes of a memref."""

LOCAL = "local identifier"
GLOBAL = "global identifier"
VARIABLE = "compile-time variable"
INTEGER = "integer constant"
FLOATING = "floating constant"
SCALAR = "scalar type"
WORD = "word"
STRING = "string"
MODIFIER = "modifier"
CALCULATOR = "calculator"

_MAX_MISSPELT = 40
_MIN_RATIO = 0.65
_MAX_CANDIDATES = 500
_EXPECTED = {
    LOCAL: "a local identifier",
    GLOBAL: "a global identifier",
    INTEGER: "an integer constant",
    STRING: "a string",
}
_NO_EXPRESSION = "an operand is a value or a number: compute it in an instruction before"
_OPERATORS = ("*", "+", "-", "/", "(", "<", "<=", ">", ">=", "==", "!=", "?")
_NEXT_TO_OPERANDS = (
    *("',' and operand", "':' and a type", "',' or ']'", "'{'"),
    "a local identifier or a constant",
)
_Item = TypeVar("_Item")


class FatalTextError(TextError):
    """An error after which the rest of the text is ignored."""


class Cursor:
    """Position in the list of tokens.

    Attributes:
        token: the current token.
        previous_end: offset of the end of the token before it.
        reporter: where errors go.
    """

    def __init__(self, reporter: Reporter) -> None:
        self.reporter = reporter
        self._reader = TokenReader(reporter)
        self._buffer = self._reader.read()
        self._position = 0
        self._depth = 0
        self.token = self._buffer[0]
        self.previous_end = 0

    def advance(self) -> Token:
        """Return the current token and go to the next one."""
        token = self.token
        position = self._position + 1
        try:
            self.token = self._buffer[position]
        except IndexError:
            if token.kind == END_KIND:
                return token
            self._buffer = self._reader.read()
            self.token = self._buffer[0]
            position = 0
        self._position = position
        self.previous_end = token.end
        return token

    def split_token(self, length: int) -> None:
        """Make two tokens of the current one: punctuation of so many characters, and the rest."""
        kind, text, start, end = self.token
        first = Token(text[:length], text[:length], start, start + length)
        rest = Token(kind, text[length:], start + length, end)
        self._buffer[self._position : self._position + 1] = [first, rest]
        self.token = first

    def jump(self, offset: int) -> None:
        """Go to the first token at or after an offset."""
        self._reader.go_to(offset)
        self._buffer = self._reader.read()
        self._position = 0
        self.token = self._buffer[0]
        self.previous_end = offset

    def peek(self) -> Token:
        """Return the token after the current one."""
        if self.token.kind == END_KIND:
            return self.token
        if self._position + 1 == len(self._buffer):
            self._buffer += self._reader.read()
        return self._buffer[self._position + 1]

    def accept(self, kind: str) -> bool:
        """Advance if the current token is of this kind, and return whether it was."""
        if self.token.kind != kind:
            return False
        self.advance()
        return True

    def at_word(self, word: str) -> bool:
        """Return whether the current token is this word."""
        return self.token.kind == WORD and self.token.text == word

    def accept_word(self, word: str) -> bool:
        """Advance if the current token is this word, and return whether it was."""
        if not self.at_word(word):
            return False
        self.advance()
        return True

    def expect(self, kind: str, expected: str = "", *notes: Note) -> Token:
        """Advance and return the current token, which must be of this kind."""
        token = self.token
        if token.kind != kind:
            raise self.error(expected or _EXPECTED.get(kind, f"'{kind}'"), *notes)
        self.advance()
        return token

    def expect_word(self, words: Collection[str]) -> Token:
        """Advance and return the current token, which must be one of these words."""
        token = self.token
        if token.kind != WORD or token.text not in words:
            expected = alternatives(f"'{word}'" for word in words)
            raise self.error(expected, *self.misspelling(words))
        return self.advance()

    def starts_line(self) -> bool:
        """Return whether the current token is the first one of its line."""
        text = self.reporter.source.text
        end = self.previous_end
        return end == 0 or text.find("\n", end, self.token.start) >= 0

    def error(self, expected: str, *notes: Note) -> TextError:
        """Return the error that something else was expected here.

        Something missing at the end of a line is reported there, not on the next line.
        """
        end = self.previous_end
        if end > 0 and self.token.kind != END_KIND and self.starts_line():
            return TextError(
                f"expected {expected}, got the end of the line", Span(end, end), *notes
            )
        return self.error_here(expected, *notes)

    def error_here(self, expected: str, *notes: Note) -> TextError:
        """Return the error that something else than the current token was expected."""
        token = self.token
        if token.kind == END_KIND:
            return TextError(f"expected {expected}, got the end of the text", token.span, *notes)
        if not notes and token.kind in _OPERATORS and expected.startswith(_NEXT_TO_OPERANDS):
            notes = (Note(_NO_EXPRESSION),)
        return TextError(f"expected {expected}, got {quote(token.text)}", token.span, *notes)

    def misspelling(self, words: Iterable[str]) -> list[Note]:
        """Return a hint if the current token is a misspelling of one of the words."""
        hint = closest(self.token.text, words)
        return [Note(f"did you mean '{hint}'?")] if hint else []

    def list_of(self, item: Callable[[], _Item], separator: str = ",") -> list[_Item]:
        """Return the items of a list with at least one item."""
        items = [item()]
        while self.accept(separator):
            self.check_count(len(items))
            items.append(item())
        return items

    def check_count(self, count: int) -> None:
        """Raise an error if a list is longer than makes sense."""
        if count >= MAX_ITEMS:
            raise FatalTextError(
                f"expected at most {MAX_ITEMS} items in a list, got more", self.token.span
            )

    def list_until(
        self, end: str, item: Callable[[], _Item], opening: Token | None = None
    ) -> list[_Item]:
        """Return the items of a list that may be empty, and go past its end."""
        is_at_end = self.token.kind == end or (opening is not None and self.token.kind == END_KIND)
        items = [] if is_at_end else self.list_of(item)
        expected = f"',' or '{end}'" if items else f"'{end}'"
        if opening is not None:
            self.close(opening, expected)
        elif not self.accept(end):
            raise self.error(expected)
        return items

    def close(self, opening: Token, expected: str = "',' or ')'", *notes: Note) -> None:
        """Go past the parenthesis that closes one.

        A parenthesis that nothing closes is reported where it is, with what was read instead.
        """
        if self.accept(")"):
            return
        error = self.error(expected, *notes)
        if is_closed(self.reporter.source.text, self.token.start):
            raise error
        rule = "expected ')' for each '(', got none for this one"
        raise TextError(rule, opening.span, Note(error.message, error.span), *notes)

    def enter(self, what: str) -> None:
        """Enter one more level of nesting; the caller must leave it again."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise FatalTextError(
                f"expected at most {MAX_DEPTH} {what} nested, got more",
                self.token.span,
            )

    def leave(self) -> None:
        """Leave one level of nesting."""
        self._depth -= 1

    def local_identifier(self) -> ast.Identifier:
        """local-identifier: a percent sign and an identifier."""
        token = self.token
        if token.kind != LOCAL:
            raise self.error("a local identifier", *self._missing_prefix())
        self.advance()
        return ast.Identifier(token.span, identifier_name(token))

    def _missing_prefix(self) -> list[Note]:
        text = self.token.text
        if self.token.kind in (WORD, INTEGER) and text.isalnum():
            return [Note(f"write '%{text}' for a value")]
        return []


def identifier_name(token: Token) -> str:
    """Return an identifier without prefix; numbers lose leading zeros."""
    name = token.text[1:]
    return name.lstrip("0") or "0" if name[:1] == "0" else name


def closest(text: str, words: Iterable[str]) -> str | None:
    """Return the word that a text probably misspells.

    >>> closest("gem", ["gemm", "sum"])
    'gemm'
    """
    if not 1 < len(text) <= _MAX_MISSPELT:
        return None
    words = list(itertools.islice(words, _MAX_CANDIDATES))
    if text.lower() in words:
        return text.lower()
    matcher = difflib.SequenceMatcher(b=text)
    best, best_ratio = None, _MIN_RATIO
    for word in words:
        matcher.set_seq1(word)
        if matcher.quick_ratio() > best_ratio and matcher.ratio() > best_ratio:
            best, best_ratio = word, matcher.ratio()
    return best
