# SPDX-License-Identifier: BSD-3-Clause
"""Memory of the abstract machine: every access goes through here and is checked.

A `Storage` is one contiguous range of elements: a kernel argument with all that overlaps it,
or the local memory of one alloca. For each element the compiled memory under it knows whether
it is initialised and who accessed it last, which is how races are found.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, NoReturn

import numpy as np

from ..errors import Diagnostic
from ..scalars import ScalarType
from .machine import Site, State
from .rounding import Array
from .shadow import (
    MANY,
    NOT_COMPARED,
    PLAIN,
    VERBS,
    AccessKind,
    Expected,
    Fault,
    Problem,
    checked_memory,
    problems_of,
)


@dataclasses.dataclass(frozen=True)
class Atomic:
    """The effect of an atomic instruction on each element.

    Args:
        word: "load", "store", "add", "min" or "max".
        kind: how it may conflict with other accesses.
        acquires: whether it orders later accesses of its work-item.
    """

    word: str
    kind: AccessKind = AccessKind.ATOMIC
    acquires: bool = False


class _Shared:
    """What storages share that are the same memory, of elements or of their real parts.

    Args:
        flat: (n,) array of the elements.
        scalar_type: type of the elements.
        is_initialised: whether all are, as those of arguments.
    """

    def __init__(self, flat: Array, scalar_type: ScalarType, *, is_initialised: bool) -> None:
        cell_bytes = scalar_type.real.size_bytes
        initialised = None if is_initialised else np.zeros(flat.nbytes // cell_bytes, bool)
        self.initialised = initialised
        self.checked = checked_memory(flat.view(np.uint8), cell_bytes, initialised=initialised)
        self.end_of_life: Site | None = None


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
        self._shared = _Shared(flat, scalar_type, is_initialised=site is None)
        self._zeros: Array | None = None

    @functools.cached_property
    def parts(self) -> Storage:
        """The real and imaginary parts of complex elements in the same memory."""
        real = self.scalar_type.real
        found = Storage(self.flat.view(real.dtype), real, self.address_space, self.name, self.site)
        found._shared = self._shared
        found._zeros = None if self._zeros is None else np.repeat(self._zeros, 2)
        return found

    def add_zeros(self, zeros: Array) -> None:
        """Check that elements are zero whenever they are read or written.

        Args:
            zeros: (n,) array of bool. Local memory is zero there from the beginning.
        """
        self._zeros = zeros if self._zeros is None else self._zeros | zeros
        if self._shared.initialised is not None:
            cells = np.repeat(zeros, len(self._shared.initialised) // len(zeros))
            self._shared.initialised[cells] = True

    def shares_memory(self, other: Storage) -> bool:
        """Whether another storage is the same memory, perhaps of elements of another type."""
        return self._shared is other._shared

    def numbers(self, addresses: Array) -> Array:
        """Return the addresses of the real numbers that elements consist of."""
        if self.scalar_type.kind != "complex":
            return addresses
        return (2 * addresses[:, None] + np.arange(2)).reshape(-1)

    @property
    def end_of_life(self) -> Site | None:
        """The instruction that ended its life, None while it is alive."""
        return self._shared.end_of_life

    @end_of_life.setter
    def end_of_life(self, site: Site) -> None:
        self._shared.end_of_life = site

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
        compared = None if is_update else kind
        self._access(state, site, compared, addresses, agents, expected=Expected.ALL)
        self._check_zeros(state, site, addresses, agents)
        values: Array = state.arithmetic.from_memory(self.scalar_type, self.flat[addresses])
        return values

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
        stored = np.asarray(state.arithmetic.to_memory(self.scalar_type, values), self.flat.dtype)
        self._access(state, site, kind, addresses, agents, values=stored)
        self._check_zeros(state, site, addresses, agents)

    def add(self, state: State, site: Site, addresses: Array, agents: Array, values: Array) -> None:
        """Add values atomically, rounding after each addition, in the order of the array."""
        self.access(state, site, addresses, agents, values, Atomic("add"))

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
        self._access(state, site, atomic.kind, addresses, agents, expected=Expected.ALL)
        arithmetic, scalar_type = state.arithmetic, self.scalar_type
        combine = arithmetic.binary(atomic.word, scalar_type)
        values = np.broadcast_to(values, addresses.shape)
        if len(np.unique(addresses)) == len(addresses):
            before: Array = arithmetic.from_memory(scalar_type, self.flat[addresses])
            self.flat[addresses] = arithmetic.to_memory(scalar_type, combine(before, values))
            self._check_zeros(state, site, addresses, agents)
            return before
        before = np.zeros(addresses.shape, arithmetic.value_dtype(scalar_type))
        for index, address in enumerate(addresses):
            before[index] = arithmetic.from_memory(scalar_type, self.flat[address])
            after = combine(before[index], values[index])
            self.flat[address] = arithmetic.to_memory(scalar_type, after)
        self._check_zeros(state, site, addresses, agents)
        return before

    def fail_dead(self, state: State, site: Site) -> NoReturn:
        """Raise the error of an access after `lifetime_stop`."""
        assert self.end_of_life is not None
        notes = [self.end_of_life.diagnostic("note", "its life ends here"), *self._origin()]
        state.fail(site, f"expected {self.name} to be alive", notes=notes)

    def _check_zeros(self, state: State, site: Site, addresses: Array, agents: Array) -> None:
        """Fail if an element of a pattern of zeros is not zero."""
        if self._zeros is None:
            return
        wrong = np.flatnonzero(self._zeros[addresses] & (self.flat[addresses] != 0))
        if wrong.size:
            address = int(np.broadcast_to(addresses, agents.shape)[wrong[0]])
            message = (
                f"expected element {address} of {self.name} to be zero, as 'nonzero' promises, "
                f"got {self.flat[address]}"
            )
            agent = int(agents[wrong[0]])
            state.fail(site, message, agent=agent, notes=self._origin())

    def _check_writable(self, state: State, site: Site) -> None:
        if self.end_of_life is not None:
            self.fail_dead(state, site)
        if not self.flat.flags.writeable:
            state.fail(site, f"expected {self.name} to be writable, got a read-only array")

    def _access(
        self,
        state: State,
        site: Site,
        kind: AccessKind | None,
        addresses: Array,
        agents: Array,
        *,
        values: Array | None = None,
        expected: Expected = Expected.NOTHING,
    ) -> None:
        """Fail if an access is wrong; in collective regions only other work-groups can race."""
        if self.end_of_life is not None:
            self.fail_dead(state, site)
        is_collective = state.lanes is None
        if is_collective and (self.address_space == "local" or state.total_groups == 1):
            kind = None
        order, width = state.order_of(self.address_space), self.scalar_type.size_bytes
        number = NOT_COMPARED if kind is None else int(kind)
        found = self._shared.checked.access(
            number, addresses, width, width, agents, order, site.number, values, int(expected)
        )
        if found is None:
            return
        problem = problems_of(found)[0]
        address, agent = int(addresses[problem.place]), int(agents[problem.place])
        if problem.fault is Fault.UNINITIALISED or kind is None:
            message = (
                f"expected element {address} of {self.name} to be initialised before it is read"
            )
            state.fail(site, message, agent=agent, notes=self._origin())
        self._fail_race(state, site, kind, (address, agent), problem)

    def _fail_race(
        self,
        state: State,
        site: Site,
        kind: AccessKind,
        access: tuple[int, int],
        problem: Problem,
    ) -> NoReturn:
        address, agent = access
        is_atomic = kind not in PLAIN and problem.kind not in PLAIN
        if problem.is_between_groups:
            other = "another work-group"
            remedy = "work-groups cannot wait for each other"
        else:
            other = "another work-item"
            if problem.agent not in (MANY, agent):
                other = state.describe_agent(problem.agent)
            remedy = f"there is no barrier.{self.address_space} in between"
        if is_atomic:
            remedy = "that is in one step only within the scope"
        note = state.sites[problem.site].diagnostic(
            "note", f"{other} {VERBS[problem.kind]} it here"
        )
        state.fail(
            site,
            f"race: this {VERBS[kind]} element {address} of {self.name}, which {other} "
            f"{VERBS[problem.kind]}; {remedy}",
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

    def parts(self) -> MemrefValue:
        """Return the real and imaginary parts of complex elements as a first mode of size 2."""
        storage: Any = self.storage
        if isinstance(storage, np.ndarray):
            storage = np.empty(len(self.storage), object)
            storage[:] = [each.parts for each in self.storage]
        else:
            storage = storage.parts
        return dataclasses.replace(
            self,
            storage=storage,
            offset=2 * self.offset,
            shape=(2, *self.shape),
            stride=(1, *(2 * stride for stride in self.stride)),
            scalar_type=self.scalar_type.real,
        )

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
