# SPDX-License-Identifier: BSD-3-Clause
"""Shows the form of the instruction that is being written, and which operand is next."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from tinytc_mlir.frontend.cursor import MODIFIER, WORD
from tinytc_mlir.frontend.lexer import Token

from . import instruction_help
from .names import before
from .text import code

if TYPE_CHECKING:
    from .documents import Document
    from .server import TensorLanguageServer

_PARAMETER = re.compile(r"%\w+")
_OPENING, _CLOSING = "([{<", ")]}>"


def add(server: TensorLanguageServer) -> None:
    """Add the feature to a server."""

    @server.feature(
        lsp.TEXT_DOCUMENT_SIGNATURE_HELP,
        lsp.SignatureHelpOptions(trigger_characters=[" ", ","], retrigger_characters=[","]),
    )
    def signature_help(parameters: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
        document = server.document(parameters.text_document.uri)
        return signature_at(document, document.offset(parameters.position))


def signature_at(document: Document, offset: int) -> lsp.SignatureHelp | None:
    """Return the form of the instruction whose operands an offset is among, None outside of any."""
    tokens = before(code(document.tokens), offset + 1)
    line = document.text.text.rfind("\n", 0, offset) + 1
    tokens = [token for token in tokens if token.start >= line and token.end <= offset]
    for position in range(len(tokens) - 1, -1, -1):
        token = tokens[position]
        if token.text in "{}":
            return None
        found = document.instruction(token.start) if token.kind == WORD else None
        if found is not None and found[1].start == token.start and offset > found[1].end:
            spec, _ = found
            rest = [each for each in tokens[position + 1 :] if each.kind != MODIFIER]
            return _shown(instruction_help.form(spec), spec.name, _commas(rest))
    return None


def _commas(tokens: list[Token]) -> int | None:
    """Return how many operands are complete, None after the colon before a type."""
    depth = count = 0
    for token in tokens:
        depth += (token.text in _OPENING) - (token.text in _CLOSING)
        if depth == 0 and token.text == ":":
            return None
        count += depth == 0 and token.text == ","
    return count


def _shown(form: str, name: str, active: int | None) -> lsp.SignatureHelp:
    places = [match.span() for match in _PARAMETER.finditer(form)]
    is_result = bool(places) and form.startswith(("%result", "[%result"))
    parameters = [lsp.ParameterInformation(place) for place in places[is_result:]]
    documentation = next(each.summary for each in instruction_help.spellings() if each.name == name)
    is_known = active is not None and active < len(parameters)
    signature = lsp.SignatureInformation(form, documentation, parameters)
    return lsp.SignatureHelp([signature], 0, active if is_known else None)
