# SPDX-License-Identifier: BSD-3-Clause
"""The server: knows the files that an editor has open, and reports their errors."""

from __future__ import annotations

import asyncio

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from tinytc_mlir.errors import Diagnostic
from tinytc_mlir.frontend.source import Span
from tinytc_mlir.version import __version__

from . import program_errors
from .documents import Document
from .text import Place

_PAUSE_S = 0.25
_SEVERITIES = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "note": lsp.DiagnosticSeverity.Information,
}


class TensorLanguageServer(LanguageServer):
    """The server with what it keeps of open files."""

    def __init__(self) -> None:
        super().__init__("tinytc", __version__)
        self.defines: dict[str, str] = {}
        self._documents: dict[str, Document] = {}
        self._waiting: dict[str, asyncio.Task[None]] = {}

    def document(self, uri: str) -> Document:
        """Return the present version of a file."""
        found = self.workspace.get_text_document(uri)
        known = self._documents.get(uri)
        if known is not None and known.text.text == found.source:
            return known
        encoding = self.workspace.position_encoding or lsp.PositionEncodingKind.Utf16
        name = encoding if isinstance(encoding, str) else encoding.value
        document = Document(uri, found.source, name)
        self._documents[uri] = document
        return document

    def configure(self, options: object) -> None:
        """Take the settings of the editor: `{"defines": {"N": 16}}`, perhaps below `tinytc`."""
        options = options if isinstance(options, dict) else {}
        options = options.get("tinytc", options)
        defines = options.get("defines", {}) if isinstance(options, dict) else {}
        problem = program_errors.problem_of_defines(defines)
        if problem:
            message = lsp.ShowMessageParams(lsp.MessageType.Error, f"tinytc.defines: {problem}")
            self.window_show_message(message)
            return
        self.defines = dict(defines)

    def check_soon(self, uri: str, pause_s: float = _PAUSE_S) -> None:
        """Publish the errors of a file when nothing has changed for a moment."""
        self.forget_check(uri)
        self._waiting[uri] = asyncio.ensure_future(self._check(uri, pause_s))

    def check_all(self) -> None:
        """Publish the errors of all open files."""
        for uri in self.workspace.text_documents:
            self.check_soon(uri, 0)

    def close(self, uri: str) -> None:
        """Forget a file and its errors."""
        self.forget_check(uri)
        self._documents.pop(uri, None)
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))

    def forget_check(self, uri: str) -> None:
        """Give up a check that has not begun."""
        waiting = self._waiting.pop(uri, None)
        if waiting is not None:
            waiting.cancel()

    async def _check(self, uri: str, pause_s: float) -> None:
        await asyncio.sleep(pause_s)
        document = self.document(uri)
        version = self.workspace.get_text_document(uri).version
        found = await asyncio.to_thread(program_errors.find, document.text.text, self.defines)
        published = [_diagnostic(document, each) for each in found]
        self.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(uri, published, version)
        )


def _span(document: Document, found: Diagnostic) -> Span:
    """Return where a diagnostic is; those without a place are at the beginning."""
    if found.line is None or found.filename != program_errors.FILENAME:
        return Span(0, 0)
    line = found.line - 1
    start = document.text.offset(Place(line, 0)) + (found.column or 1) - 1
    return Span(start, start + found.length)


def _diagnostic(document: Document, found: Diagnostic) -> lsp.Diagnostic:
    hints = [note.message for note in found.notes if note.line is None]
    related = [
        lsp.DiagnosticRelatedInformation(document.location(_span(document, note)), note.message)
        for note in found.notes
        if note.line is not None
    ]
    return lsp.Diagnostic(
        document.range(_span(document, found)),
        "\n".join([found.message, *hints]),
        _SEVERITIES[found.severity],
        source="tinytc",
        related_information=related,
    )
