# SPDX-License-Identifier: BSD-3-Clause
"""Who accessed each number in memory last, which is how races are found."""

from __future__ import annotations

import dataclasses
import enum

import numpy as np

from .machine import Site
from .rounding import Array

MANY = -1


class AccessKind(enum.IntEnum):
    """How an access may conflict with others; atomic ones by their scope."""

    READ = 0
    WRITE = 1
    ATOMIC = 2
    ATOMIC_IN_GROUP = 3
    ATOMIC_IN_SUBGROUP = 4


PLAIN = (AccessKind.READ, AccessKind.WRITE)
VERBS = {
    AccessKind.READ: "reads",
    AccessKind.WRITE: "writes",
    AccessKind.ATOMIC: "updates atomically",
    AccessKind.ATOMIC_IN_GROUP: "updates atomically for its work-group",
    AccessKind.ATOMIC_IN_SUBGROUP: "updates atomically for its subgroup",
}


class Apart(enum.Enum):
    """Who must be different for two accesses to conflict."""

    AGENTS = enum.auto()
    SUBGROUPS = enum.auto()
    GROUPS = enum.auto()


def _conflict_of(one: AccessKind, other: AccessKind) -> Apart | None:
    """Return who races by two accesses, None if nobody does."""
    if one in PLAIN or other in PLAIN:
        return None if one is other is AccessKind.READ else Apart.AGENTS
    if AccessKind.ATOMIC_IN_SUBGROUP in (one, other):
        return Apart.SUBGROUPS
    return Apart.GROUPS if AccessKind.ATOMIC_IN_GROUP in (one, other) else None


#: Who races by two accesses of each kind: the one table of this, for all stages.
CONFLICTS = {
    one: {other: apart for other in AccessKind if (apart := _conflict_of(one, other)) is not None}
    for one in AccessKind
}


@dataclasses.dataclass(frozen=True)
class Conflict:
    """An earlier access that races with a new one.

    Args:
        index: position in the new access.
        agent: who made the earlier access, -1 for several.
        site: number of the earlier instruction.
        kind: what the earlier access was.
        between_groups: whether it came from another work-group.
    """

    index: int
    agent: int
    site: int
    kind: AccessKind
    between_groups: bool


class Shadow:
    """The last access of each kind to every element: epoch, agent and instruction."""

    def __init__(self, size: int) -> None:
        self._epochs = np.zeros((len(AccessKind), size), np.int64)
        self._agents = np.zeros((len(AccessKind), size), np.int64)
        self._subgroups = np.zeros((len(AccessKind), size), np.int64)
        self._sites = np.zeros((len(AccessKind), size), np.int32)

    def record(
        self,
        kind: AccessKind,
        addresses: Array,
        agents: Array,
        subgroups: Array,
        site: Site,
        epochs: tuple[int, int],
    ) -> Conflict | None:
        """Record an access; return a conflict with an earlier one.

        Args:
            kind: what the access does.
            addresses: (n,) array of elements.
            agents: (n,) array, who accesses each of them.
            subgroups: (n,) array of the subgroups of these agents.
            site: the instruction.
            epochs: the current epoch and the first one of the work-group.
        """
        epoch, first_epoch = epochs
        for other, apart in CONFLICTS[kind].items():
            before = self._epochs[other, addresses]
            same_epoch = before == epoch
            if apart is Apart.AGENTS:
                same_epoch &= self._agents[other, addresses] != agents
            elif apart is Apart.SUBGROUPS:
                same_epoch &= self._subgroups[other, addresses] != subgroups
            else:
                same_epoch[:] = False
            between_groups = (before > 0) & (before < first_epoch)
            found = same_epoch | between_groups
            if found.any():
                index = int(np.argmax(found))
                return self._conflict(other, addresses, index, bool(between_groups[index]))
        return self._note(kind, addresses, agents, subgroups, site, epoch)

    def _note(
        self,
        kind: AccessKind,
        addresses: Array,
        agents: Array,
        subgroups: Array,
        site: Site,
        epoch: int,
    ) -> Conflict | None:
        known = self._epochs[kind, addresses] == epoch
        self._epochs[kind, addresses] = epoch
        self._sites[kind, addresses] = site.number
        repeated = _note_who(self._agents[kind], addresses, agents, known)
        apart = _note_who(self._subgroups[kind], addresses, subgroups, known)
        races = {AccessKind.WRITE: repeated, AccessKind.ATOMIC_IN_SUBGROUP: apart}.get(kind)
        if races is not None and races.any():
            return self._conflict(kind, addresses, int(np.argmax(races)), False)
        return None

    def _conflict(
        self, kind: AccessKind, addresses: Array, index: int, between_groups: bool
    ) -> Conflict:
        address = addresses[index]
        agent, site = int(self._agents[kind, address]), int(self._sites[kind, address])
        return Conflict(index, agent, site, kind, between_groups)


def _note_who(table: Array, addresses: Array, who: Array, known: Array) -> Array:
    """Note who accesses elements; return where several access one in this access.

    Args:
        table: the last one to access each element, changed.
        addresses: (n,) array of elements.
        who: (n,) array of agents or subgroups.
        known: (n,) bool array, where the table is of this epoch.
    """
    several = known & (table[addresses] != who)
    table[addresses] = who
    repeated: Array = table[addresses] != who
    table[addresses[several | repeated]] = MANY
    return repeated
