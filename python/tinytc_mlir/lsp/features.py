# SPDX-License-Identifier: BSD-3-Clause
"""Answers about names, instructions and formatting of an open file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams

from tinytc_mlir.errors import ParseError
from tinytc_mlir.frontend import format_source
from tinytc_mlir.frontend.source import Span
from tinytc_mlir.frontend.tokens import NAME

from . import instruction_help, semantic_tokens
from .names import Symbol

if TYPE_CHECKING:
    from .documents import Document
    from .server import TensorLanguageServer


def add(server: TensorLanguageServer) -> None:
    """Add the features to a server."""
    _add_names(server)
    _add_renaming(server)
    _add_looks(server)


def _add_names(server: TensorLanguageServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(parameters: lsp.HoverParams) -> lsp.Hover | None:
        return _hover(server.document(parameters.text_document.uri), parameters.position)

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def definition(parameters: lsp.DefinitionParams) -> lsp.Location | None:
        document = server.document(parameters.text_document.uri)
        symbol = document.symbol(parameters.position)
        if symbol is None or symbol.definition is None:
            return None
        return document.location(symbol.definition)

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    def references(parameters: lsp.ReferenceParams) -> list[lsp.Location]:
        document = server.document(parameters.text_document.uri)
        symbol = document.symbol(parameters.position)
        if symbol is None:
            return []
        spans = symbol.spans if parameters.context.include_declaration else symbol.uses
        return [document.location(span) for span in spans]

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    def highlight(parameters: lsp.DocumentHighlightParams) -> list[lsp.DocumentHighlight]:
        document = server.document(parameters.text_document.uri)
        symbol = document.symbol(parameters.position)
        spans = [] if symbol is None else symbol.spans
        return [lsp.DocumentHighlight(document.range(span)) for span in spans]

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def outline(parameters: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        document = server.document(parameters.text_document.uri)
        ranges = [
            (symbol.name, document.range(symbol.definition))
            for symbol in document.names.functions()
            if symbol.definition is not None
        ]
        kind = lsp.SymbolKind.Function
        return [lsp.DocumentSymbol(f"@{name}", kind, place, place) for name, place in ranges]


def _add_renaming(server: TensorLanguageServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare(parameters: lsp.PrepareRenameParams) -> lsp.PrepareRenamePlaceholder | None:
        document = server.document(parameters.text_document.uri)
        offset = document.offset(parameters.position)
        symbol = document.names.at(offset)
        if symbol is None:
            return None
        span = next(span for span in symbol.spans if span.start <= offset <= span.end)
        place = document.range(Span(span.start + 1, span.end))
        return lsp.PrepareRenamePlaceholder(place, symbol.name)

    @server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
    def rename(parameters: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        document = server.document(parameters.text_document.uri)
        symbol = document.symbol(parameters.position)
        if symbol is None:
            return None
        new_name = _checked_name(parameters.new_name, symbol, document, server.defines)
        edits = [
            lsp.TextEdit(document.range(Span(span.start + 1, span.end)), new_name)
            for span in symbol.spans
        ]
        return lsp.WorkspaceEdit({document.uri: edits})


def _add_looks(server: TensorLanguageServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    def format_(parameters: lsp.DocumentFormattingParams) -> list[lsp.TextEdit] | None:
        document = server.document(parameters.text_document.uri)
        text = document.text.text
        try:
            formatted = format_source(text)
        except ParseError:
            return None
        if formatted == text:
            return []
        return [lsp.TextEdit(document.range(Span(0, len(text))), formatted)]

    legend = lsp.SemanticTokensLegend(list(semantic_tokens.TYPES), list(semantic_tokens.MODIFIERS))

    @server.feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, legend)
    def semantic_tokens_(parameters: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
        document = server.document(parameters.text_document.uri)
        data = semantic_tokens.encode(document.text, document.tokens, document.names)
        return lsp.SemanticTokens(data)


def _hover(document: Document, position: lsp.Position) -> lsp.Hover | None:
    """Return the documentation of an instruction, or the definition of a name."""
    offset = document.offset(position)
    symbol = document.names.at(offset)
    if symbol is not None:
        span = next(span for span in symbol.spans if span.start <= offset <= span.end)
        return _shown(_definition_text(document, symbol), document, span)
    found = document.instruction(offset)
    if found is None:
        return None
    spec, span = found
    return _shown(instruction_help.markdown(spec), document, span)


def _shown(text: str, document: Document, span: Span) -> lsp.Hover:
    content = lsp.MarkupContent(lsp.MarkupKind.Markdown, text)
    return lsp.Hover(content, document.range(span))


def _definition_text(document: Document, symbol: Symbol) -> str:
    name = f"{symbol.sigil}{symbol.name}"
    if symbol.definition is None:
        return f"`{name}` is not defined"
    line = document.text.line(document.text.place(symbol.definition.start).line)
    return f"```tinytc\n{line.strip()}\n```"


def _checked_name(new: str, symbol: Symbol, document: Document, defines: Mapping[str, str]) -> str:
    """Return a new name without its sigil.

    Raises:
        JsonRpcInvalidParams: it is no identifier, or the program would mean something else.
    """
    name = new.removeprefix(symbol.sigil)
    if not NAME.fullmatch(name):
        raise JsonRpcInvalidParams(
            message=f"expected a number, or a letter and then letters, digits or '_', got {new!r}"
        )
    for given in (symbol.name, name):
        if symbol.sigil == "$" and given in defines:
            message = f"expected a variable without a value in tinytc.defines, got ${given}"
            raise JsonRpcInvalidParams(message=message)
    if document.names.clashes(symbol, name):
        raise JsonRpcInvalidParams(message=f"expected a new name, got {symbol.sigil}{name} again")
    return name
