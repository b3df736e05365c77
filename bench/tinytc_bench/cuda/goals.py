# SPDX-License-Identifier: BSD-3-Clause
"""Goals for a GPU, and whether they are met."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence

from .speed import TILES, Timing

_OF_COPY = 0.9
_LAUNCH_S = 4e-6
_BUILD_S = 0.1
_OVER_CUBLAS = {"products": 1.5, "chains": 2.0}
_LEAST_INTENSITY = 7.0
"""Operations for a byte up to which memory binds on all chips, in f64 as well."""


def by_peer(timings: Sequence[Timing]) -> Iterator[tuple[str, str, dict[str, float]]]:
    """Yield peer, "products" or "chains", and by case the peer's time over ours."""
    names = sorted({name for timing in timings for name in timing.seconds} - {"ours"})
    for name in names:
        for kind in _OVER_CUBLAS:
            ratios = {
                timing.name: timing.seconds[name] / timing.seconds["ours"]
                for timing in timings
                if name in timing.seconds and (timing.family == "chain") == (kind == "chains")
            }
            if ratios:
                yield name, kind, ratios


def mean(ratios: dict[str, float]) -> float:
    """Return the geometric mean."""
    return math.exp(statistics.fmean(map(math.log, ratios.values())))


def lines(
    timings: Sequence[Timing],
    copy_bandwidth: float,
    launch_s: float | None,
    builds: Sequence[float],
) -> Iterator[str]:
    """Yield a line for each goal that something was measured for.

    Args:
        timings: what was timed.
        copy_bandwidth: bytes that a copy reads and writes in a second.
        launch_s: time of a launch in seconds, None if none was measured.
        builds: times in seconds that the driver took for programs.
    """
    timed = [timing for timing in timings if not timing.message]
    for name, kind, ratios in by_peer(timed):
        if name == "cublas":
            goal, value = _OVER_CUBLAS[kind], mean(ratios)
            yield _line(f"{kind} {goal:g} times as fast as cuBLAS", f"{value:.2f}", value >= goal)
    best = {
        timing.name: min(timing.seconds[name] for name in names) / timing.seconds["ours"]
        for timing in timed
        if (names := set(timing.seconds) - {"ours", TILES})
    }
    if best:
        yield _least("no case slower than its best peer", best, 1.0)
    of_copy = {
        timing.name: timing.bytes / timing.seconds["ours"] / copy_bandwidth
        for timing in timed
        if timing.flops < _LEAST_INTENSITY * timing.bytes
    }
    if of_copy:
        yield _least(f"{_OF_COPY:.0%} of a copy where memory binds", of_copy, _OF_COPY)
    if launch_s is not None:
        text = f"launches of at most {_LAUNCH_S * 1e6:g} us"
        yield _line(text, f"{launch_s * 1e6:.1f} us", launch_s <= _LAUNCH_S)
    if builds:
        longest = max(builds)
        text = f"builds of at most {_BUILD_S * 1e3:g} ms"
        yield _line(text, f"{longest * 1e3:.0f} ms", longest <= _BUILD_S)


def _least(goal: str, values: dict[str, float], bound: float) -> str:
    """Return the line of a goal for each of some cases."""
    reached = sum(value >= bound for value in values.values())
    least = min(values, key=lambda name: values[name])
    found = f"{reached} of {len(values)} cases, least {least} {values[least]:.2f}"
    return _line(goal, found, reached == len(values))


def _line(goal: str, found: str, is_met: bool) -> str:
    return f"goal {'met' if is_met else 'missed'}: {goal}: {found}"
