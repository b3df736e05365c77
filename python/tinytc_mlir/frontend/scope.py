# SPDX-License-Identifier: BSD-3-Clause
"""Names that are visible at the current place of the text."""

from __future__ import annotations

from typing import Generic, TypeVar

from tinytc_mlir.frontend.cursor import closest
from tinytc_mlir.frontend.source import Note, Span, TextError, quote

_Value = TypeVar("_Value")


class DependsOnError(Exception):
    """A name stands for nothing because its definition has already been reported."""


class Scope(Generic[_Value]):
    """Names of one kind; a name cannot be defined again until its region ends.

    Args:
        prefix: character that the text writes before the names.
        what: what a name of this kind is called in messages.
        outlives_regions: whether a name is seen after its region, until it is defined again.
    """

    def __init__(self, prefix: str, what: str, *, outlives_regions: bool = False) -> None:
        self._prefix = prefix
        self._what = what
        self._outlives_regions = outlives_regions
        self._outlived: dict[str, tuple[_Value, Span | None]] = {}
        self._visible: dict[str, tuple[_Value, Span | None]] = {}  # and where it is defined
        self._regions: list[list[str]] = [[]]
        self._ended: dict[str, Span] = {}

    def enter(self) -> None:
        """Begin a region."""
        self._regions.append([])

    def leave(self) -> None:
        """End a region; its names are free again."""
        for name in self._regions.pop():
            value, span = self._visible.pop(name)
            if self._outlives_regions:
                self._outlived[name] = (value, span)
            if span is not None:
                self._ended[name] = span

    def forget_ended(self) -> None:
        """Forget the names of regions that have ended, which hints would otherwise mention."""
        self._ended.clear()

    def define(self, name: str, span: Span | None, value: _Value) -> None:
        """Bind a name to a value until the end of the current region."""
        if name in self._visible:
            assert span is not None
            raise TextError(
                f"expected a new name, got {quote(self._prefix + name)} again",
                span,
                *self.note(name),
            )
        self._visible[name] = (value, span)
        self._regions[-1].append(name)

    def lookup(self, name: str, span: Span) -> _Value:
        """Return what a name stands for."""
        bound = self._visible.get(name)
        if bound is None and name in self._outlived:
            return self._outlived[name][0]
        if bound is None:
            message = f"expected a defined {self._what}, got {quote(self._prefix + name)}"
            raise TextError(message, span, *self._hints(name))
        return bound[0]

    def note(self, name: str) -> list[Note]:
        """Return the note that shows where a visible name is defined."""
        _, span = self._visible.get(name, (None, None))
        if span is None:
            return []
        return [Note(f"{quote(self._prefix + name)} is defined here", span)]

    def note_of_outlived(self, name: str) -> list[Note]:
        """Return the note that shows where a name is defined that is seen after its region."""
        if name in self._visible or name not in self._outlived:
            return []
        return [self._ended_note(name, self._outlived[name][1])]

    def _ended_note(self, name: str, span: Span | None) -> Note:
        message = f"{quote(self._prefix + name)} is defined here, in a region that has ended"
        return Note(message, span)

    def _hints(self, name: str) -> list[Note]:
        if name in self._ended:
            return [self._ended_note(name, self._ended[name])]
        head = name.split("x", maxsplit=1)[0]
        if head != name and head in self._visible and name[len(head) + 1 :].isdigit():
            return [Note(f"did you mean '{self._prefix}{head} {name[len(head) :]}'?")]
        hint = closest(name, reversed(self._visible))
        return [Note(f"did you mean '{self._prefix}{hint}'?")] if hint else []
