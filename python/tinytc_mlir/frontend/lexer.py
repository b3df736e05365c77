# SPDX-License-Identifier: BSD-3-Clause
"""Splits the text into tokens, on which everything else works."""

from __future__ import annotations

from typing import NamedTuple

from tinytc_mlir.frontend.operator_hints import operator_hints
from tinytc_mlir.frontend.source import Note, Reporter, Span, TextError, quote
from tinytc_mlir.frontend.tokens import MASTER, RULES


class Token(NamedTuple):
    """A piece of the text.

    Args:
        kind: kind from the token table; for punctuation the characters themselves.
        text: the characters.
        start: offset of the first character.
        end: offset of the end.
    """

    kind: str
    text: str
    start: int
    end: int

    @property
    def span(self) -> Span:
        """Range of the token."""
        return tuple.__new__(Span, self[2:])  # of the ways to make one, the fastest


END_KIND = "end of the text"

_MAX_CHUNK = 128
_NOT_TOKENS = ("space", "comment")
_KINDS = {f"t{i}": rule.kind for i, rule in enumerate(RULES) if rule.kind not in _NOT_TOKENS}
_PUNCTUATION = {"frequent", *(group for group, kind in _KINDS.items() if kind == "punctuation")}
_KIND_BY_INDEX = {
    index: "" if group in _PUNCTUATION else _KINDS[group]
    for group, index in MASTER.groupindex.items()
    if group in _PUNCTUATION or group in _KINDS
}
"""Kinds of tokens by the number of the group that matches; empty for punctuation."""
_BAD_INDEX = MASTER.groupindex["bad"]
_MEANT = {
    "%": "local identifier",
    "@": "global identifier",
    "$": "compile-time variable",
    '"': "string",
}
_COMMENT_GROUP = next(f"t{i}" for i, rule in enumerate(RULES) if rule.kind == "comment")
_VARIABLE = next(f"t{i}" for i, rule in enumerate(RULES) if rule.kind == "compile-time variable")


class TokenReader:
    """Reads the tokens of a text piece by piece, so that an early stop costs little.

    Characters that begin no token are reported and skipped, or read as what was probably meant. The
    last token is the end.
    """

    def __init__(self, reporter: Reporter) -> None:
        self._reporter = reporter
        self.go_to(0)

    def go_to(self, offset: int) -> None:
        """Make the next token the first one at or after an offset."""
        self._matches = MASTER.finditer(self._reporter.source.text, offset)
        self._chunk = 1

    def read(self) -> list[Token]:
        """Return one or more of the next tokens, more with each call."""
        self._chunk = min(2 * self._chunk, _MAX_CHUNK)
        return self._read(self._chunk)

    def read_all(self) -> list[Token]:
        """Return all tokens that follow."""
        return self._read(len(self._reporter.source.text) + 1)

    def _read(self, count: int) -> list[Token]:
        tokens: list[Token] = []
        # This is the hot loop of the front-end: tuple's own function makes a token fastest.
        append, kinds, new = tokens.append, _KIND_BY_INDEX, tuple.__new__
        for match in self._matches:
            index = match.lastindex
            if index is None:  # the end
                break
            text = match[index]
            end = match.end()
            kind = kinds.get(index)
            if kind is not None:
                append(new(Token, (kind or text, text, end - len(text), end)))
            elif index == _BAD_INDEX:
                tokens += self._bad_token(text, end - len(text))
            if len(tokens) >= count:
                return tokens
        end = len(self._reporter.source.text)
        append(Token(END_KIND, "", end, end))
        return tokens

    def _bad_token(self, text: str, start: int) -> list[Token]:
        if not self._reporter.is_unreadable(start):
            self._reporter.add_unreadable(_bad_text(text, start))
        kind = _MEANT.get(text[0])
        return [] if kind is None else [Token(kind, text, start, start + len(text))]


def tokenize(reporter: Reporter) -> list[Token]:
    """Return all tokens of a text without white space and comments; the last is the end."""
    return TokenReader(reporter).read_all()


def comments(text: str) -> list[Token]:
    r"""Return the comments of a text, each from its semicolon to the end of its line.

    >>> [c.text for c in comments('; one\n"; no" ; two')]
    ['; one', '; two']
    """
    return [
        Token("comment", match[_COMMENT_GROUP], *match.span(_COMMENT_GROUP))
        for match in MASTER.finditer(text)
        if match.lastgroup == _COMMENT_GROUP
    ]


def variables(text: str) -> set[str]:
    """Return the names of the compile-time variables in a text, outside comments.

    >>> sorted(variables("$M = 3 $N = $M ; $K"))
    ['M', 'N']
    """
    found = (match for match in MASTER.finditer(text) if match.lastgroup == _VARIABLE)
    return {match[_VARIABLE][1:] for match in found}


def _bad_text(text: str, start: int) -> TextError:
    """Return what is wrong with characters that begin no token."""
    span = Span(start, start + len(text))
    notes = operator_hints(text)
    if text[0] == '"' and not text.endswith('"', 1):
        return TextError("expected '\"' at the end of the string, got the end of the line", span)
    if text[0] == '"':
        return TextError(
            f"expected printable ASCII characters in a string, got {quote(text)}", span
        )
    if text[0] in "%@$":
        note = Note("an identifier is a number, or a letter and then letters, digits or '_'")
        got = quote(text[1:]) if len(text) > 1 else "nothing"
        return TextError(f"expected an identifier after '{text[0]}', got {got}", span, note)
    if text[0] == "#":
        return TextError(
            f"expected a token, got {quote(text)}", span, Note("comments begin with ';'")
        )
    if text[0] == "!":
        return TextError(f"expected '!calc', got {quote(text)}", span, *notes)
    return TextError(f"expected a token, got {quote(text)}", span, *notes)
