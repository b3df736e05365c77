# SPDX-License-Identifier: BSD-3-Clause
"""Which threads of a launch run next.

Threads that are at the same instruction run together. Of all places, the first one in the program
runs next, so that threads that parted meet again; or one warp or lane at random runs alone.
"""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import numpy as np

from ..reference.untyped import Value
from .findings import FINDINGS, SETTINGS, TooLong

EPOCHS = itertools.count(1 << 24, 1 << 24)
"""The numbers of the first epochs of launches, each above those of launches before."""


@dataclasses.dataclass(frozen=True)
class Run:
    """Instructions that a thread executes whatever others do: a function of the namespace."""

    function: str
    length: int


@dataclasses.dataclass(frozen=True)
class Meeting:
    """An instruction at which threads wait for each other."""

    instruction: Any


class Schedule:
    """The threads that are ready, by the segment of the program that they are at.

    Args:
        launch: has `threads`, `end`, the number of segments, `unit`, the warp of each thread,
            `execute(segment, threads, schedule)` and `leave(threads)`.
        seed: of a random order.
    """

    def __init__(self, launch: Any, seed: int) -> None:
        self._launch = launch
        self._ready: dict[int, list[Value]] = {}
        self._random = np.random.default_rng(seed) if SETTINGS.order != "all" else None
        self._unit = launch.threads if SETTINGS.order == "lanes" else launch.unit
        self.steps = 0

    def go(self, segment: int, threads: Value) -> None:
        """Have threads run a segment next."""
        if len(threads) and segment >= self._launch.end:
            self._launch.leave(threads)
        elif len(threads):
            self._ready.setdefault(segment, []).append(threads)

    def count(self, steps: int) -> None:
        """Count instructions, and give up where there are too many."""
        self.steps += steps
        if self.steps > SETTINGS.limit:
            raise TooLong(f"more than {SETTINGS.limit} steps")

    def run(self, convergence: Waiting) -> None:
        """Run all threads to their end.

        Args:
            convergence: the instructions at which threads wait for each other.
        """
        self.convergence = convergence
        self.go(0, self._launch.threads)
        while self._ready or convergence.waiting:
            if self._ready:
                at, threads = self._next() if self._random is None else self._next_at_random()
                self._launch.execute(at, threads, self)
            elif not convergence.release():
                FINDINGS.add("deadlock", convergence.describe())
                return

    def _next(self) -> tuple[int, Value]:
        at = min(self._ready)
        parts = self._ready.pop(at)
        return at, parts[0] if len(parts) == 1 else np.sort(np.concatenate(parts))

    def _next_at_random(self) -> tuple[int, Value]:
        assert self._random is not None
        places: dict[int, int] = {}
        for at, parts in self._ready.items():
            for unit in np.unique(self._unit[np.concatenate(parts)]):
                places[unit] = min(places.get(unit, at), at)
        unit = list(places)[self._random.integers(len(places))]
        at = places[unit]
        threads = np.sort(np.concatenate(self._ready.pop(at)))
        mine = self._unit[threads] == unit
        self.go(at, threads[~mine])
        return at, threads[mine]


class Waiting:
    """The threads that wait at instructions for each other.

    Subclasses say who may go on, in `release`.

    Args:
        launch: what they belong to.
        schedule: where they go on.
    """

    def __init__(self, launch: Any, schedule: Any) -> None:
        self._launch, self._segments = launch, launch.compiled.segments
        self._schedule = schedule
        self.waiting: dict[int, Value] = {}

    def release(self) -> bool:
        """Let threads go on that have met the others; returns whether there were any."""
        raise NotImplementedError

    def arrive(self, at: int, threads: Value) -> None:
        """Let threads wait, and go on whoever has all that it waits for."""
        before = self.waiting.get(at)
        everybody = threads if before is None else np.concatenate([before, threads])
        self.waiting[at] = np.sort(everybody)
        self.release()

    def describe(self) -> str:
        """Return who waits where."""
        return "; ".join(
            f"{self._segments[at].instruction}: threads {threads[:4].tolist()}"
            for at, threads in self.waiting.items()
        )

    def finish(self, at: int, ready: Value) -> None:
        """Let some of those go on that wait at a segment."""
        threads = self.waiting.pop(at)
        if not ready.all():
            self.waiting[at] = threads[~ready]
        self._schedule.go(at + 1, threads[ready])
