"""Who touched each piece of memory since the last barrier, and which accesses race.

An entry of a table packs epoch, instruction and agent into 64 bits. An epoch lies between
two barriers; an agent is a work-item, or a work-group where these are compared.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping

import numpy as np

from tinytc_mlir.reference.rounding import Array
from tinytc_mlir.reference.shadow import CONFLICTS, AccessKind

_AGENT_BITS = 20
_SITE_BITS = 20
SEVERAL = (1 << _AGENT_BITS) - 1
"""The agent of an entry that stands for more than one of them."""


class Access(enum.IntEnum):
    """What an instruction does to memory."""

    LOAD = 0
    STORE = 1
    ATOMIC = 2
    NARROW = 3
    """An atomic access whose scope does not include other agents."""


_KINDS = {
    Access.LOAD: AccessKind.READ,
    Access.STORE: AccessKind.WRITE,
    Access.ATOMIC: AccessKind.ATOMIC,
    Access.NARROW: AccessKind.ATOMIC_IN_SUBGROUP,
}
# What an access of another agent may be that races; two of one kind are compared apart.
_RIVALS = {
    one: [other for other in Access if other is not one and _KINDS[other] in CONFLICTS[_KINDS[one]]]
    for one in Access
}


@dataclasses.dataclass(frozen=True)
class Batch:
    """Accesses of one kind, one entry for each piece of memory that each agent touches.

    Args:
        keys: (n,) array of the pieces.
        agents: (n,) array of who touches them, SEVERAL for more than one.
        sites: (n,) array of numbers of the instructions.
        bits: (n,) array of what is stored, None if nothing is.
    """

    keys: Array
    agents: Array
    sites: Array
    bits: Array | None = None


@dataclasses.dataclass(frozen=True)
class Party:
    """One side of a race.

    Args:
        kind: what it does.
        agent: who it is, SEVERAL for more than one.
        site: number of the instruction.
    """

    kind: Access
    agent: int
    site: int


@dataclasses.dataclass(frozen=True)
class Conflict:
    """Two accesses that race.

    Args:
        key: the piece of memory.
        one: one access.
        other: the other one, made by another agent.
        is_equal: whether both store the same value.
    """

    key: int
    one: Party
    other: Party
    is_equal: bool = False


class Shadow:
    """Finds accesses of different agents in one epoch, one of which changes memory.

    Args:
        size: number of pieces of memory.

    >>> shadow = Shadow(8)
    >>> store = Batch(np.array([3]), np.array([0]), np.array([7]), np.array([1]))
    >>> load = Batch(np.array([3]), np.array([1]), np.array([9]))
    >>> {conflict.key for conflict in shadow.note({Access.STORE: store, Access.LOAD: load})}
    {3}
    >>> shadow.epoch += 1
    >>> shadow.note({Access.LOAD: load})
    []
    """

    def __init__(self, size: int) -> None:
        self.epoch = 1
        self._entries = np.zeros((len(Access), size), np.int64)
        self._stored = np.zeros(size, np.uint64)
        self._differs = np.zeros(size, np.int64)  # last epoch in which unequal values were stored

    def note(self, batches: Mapping[Access, Batch]) -> list[Conflict]:
        """Note accesses of this epoch; return a conflict for each pair of instructions that race.

        Args:
            batches: accesses of each kind; two of them may be found in both orders.
        """
        entries = {kind: self._pack(batch) for kind, batch in batches.items()}
        conflicts: list[Conflict] = []
        stores = batches.get(Access.STORE)
        if stores is not None:
            self._note_values(stores)
        for kind, batch in batches.items():
            crowded = self._merge(kind, batch, entries[kind])
            if kind is Access.STORE:
                conflicts += self._between_stores(batch, crowded)
            elif kind is Access.NARROW:
                conflicts += self._conflicts(kind, batch, kind, batch, crowded)
        for kind, batch in batches.items():
            for rival in _RIVALS[kind]:
                others = self._entries[rival, batch.keys]
                found = self._is_current(others) & _are_different(others, entries[kind])
                conflicts += self._conflicts(kind, batch, rival, batches.get(rival), found)
        return conflicts

    def _pack(self, batch: Batch) -> Array:
        head = (self.epoch << _SITE_BITS) + batch.sites
        packed: Array = (head << _AGENT_BITS) | batch.agents
        return packed

    def _is_current(self, entries: Array) -> Array:
        current: Array = (entries >> (_AGENT_BITS + _SITE_BITS)) == self.epoch
        return current

    def _merge(self, kind: Access, batch: Batch, entries: Array) -> Array:
        """Keep the last entry for each key, with SEVERAL where agents differ; return where."""
        table, keys = self._entries[kind], batch.keys
        before = table[keys]
        table[keys] = entries
        several = _are_different(table[keys], entries)
        several |= self._is_current(before) & _are_different(before, entries)
        table[keys[several]] |= SEVERAL
        crowded: Array = (table[keys] & SEVERAL) == SEVERAL
        return crowded

    def _note_values(self, batch: Batch) -> None:
        """Note where values are stored that differ from one another."""
        assert batch.bits is not None
        keys = batch.keys
        known = self._is_current(self._entries[Access.STORE, keys])
        differs = known & (self._stored[keys] != batch.bits)
        self._stored[keys] = batch.bits
        differs |= self._stored[keys] != batch.bits
        self._differs[keys[differs]] = self.epoch

    def _between_stores(self, batch: Batch, crowded: Array) -> list[Conflict]:
        differs = self._differs[batch.keys] == self.epoch
        unequal = self._conflicts(Access.STORE, batch, Access.STORE, batch, crowded & differs)
        equal = self._conflicts(Access.STORE, batch, Access.STORE, batch, crowded & ~differs)
        return unequal + [dataclasses.replace(each, is_equal=True) for each in equal]

    def _conflicts(
        self, kind: Access, batch: Batch, rival: Access, rivals: Batch | None, found: Array
    ) -> list[Conflict]:
        """Return the first conflict of each pair of instructions among the entries found."""
        indices = np.flatnonzero(found)
        if not indices.size:
            return []
        pairs = (batch.sites[indices] << _SITE_BITS) | self._sites(rival, batch.keys[indices])
        _, first = np.unique(pairs, return_index=True)
        result = []
        for index in indices[first]:
            key = int(batch.keys[index])
            one = Party(kind, int(batch.agents[index]), int(batch.sites[index]))
            result.append(Conflict(key, one, self._other(one, key, rival, rivals)))
        return result

    def _sites(self, kind: Access, keys: Array) -> Array:
        sites: Array = (self._entries[kind, keys] >> _AGENT_BITS) & ((1 << _SITE_BITS) - 1)
        return sites

    def _other(self, one: Party, key: int, rival: Access, rivals: Batch | None) -> Party:
        """Return who an access races with: by name if that one is in the same batch."""
        if rivals is not None:
            known = np.flatnonzero((rivals.keys == key) & (rivals.agents != one.agent))
            if known.size:
                index = known[-1]
                return Party(rival, int(rivals.agents[index]), int(rivals.sites[index]))
        entry = int(self._entries[rival, key])
        return Party(rival, entry & SEVERAL, (entry >> _AGENT_BITS) & ((1 << _SITE_BITS) - 1))


def _are_different(entries: Array, others: Array) -> Array:
    """Return where two entries are of different agents, or one of them of several."""
    different: Array = (((entries ^ others) & SEVERAL) != 0) | ((entries & SEVERAL) == SEVERAL)
    return different
