# SPDX-License-Identifier: BSD-3-Clause
"""Text of an open file with positions as the protocol counts them, from 0 and in code units."""

from __future__ import annotations

import bisect
from collections.abc import Callable
from typing import NamedTuple

from tinytc_mlir.frontend.lexer import Token
from tinytc_mlir.frontend.tokens import MASTER, RULES

_KINDS = {"frequent": "punctuation", **{f"t{i}": rule.kind for i, rule in enumerate(RULES)}}
_TRIVIA = ("space", "comment")

_WIDTHS: dict[str, Callable[[str], int]] = {
    "utf-8": lambda text: len(text.encode(errors="surrogatepass")),
    "utf-16": lambda text: len(text.encode("utf-16-le", errors="surrogatepass")) // 2,
    "utf-32": len,
}


class Place(NamedTuple):
    """Line and column, both counted from 0; the column in units of the encoding."""

    line: int
    column: int


class Text:
    r"""Text of one file.

    Args:
        text: the characters.
        encoding: whose units columns count: utf-8, utf-16 or utf-32.

    >>> Text("; 𝄞 x\n", "utf-16").place(4), Text("; 𝄞 x\n", "utf-16").offset(Place(0, 5))
    (Place(line=0, column=5), 4)
    """

    def __init__(self, text: str, encoding: str = "utf-16") -> None:
        self.text = text
        self._width = _WIDTHS[encoding]
        starts = (i + 1 for i, character in enumerate(text) if character == "\n")
        self._starts = [0, *starts]

    def place(self, offset: int) -> Place:
        """Return the place of an offset in characters."""
        line = bisect.bisect_right(self._starts, offset) - 1
        before = self.text[self._starts[line] : offset]
        return Place(line, len(before) if before.isascii() else self._width(before))

    def offset(self, place: Place) -> int:
        """Return the offset of a place, clamped to its line and to the text."""
        if place.line >= len(self._starts):
            return len(self.text)
        line = self.line(place.line)
        column = min(place.column, len(line))
        if not line.isascii():
            column = 0
            while column < len(line) and self._width(line[:column]) < place.column:
                column += 1
        return self._starts[place.line] + column

    def line(self, number: int) -> str:
        """Return a line without its end."""
        start = self._starts[number]
        is_last = number + 1 == len(self._starts)
        end = len(self.text) if is_last else self._starts[number + 1] - 1
        return self.text[start:end].rstrip("\r")

    def tokens(self) -> list[Token]:
        """Return the tokens without white space; what is no token is of the kind `bad`."""
        matches = ((match, match.lastgroup) for match in MASTER.finditer(self.text))
        return [
            Token(_KINDS.get(group, "bad"), match[group], *match.span(group))
            for match, group in matches
            if group is not None  # as at the end
        ]


def code(tokens: list[Token]) -> list[Token]:
    """Return tokens without comments."""
    return [token for token in tokens if token.kind not in _TRIVIA]
