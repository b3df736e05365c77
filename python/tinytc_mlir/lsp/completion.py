# SPDX-License-Identifier: BSD-3-Clause
"""Answers what may be written at a place of an open file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from tinytc_mlir.frontend.instructions import FAMILIES
from tinytc_mlir.frontend.tokens import ATTRIBUTE_NAMES, STATEMENT_WORDS, TYPE_NAMES, TYPE_WORDS

from . import instruction_help
from .names import Names, before
from .text import code

if TYPE_CHECKING:
    from .documents import Document
    from .server import TensorLanguageServer

_COMMENT = re.compile(r'(?:[^";]|"[^"]*")*;')
_NAME_PREFIX = re.compile(r"([%$])\w*$")
_MODIFIERS_PREFIX = re.compile(r"([A-Za-z_]\w*)((?:\.\w+)*)\.\w*$")
_TYPE_PREFIX = re.compile(r"(?::|->|<|->\s*\()\s*\w*$")


def add(server: TensorLanguageServer) -> None:
    """Add the feature to a server."""

    @server.feature(
        lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=["%", "$", "."])
    )
    def completion(parameters: lsp.CompletionParams) -> lsp.CompletionList:
        document = server.document(parameters.text_document.uri)
        items = list(_items(document, parameters.position))
        return lsp.CompletionList(is_incomplete=False, items=items)


def _items(document: Document, position: lsp.Position) -> Iterator[lsp.CompletionItem]:
    """Yield what may be written at a position."""
    offset = document.offset(position)
    start = document.text.text.rfind("\n", 0, offset) + 1
    line = document.text.text[start:offset]
    if _COMMENT.match(line):
        return
    name = _NAME_PREFIX.search(line)
    modifiers = _MODIFIERS_PREFIX.search(line)
    if name is not None:
        statement = start + max(line.rfind("{"), line.rfind("}")) + 1
        yield from _names(document, offset - len(name.group()), name[1], statement)
    elif modifiers is not None:
        yield from _after_dot(modifiers[1], modifiers[2])
    elif _TYPE_PREFIX.search(line):
        for word in (*TYPE_NAMES, *TYPE_WORDS):
            yield lsp.CompletionItem(word, kind=lsp.CompletionItemKind.Class)
    else:
        yield from _instructions()
        for word in (*STATEMENT_WORDS, *ATTRIBUTE_NAMES):
            yield lsp.CompletionItem(word, kind=lsp.CompletionItemKind.Keyword)


def _names(
    document: Document, start: int, sigil: str, statement: int
) -> Iterator[lsp.CompletionItem]:
    """Yield the names of a kind that are visible at an offset; what is inserted has no sigil.

    Args:
        document: the file.
        start: offset of the sigil, which is there already.
        sigil: `%` or `$`.
        statement: offset of the statement, in which its own results are not visible.
    """
    tokens = before(code(document.tokens), start)
    found = Names(document.text.text, tokens).visible()
    kinds = {"%": lsp.CompletionItemKind.Variable, "$": lsp.CompletionItemKind.Constant}
    for rank, symbol in enumerate(each for each in found if each.sigil == sigil):
        assert symbol.definition is not None
        if symbol.definition.start >= statement:
            continue
        line = document.text.line(document.text.place(symbol.definition.start).line)
        yield lsp.CompletionItem(
            f"{sigil}{symbol.name}",
            kind=kinds[sigil],
            detail=line.strip(),
            sort_text=f"{rank:05}",
            filter_text=symbol.name,
            insert_text=symbol.name,
        )


def _instructions() -> Iterator[lsp.CompletionItem]:
    for each in instruction_help.spellings():
        spec = instruction_help.canonical(each.name)
        assert spec is not None
        is_other = each.name != each.instruction
        yield lsp.CompletionItem(
            each.name,
            kind=lsp.CompletionItemKind.Function,
            detail=f"{each.summary} ({each.instruction})" if is_other else each.summary,
            documentation=lsp.MarkupContent(
                lsp.MarkupKind.Markdown, instruction_help.markdown(spec)
            ),
        )


def _after_dot(word: str, modifiers: str) -> Iterator[lsp.CompletionItem]:
    """Yield the members of a family of instructions, or the modifiers of an instruction."""
    if word in FAMILIES and not modifiers:
        for each in instruction_help.spellings():
            family, _, member = each.name.partition(".")
            if family == word:
                yield lsp.CompletionItem(
                    member, kind=lsp.CompletionItemKind.Function, detail=each.summary
                )
        return
    first = modifiers.split(".")[1] if modifiers else ""
    spec = instruction_help.canonical(f"{word}.{first}" if word in FAMILIES else word)
    for modifier in [] if spec is None else instruction_help.modifiers(spec):
        yield lsp.CompletionItem(modifier, kind=lsp.CompletionItemKind.EnumMember)
