"""Brings the dialect verifier's errors back to the text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mlir import ir

from tinytc_mlir import spelling
from tinytc_mlir.frontend import ast
from tinytc_mlir.frontend.source import Note, Reporter, Source, Span, TextError

_OP_PREFIX = re.compile(r"^'tinytc\.([\w.]+)' op (?:error: )?")
_OP_NAME = re.compile(r"'tinytc\.([\w.]+)'")
_OPERAND = re.compile(r"^operand #(\d+) must be (.*), but got '?(.*?)'?$")
_RESULT = re.compile(r"^result #\d+ must be (.*), but got '?(.*?)'?$")
_NAMED = re.compile(r"^expected '(\w+)' ")
_CURRENT_OPERATION = "see current operation"


def verify(module: ir.Module, reporter: Reporter, program: ast.Program) -> None:
    """Verify a module and report every error at its place in the text."""
    errors = _errors(module.operation)
    if not errors:
        return
    # The verifier stops at the first wrong op of a function: ask the others one by one.
    for op in _leaves(module.operation):
        errors += _errors(op)
    instructions = {node.span.start: node for node in _instructions(program)}
    for error in errors:
        reporter.add(_text_error(error, reporter.source, instructions))


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


def _instructions(program: ast.Program) -> Iterator[ast.Instruction]:
    """Yield all instructions of a program."""
    pending: list[ast.Statement] = []
    for item in program.items:
        if isinstance(item, ast.Function):
            pending += item.body.statements
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Instruction):
            yield node
            for region in node.regions():
                pending += region.statements


def _text_error(
    info: ir.DiagnosticInfo, source: Source, instructions: dict[int, ast.Instruction]
) -> TextError:
    notes = [
        Note(_message(note.message), location_span(note.location, source))
        for note in info.notes
        if not note.message.startswith(_CURRENT_OPERATION)
    ]
    span = location_span(info.location, source) or Span(0, 0)
    text = spelling.rewrite_types(_OP_PREFIX.sub("", info.message))
    node = instructions.get(span.start)
    if node is not None:
        names = _operand_names(node)
        if (match := _OPERAND.match(text)) and int(match[1]) < len(names):
            name = names[int(match[1])]
            place = _operand_span(node, name)
            shown = source.text[place.start : place.end] if place else name
            message = f"expected '{shown}' to be {match[2]}, got {match[3]}"
            return TextError(message, place or span, *notes)
        if (match := _RESULT.match(text)) and node.type is not None:
            message = f"expected the result to be {match[1]}, got {match[2]}"
            return TextError(message, node.type.span, *notes)
        if match := _NAMED.match(text):
            span = _operand_span(node, match[1]) or span
    return TextError(_message(info.message), span, *notes)


def _operand_names(node: ast.Instruction) -> list[str]:
    """Return the names of an op's operands as far as the table of instructions has them."""
    names = [*node.spec.operands, *node.spec.indices]
    return [name for name in names if name[0] not in "#*"]


def _operand_span(node: ast.Instruction, name: str) -> Span | None:
    """Return the place of the operand, the index or the constant with this name."""
    for names, nodes in (
        (node.spec.operands, node.operands),
        (node.spec.indices, node.indices),
    ):
        for candidate, operand in zip(names, nodes, strict=False):
            if candidate.lstrip("#") == name:
                return operand.span
    return node.type.span if name == "result" and node.type is not None else None


def _message(message: str) -> str:
    """Return a message with the names of instructions and types as the language has them."""
    message = _OP_PREFIX.sub(lambda m: "" if "expected" in message else f"'{m[1]}' ", message)
    message = _OP_NAME.sub(r"'\1'", message)
    return spelling.rewrite_types(message)


def location_span(location: ir.Location, source: Source) -> Span | None:
    """Return the range of the text that a location stands for, None if there is none."""
    while not location.is_a_file():
        if location.is_a_name():
            location = location.child_loc
        elif location.is_a_fused() and len(location.locations):
            location = location.locations[0]
        else:
            return None
    start = source.offset(location.start_line, location.start_col)
    end = source.offset(location.end_line, location.end_col)
    return Span(start, max(start, end) + 1)
