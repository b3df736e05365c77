"""Checks that tokens order the accesses of a tile block to memory.

Tile IR promises no order but the one that tokens make. A token is the set of the accesses that come
before it, an integer with one bit for each.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Iterable, Sequence

import numpy as np

from tinytc_mlir.errors import InterpreterError
from tinytc_mlir.reference.rounding import Array

Token = int
NO_ACCESS: Token = 0


class Access(enum.Enum):
    """What an operation does with memory."""

    READ = "read"
    WRITE = "write"
    ATOMIC = "atomic access"


@dataclasses.dataclass(frozen=True)
class _Accesses:
    """The accesses of an element that others may have to come after."""

    reads: Token = NO_ACCESS
    writes: Token = NO_ACCESS
    atomics: Token = NO_ACCESS

    def conflicting(self, access: Access) -> Token:
        """Return those that an access must come after."""
        if access is Access.READ:
            return self.writes | self.atomics
        weak = self.reads | self.writes
        return weak if access is Access.ATOMIC else weak | self.atomics

    def after(self, access: Access, bit: Token) -> _Accesses:
        """Return those after one more access."""
        if access is Access.READ:
            return dataclasses.replace(self, reads=self.reads | bit)
        if access is Access.ATOMIC:
            return dataclasses.replace(self, atomics=self.atomics | bit)
        return _Accesses(writes=bit)  # which came after all others


class AccessOrder:
    """The accesses of the tile block that is running.

    Args:
        sizes: bytes of each range of memory.

    >>> order = AccessOrder([8])
    >>> written = order.note(Access.WRITE, NO_ACCESS, [(0, np.array([0, 4]))])
    >>> order.note(Access.READ, written, [(0, np.array([4]))]) == written
    False
    >>> order.note(Access.READ, NO_ACCESS, [(0, np.array([4]))])
    Traceback (most recent call last):
        ...
    tinytc_mlir.errors.InterpreterError: error: expected a token that orders a read after the \
access before it to the same element, got none
    """

    def __init__(self, sizes: Sequence[int]) -> None:
        # For each byte at which an element begins, the number of its accesses.
        self._numbers = [np.full(size, -1, np.int64) for size in sizes]
        self._first = 0
        self._known: list[_Accesses] = []
        self._number_of: dict[_Accesses, int] = {}
        self._count = 0

    def begin(self) -> None:
        """Begin a tile block, which forgets the accesses of the one before it."""
        self._first += len(self._known)
        self._known.clear()
        self._number_of.clear()
        self._count = 0

    def note(self, access: Access, before: Token, places: Iterable[tuple[int, Array]]) -> Token:
        """Note an access, and return the token of what comes after it.

        Args:
            access: what it does.
            before: its token.
            places: for each range of memory that it touches, which bytes the elements begin at.

        Raises:
            InterpreterError: it must come after an access that is not in the token.
        """
        bit = 1 << self._count
        self._count += 1
        for range_number, bytes_ in places:
            numbers = self._numbers[range_number]
            found = numbers[bytes_]
            for number in np.unique(found):
                old = self._known[number - self._first] if number >= self._first else _Accesses()
                if old.conflicting(access) & ~before:
                    raise InterpreterError(
                        f"expected a token that orders a {access.value} after the access before "
                        "it to the same element, got none"
                    )
                numbers[bytes_[found == number]] = self._number(old.after(access, bit))
        return before | bit

    def _number(self, accesses: _Accesses) -> int:
        number = self._number_of.setdefault(accesses, self._first + len(self._known))
        if number == self._first + len(self._known):
            self._known.append(accesses)
        return number
