# SPDX-License-Identifier: BSD-3-Clause
"""What accesses to memory do, which of them race, and what is wrong with one.

The compiled `CheckedMemory` compares each access with those before: of the reference, and of all
interpreters and emulators of later stages.
"""

from __future__ import annotations

import enum
from typing import NamedTuple

import numpy as np

from .._tinytc import CheckedMemory
from .rounding import Array

MANY = -1
"""The agent that stands for several of them, and the work-group."""


class AccessKind(enum.IntEnum):
    """How an access may conflict with others; atomic ones by their scope."""

    READ = 0
    WRITE = 1
    ATOMIC = 2
    ATOMIC_IN_GROUP = 3
    ATOMIC_IN_SUBGROUP = 4
    CONSTANT = 5
    """A read of what nobody writes in the whole launch."""


NOT_COMPARED = -1
"""In place of a kind: nobody can race with the access."""

READS = (AccessKind.READ, AccessKind.CONSTANT)
PLAIN = (*READS, AccessKind.WRITE)
VERBS = {
    AccessKind.READ: "reads",
    AccessKind.WRITE: "writes",
    AccessKind.ATOMIC: "updates atomically",
    AccessKind.ATOMIC_IN_GROUP: "updates atomically for its work-group",
    AccessKind.ATOMIC_IN_SUBGROUP: "updates atomically for its subgroup",
    AccessKind.CONSTANT: "reads as constant",
}


class Apart(enum.IntEnum):
    """Who must be different for two accesses to conflict."""

    NOBODY = 0
    AGENTS = 1
    SUBGROUPS = 2
    GROUPS = 3
    EVERYBODY = 4
    """They always conflict, even if one agent makes both."""


def _conflict_of(one: AccessKind, other: AccessKind) -> Apart:
    """Return who races by two accesses."""
    if AccessKind.CONSTANT in (one, other) and not {one, other} <= set(READS):
        return Apart.EVERYBODY
    if one in PLAIN or other in PLAIN:
        return Apart.NOBODY if {one, other} <= set(READS) else Apart.AGENTS
    if AccessKind.ATOMIC_IN_SUBGROUP in (one, other):
        return Apart.SUBGROUPS
    return Apart.GROUPS if AccessKind.ATOMIC_IN_GROUP in (one, other) else Apart.NOBODY


#: Who races by two accesses of each kind: the one table of this, for all stages.
CONFLICTS = {
    one: {other: apart for other in AccessKind if (apart := _conflict_of(one, other))}
    for one in AccessKind
}
_APART = [[int(_conflict_of(one, other)) for other in AccessKind] for one in AccessKind]


class Expected(enum.IntEnum):
    """Which cells of an access must be initialised."""

    NOTHING = 0
    ALL = 1
    ANY = 2
    ANY_OF_WORD = 3
    """One byte also suffices for the access to be in bounds."""


class Fault(enum.IntEnum):
    """What is wrong with an access."""

    OUT_OF_BOUNDS = 0
    UNINITIALISED = 1
    RACE = 2
    EQUAL_STORES = 3


class Problem(NamedTuple):
    """A fault of an access.

    Args:
        fault: what is wrong.
        place: position in the access.
        byte: first byte of the element, or the cell that races.
        kind: what the other access of a race was.
        agent: who made it, the work-group if that is another one; MANY for several.
        site: number of its instruction.
        is_between_groups: whether it came from another work-group.
    """

    fault: Fault
    place: int
    byte: int
    kind: AccessKind
    agent: int
    site: int
    is_between_groups: bool


class StoreTimes:
    """When bytes were stored to last, since somebody has watched for the first time.

    Args:
        size_bytes: of the memory.

    >>> times = StoreTimes(16)
    >>> times.note(8, 4)
    >>> time = times.watch()
    >>> times.note(np.array([0, 4]), 4)
    >>> times.is_stored_since(np.array([4, 8]), 4, time).tolist()
    [True, False]
    """

    def __init__(self, size_bytes: int) -> None:
        self._size_bytes, self._time = size_bytes, 0
        self._last: Array | None = None

    def watch(self) -> int:
        """Return a time: stores from now on are not before it."""
        if self._last is None:  # zeros that take no memory until they are used
            self._last = np.zeros(self._size_bytes, np.int64)
        self._time += 1
        return self._time

    def note(self, addresses: Array | int, width: int) -> None:
        """Note stores to elements of some bytes; those outside of the memory are left out."""
        if self._last is not None:
            places = np.asarray(addresses)[..., None] + np.arange(width)
            self._last[places[(places >= 0) & (places < self._size_bytes)]] = self._time

    def is_stored_since(self, addresses: Array, width: int, time: int | Array) -> Array:
        """Return which elements have been stored to since a time that `watch` has returned."""
        assert self._last is not None
        places = np.clip(addresses[..., None] + np.arange(width), 0, self._size_bytes - 1)
        return np.asarray((self._last[places] >= np.asarray(time)[..., None]).any(axis=-1))


def problems_of(found: list[tuple[int, int, int, int, int, int, bool]]) -> list[Problem]:
    """Return what `CheckedMemory.access` has found."""
    return [
        Problem(Fault(fault), place, byte, AccessKind(kind), agent, site, is_between)
        for fault, place, byte, kind, agent, site, is_between in found
    ]


def checked_memory(
    bytes_: Array, cell_bytes: int, *, initialised: Array | None = None, owners: Array | None = None
) -> CheckedMemory:
    """Return a memory whose accesses are compared.

    Args:
        bytes_: the memory.
        cell_bytes: size of the cells that are compared; no element is smaller.
        initialised: (cells,) bool array, which of them are, changed by accesses; None for all.
        owners: (bytes,) array of int32: the number of the object that each byte belongs to,
            negative for gaps in it, 0 for nobody; None if all belongs to one.

    >>> import numpy as np
    >>> from tinytc_mlir._tinytc import Order
    >>> memory = checked_memory(np.zeros(8, np.uint8), 4)
    >>> order = Order(epoch=1)
    >>> def access(kind, agent, values):
    ...     return memory.access(kind, 1, 4, 4, agent, order, 0, values)
    >>> access(AccessKind.WRITE, 0, np.ones(1, np.float32))
    >>> problems_of(access(AccessKind.READ, 5, None))[0].fault.name
    'RACE'
    """
    return CheckedMemory(bytes_, cell_bytes, initialised, owners, _APART)
