# SPDX-License-Identifier: BSD-3-Clause
"""Finds functions by their names in all programs of the editor's folders."""

from __future__ import annotations

import itertools
import os
import pathlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lsprotocol import types as lsp
from pygls.uris import from_fs_path, to_fs_path

from .documents import Document

if TYPE_CHECKING:
    from .server import TensorLanguageServer

_SUFFIXES = (".ir", ".tinytc")
_MOST_FILES, _MOST_BYTES = 2000, 2**20
_SKIPPED = ("build", "node_modules", "__pycache__")


def add(server: TensorLanguageServer) -> None:
    """Add the feature to a server."""

    @server.feature(lsp.WORKSPACE_SYMBOL)
    def symbols(parameters: lsp.WorkspaceSymbolParams) -> list[lsp.SymbolInformation]:
        wanted = parameters.query.lower().removeprefix("@")
        return [
            lsp.SymbolInformation(
                document.location(symbol.definition), f"@{symbol.name}", lsp.SymbolKind.Function
            )
            for document in _documents(server)
            for symbol in document.names.functions()
            if symbol.definition is not None and wanted in symbol.name.lower()
        ]


def _documents(server: TensorLanguageServer) -> Iterator[Document]:
    """Yield open files, then others of the folders."""
    opened = list(server.workspace.text_documents)
    for uri in opened:
        yield server.document(uri)
    folders = server.workspace.folders.values()
    roots = [root for folder in folders if (root := to_fs_path(folder.uri))]
    if not roots and server.workspace.root_path:  # of clients without a list of folders
        roots = [server.workspace.root_path]
    found = itertools.chain.from_iterable(map(programs, roots))
    for path in itertools.islice(found, _MOST_FILES):
        uri = from_fs_path(str(path)) or ""
        if uri not in opened:
            yield Document(uri, path.read_text(encoding="utf-8", errors="replace"), "utf-16")


def programs(root: str) -> Iterator[pathlib.Path]:
    """Yield the programs in a folder, without those in hidden folders and in those of builds."""
    for folder, names, files in os.walk(root):
        names[:] = sorted(n for n in names if not n.startswith(".") and n not in _SKIPPED)
        for name in sorted(files):
            path = pathlib.Path(folder, name)
            is_program = name.endswith(_SUFFIXES) and path.is_file()
            if is_program and path.stat().st_size <= _MOST_BYTES:
                yield path
