# SPDX-License-Identifier: BSD-3-Clause
"""Text of a program with its positions, and the collector of its errors."""

from __future__ import annotations

import bisect
import dataclasses
import re
from collections.abc import Iterable
from typing import NamedTuple

from tinytc_mlir.errors import Diagnostic, ParseError
from tinytc_mlir.files import is_compiled

MAX_ERRORS = 20
"""Number of errors that one run shows."""

_BYTE_ORDER_MARK = "\ufeff"
_MAX_EXCERPT = 160
_MAX_QUOTED = 40
_MAX_MESSAGE = 400
_NEWLINE = re.compile("\n")


class Span(NamedTuple):
    """Half-open range of character offsets in a source text."""

    start: int
    end: int


class Note(NamedTuple):
    """Message about a second place that explains an error."""

    message: str
    span: Span | None = None


class Source:
    r"""Text of one file; maps character offsets to lines and columns, both counted from 1.

    >>> Source("a\nbc", "x.ir").position(3)
    (2, 2)
    """

    def __init__(self, text: str, filename: str) -> None:
        self.text = text
        self.filename = filename
        self._line_starts = [0, *(m.end() for m in _NEWLINE.finditer(text))]

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset."""
        line = bisect.bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def range(self, span: Span) -> tuple[int, int, int, int]:
        """Return line and column of the first character of a span, and of the last one."""
        start, end = span
        line, column = self.position(start)
        last = end - 1 if end > start else start
        if line == len(self._line_starts) or last < self._line_starts[line]:  # in the same line
            return line, column, line, column + last - start
        return line, column, *self.position(last)

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a line and column, clamped to the text."""
        line = min(max(line, 1), len(self._line_starts))
        return min(self._line_starts[line - 1] + max(column, 1) - 1, len(self.text))

    def filename_at(self, offset: int) -> str:
        """Return the name of the file that an offset is in."""
        return self.filename

    def offset_in(self, filename: str, line: int, column: int) -> int:
        """Return the offset of a line and column of one of the files."""
        return self.offset(line, column)

    def diagnostic(
        self, message: str, span: Span, notes: Iterable[Note] = (), severity: str = "error"
    ) -> Diagnostic:
        """Return a diagnostic with the place, the source line and the notes."""
        start, end = span
        line, column = self.position(start)
        excerpt, excerpt_column = self._excerpt(line, column)
        room = excerpt_column + len(excerpt) - column
        return Diagnostic(
            severity,
            message,
            self.filename,
            line,
            column,
            max(1, min(end - start, room)),
            tuple(self._note(note) for note in notes),
            excerpt,
            excerpt_column,
        )

    def _note(self, note: Note) -> Diagnostic:
        if note.span is None:
            return Diagnostic("note", shortened(note.message, _MAX_MESSAGE))
        message = shortened(note.message, _MAX_MESSAGE)
        return self.diagnostic(message, note.span, severity="note")

    def _excerpt(self, line: int, column: int) -> tuple[str, int]:
        """Return the text of a line, cut around the column if it is very long."""
        start = self._line_starts[line - 1]
        end = self._line_starts[line] - 1 if line < len(self._line_starts) else len(self.text)
        first = max(0, column - 1 - _MAX_EXCERPT // 2) if end - start > _MAX_EXCERPT else 0
        excerpt = self.text[start + first : min(end, start + first + _MAX_EXCERPT)]
        return "".join(map(_visible, excerpt.rstrip("\r"))), first + 1


class TextError(Exception):
    """An error at a place in the text, on its way to the reporter."""

    def __init__(self, message: str, span: Span, *notes: Note) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.notes = notes


class TooManyErrors(Exception):
    """The reporter holds as many errors as one run shows."""


class Reporter:
    """Collects the errors of one source and raises them together."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._errors: dict[tuple[int, str], Diagnostic] = {}
        self.warnings: list[Diagnostic] = []
        self._left_out = ""
        self._unreadable_lines: set[int] = set()
        self._unreadable_end = 0

    def __bool__(self) -> bool:
        """Return whether there is an error."""
        return bool(self._errors)

    def add_unreadable(self, error: TextError) -> None:
        """Record characters that are not a token; nothing else on their line is reported."""
        line, _ = self.source.position(error.span.start)
        if line not in self._unreadable_lines:
            self.add(error)
            self._unreadable_lines.add(line)
        end = self.source.text.find("\n", error.span.start)
        self._unreadable_end = end if end >= 0 else len(self.source.text)

    def is_unreadable(self, offset: int) -> bool:
        """Return whether an offset is on the line of the last characters that are not a token."""
        return offset < self._unreadable_end

    def add(self, error: TextError) -> None:
        """Record an error; the same message at the same place counts once.

        Raises:
            TooManyErrors: there are as many errors as one run shows already.
        """
        line, _ = self.source.position(error.span.start)
        key = (error.span.start, error.message)
        if key in self._errors or line in self._unreadable_lines:
            return
        if len(self._errors) >= MAX_ERRORS:
            self._left_out = f"stopped after {MAX_ERRORS} errors"
            raise TooManyErrors
        message = shortened(error.message, _MAX_MESSAGE)
        self._errors[key] = self.source.diagnostic(message, error.span, error.notes)

    def warn(self, warning: TextError) -> None:
        """Record what is no error."""
        found = self.source.diagnostic(warning.message, warning.span, warning.notes)
        self.warnings.append(dataclasses.replace(found, severity="warning"))

    def add_all(self, errors: Iterable[TextError]) -> None:
        """Record the first errors of a text, and how many there are beyond those."""
        found: dict[tuple[int, str], TextError] = {}
        for error in errors:
            found.setdefault((error.span.start, error.message), error)
        first = sorted(found)[:MAX_ERRORS]
        for key in first:
            self.add(found[key])
        if len(found) > len(first):
            self._left_out = counted(len(found) - len(first), "more error")

    def diagnostics(self) -> list[Diagnostic]:
        """Return the errors in source order, and a note if some were left out."""
        found = [self._errors[key] for key in sorted(self._errors)]
        if self._left_out:
            found.append(Diagnostic("note", self._left_out))
        return found


def decode(text: str | bytes, filename: str) -> str:
    r"""Return the text of a program; a byte order mark at its start is not part of it.

    Raises:
        ParseError: if it is not text, or its bytes are not UTF-8; the place of the first wrong byte
            is given.

    >>> decode(b"\xef\xbb\xbffunc", "a.ir"), decode("\ufefffunc", "a.ir")
    ('func', 'func')
    """
    if isinstance(text, str):
        return text.removeprefix(_BYTE_ORDER_MARK)
    if not isinstance(text, (bytes, bytearray)):
        message = f"expected a text (str or bytes), got {type(text).__name__}"
        raise ParseError([Diagnostic("error", message, filename)])
    if is_compiled(bytes(text)):
        message = "expected a program in text, got a compiled one, which `tinytc_mlir.load` reads"
        raise ParseError([Diagnostic("error", message, filename)])
    try:
        return text.decode().removeprefix(_BYTE_ORDER_MARK)
    except UnicodeDecodeError as error:
        before = text[: error.start].decode().removeprefix(_BYTE_ORDER_MARK)
        byte = text[error.start]
        span = Span(len(before), len(before) + 1)
        source = Source(before + "\ufffd", filename)
        message = f"expected UTF-8 text, got byte 0x{byte:02x}"
        raise ParseError([source.diagnostic(message, span)]) from None


def checked_filename(name: object) -> str:
    """Return what the caller calls a text.

    Raises:
        ParseError: it is not a str.
    """
    if isinstance(name, str):
        return name
    message = f"expected the name of a file (str), got an object of type {type(name).__name__}"
    raise ParseError(message)


def quote(text: str) -> str:
    """Return a piece of the text in quotes, shortened, with odd characters escaped."""
    text = shortened(text, _MAX_QUOTED)
    return "'" + "".join(c if " " <= c <= "~" else _escape(c) for c in text) + "'"


def shortened(text: str, length: int) -> str:
    """Return a text, cut if it is longer than allowed.

    >>> shortened("abcdefgh", 6)
    'abc...'
    """
    return text if len(text) <= length else text[: length - 3] + "..."


def alternatives(words: Iterable[str]) -> str:
    """Return words as a list in a sentence.

    >>> alternatives(["'a'", "'b'", "'c'"])
    "'a', 'b' or 'c'"
    """
    *init, last = words
    return f"{', '.join(init)} or {last}" if init else last


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "result"), counted(2, "result")
    ('1 result', '2 results')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _visible(character: str) -> str:
    return character if character == "\t" or character.isprintable() else "\ufffd"


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{{{code:x}}}"
