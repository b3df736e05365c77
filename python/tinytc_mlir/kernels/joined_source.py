# SPDX-License-Identifier: BSD-3-Clause
"""Places in several files: that of a function, and those of functions that are inlined in it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from ..errors import Diagnostic
from ..frontend.source import Note, Source, Span


class JoinedSource(Source):
    """The text of a function's file, and of the files of functions that are inlined in it."""

    def __init__(self, first: Source) -> None:
        super().__init__(first.text, first.filename)
        self.files = [(0, first)]
        self._starts = {first: 0}

    def start_of(self, source: Source) -> int:
        """Return the offset at which the text of a file begins, which is added if it is new."""
        if source not in self._starts:
            last, text = self.files[-1]
            same = (
                start
                for start, known in self.files
                if (known.filename, known.text) == (source.filename, source.text)
            )
            self._starts[source] = next(same, last + len(text.text) + 1)
            if self._starts[source] > last:
                self.files.append((self._starts[source], source))
        return self._starts[source]

    def _file(self, offset: int) -> tuple[int, Source]:
        return next(file for file in reversed(self.files) if file[0] <= offset)

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset in its file."""
        start, source = self._file(offset)
        return source.position(offset - start)

    def range(self, span: Span) -> tuple[int, int, int, int]:
        """Return line and column of the first and the last character of a span in its file."""
        start, source = self._file(span.start)
        return source.range(Span(span.start - start, span.end - start))

    def filename_at(self, offset: int) -> str:
        """Return the name of the file that an offset is in."""
        return self._file(offset)[1].filename

    def offset_in(self, filename: str, line: int, column: int) -> int:
        """Return the offset of a line and column of one of the files."""
        files = [file for file in self.files if file[1].filename == filename]
        start, source = (files or self.files)[0]
        return start + source.offset(line, column)

    def diagnostic(
        self, message: str, span: Span, notes: Iterable[Note] = (), severity: str = "error"
    ) -> Diagnostic:
        """Return a diagnostic with the place in its file; notes may be in others."""
        start, source = self._file(span.start)
        local = Span(span.start - start, span.end - start)
        made = source.diagnostic(message, local, (), severity)
        return dataclasses.replace(made, notes=tuple(map(self._note, notes)))
