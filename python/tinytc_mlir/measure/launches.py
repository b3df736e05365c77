# SPDX-License-Identifier: BSD-3-Clause
"""Times a launch as a user makes it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from ..errors import ArgumentError, describe
from ..runtime.arrays.array_view import Array
from ..runtime.arrays.host_arrays import view_of
from ..runtime.arrays.memory import asarray
from ..runtime.kernel import BoundKernel, Kernel
from ..runtime.launches.arguments import Group, Groups
from ..runtime.launches.event import Event
from ..runtime.launches.integers import checked_integer
from ..runtime.launches.queues import queue_for
from ..runtime.protocol import Queue
from .timing import Candidate, launches_of_a_turn


@dataclasses.dataclass(frozen=True, repr=False)
class Timing:
    """How long a launch takes.

    Args:
        median_ns: half of the rounds took at most so long for each launch.
        quantiles_ns: the times that the shares of the rounds took at most that were asked for.
        launches: number of launches that were timed.
        quantiles: these shares, from 0 to 1.
        flops: floating-point operations of a launch, None if they are not known.
        moved_bytes: bytes of global memory that a launch reads and writes, None if not known.

    >>> print(Timing(2000.0, (1900.0, 2200.0), 15000, (0.25, 0.75), flops=64000))
    2.00 us (25 % of the rounds below 1.90, 75 % below 2.20), 15000 launches, 32.00 GFLOP/s
    """

    median_ns: float
    quantiles_ns: tuple[float, ...]
    launches: int
    quantiles: tuple[float, ...] = ()
    flops: int | None = None
    moved_bytes: int | None = None

    @property
    def gflops(self) -> float | None:
        """Operations in a nanosecond, None if they are not known or the launch is no kernel's."""
        return self.flops / self.median_ns if self.flops else None

    @property
    def gbytes_per_s(self) -> float | None:
        """Bytes in a nanosecond that are read and written, None as for `gflops`."""
        return self.moved_bytes / self.median_ns if self.moved_bytes else None

    @property
    def time_text(self) -> str:
        """The median, in brackets what shares of the rounds took, and the number of launches."""
        shares = [
            f"{share:.0%} ".replace("%", " %") + ("of the rounds below" if i == 0 else "below")
            for i, share in enumerate(self.quantiles)
        ]
        times = [f"{value / 1e3:.2f}" for value in self.quantiles_ns]
        spread = ", ".join(map(" ".join, zip(shares, times, strict=False)))
        parts = [f"{self.median_ns / 1e3:.2f} us" + (f" ({spread})" if spread else "")]
        return ", ".join([*parts, f"{self.launches} launches"])

    def __repr__(self) -> str:
        return f"<Timing: {self}>"

    def __str__(self) -> str:
        return ", ".join([self.time_text, *rate_texts(self.gflops, self.gbytes_per_s)])


def rate_texts(gflops: float | None, gbytes_per_s: float | None) -> list[str]:
    """Return the rates that are known, in words.

    >>> rate_texts(1.5, None)
    ['1.50 GFLOP/s']
    """
    rates = ((gflops, "GFLOP/s"), (gbytes_per_s, "GB/s"))
    return [f"{value:.2f} {unit}" for value, unit in rates if value is not None]


def do_bench(
    launch: BoundKernel | Kernel | Callable[[], object],
    *arguments: object,
    groups: Groups = None,
    quantiles: Sequence[float] = (0.25, 0.75),
    rounds: int = 15,
    round_s: float = 0.02,
    prepare: Callable[[], object] | None = None,
) -> Timing:
    """Return how long a launch takes, from rounds of consecutive ones.

    Launches of a bound kernel follow each other without waiting, as in a program that waits at the
    end; each round waits for its last one. Any other callable is timed as it is, and if it returns
    events, until they are over.

    Args:
        launch: a bound kernel, a kernel, or what to call without arguments.
        arguments: of a kernel, as for `Kernel.bind`. Arrays of the host that launches would copy
            are copied once, before, so that the kernel alone is timed, and results stay there.
        groups: number of groups of a kernel, as for `Kernel.bind`.
        quantiles: shares of the rounds, from 0 to 1.
        rounds: number of rounds.
        round_s: time of a round in seconds.
        prepare: called before each round, not timed.

    Raises:
        ArgumentError: an option has an odd value, or arguments do not fit.

    >>> import numpy as np
    >>> import tinytc_mlir as tt
    >>> kernel = tt.Context().parse("func @nothing(%x: f32) { }").compile("cpu")["nothing"]
    >>> timing = tt.do_bench(kernel, 1.0, groups=1, rounds=3, round_s=0.001)
    >>> 0 < timing.median_ns < 1e9
    True
    >>> @tt.kernel
    ... def scale(a: tt.f32, x: tt.f32[16, None]):
    ...     i = tt.group_id.x
    ...     x[:, i] = a * x[:, i]
    >>> tt.do_bench(scale, 1.0, np.ones((16, 100), np.float32), rounds=1).launches > 0
    True
    """
    if hasattr(launch, "bind"):  # also a function marked with @tt.kernel
        launch = _bound(launch, arguments, groups)
    elif arguments or groups is not None:
        message = f"do_bench: expected arguments for a kernel, got some for {describe(launch)}"
        raise ArgumentError(message)
    _check(launch, quantiles, rounds, round_s)
    candidate = _candidate(launch, prepare or (lambda: None))
    candidate.prepare()
    candidate.block(1)
    count = launches_of_a_turn(candidate, round_s)
    times = []
    for _ in range(rounds):
        candidate.prepare()
        times.append(candidate.block(count))
    found = tuple(map(float, np.quantile(times, quantiles)))
    median_ns, shares = float(np.median(times)), tuple(map(float, quantiles))
    work = launch.work if isinstance(launch, BoundKernel) else (None, None)
    return Timing(median_ns, found, rounds * count, shares, *work)


def _bound(launch: Any, arguments: Sequence[object], groups: Groups) -> BoundKernel:
    """Return a kernel with its arguments; where they must be in other memory, with copies there."""
    try:
        bound: BoundKernel = launch.bind(*arguments, groups=groups)
    except ArgumentError:
        kernel = launch
        if hasattr(launch, "compiled_for"):
            kernel, _ = launch.compiled_for(arguments, {})
        if not isinstance(kernel, Kernel):
            raise
        queue = queue_for(kernel, (), None)
        bound = kernel.bind(*(_placed(each, queue) for each in arguments), groups=groups)
    return bound


def _placed(value: object, queue: Queue) -> object:
    """Return arrays of the host as copies that kernels use in place, and anything else itself."""
    if isinstance(value, Group):
        return Group(cast("Sequence[object]", _placed(value.members, queue)), *value[1:])
    if isinstance(value, (list, tuple)):
        return [_placed(each, queue) for each in value]
    if isinstance(value, Mapping):
        return {name: _placed(each, queue) for name, each in value.items()}
    try:
        view = view_of(value)
    except ValueError:  # such as a number
        return value
    return asarray(cast("Array", view.array), queue=queue) if view.memory is None else value


def _candidate(
    launch: BoundKernel | Callable[[], object], prepare: Callable[[], object]
) -> Candidate:
    if isinstance(launch, BoundKernel):
        return Candidate(launch.submit, launch.finish, prepare)
    events: list[Event] = []

    def start() -> None:
        result = launch()
        if isinstance(result, Event):
            events.append(result)

    def finish() -> None:
        while events:
            events.pop().wait()

    return Candidate(start, finish, prepare)


def _check(launch: object, quantiles: object, rounds: object, round_s: object) -> None:
    try:
        if not callable(launch):
            raise ValueError(f"expected a bound kernel or a callable, got {describe(launch)}")
        checked_integer(rounds, "as number of rounds", 1)
        if not isinstance(round_s, (int, float)) or not 0 < round_s < 1e6:
            raise ValueError(f"expected a positive number of seconds, got {describe(round_s)}")
        if not isinstance(quantiles, Sequence) or any(
            not isinstance(share, (int, float)) or not 0 <= share <= 1 for share in quantiles
        ):
            raise ValueError(f"expected shares from 0 to 1, got {describe(quantiles)}")
    except ValueError as error:
        raise ArgumentError(f"do_bench: {error}") from None
