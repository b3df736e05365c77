# SPDX-License-Identifier: BSD-3-Clause
"""Replaces what a diagnostic is about by what its hint says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

if TYPE_CHECKING:
    from .server import TensorLanguageServer

_HINT = re.compile(r"(?:did you mean|^write) '([^']+)'", re.M)


def add(server: TensorLanguageServer) -> None:
    """Add the feature to a server."""
    kinds = [lsp.CodeActionKind.QuickFix]

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions(kinds))
    def code_actions(parameters: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        uri = parameters.text_document.uri
        return [
            lsp.CodeAction(
                f"Replace by '{text}'",
                kind=lsp.CodeActionKind.QuickFix,
                diagnostics=[found],
                edit=lsp.WorkspaceEdit({uri: [lsp.TextEdit(found.range, text)]}),
            )
            for found in parameters.context.diagnostics
            if found.source == "tinytc"
            for text in replacements(found.message)
        ]


def replacements(message: str) -> list[str]:
    r"""Return what the hints in a diagnostic want to have in its place.

    >>> replacements("expected a type, got 'f31'\ndid you mean 'f16'?")
    ['f16']
    """
    return list(dict.fromkeys(_HINT.findall(message)))
