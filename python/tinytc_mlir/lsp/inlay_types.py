# SPDX-License-Identifier: BSD-3-Clause
"""Shows types of values beside their definitions where the line does not say them."""

from __future__ import annotations

import warnings
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from tinytc_mlir.errors import CompileError

if TYPE_CHECKING:
    from mlir import ir

    from .documents import Document
    from .server import TensorLanguageServer


def add(server: TensorLanguageServer) -> None:
    """Add the feature to a server."""

    @server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
    def inlay_hints(parameters: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        document = server.document(parameters.text_document.uri)
        first, last = parameters.range.start.line, parameters.range.end.line
        found = hints(document, server.defines)
        return [hint for hint in found if first <= hint.position.line <= last]


def hints(document: Document, defines: Mapping[str, str]) -> list[lsp.InlayHint]:
    """Return the types of a program, none if it has errors or MLIR is not installed.

    Args:
        document: the file.
        defines: values of compile-time variables, names without the `$`.
    """
    text = document.text.text
    try:
        from tinytc_mlir.frontend import parse

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = parse(text, "<editor>", defines)
    except (CompileError, ImportError):
        return []
    types: dict[str, deque[str]] = defaultdict(deque)
    for name, type_ in _values(module.operation):
        types[name].append(type_)
    found = []
    for symbol in document.names.symbols:
        if symbol.sigil != "%" or symbol.definition is None or not types[symbol.name]:
            continue
        type_ = types[symbol.name].popleft()
        place = document.range(symbol.definition).end
        if type_ not in document.text.line(place.line):
            kind = lsp.InlayHintKind.Type
            found.append(lsp.InlayHint(place, f": {type_}", kind=kind, padding_right=False))
    return found


def _values(operation: ir.Operation) -> Iterator[tuple[str, str]]:
    """Yield names and types of all values that the text names, in its order."""
    from tinytc_mlir.frontend.printer import names_of
    from tinytc_mlir.frontend.spelling import type_text

    names = names_of(operation.location, len(operation.results))
    for name, result in zip(names, operation.results, strict=True):
        yield name, type_text(result.type)
    for region in operation.regions:
        for block in region:
            for argument in block.arguments:
                yield names_of(argument.location, 1)[0], type_text(argument.type)
            for inner in block.operations:
                yield from _values(inner.operation)
