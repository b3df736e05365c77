# SPDX-License-Identifier: BSD-3-Clause
"""Maps the errors of the dialect's verifier back to the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from mlir import ir

from tinytc_mlir.frontend import ast, spelling
from tinytc_mlir.frontend.mlir_diagnostics import is_dump
from tinytc_mlir.frontend.names import written_names
from tinytc_mlir.frontend.source import Note, Reporter, Source, Span, TextError, quote

_OPERAND = re.compile(r"^operand #(\d+) must be (.*), but got '?(.*?)'?$")
_RESULT = re.compile(r"^result #\d+ must be (.*), but got '?(.*?)'?$")
_QUOTED = re.compile(r"'(\w+)'")
_PARAMETER = re.compile(r"\bparameter (\d+)\b")
_KINDS = {
    "reference to a tensor in memory": "a memref",
    "matrix distributed across a subgroup": "a coopmatrix",
    "32-bit signless integer": "i32",
}
"""Names of types in the language, by their descriptions in the dialect."""


Nodes: TypeAlias = Mapping[int | Span, ast.Instruction | ast.Function | ast.Operation]


def verify(module: ir.Module, reporter: Reporter, nodes: Nodes) -> None:
    """Verify a module and report every error at its place in the text.

    Args:
        module: the module.
        reporter: where errors go.
        nodes: functions and instructions by the offset of their locations.
    """
    errors = _errors(module.operation)
    if not errors:
        return
    # The verifier stops at the first wrong op of a function: ask the others one by one.
    found = [
        text_error(error, reporter.source, nodes, list(op.operands))
        for op in _leaves(module.operation)
        for error in _errors(op)
    ]
    found += [text_error(error, reporter.source, nodes, []) for error in errors]
    reporter.add_all(found)


def _errors(op: ir.Operation) -> list[ir.DiagnosticInfo]:
    try:
        op.verify()
    except ir.MLIRError as error:
        return list(error.error_diagnostics)
    return []


def _leaves(op: ir.Operation) -> Iterator[ir.Operation]:
    """Yield all ops without regions."""
    pending = [op]
    while pending:
        current = pending.pop()
        if len(current.regions) == 0:
            yield current
        for region in current.regions:
            for block in region.blocks:
                pending += [inner.operation for inner in block.operations]


def text_error(
    info: ir.DiagnosticInfo,
    source: Source,
    nodes: Nodes,
    operands: list[ir.Value],
) -> TextError:
    """Return an error of the verifier as an error in the text.

    Args:
        info: what the verifier says.
        source: text that the locations refer to.
        nodes: functions, instructions and parts of expressions by their places.
        operands: operands of the op, where they are known.
    """
    span = location_span(info.location, source) or Span(0, 0)
    names = written_names(source.text, span.start)
    notes = [
        Note(spelling.rewrite_message(note.message, names), location_span(note.location, source))
        for note in info.notes
        if not is_dump(note)
    ]
    node = nodes.get(span) or nodes.get(span.start)
    if isinstance(node, ast.Function):
        return _function_error(spelling.rewrite_message(info.message, names), node, span, notes)
    if node is None:
        return TextError(spelling.rewrite_message(info.message, names), span, *notes)
    type_ = node.type if isinstance(node, ast.Instruction) else None
    type_span = None if type_ is None else type_.span
    text = spelling.rewrite_types(spelling.OP_PREFIX.sub("", info.message))
    if match := _RESULT.match(text):
        kind = _KINDS.get(match[1], match[1])
        message = f"expected the result to be {kind}, got {match[2]}"
        return TextError(message, type_span or span, *notes)
    places = _places(node)
    operand_names = [name for name in places if name[0] not in '#"']
    if (match := _OPERAND.match(text)) and int(match[1]) < len(operand_names):
        place = places[operand_names[int(match[1])]]
        shown = source.text[place.start : place.end]
        kind = _KINDS.get(match[2], match[2])
        return TextError(f"expected '{shown}' to be {kind}, got {match[3]}", place, *notes)
    mentioned = [name for name in _QUOTED.findall(text) if name in operand_names]
    for name in dict.fromkeys(mentioned):
        shown = source.text[places[name].start : places[name].end]
        shown_type = _type_of(operands, operand_names.index(name))
        notes.append(Note(f"'{name}' is {quote(shown)}{shown_type}", places[name]))
    if text.startswith("expected 'result'") and type_span is not None:
        span = type_span
    elif mentioned:
        span = places[mentioned[0]]
    elif text.startswith("expected the mode ") and "#mode" in places:
        span = places["#mode"]
    elif text.startswith("expected the index to be") and "#index" in places:
        span = places["#index"]
    return TextError(spelling.rewrite_message(info.message, names), span, *notes)


def _function_error(message: str, node: ast.Function, span: Span, notes: list[Note]) -> TextError:
    """Return an error of a function, at the parameter that it refers to."""
    match = _PARAMETER.search(message)
    if match and int(match[1]) < len(node.parameters):
        parameter = node.parameters[int(match[1])]
        message = _PARAMETER.sub(f"'%{parameter.name}'", message)
        span = parameter.span
    return TextError(message, span, *notes)


def _places(node: ast.Instruction | ast.Operation) -> dict[str, Span]:
    """Return the place of each operand, index and constant that the table names."""
    places: dict[str, Span] = {}
    indices = node.indices if isinstance(node, ast.Instruction) else []
    for names, operands in (
        (node.spec.operands, node.operands),
        ((*node.spec.indices, *node.spec.trailing), indices),
    ):
        for name, operand in zip(names, operands, strict=False):
            if name[0] != "*":
                places[name] = operand.span
    return places


def _type_of(operands: list[ir.Value], position: int) -> str:
    """Return the type of an operand for a note, nothing if it is not known."""
    if position >= len(operands):
        return ""
    return f" of type {spelling.type_text(operands[position].type)}"


def location_span(location: ir.Location, source: Source) -> Span | None:
    """Return the range of the text that a location refers to, None if there is none."""
    while not location.is_a_file():
        if location.is_a_name():
            location = location.child_loc
        elif location.is_a_fused() and len(location.locations):
            location = location.locations[0]
        else:
            return None
    start = source.offset_in(location.filename, location.start_line, location.start_col)
    end = source.offset_in(location.filename, location.end_line, location.end_col)
    return Span(start, max(start, end) + 1)
