# SPDX-License-Identifier: BSD-3-Clause
"""One version of an open file, and its analysis."""

from __future__ import annotations

from lsprotocol import types as lsp

from tinytc_mlir.frontend.cursor import MODIFIER, WORD
from tinytc_mlir.frontend.instructions import FAMILIES, Instruction
from tinytc_mlir.frontend.lexer import Token
from tinytc_mlir.frontend.source import Span

from . import instruction_help
from .names import Names, Symbol
from .text import Place, Text, code


class Document:
    """One version of an open file, and its analysis.

    Args:
        uri: its name in the protocol.
        text: its characters.
        encoding: whose units columns count.
    """

    def __init__(self, uri: str, text: str, encoding: str) -> None:
        self.uri = uri
        self.text = Text(text, encoding)
        self.tokens = self.text.tokens()
        self.names = Names(text, code(self.tokens))

    def offset(self, position: lsp.Position) -> int:
        """Return the offset of a position."""
        return self.text.offset(Place(position.line, position.character))

    def range(self, span: Span) -> lsp.Range:
        """Return the range of a span."""
        start, end = self.text.place(span.start), self.text.place(span.end)
        return lsp.Range(lsp.Position(*start), lsp.Position(*end))

    def location(self, span: Span) -> lsp.Location:
        """Return the location of a span."""
        return lsp.Location(self.uri, self.range(span))

    def symbol(self, position: lsp.Position) -> Symbol | None:
        """Return the name at a position."""
        return self.names.at(self.offset(position))

    def instruction(self, offset: int) -> tuple[Instruction, Span] | None:
        """Return the instruction whose name or modifiers are at an offset, and their span."""
        tokens = code(self.tokens)
        for position, token in enumerate(tokens):
            if token.kind != WORD:
                continue
            end = position + 1
            while end < len(tokens) and tokens[end].kind == MODIFIER:
                end += 1
            span = Span(token.start, tokens[end - 1].end)
            if span.start <= offset <= span.end:
                spec = instruction_help.canonical(_full_name(token, tokens[position + 1 : end]))
                return None if spec is None else (spec, span)
        return None


def _full_name(token: Token, modifiers: list[Token]) -> str:
    """Return the name of an instruction whose first modifier may be a part of it."""
    is_family = token.text in FAMILIES and modifiers
    return token.text + modifiers[0].text if is_family else token.text
