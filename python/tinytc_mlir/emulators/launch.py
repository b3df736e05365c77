# SPDX-License-Identifier: BSD-3-Clause
"""What launches of all machines have in common: blocks of threads, and the steps that they take."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .._tinytc import Order
from ..reference.untyped import Value
from .findings import FINDINGS, Modes
from .memory import GLOBAL, LOCAL
from .schedule import EPOCHS, Run, Schedule, Waiting

AT_ONCE = 2048


class MachineLaunch:
    """One run of a kernel, all threads of some blocks at once.

    Subclasses prepare the threads and memories of blocks, in `prepare`; say what a jump does, in
    `jump(segment, at, threads, schedule)`; and end threads, in `leave`.

    Args:
        compiled: the kernel's segments.
        grid: number of blocks in x, y and z.
        block: number of threads likewise.
        points: the class of the instructions at which threads wait.

    Attributes:
        threads: the numbers of the threads; of each `inside` is the number in its block `block_of`,
            and `place` and `local` are where that and the thread are in x, y and z.
        orders: what has happened before, by the kind of memory.
    """

    def __init__(
        self, compiled: Any, grid: Modes, block: Modes, points: Callable[..., Waiting]
    ) -> None:
        self.compiled, self.end = compiled, compiled.end
        self.sites: dict[str, int] = {}
        self.namespace: dict[str, Any] = {}
        self._epochs: dict[str, Value] = {}
        self.grid, self.block, self._points = grid, block, points
        self.block_threads = block[0] * block[1] * block[2]
        since = next(EPOCHS)
        self.orders = {kind: Order(since=since) for kind in (GLOBAL, LOCAL)}

    def run(self) -> None:
        """Run all blocks."""
        total, at_once = int(np.prod(self.grid)), max(1, AT_ONCE // self.block_threads)
        with np.errstate(all="ignore"):  # infinities and NaN are numbers like others
            for first in range(0, total, at_once):
                self._run(first, min(at_once, total - first))
        FINDINGS.counts["launches"] += 1

    def _run(self, first: int, count: int) -> None:
        number = count * self.block_threads
        self.threads = np.arange(number)
        self.inside = self.threads % self.block_threads
        self.block_of = self.threads // self.block_threads
        self.place = _modes(first + self.block_of, self.grid)
        self.local = _modes(self.inside, self.block)
        self.domain = first + self.block_of
        self.prepare(count)
        self._epochs = {}
        for kind, order in self.orders.items():
            self._epochs[kind] = np.full(number, order.since, np.int64)
            order.set_agents(self._epochs[kind], self.domain)
        schedule = Schedule(self, first)
        schedule.run(self._points(self, schedule))
        FINDINGS.counts["instructions"] += schedule.steps

    def synchronise(self, threads: Value, kinds: Iterable[str]) -> None:
        """Order what threads do next after all before, in some kinds of memory."""
        for kind in kinds:
            epochs = self._epochs[kind]
            epochs[threads] = epochs.max() + 1

    def prepare(self, count: int) -> None:
        """Make the memories and values of some blocks."""
        raise NotImplementedError

    def jump(self, segment: Any, at: int, threads: Value, schedule: Schedule) -> None:
        """Let threads go on where a branch leads them."""
        raise NotImplementedError

    def execute(self, at: int, threads: Value, schedule: Any) -> None:
        """Run a segment, and have the schedule run what follows."""
        segment = self.compiled.segments[at]
        schedule.count(segment.length if isinstance(segment, Run) else 1)
        if isinstance(segment, self.compiled.jump):
            self.jump(segment, at, threads, schedule)
        elif isinstance(segment, Run):
            self.namespace[segment.function](self.select(threads))
            schedule.go(at + 1, threads)
        else:
            schedule.convergence.arrive(at, threads)

    def select(self, threads: Value) -> Value:
        """Return what selects threads in arrays with an element for each."""
        return slice(None) if len(threads) == len(self.threads) else threads


def _modes(numbers: Value, sizes: Modes) -> Value:
    """Return where numbers are that count along x first."""
    x, y, _ = sizes
    return np.stack([numbers % x, numbers // x % y, numbers // (x * y)], -1)
