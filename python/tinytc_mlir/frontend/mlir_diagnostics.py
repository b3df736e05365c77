# SPDX-License-Identifier: BSD-3-Clause
"""Converts MLIR's diagnostics to the package's own."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from ..errors import Diagnostic
from .names import written_names
from .source import Source
from .spelling import rewrite_message

_LONGEST_NOTE = 200
_LONGEST_EXCERPT = 160


def diagnostics_of(
    error: Any,
    sources: Mapping[str, str],
    names: Mapping[str, str] = MappingProxyType({}),
    *,
    is_text: bool = False,
) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of an `mlir.ir.MLIRError`.

    Args:
        error: the exception of MLIR.
        sources: source texts by file name, to show the lines in question.
        names: what to call files in place of the names that MLIR knows.
        is_text: whether the sources are texts of the language, not MLIR's; messages then spell
            instructions and types like the text.
    """
    found = [_diagnostic(info, sources, names) for info in error.error_diagnostics]
    found = found or [Diagnostic("error", str(error).strip())]
    return spelled(found, sources) if is_text else tuple(found)


def spelled(found: Iterable[Diagnostic], sources: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """Return diagnostics with instructions and types spelled like their sources.

    Args:
        found: diagnostics with messages of MLIR.
        sources: texts of the language by file name.
    """
    return tuple(
        dataclasses.replace(
            diagnostic,
            message=rewrite_message(diagnostic.message, _names(diagnostic, sources)),
            notes=spelled(diagnostic.notes, sources),
        )
        for diagnostic in found
    )


def _names(diagnostic: Diagnostic, sources: Mapping[str, str]) -> Mapping[str, str]:
    """Return how the text of a diagnostic spells instructions, first of all at its place."""
    text = sources.get(
        diagnostic.filename or "", "" if diagnostic.filename else "".join(sources.values())
    )
    if diagnostic.line is None or diagnostic.column is None:
        return written_names(text)
    return written_names(text, Source(text, "").offset(diagnostic.line, diagnostic.column))


@contextlib.contextmanager
def collected(
    context: Any, sources: Mapping[str, str], names: Mapping[str, str] = MappingProxyType({})
) -> Iterator[list[Diagnostic]]:
    """Collect the diagnostics that an `mlir.ir.Context` reports meanwhile.

    Args:
        context: the context; what it reports goes nowhere else.
        sources: source texts by file name, to show the lines in question.
        names: what to call files in place of the names that MLIR knows.
    """
    found: list[Diagnostic] = []

    def collect(info: Any) -> bool:
        found.append(_diagnostic(info, sources, names))
        return True

    handler = context.attach_diagnostic_handler(collect)
    try:
        yield found
    finally:
        handler.detach()


def _diagnostic(info: Any, sources: Mapping[str, str], names: Mapping[str, str]) -> Diagnostic:
    place = file_location(info.location)
    message = info.message.strip()
    severity = info.severity.name.lower()
    if severity == "note":
        message = _shortened(message)
    notes = tuple(_diagnostic(note, {}, names) for note in info.notes if not is_dump(note))
    if place is None:
        return Diagnostic(severity, message, notes=notes)
    # Line 0 is the text as a whole, of which MLIR makes a module.
    line = place.start_line or None
    column = place.start_col if line else None
    diagnostic = Diagnostic(severity, message, place.filename, line, column, notes=notes)
    diagnostic = with_excerpt(diagnostic, sources)
    return dataclasses.replace(diagnostic, filename=names.get(place.filename, place.filename))


def is_dump(note: Any) -> bool:
    """Whether a note is MLIR's print of the operation, which the excerpt already shows."""
    return str(note.message).startswith("see current operation")


def _shortened(message: str) -> str:
    line, *more = message.splitlines() or [""]
    is_cut = more or len(line) > _LONGEST_NOTE
    return line[:_LONGEST_NOTE] + (" ..." if is_cut else "")


def file_location(location: Any) -> Any:
    """Return the first place in a file that a location names, None if there is none."""
    if location.is_a_file():
        return location
    if location.is_a_name():
        return file_location(location.child_loc)
    if location.is_a_callsite():
        return file_location(location.callee)
    if location.is_a_fused():
        return next(filter(None, map(file_location, location.locations)), None)
    return None


def with_excerpt(diagnostic: Diagnostic, sources: Mapping[str, str]) -> Diagnostic:
    r"""Return the diagnostic with its line of the source text, if that is known.

    >>> at = Diagnostic("error", "expected 'x', got 'y'", "a.ir", 2, 1)
    >>> with_excerpt(at, {"a.ir": "func\n{"}).excerpt
    '{'
    """
    lines = sources.get(diagnostic.filename or "", "").splitlines()
    number, column = diagnostic.line or 0, diagnostic.column or 1
    if not 1 <= number <= len(lines):
        return diagnostic
    start = 0 if column <= _LONGEST_EXCERPT else column - _LONGEST_EXCERPT // 2
    excerpt = lines[number - 1][start : start + _LONGEST_EXCERPT]
    return dataclasses.replace(diagnostic, excerpt=excerpt, excerpt_column=start + 1)
