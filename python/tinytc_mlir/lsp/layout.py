# SPDX-License-Identifier: BSD-3-Clause
"""Answers about the layout of a text: what can be folded, and the format of some lines."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from tinytc_mlir.errors import ParseError
from tinytc_mlir.frontend import format_source

if TYPE_CHECKING:
    from .documents import Document
    from .server import TensorLanguageServer

_COMMENT = "comment"


def add(server: TensorLanguageServer) -> None:
    """Add the features to a server."""

    @server.feature(lsp.TEXT_DOCUMENT_FOLDING_RANGE)
    def folding(parameters: lsp.FoldingRangeParams) -> list[lsp.FoldingRange]:
        return folds(server.document(parameters.text_document.uri))

    @server.feature(lsp.TEXT_DOCUMENT_RANGE_FORMATTING)
    def format_range(parameters: lsp.DocumentRangeFormattingParams) -> list[lsp.TextEdit] | None:
        document = server.document(parameters.text_document.uri)
        first, last = parameters.range.start.line, parameters.range.end.line
        if parameters.range.end.character == 0 and last > first:
            last -= 1
        return edits(document.text.text, first, last)


def folds(document: Document) -> list[lsp.FoldingRange]:
    """Return the regions in braces, and the comments, that are more than a line long."""
    return sorted(_folds(document), key=lambda each: each.start_line)


def _folds(document: Document) -> Iterator[lsp.FoldingRange]:
    opened: list[int] = []
    comments: list[int] = []
    for token in document.tokens:
        line = document.text.place(token.start).line
        if token.kind == _COMMENT:
            is_alone = not document.text.line(line).partition(";")[0].strip()
            if comments and (not is_alone or line != comments[-1] + 1):
                yield from _comment(comments)
                comments = []
            comments += [line] * is_alone
        elif token.text == "{":
            opened.append(line)
        elif token.text == "}" and opened:
            first = opened.pop()
            if line - 1 > first:
                yield lsp.FoldingRange(first, line - 1, kind=lsp.FoldingRangeKind.Region)
    yield from _comment(comments)


def _comment(lines: list[int]) -> Iterator[lsp.FoldingRange]:
    if len(lines) > 1:
        yield lsp.FoldingRange(lines[0], lines[-1], kind=lsp.FoldingRangeKind.Comment)


def edits(text: str, first: int, last: int) -> list[lsp.TextEdit] | None:
    """Return what formatting changes in some lines, None for a text with errors.

    Args:
        text: the program.
        first: the first line, counted from 0.
        last: the last line.
    """
    try:
        formatted = format_source(text)
    except ParseError:
        return None
    old, new = text.splitlines(keepends=True), formatted.splitlines(keepends=True)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [
        lsp.TextEdit(lsp.Range(lsp.Position(i, 0), lsp.Position(j, 0)), "".join(new[m:n]))
        for tag, i, j, m, n in matcher.get_opcodes()
        if tag != "equal" and i <= last and max(j, i + 1) > first
    ]
