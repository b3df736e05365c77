# SPDX-License-Identifier: BSD-3-Clause
"""The server with all its features, on stdin and stdout."""

from __future__ import annotations

import logging
import sys

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from . import completion, features, inlay_types, layout, quick_fixes, signatures, workspace
from .server import TensorLanguageServer


def make_server() -> TensorLanguageServer:
    """Return a server with all its features."""
    server = TensorLanguageServer()
    _follow_files(server)
    for part in (features, completion, signatures, quick_fixes, inlay_types, layout, workspace):
        part.add(server)
    return server


def serve() -> None:
    """Run the server on stdin and stdout until the editor leaves."""
    server = make_server()
    # What a request is refused for is an answer; pygls would also write where it was raised.
    logging.getLogger("pygls.protocol.json_rpc").addFilter(_is_no_answer)
    # Python's own stdout may be unbuffered, which writes a part of a long message at times.
    with open(sys.stdout.fileno(), "wb", closefd=False) as stdout:
        server.start_io(sys.stdin.buffer, stdout)


def _is_no_answer(record: logging.LogRecord) -> bool:
    return not record.exc_info or not isinstance(record.exc_info[1], JsonRpcException)


def _follow_files(server: TensorLanguageServer) -> None:
    @server.feature(lsp.INITIALIZE)
    def initialize(parameters: lsp.InitializeParams) -> None:
        server.configure(parameters.initialization_options)

    @server.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configure(parameters: lsp.DidChangeConfigurationParams) -> None:
        server.configure(parameters.settings)
        server.check_all()

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    async def did_open(parameters: lsp.DidOpenTextDocumentParams) -> None:
        server.check_soon(parameters.text_document.uri, 0)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    async def did_change(parameters: lsp.DidChangeTextDocumentParams) -> None:
        server.check_soon(parameters.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    async def did_close(parameters: lsp.DidCloseTextDocumentParams) -> None:
        server.close(parameters.text_document.uri)
