# SPDX-License-Identifier: BSD-3-Clause
"""The accesses of a launch to memory, each checked when it is made."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from .._tinytc import Order
from ..reference.machine import Site
from ..reference.shadow import (
    MANY,
    PLAIN,
    AccessKind,
    Expected,
    Fault,
    Problem,
    StoreTimes,
    problems_of,
)
from ..reference.untyped import Value
from .findings import Findings, Kind
from .lanes import Lanes
from .memory import Memory

_WORDS = {AccessKind.READ: "loaded", AccessKind.WRITE: "stored to"}
_UPDATED = "updated atomically"


@dataclasses.dataclass(frozen=True)
class AccessSite:
    """An instruction that accesses memory.

    Args:
        site: its place.
        kind: what it does.
        dtype: that of the element in memory.
        is_local: whether it accesses local memory.
        buffer: number of the local buffer that its pointer is for, None if unknown.
        piece: first byte and end of the part of the buffer that its pointer is for.
    """

    site: Site
    kind: AccessKind
    dtype: np.dtype[Any]
    is_local: bool = False
    buffer: int | None = None
    piece: tuple[int, int] = (0, 0)

    @property
    def width(self) -> int:
        """Size of the element in bytes."""
        return self.dtype.itemsize

    @property
    def word(self) -> str:
        """What a message says that it does."""
        return _WORDS.get(self.kind, _UPDATED)

    def name_in_piece(self, offset: int) -> str:
        """Return what a message calls the element at a byte of the buffer."""
        first, end = self.piece
        count = (end - first) // self.width
        return f"element {(offset - first) // self.width} of a local tensor of {count}"


class Accesses:
    """The accesses of a launch.

    Args:
        memory: the memory of the launch.
        sites: the instructions that access it, by number.
        findings: where faults are reported.
        buffers: numbers of the objects that are local memory.
        subgroup_size: number of work-items in a subgroup.
    """

    def __init__(
        self,
        memory: Memory,
        sites: Mapping[int, AccessSite],
        findings: Findings,
        *,
        buffers: range,
        subgroup_size: int,
    ) -> None:
        self._memory = memory
        self._sites = sites
        self._findings = findings
        self._buffers = buffers
        cell_bytes = min((each.width for each in sites.values()), default=1)
        self._checked = memory.checked(cell_bytes)
        self._local, self._global = (Order(subgroup_size=subgroup_size) for _ in range(2))
        self.times = StoreTimes(len(memory.data))
        self._limits = {number: self._limits_of(each) for number, each in sites.items()}

    def enter_group(self) -> None:
        """Begin the next work-group, whose local memory nobody has accessed."""
        self.synchronise(is_global=True, is_local=True)
        self._local.since = self._local.epoch
        self._global.since, self._global.group = 1, self._findings.group
        for number in self._buffers:
            self._memory.poison(number)

    def synchronise(self, *, is_global: bool, is_local: bool) -> None:
        """Order later accesses after those so far."""
        self._global.epoch += is_global
        self._local.epoch += is_local

    def acquire(self, *, between_groups: bool) -> None:
        """Order later accesses after all so far, as if everybody had released them.

        Args:
            between_groups: whether accesses of other work-groups are ordered, too.
        """
        self.synchronise(is_global=True, is_local=True)
        if between_groups:
            self._global.since = self._global.epoch

    def forget(self, number: int, address: Value) -> None:
        """Have elements be undefined, as if nobody had stored to them."""
        self._memory.forget(address, self._sites[number].width)

    def note(
        self, number: int, base: Value, address: Value, lanes: Lanes, value: Value | None = None
    ) -> None:
        """Check an access, and store the values if there are some.

        Args:
            number: that of the instruction.
            base: what the pointer points to.
            address: the element.
            lanes: the work-items that make it.
            value: what they store; of several to one element, the last stays.
        """
        each, address = self._sites[number], lanes.pick(address)
        is_read = each.kind is AccessKind.READ
        # Of loads of one element, it does not matter who makes them.
        agents = lanes.agent if is_read and address.ndim == 0 else lanes.active
        found = self._checked.access(
            *(each.kind, address, each.width, each.width, agents),
            self._local if each.is_local else self._global,
            number,
            None if value is None else np.asarray(lanes.pick(value), each.dtype),
            Expected.ALL if is_read else Expected.NOTHING,
            lanes.pick(base),
            self._limits[number],
        )
        if value is not None:
            self.times.note(np.asarray(address) * each.width, each.width)
        if found is not None:
            for problem in problems_of(found):
                agent = lanes.agent if np.ndim(agents) == 0 else int(np.take(agents, problem.place))
                self._report(each, problem, agent, int(base.flat[0]) * each.width)

    def _limits_of(self, each: AccessSite) -> tuple[int, int]:
        """Return first byte and end of what the pointer of an instruction is for."""
        if each.buffer is None:
            return 0, len(self._memory.data)
        start = self._memory.starts[self._buffers[each.buffer]]
        return start + each.piece[0], start + each.piece[1]

    def _report(self, each: AccessSite, problem: Problem, agent: int, base: int) -> None:
        element = self._name(each, problem, base)
        who = _describe(agent)
        if problem.fault is Fault.OUT_OF_BOUNDS:
            message = f"out of bounds: {element} is {each.word} by {who}"
            self._findings.add(Kind.BOUNDS, each.site, message)
        elif problem.fault is Fault.UNINITIALISED:
            message = f"expected {element} to be initialised before it is loaded by {who}"
            self._findings.add(Kind.UNINITIALISED, each.site, message)
        else:
            self._report_race(each, problem, element, who)

    def _report_race(self, one: AccessSite, problem: Problem, element: str, who: str) -> None:
        other, is_equal = self._sites[problem.site], problem.fault is Fault.EQUAL_STORES
        kind = Kind.EQUAL_STORES if is_equal else Kind.RACE
        if self._findings.is_known(kind, one.site, other.site):
            return
        rival = _describe(problem.agent)
        remedy = "no barrier that fences this memory lies between"
        if problem.is_between_groups:
            who, rival = "this work-group", _describe(problem.agent, "work-group")
            remedy = "work-groups cannot wait for each other"
        if one.kind not in PLAIN and problem.kind not in PLAIN:
            remedy = "that is in one step only within the scope"
        head = "equal stores" if is_equal else "race"
        message = f"{head}: {element} is {one.word} by {who} and {other.word} by {rival}; {remedy}"
        note = other.site.diagnostic("note", f"{other.word} by {rival} here")
        self._findings.add(kind, one.site, message, other=other.site, notes=[note])

    def _name(self, each: AccessSite, problem: Problem, base: int) -> str:
        if each.buffer is not None:
            start = self._memory.starts[self._buffers[each.buffer]]
            return each.name_in_piece(problem.byte - start)
        is_outside = problem.fault is Fault.OUT_OF_BOUNDS
        return self._memory.name_element(problem.byte, base if is_outside else None)


def _describe(agent: int, word: str = "work-item") -> str:
    return f"several {word}s" if agent == MANY else f"{word} {agent}"
