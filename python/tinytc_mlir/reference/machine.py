# SPDX-License-Identifier: BSD-3-Clause
"""The state of the abstract machine that runs a kernel: work-group, work-items, epochs.

An epoch lasts from one barrier to the next. In a collective region a value is a NumPy scalar. In an
SPMD region all work-items advance together: a value is a scalar where all agree, else an
array with one entry per lane, and `Lanes.active` masks the lanes that take part. A
cooperative matrix is an array of shape (subgroups or 1, rows, columns).
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from .._tinytc import Order
from ..errors import Diagnostic, InterpreterError
from .arithmetic import Arithmetic
from .checks import Violation
from .rounding import Array
from .untyped import Value

# Agents below are work-items or iterations; the bits above count subgroups from 1, as in `Order`.
_SUBGROUP_SHIFT = 40


@dataclasses.dataclass(frozen=True)
class Geometry:
    """The work-group of a kernel.

    Args:
        work_group_size: work-items along the two modes.
        subgroup_size: work-items in a subgroup.
    """

    work_group_size: tuple[int, int]
    subgroup_size: int

    @property
    def work_items(self) -> int:
        """Number of work-items in the work-group."""
        return self.work_group_size[0] * self.work_group_size[1]

    @property
    def subgroups(self) -> int:
        """Number of subgroups in the work-group."""
        return self.work_items // self.subgroup_size

    @property
    def subgroup_grid(self) -> tuple[int, int, int]:
        """Number of subgroups in x, y and z."""
        return self.work_group_size[0] // self.subgroup_size, self.work_group_size[1], 1


@dataclasses.dataclass(frozen=True)
class Lanes:
    """The lanes that execute an SPMD region together.

    Args:
        active: (lanes,) bool array, the lanes that execute the current instruction.
        agents: (lanes,) array that names who executes each lane, for the race detection.
        is_foreach: whether the lanes are iterations of a foreach, else work-items.
        first_subgroup: number that the race detection gives to the first subgroup.
        tile_lanes: work-items of a tile if the lanes are those of tiles, else 0.
    """

    active: Array
    agents: Array
    is_foreach: bool = False
    first_subgroup: int = 0
    tile_lanes: int = 0

    @property
    def count(self) -> int:
        """Number of lanes, active or not."""
        return len(self.active)

    @functools.cached_property
    def positions(self) -> Array:
        """Indices of the active lanes."""
        return np.flatnonzero(self.active)

    def masked(self, active: Array) -> Lanes:
        """Return the same lanes with another mask."""
        return dataclasses.replace(self, active=active)


@dataclasses.dataclass(frozen=True)
class Site:
    """An instruction of the kernel, for messages and for the race detection.

    Args:
        number: place in the list of the kernel's sites.
        name: name of the instruction.
        location: its place in a file as an MLIR location, None if unknown.
    """

    number: int
    name: str
    location: Any

    def diagnostic(
        self, severity: str, message: str, notes: Sequence[Diagnostic] = ()
    ) -> Diagnostic:
        """Return a diagnostic at this instruction."""
        at = self.location
        if at is None:
            return Diagnostic(severity, message, notes=tuple(notes))
        is_one_line = at.start_line == at.end_line
        length = max(at.end_col - at.start_col + 1, 1) if is_one_line else 1
        return Diagnostic(
            severity, message, at.filename, at.start_line, at.start_col, length, tuple(notes)
        )


class State:
    """The state of a running work-group.

    Args:
        geometry: the work-group's size.
        sites: the instructions of the kernel.
        slot_count: number of SSA values.
        group_counts: number of work-groups in x, y and z.
        arithmetic: what numbers are.
    """

    def __init__(
        self,
        geometry: Geometry,
        sites: Sequence[Site],
        slot_count: int,
        group_counts: tuple[int, int, int],
        arithmetic: Arithmetic,
    ) -> None:
        self.geometry = geometry
        self.arithmetic = arithmetic
        self.sites = sites
        self.values: list[Any] = [None] * slot_count
        self.group_counts = group_counts
        self.total_groups = math.prod(group_counts)
        self.group_id = (0, 0, 0)
        self.lanes: Lanes | None = None
        self.orders = {"local": Order(), "global": Order()}
        self._last_epoch = 0

    def enter_group(self, group_id: tuple[int, int, int]) -> None:
        """Begin the next work-group."""
        self.group_id = group_id
        self.synchronise("local", "global")
        counts = self.group_counts
        for order in self.orders.values():
            order.group = group_id[0] + counts[0] * (group_id[1] + counts[1] * group_id[2])
            order.since = 1

    def synchronise(self, *address_spaces: str) -> None:
        """Begin a new epoch, so that later accesses do not race with earlier ones."""
        self._last_epoch += 1
        for space in address_spaces:
            self.orders[space].epoch = self._last_epoch

    def acquire(self, *, between_groups: bool) -> None:
        """Order what comes after everything before, as if all others had released it.

        Args:
            between_groups: whether accesses of other work-groups are ordered, too.
        """
        self.synchronise("local", "global")
        if between_groups:
            for order in self.orders.values():
                order.since = self._last_epoch

    def order_of(self, address_space: str) -> Order:
        """Return what orders accesses; nobody knows the subgroup of an iteration."""
        order = self.orders[address_space]
        is_foreach = self.lanes is None or self.lanes.is_foreach
        order.subgroup_size = 0 if is_foreach else self.geometry.subgroup_size
        return order

    def leave_spmd(self) -> None:
        """Return to the collective region, after a barrier."""
        self.lanes = None
        self.synchronise("local", "global")

    @property
    def spmd_lanes(self) -> Lanes:
        """The lanes of the SPMD region that is being executed."""
        assert self.lanes is not None
        return self.lanes

    def check(self, site: Site, violation: Violation) -> None:
        """Fail if an active lane breaks a rule."""
        found = np.asarray(violation.found)
        if not found.any():
            return
        lane = None
        if self.lanes is not None and found.ndim < 2:
            lanes = np.broadcast_to(found, self.lanes.count) & self.lanes.active
            if not lanes.any():
                return
            lane = int(np.argmax(lanes))
        elif found.ndim == 3:  # a cooperative matrix
            found = found & self._active_subgroups()[:, None, None]
            if not found.any():
                return
        got = _entry(violation.got, found, lane)
        self.fail(site, f"{violation.rule}, got {got}", lane=lane)

    def fail(
        self,
        site: Site,
        message: str,
        *,
        lane: int | None = None,
        agent: int | None = None,
        notes: Sequence[Diagnostic] = (),
    ) -> NoReturn:
        """Raise the error for an instruction, naming the work-group and the lane or agent."""
        if lane is not None:
            agent = int(self.spmd_lanes.agents[lane])
        where = self.describe_place(agent)
        raise InterpreterError([site.diagnostic("error", f"{message} ({where})", notes)])

    def describe_place(self, agent: int | None) -> str:
        """Return how a message names the work-group, and the agent if there is one."""
        x, *others = self.group_id
        where = f"work-group {self.group_id if any(others) else x}"
        if agent is not None and self.lanes is not None:
            where += f", {self.describe_agent(agent)}"
        return where

    def describe_agent(self, agent: int) -> str:
        """Return how a message names the agent of an access."""
        if agent >> _SUBGROUP_SHIFT:
            return f"subgroup {(agent >> _SUBGROUP_SHIFT) - 1}"
        if self.lanes is not None and self.lanes.is_foreach:
            return f"iteration {agent}"
        if self.lanes is not None and self.lanes.tile_lanes:
            tile, lane = divmod(agent, self.lanes.tile_lanes)
            return f"work-item {lane} of tile {tile}"
        return f"work-item {agent}"

    def full_subgroups(self, site: Site) -> Array:
        """Return which subgroups execute an instruction that needs all of their work-items."""
        by_subgroup = self.by_subgroup(self.spmd_lanes.active)
        some = np.asarray(by_subgroup.any(axis=1))
        all_ = np.asarray(by_subgroup.all(axis=1))
        if (some != all_).any():
            subgroup = int(np.argmax(some != all_))
            count = int(by_subgroup[subgroup].sum())
            self.fail(
                site,
                f"expected all {self.geometry.subgroup_size} work-items of subgroup {subgroup} "
                f"to execute '{site.name}', got {count}",
            )
        return all_

    def by_subgroup(self, values: Value) -> Array:
        """Return lane values as an array of shape (subgroups, subgroup size)."""
        size = self.geometry.subgroup_size
        return np.broadcast_to(values, self.spmd_lanes.count).reshape(-1, size)

    def uniform(self, site: Site, value: Value, name: str) -> Array:
        """Return one value per subgroup of an operand that must be dynamically uniform."""
        values = self.by_subgroup(value)
        active = self.by_subgroup(self.spmd_lanes.active)
        first: Array = values[np.arange(len(values)), np.argmax(active, axis=1)]
        differs = (values != first[:, None]) & active
        if values.dtype.kind in "fc":
            differs &= ~(np.isnan(values) & np.isnan(first)[:, None])
        if differs.any():
            lane = int(np.argmax(differs))
            subgroup = lane // self.geometry.subgroup_size
            self.fail(
                site,
                f"expected '{name}' to be the same in all work-items of a subgroup, "
                f"got {first[subgroup]} and {values.reshape(-1)[lane]}",
                lane=lane,
            )
        return first

    def _active_subgroups(self) -> Array:
        if self.lanes is None:
            return np.ones(1, bool)
        return np.asarray(self.by_subgroup(self.lanes.active).any(axis=1))


def subgroup_agents(subgroups: Array, holders: Array) -> Array:
    """Return the agents that hold components of cooperative matrices.

    Args:
        subgroups: numbers of the subgroups.
        holders: number of the unknown work-item that holds a component, below 2**40.
    """
    return ((subgroups + 1) << _SUBGROUP_SHIFT) | holders


def _entry(values: Value, found: Array, lane: int | None) -> Value:
    """Return the first offending one of some values."""
    if np.ndim(values) == 0:
        return values
    if lane is not None:
        return values[lane]
    return np.broadcast_to(values, found.shape)[np.unravel_index(np.argmax(found), found.shape)]
