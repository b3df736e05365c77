# SPDX-License-Identifier: BSD-3-Clause
"""Memory of the abstract machine: every access goes through here and is checked.

A `Storage` is one contiguous range of elements: a kernel argument with all that overlaps it,
or the local memory of one alloca. For each element it knows whether it is initialised and
who accessed it last in which epoch, which is how races are found.
"""

from __future__ import annotations

import dataclasses
import enum
from typing import Any, NoReturn

import numpy as np

from ..errors import Diagnostic
from ..scalars import ScalarType
from . import arithmetic
from .machine import Site, State
from .rounding import Array

_MANY = -1


class AccessKind(enum.IntEnum):
    """How an access may conflict with others; atomic ones by their scope."""

    READ = 0
    WRITE = 1
    ATOMIC = 2
    ATOMIC_IN_GROUP = 3
    ATOMIC_IN_SUBGROUP = 4


_PLAIN = (AccessKind.READ, AccessKind.WRITE)
_VERBS = {
    AccessKind.READ: "reads",
    AccessKind.WRITE: "writes",
    AccessKind.ATOMIC: "updates atomically",
    AccessKind.ATOMIC_IN_GROUP: "updates atomically for its work-group",
    AccessKind.ATOMIC_IN_SUBGROUP: "updates atomically for its subgroup",
}


class _Apart(enum.Enum):
    """Who must be different for two accesses to conflict."""

    AGENTS = enum.auto()
    SUBGROUPS = enum.auto()
    GROUPS = enum.auto()


def _conflict_of(one: AccessKind, other: AccessKind) -> _Apart | None:
    """Return who races by two accesses, None if nobody does."""
    if one in _PLAIN or other in _PLAIN:
        return None if one is other is AccessKind.READ else _Apart.AGENTS
    if AccessKind.ATOMIC_IN_SUBGROUP in (one, other):
        return _Apart.SUBGROUPS
    return _Apart.GROUPS if AccessKind.ATOMIC_IN_GROUP in (one, other) else None


_CONFLICTS = {
    one: {other: apart for other in AccessKind if (apart := _conflict_of(one, other)) is not None}
    for one in AccessKind
}


@dataclasses.dataclass(frozen=True)
class Atomic:
    """What an atomic instruction does to each element.

    Args:
        word: "load", "store", "add", "min" or "max".
        kind: how it may conflict with other accesses.
        acquires: whether it orders later accesses of its work-item.
    """

    word: str
    kind: AccessKind = AccessKind.ATOMIC
    acquires: bool = False


@dataclasses.dataclass(frozen=True)
class _Conflict:
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


class _Shadow:
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
    ) -> _Conflict | None:
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
        for other, apart in _CONFLICTS[kind].items():
            before = self._epochs[other, addresses]
            same_epoch = before == epoch
            if apart is _Apart.AGENTS:
                same_epoch &= self._agents[other, addresses] != agents
            elif apart is _Apart.SUBGROUPS:
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
    ) -> _Conflict | None:
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
    ) -> _Conflict:
        address = addresses[index]
        agent, site = int(self._agents[kind, address]), int(self._sites[kind, address])
        return _Conflict(index, agent, site, kind, between_groups)


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
    table[addresses[several | repeated]] = _MANY
    return repeated


class Storage:
    """A contiguous range of elements of one type.

    Args:
        flat: (n,) array of the elements in memory order.
        scalar_type: type of the elements.
        address_space: "local" or "global".
        name: what a message calls it.
        site: the alloca, None for kernel arguments.
    """

    def __init__(
        self,
        flat: Array,
        scalar_type: ScalarType,
        address_space: str,
        name: str,
        site: Site | None = None,
    ) -> None:
        self.flat = flat
        self.scalar_type = scalar_type
        self.address_space = address_space
        self.name = name
        self.site = site
        self.initialised: Array | None = None if site is None else np.zeros(len(flat), bool)
        self.end_of_life: Site | None = None
        self._shadow: _Shadow | None = None

    def read(
        self,
        state: State,
        site: Site,
        addresses: Array,
        agents: Array,
        *,
        is_update: bool = False,
        kind: AccessKind = AccessKind.READ,
    ) -> Array:
        """Return the values of elements.

        Args:
            state: the running work-group.
            site: the instruction that reads.
            addresses: (n,) array of elements.
            agents: (n,) array, who reads each of them.
            is_update: whether the read is half of an atomic update, which the write will record.
            kind: READ, or the kind of an atomic load.
        """
        self._check_initialised(state, site, addresses, agents)
        if not is_update:
            self._record(state, site, kind, addresses, agents)
        return self.scalar_type.from_memory(self.flat[addresses])

    def write(
        self,
        state: State,
        site: Site,
        addresses: Array,
        agents: Array,
        values: Array,
        *,
        kind: AccessKind = AccessKind.WRITE,
    ) -> None:
        """Write values of the storage's type; the last of several to one element wins."""
        self._check_writable(state, site)
        self._record(state, site, kind, addresses, agents)
        self.flat[addresses] = self.scalar_type.to_memory(values)
        if self.initialised is not None:
            self.initialised[addresses] = True

    def add(self, state: State, site: Site, addresses: Array, agents: Array, values: Array) -> None:
        """Add values atomically, rounding after each addition, in the order of the array."""
        self._check_writable(state, site)
        self._check_initialised(state, site, addresses, agents)
        self._record(state, site, AccessKind.ATOMIC, addresses, agents)
        scalar_type = self.scalar_type
        if scalar_type.name != "bf16":
            np.add.at(self.flat, addresses, values)
            return
        for address, value in zip(addresses, np.broadcast_to(values, addresses.shape), strict=True):
            total = scalar_type.from_memory(self.flat[address]) + value
            self.flat[address] = scalar_type.to_memory(total)

    def access(
        self,
        state: State,
        site: Site,
        addresses: Array,
        agents: Array,
        values: Array | None,
        atomic: Atomic,
    ) -> Array | None:
        """Make atomic accesses in the order of the array, which stands for any order.

        Returns:
            the elements before each of them, None for stores.
        """
        if atomic.acquires:
            state.acquire(between_groups=atomic.kind is AccessKind.ATOMIC)
        if values is None:
            return self.read(state, site, addresses, agents, kind=atomic.kind)
        if atomic.word == "store":
            self.write(state, site, addresses, agents, values, kind=atomic.kind)
            return None
        self._check_writable(state, site)
        self._check_initialised(state, site, addresses, agents)
        self._record(state, site, atomic.kind, addresses, agents)
        combine = arithmetic.binary(atomic.word, self.scalar_type)
        scalar_type, values = self.scalar_type, np.broadcast_to(values, addresses.shape)
        if len(np.unique(addresses)) == len(addresses):
            before = scalar_type.from_memory(self.flat[addresses])
            self.flat[addresses] = scalar_type.to_memory(combine(before, values))
            return before
        before = np.zeros(addresses.shape, scalar_type.value_dtype)
        for index, address in enumerate(addresses):
            before[index] = scalar_type.from_memory(self.flat[address])
            self.flat[address] = scalar_type.to_memory(combine(before[index], values[index]))
        return before

    def fail_dead(self, state: State, site: Site) -> NoReturn:
        """Raise the error of an access after `lifetime_stop`."""
        assert self.end_of_life is not None
        notes = [self.end_of_life.diagnostic("note", "its life ends here"), *self._origin()]
        state.fail(site, f"expected {self.name} to be alive", notes=notes)

    def _check_initialised(self, state: State, site: Site, addresses: Array, agents: Array) -> None:
        if self.end_of_life is not None:
            self.fail_dead(state, site)
        if self.initialised is None:
            return
        missing = ~self.initialised[addresses]
        if missing.any():
            index = int(np.argmax(missing))
            state.fail(
                site,
                f"expected element {addresses[index]} of {self.name} to be initialised before "
                "it is read",
                agent=int(agents[index]),
                notes=self._origin(),
            )

    def _check_writable(self, state: State, site: Site) -> None:
        if self.end_of_life is not None:
            self.fail_dead(state, site)
        if not self.flat.flags.writeable:
            state.fail(site, f"expected {self.name} to be writable, got a read-only array")

    def _record(
        self, state: State, site: Site, kind: AccessKind, addresses: Array, agents: Array
    ) -> None:
        """Look for races; in collective regions only other work-groups can race."""
        if state.lanes is None and (self.address_space == "local" or state.total_groups == 1):
            return
        if self._shadow is None:
            self._shadow = _Shadow(len(self.flat))
        epochs = (state.epochs[self.address_space], state.first_epoch)
        subgroups = state.subgroups_of(agents)
        conflict = self._shadow.record(kind, addresses, agents, subgroups, site, epochs)
        if conflict is not None:
            index = conflict.index
            access = (int(addresses[index]), int(agents[index]))
            self._fail_race(state, site, kind, access, conflict)

    def _fail_race(
        self,
        state: State,
        site: Site,
        kind: AccessKind,
        access: tuple[int, int],
        conflict: _Conflict,
    ) -> NoReturn:
        address, agent = access
        is_atomic = kind not in _PLAIN and conflict.kind not in _PLAIN
        if conflict.between_groups:
            other = "another work-group"
            remedy = "work-groups cannot wait for each other"
        else:
            other = "another work-item"
            if conflict.agent not in (_MANY, agent):
                other = state.describe_agent(conflict.agent)
            remedy = f"there is no barrier.{self.address_space} in between"
        if is_atomic:
            remedy = "that is in one step only within the scope"
        note = state.sites[conflict.site].diagnostic(
            "note", f"{other} {_VERBS[conflict.kind]} it here"
        )
        state.fail(
            site,
            f"race: this {_VERBS[kind]} element {address} of {self.name}, which {other} "
            f"{_VERBS[conflict.kind]}; {remedy}",
            agent=agent,
            notes=[note, *self._origin()],
        )

    def _origin(self) -> list[Diagnostic]:
        if self.site is None:
            return []
        return [self.site.diagnostic("note", f"{self.name} is allocated here")]


@dataclasses.dataclass(frozen=True)
class Defect:
    """Why a view must not be used: reported when it is accessed.

    Args:
        site: the instruction that made the view.
        message: the broken rule.
        broken: where it is broken; a bool or a (lanes,) array.
    """

    site: Site
    message: str
    broken: Any


@dataclasses.dataclass(frozen=True)
class MemrefValue:
    """A value of memref type.

    Args:
        storage: the memory, or a (lanes,) array of them if it differs between lanes.
        offset: first element; here and below an int, or a (lanes,) array.
        shape: sizes of the modes.
        stride: strides in elements.
        scalar_type: element type.
        defects: why it must not be accessed.
        is_associated: whether there is memory behind it.
    """

    storage: Any
    offset: Any
    shape: tuple[Any, ...]
    stride: tuple[Any, ...]
    scalar_type: ScalarType
    defects: tuple[Defect, ...] = ()
    is_associated: bool = True

    @property
    def order(self) -> int:
        """Number of modes."""
        return len(self.shape)

    def check_usable(self, state: State, site: Site) -> None:
        """Fail if there is no memory, or the view breaks a rule of the language."""
        if not self.is_associated:
            state.fail(site, f"expected {self.storage.name} to be passed, got None")
        for defect in self.defects:
            lane = None
            if state.lanes is not None and np.ndim(defect.broken):
                broken = defect.broken & state.lanes.active
                if not broken.any():
                    continue
                lane = int(np.argmax(broken))
            note = site.diagnostic("note", "the view is accessed here")
            state.fail(defect.site, defect.message, lane=lane, notes=[note])


@dataclasses.dataclass(frozen=True)
class GroupValue:
    """A value of group type: what a load from each member returns.

    Args:
        members: what the loads return.
        is_associated: whether there are pointers behind it.
    """

    members: tuple[MemrefValue, ...]
    is_associated: bool = True
