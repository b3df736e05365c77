# SPDX-License-Identifier: BSD-3-Clause
"""Times candidates in blocks of consecutive launches, interleaved over several rounds."""

from __future__ import annotations

import dataclasses
import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any


@dataclasses.dataclass(frozen=True)
class Settings:
    """How long to measure.

    Args:
        rounds: number of rounds, in each of which every candidate has one turn.
        block_s: time of one turn in seconds.
    """

    rounds: int = 7
    block_s: float = 0.03


@dataclasses.dataclass(frozen=True)
class Candidate:
    """Something to time.

    Args:
        start: starts the work once; it may still be running when this returns.
        finish: returns when all work that was started is done.
        prepare: called before a turn, not timed.
    """

    start: Callable[[], Any]
    finish: Callable[[], Any] = lambda: None
    prepare: Callable[[], Any] = lambda: None

    def block(self, launches: int) -> float:
        """Return the time of one launch in nanoseconds, the mean of consecutive ones."""
        start = self.start
        begin = time.perf_counter_ns()
        for _ in range(launches):
            start()
        self.finish()
        return (time.perf_counter_ns() - begin) / launches


def interleave(candidates: Mapping[str, Candidate], settings: Settings) -> dict[str, list[float]]:
    """Return the time of a launch in nanoseconds for every candidate and round.

    Every turn starts with a launch that is not timed, since others have used the caches before.
    Each round starts with a different candidate.

    Args:
        candidates: what to time, by name.
        settings: number of rounds and time of a turn.
    """
    names = list(candidates)
    launches = {name: launches_of_a_turn(candidates[name], settings.block_s) for name in names}
    times: dict[str, list[float]] = {name: [] for name in names}
    for number in range(settings.rounds):
        shift = number % len(names)
        for name in names[shift:] + names[:shift]:
            candidates[name].prepare()
            candidates[name].block(1)
            times[name].append(candidates[name].block(launches[name]))
    return times


def launches_of_a_turn(candidate: Candidate, block_s: float) -> int:
    """Return how many launches fill a turn."""
    launches, wanted_ns = 1, 1e9 * block_s
    while True:
        time_ns = candidate.block(launches) * launches
        if time_ns >= wanted_ns / 4:
            return max(round(launches * wanted_ns / time_ns), 1)
        launches *= 4


@dataclasses.dataclass(frozen=True)
class Summary:
    """Median and spread of the times of a candidate.

    Args:
        median: the middle value.
        low: the lower quartile.
        high: the upper quartile.
    """

    median: float
    low: float
    high: float

    @property
    def spread(self) -> float:
        """Distance between the quartiles relative to the median."""
        return (self.high - self.low) / self.median


def summarize(values: Sequence[float]) -> Summary:
    """Return median and quartiles.

    >>> summarize([1.0, 2.0, 3.0, 4.0, 10.0])
    Summary(median=3.0, low=2.0, high=4.0)
    """
    if len(values) == 1:
        return Summary(values[0], values[0], values[0])
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    return Summary(median, low, high)


def ratio(numerators: Sequence[float], denominators: Sequence[float]) -> float:
    """Return the median over the rounds of the ratio within a round.

    What slows the machine down for a while slows both, so this is steadier than the ratio of
    the medians.

    >>> ratio([2.0, 4.0, 60.0], [1.0, 2.0, 3.0])
    2.0
    """
    return statistics.median(
        above / below for above, below in zip(numerators, denominators, strict=True)
    )


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean of positive values.

    >>> geometric_mean([1.0, 4.0])
    2.0
    """
    return math.exp(math.fsum(map(math.log, values)) / len(values))
