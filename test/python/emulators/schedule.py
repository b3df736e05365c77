"""Which threads of a launch run next.

Threads that are at the same instruction run together. Of all places, the first one in the program
runs next, so that threads that parted meet again; or one warp or lane at random runs alone.
"""

import dataclasses
from typing import Any

import numpy as np

from emulators.findings import FINDINGS, SETTINGS, TooLong


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

    def __init__(self, launch, seed):
        self._launch, self._ready, self.convergence = launch, {}, None
        self._random = np.random.default_rng(seed) if SETTINGS.order != "all" else None
        self._unit = launch.threads if SETTINGS.order == "lanes" else launch.unit
        self.steps = 0

    def go(self, segment, threads):
        """Have threads run a segment next."""
        if len(threads) and segment >= self._launch.end:
            self._launch.leave(threads)
        elif len(threads):
            self._ready.setdefault(segment, []).append(threads)

    def count(self, steps):
        """Count instructions, and give up where there are too many."""
        self.steps += steps
        if self.steps > SETTINGS.limit:
            raise TooLong(f"more than {SETTINGS.limit} steps")

    def run(self, convergence):
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

    def _next(self):
        at = min(self._ready)
        parts = self._ready.pop(at)
        return at, parts[0] if len(parts) == 1 else np.sort(np.concatenate(parts))

    def _next_at_random(self):
        places = {}
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
        schedule: where they go on.
        describe_segment: returns the text of a segment.
    """

    def __init__(self, schedule, describe_segment):
        self._schedule, self._describe_segment = schedule, describe_segment
        self.waiting = {}

    def release(self):
        """Let threads go on that have met the others; returns whether there were any."""
        raise NotImplementedError

    def arrive(self, at, threads):
        """Let threads wait, and go on whoever has all that it waits for."""
        before = self.waiting.get(at)
        everybody = threads if before is None else np.concatenate([before, threads])
        self.waiting[at] = np.sort(everybody)
        self.release()

    def describe(self):
        """Return who waits where."""
        return "; ".join(
            f"{self._describe_segment(at)}: threads {threads[:4].tolist()}"
            for at, threads in self.waiting.items()
        )

    def finish(self, at, ready):
        """Let some of those go on that wait at a segment."""
        threads = self.waiting.pop(at)
        if not ready.all():
            self.waiting[at] = threads[~ready]
        self._schedule.go(at + 1, threads[ready])


def next_epochs():
    """Return the number of the first epoch of a launch, above those of launches before."""
    next_epochs.last += 1 << 24
    return next_epochs.last


next_epochs.last = 0
