# SPDX-License-Identifier: BSD-3-Clause
"""Runs a work-group: all work-items in step, or one by one in a random order."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Generator
from typing import Any

import numpy as np

from ..reference.rounding import Array
from ..reference.untyped import Value
from .accesses import Accesses
from .argument_memory import ArgumentMemory
from .convergence import Barrier, ConvergencePoint
from .findings import Findings
from .lanes import Lanes
from .translate import Code
from .work_items import describe

# How often a work-item that may be interrupted is: rarely, so that some run far ahead.
_INTERRUPTION = 1 / 8

# A team stops where its work-items wait for others, or with None where it may be interrupted.
# The last part says how far it is: the numbers of loops, with iterations, and of the point.
_Request = tuple[ConvergencePoint, Lanes, tuple[Any, ...], tuple[int, ...]] | None
_Team = Generator[_Request, Any, None]


@dataclasses.dataclass(frozen=True)
class Launch:
    """What all work-groups of a launch share.

    Args:
        code: the kernel.
        placed: the kernel's arguments in memory.
        counts: number of work-groups in three modes.
        findings: where faults are reported.
        accesses: checks accesses to memory.
    """

    code: Code
    placed: ArgumentMemory
    counts: tuple[int, int, int]
    findings: Findings
    accesses: Accesses

    def enter(self, block_id: tuple[int, int, int]) -> None:
        """Begin a work-group."""
        x, y, z = block_id
        self.findings.group = x + self.counts[0] * (y + self.counts[1] * z)
        self.accesses.enter_group()

    def pass_barrier(self, barrier: Barrier) -> None:
        """Order the accesses before a barrier and those after it."""
        self.accesses.synchronise(is_global=barrier.fences_global, is_local=barrier.fences_local)

    def start(self, numbers: Array, block_id: tuple[int, int, int]) -> _Team:
        """Return a team of work-items before its first instruction."""
        code = self.code
        memory = self.placed.memory
        buffers = [memory.starts[number] for number in self.placed.buffers]
        constants = [memory.starts[number] for number in self.placed.constants]
        grid, places = (block_id, self.counts), (buffers, constants)
        at = describe(code.geometry, numbers, grid, places, self.findings)
        accesses = self.accesses
        checks = accesses.note, accesses.acquire, accesses.forget, accesses.times
        team: _Team = code.run(Lanes(numbers), at, *checks, memory.view, *self.placed.values)
        return team


def run_in_step(launch: Launch, block_id: tuple[int, int, int]) -> None:
    """Run a work-group with all work-items at the same instruction."""
    launch.enter(block_id)
    team = launch.start(np.arange(launch.code.geometry.work_items), block_id)
    result: Any = None
    try:
        while True:
            request = team.send(result)
            result = None if request is None else _converge_in_step(launch, *request[:3])
    except StopIteration:
        return


def _converge_in_step(
    launch: Launch, point: ConvergencePoint, lanes: Lanes, operands: tuple[Any, ...]
) -> Value:
    """Return what the work-items get at a point of convergence."""
    geometry = launch.code.geometry
    if lanes.mask is not None and point.needs_all:
        size = point.size(geometry)
        there = lanes.mask.reshape(-1, size).sum(axis=1)
        missing = there[(there > 0) & (there < size)]
        if missing.size:
            point.report_incomplete(launch.findings, f"got {missing[0]} of {size}")
    if isinstance(point, Barrier):
        launch.pass_barrier(point)
        return None
    if all(each.ndim == 0 for each in operands) and (lanes.mask is None or point.needs_all):
        results = point.exchange_equal(*operands)
        if results is not None:
            return results
    shape = (geometry.subgroups, geometry.subgroup_size)
    brought = [np.full(shape, each) if each.ndim == 0 else each.reshape(shape) for each in operands]
    running = lanes.spread_mask().reshape(shape)
    here = running.any(axis=1)
    point.check_operands(launch.findings, running[here], *(each[here] for each in brought))
    return tuple(_column(each, shape[1]) for each in point.exchange(running, *brought))


def _column(result: Array, size: int) -> Value:
    """Return the results of all work-items, a scalar if it is one for all of them."""
    if result.size == 1:
        return result[0, 0]
    return np.repeat(result, size) if result.shape[1] == 1 else result.reshape(-1)


def run_interleaved(launch: Launch, block_id: tuple[int, int, int], rng: random.Random) -> None:
    """Run a work-group one work-item after the other, each to where it has to wait."""
    launch.enter(block_id)
    _Interleaving(launch, block_id).run(rng)


class _Interleaving:
    """The work-items of a work-group, each at an instruction of its own."""

    def __init__(self, launch: Launch, block_id: tuple[int, int, int]) -> None:
        self._launch = launch
        count = launch.code.geometry.work_items
        self._teams = [launch.start(np.array([number]), block_id) for number in range(count)]
        self._results: list[Any] = [None] * count
        self._waiting: dict[int, tuple[ConvergencePoint, tuple[Any, ...], tuple[int, ...]]] = {}
        self._ready = list(range(count))

    def run(self, rng: random.Random) -> None:
        """Run until all work-items are done."""
        while self._ready or self._waiting:
            if not self._ready:
                # Where the last ones wait: all others have passed that place by.
                self._release(min(self._waiting, key=lambda each: (self._waiting[each][2], each)))
            position = rng.randrange(len(self._ready))
            number = self._ready[position]
            self._ready[position] = self._ready[-1]
            self._ready.pop()
            while self._is_interrupted(number):
                if rng.random() < _INTERRUPTION:
                    self._ready.append(number)
                    break

    def _is_interrupted(self, number: int) -> bool:
        """Run a work-item to where it stops next; return whether it need not wait there."""
        try:
            request = self._teams[number].send(self._results[number])
        except StopIteration:
            return False
        self._results[number] = None
        if request is None:
            return True
        point, _, operands, position = request
        self._waiting[number] = (point, operands, position)
        members = self._members(number, point)
        if all(self._is_at(each, point, position) for each in members):
            self._release(number)
        return False

    def _members(self, number: int, point: ConvergencePoint) -> range:
        """Return the work-items that a work-item waits for."""
        size = point.size(self._launch.code.geometry)
        first = number - number % size
        return range(first, first + size)

    def _is_at(self, number: int, point: ConvergencePoint, position: tuple[int, ...]) -> bool:
        found = self._waiting.get(number)
        return found is not None and found[0] is point and found[2] == position

    def _release(self, first: int) -> None:
        """Resume the work-items that wait with one; an absent one contributes another's value."""
        point, _, position = self._waiting[first]
        members = self._members(first, point)
        there = [number for number in members if self._is_at(number, point, position)]
        if point.needs_all and len(there) < len(members):
            text = f"got {len(there)} of {len(members)}"
            point.report_incomplete(self._launch.findings, text)
        operands = {number: self._waiting.pop(number)[1] for number in there}
        self._ready += there
        if isinstance(point, Barrier):
            self._launch.pass_barrier(point)
            return
        rows = [operands.get(number, operands[there[0]]) for number in members]
        brought = [np.array([column]) for column in zip(*rows, strict=True)]
        running = np.array([[number in operands for number in members]])
        point.check_operands(self._launch.findings, running, *brought)
        results = [_spread(each[0], len(members)) for each in point.exchange(running, *brought)]
        for number, each in zip(members, zip(*results, strict=True), strict=True):
            if number in operands:
                self._results[number] = each


def _spread(row: Array, size: int) -> Array:
    return np.repeat(row, size) if len(row) == 1 else row
