# SPDX-License-Identifier: BSD-3-Clause
"""The search for the fastest schedule of a kernel on a device."""

from __future__ import annotations

import dataclasses
import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence

from ..errors import DeviceError
from ..measure.sample_data import SampleOptions
from ..measure.timing import Settings, ratio
from . import workers
from .requests import Request
from .schedule import Schedule, refinements, tiles

_BATCH = 8  # schedules for one process
_BEST = 3  # how many are refined
_FINALISTS = 6
_QUICK, _FINAL, _CONFIRM = Settings(5, 0.01), Settings(15, 0.02), Settings(21, 0.02)
_FINALS = 3  # processes that the finalists are compared in
_CANDIDATES = 2  # how many may try to be confirmed
_WORTH = 1.05  # a gain of less is not worth a schedule
_TIE = 1.02  # schedules whose times differ by less are equally fast
# Numbers of processes after which a schedule is confirmed, and how many of them may find no gain.
# Of schedules that gain in every other process by chance, 4 % are confirmed.
_CONFIRMED = ((6, 0), (9, 1), (12, 2))
# Parts of the time limit after which no further schedules are tried, and no further finals begin.
_TRIED_BY, _FINALS_BY = 0.6, 0.75


@dataclasses.dataclass(frozen=True)
class Trial:
    """The outcome of trying a schedule.

    Args:
        schedule: the schedule.
        speedup: how many times as fast as the compiler's own choice, in half of the rounds at
            least; None if it was not timed.
        problem: why not: it failed, crashed its process, or gives the same code as another.
    """

    schedule: Schedule
    speedup: float | None = None
    problem: str = ""


@dataclasses.dataclass(frozen=True)
class Tuning:
    """The outcome of a search.

    Args:
        kernel: name of the kernel.
        device: name of the device and its driver.
        best: the schedule to use; all zeros if no schedule is reliably faster than the compiler's
            own choice.
        speedup: how many times as fast as the compiler's own choice it was, the median of the
            confirmations; 1 for that choice.
        trials: all schedules that were tried, the fastest first.
        ties: further schedules that are as fast as the best, so that another search may name them.
        confirmations: how many times as fast as the compiler's own choice the best was in each of
            the processes that compared it with nothing else.
        path: file that the winner was written to, None if it was not stored.
        is_complete: whether the time limit left nothing out.
    """

    kernel: str
    device: str
    best: Schedule
    speedup: float
    trials: tuple[Trial, ...]
    ties: tuple[Schedule, ...] = ()
    confirmations: tuple[float, ...] = ()
    path: str | None = None
    is_complete: bool = True

    @property
    def is_reliable(self) -> bool:
        """Whether a schedule is reliably faster than the compiler's own choice."""
        return self.best != Schedule()


@dataclasses.dataclass(frozen=True)
class Task:
    """The kernel to tune.

    Args:
        module: the program as MLIR assembly.
        kernel: name of the kernel.
        target: name of the target.
        options: what it is launched with.
        subgroup_sizes: sizes of subgroups to try.
        has_tiles: whether an instruction is computed in tiles that a schedule decides.
    """

    module: str
    kernel: str
    target: str
    options: SampleOptions
    subgroup_sizes: tuple[int, ...] = ()
    has_tiles: bool = True

    def tiles(self) -> list[Schedule]:
        """Return the choices of the first step."""
        return tiles() if self.has_tiles else []

    def request(self, schedules: Sequence[Schedule], settings: Settings) -> Request:
        """Return the request for a worker."""
        return {
            "module": self.module,
            "kernel": self.kernel,
            "target": self.target,
            "groups": self.options.groups,
            "sizes": [(name, mode, size) for (name, mode), size in self.options.sizes.items()],
            "scalars": dict(self.options.scalars),
            "seed": self.options.seed,
            "schedules": list(enumerate(schedule.to_dict() for schedule in schedules)),
            "settings": {"rounds": settings.rounds, "block_s": settings.block_s},
        }


Progress = Callable[[str], None]


class _Budget:
    """The time that a search may take.

    Args:
        limit_s: all of it; None for as long as it takes.

    Attributes:
        is_exceeded: whether something was left out.
    """

    def __init__(self, limit_s: float | None) -> None:
        self._start_s = time.monotonic()
        self._limit_s = limit_s
        self.is_exceeded = False

    def ends(self, share: float = 1.0) -> bool:
        """Return whether a share of the time has passed; what comes next is left out then."""
        if self._limit_s is None:
            return False
        has_passed = time.monotonic() - self._start_s >= share * self._limit_s
        self.is_exceeded |= has_passed
        return has_passed


def search(task: Task, progress: Progress, limit_s: float | None = None) -> Tuning:
    """Return what a search has found.

    Tiles come first; the best of them are then unrolled and given several groups and other
    subgroups; a longer final in several processes decides between the best of all. The winner, the
    simplest of those that are equally fast, must then be faster than the compiler's own choice in
    further processes that time these two only.

    Args:
        task: the kernel.
        progress: called with an estimate of the time, and then with what is tried next.
        limit_s: time in seconds after which nothing more is tried; the step that has begun ends.

    Raises:
        DeviceError: not even the compiler's own schedule works.
    """
    budget = _Budget(limit_s)
    done: dict[Schedule, Trial] = {}
    progress(_estimate(task, limit_s))
    _try(task, task.tiles(), done, progress, budget)
    _try(task, refinements(_best(done, _BEST), task.subgroup_sizes), done, progress, budget)
    finalists = _best(done, _FINALISTS)
    finals: list[_Timed] = []
    for number in range(_FINALS if finalists else 0):
        if finals and budget.ends(_FINALS_BY):
            break
        progress(f"final {number + 1} of {_FINALS}, between {len(finalists)} schedules")
        finals.append(_in_processes(task, finalists, _FINAL))
    speedups: dict[Schedule, float] = {}
    for schedule in finalists:
        done[schedule] = finals[-1].trials[schedule]
        found = [final.ratio(Schedule(), schedule) for final in finals]
        ratios = [each for each in found if each is not None]
        if len(ratios) == len(found):
            speedups[schedule] = statistics.median(ratios)
            done[schedule] = Trial(schedule, speedups[schedule])
    trials = tuple(sorted(done.values(), key=lambda trial: -(trial.speedup or 0)))
    own = Tuning(task.kernel, "", Schedule(), 1.0, trials)
    left = sorted(speedups, key=lambda schedule: -speedups[schedule])
    for number in range(min(_CANDIDATES, len(left))):
        ties = equally_fast(left, finals)
        winner = min(ties, key=_complexity)
        progress(f"confirmation {number + 1}: {winner}")
        confirmations = _confirmations(task, winner, budget)
        if confirmations:
            return dataclasses.replace(
                own,
                best=winner,
                speedup=statistics.median(confirmations),
                ties=tuple(schedule for schedule in ties if schedule != winner),
                confirmations=confirmations,
                is_complete=not budget.is_exceeded,
            )
        left.remove(winner)
    return dataclasses.replace(own, is_complete=not budget.is_exceeded)


def _estimate(task: Task, limit_s: float | None) -> str:
    """Return how long a search takes, about: a process with the compiler's own schedule tells."""
    begin_s = time.monotonic()
    answers = _ask(task.request([Schedule()], _QUICK))
    if answers.times is None:
        raise _own_fails(task, answers)
    schedule_s = time.monotonic() - begin_s - answers.start_s
    first = task.tiles()
    count = len(first) + len(refinements(first[:_BEST], task.subgroup_sizes))
    compiled = count + _FINALS * _FINALISTS + 2 * _CONFIRMED[0][0]
    processes = math.ceil(count / _BATCH) + _FINALS + _CONFIRMED[0][0]
    seconds = answers.start_s * processes + schedule_s * compiled
    text = f"about {seconds:.0f} s for {count} schedules"
    is_bounded = limit_s is not None and seconds > limit_s
    return f"{text}, {limit_s:g} s by the limit" if is_bounded else text


def _confirmations(task: Task, schedule: Schedule, budget: _Budget) -> tuple[float, ...]:
    """Return how many times as fast as the compiler's own a schedule is, for some processes.

    Each is the median of the ratios within the rounds. Where arrays lie and what else runs differ
    from process to process more than from round to round, so processes are what is counted: a sign
    test, which ends as soon as it is decided. It knows nothing of how times are distributed.

    Returns:
        One speedup for each process if enough of them are worth it, else none.
    """
    found: list[float] = []
    while not budget.ends():
        found.append(_in_processes(task, [schedule], _CONFIRM).ratio(Schedule(), schedule) or 0.0)
        misses = sum(speedup < _WORTH for speedup in found)
        if misses > max(allowed for _, allowed in _CONFIRMED):
            return ()
        if any(len(found) == count and misses <= allowed for count, allowed in _CONFIRMED):
            return tuple(found)
    return ()


def equally_fast(schedules: Sequence[Schedule], finals: Sequence[_Timed]) -> list[Schedule]:
    """Return the schedules that are as fast as the first one, itself included.

    Args:
        schedules: the schedules, the fastest first.
        finals: their times in several processes.
    """
    best, *others = schedules

    def slowdown(schedule: Schedule) -> float:
        return statistics.median(final.ratio(schedule, best) or math.inf for final in finals)

    return [best, *(schedule for schedule in others if slowdown(schedule) <= _TIE)]


def _complexity(schedule: Schedule) -> tuple[int, tuple[int, ...]]:
    """Return a key that sorts equally fast schedules, so that all searches choose the same one."""
    entries = tuple(schedule.to_dict().values())
    return len(entries) - entries.count(0), entries


def _best(done: Mapping[Schedule, Trial], count: int) -> list[Schedule]:
    timed = [trial for trial in done.values() if trial.speedup is not None]
    timed.sort(key=lambda trial: -(trial.speedup or 0))
    return [trial.schedule for trial in timed[:count]]


def _try(
    task: Task,
    schedules: Sequence[Schedule],
    done: dict[Schedule, Trial],
    progress: Progress,
    budget: _Budget,
) -> None:
    for begin in range(0, len(schedules), _BATCH):
        if done and budget.ends(_TRIED_BY):
            return
        fastest = max(done.values(), key=lambda trial: trial.speedup or 0, default=None)
        state = ""
        if fastest is not None and fastest.speedup is not None:
            state = f"; {fastest.speedup:.2f} x: {fastest.schedule}"
        progress(f"{min(begin + _BATCH, len(schedules))} of {len(schedules)} schedules{state}")
        batch = schedules[begin : begin + _BATCH]
        done |= _in_processes(task, batch, _QUICK).trials


@dataclasses.dataclass
class _Timed:
    """Trials of some schedules, and the times of those that ran and of the compiler's own."""

    trials: dict[Schedule, Trial] = dataclasses.field(default_factory=dict)
    times: dict[Schedule, list[float]] = dataclasses.field(default_factory=dict)

    def ratio(self, this: Schedule, other: Schedule) -> float | None:
        """Return the time of a schedule divided by that of another in the same rounds."""
        if this not in self.times or other not in self.times:
            return None
        return ratio(self.times[this], self.times[other])


def _in_processes(task: Task, schedules: Sequence[Schedule], settings: Settings) -> _Timed:
    """Return the trials of some schedules, trying again without any that crash the process."""
    found = _Timed()
    left = list(schedules)
    while left:
        # The compiler's own choice runs alongside them, because only ratios are steady.
        tried = [Schedule(), *left]
        answers = _ask(task.request(tried, settings))
        if answers.times is not None:
            found.trials |= _trials(answers, tried)
            found.times = {tried[number]: times for number, times in answers.times.items()}
            break
        if answers.begun in (None, 0):
            raise _own_fails(task, answers)
        guilty = left.pop(answers.begun - 1)
        found.trials[guilty] = Trial(guilty, None, answers.log)
    found.trials.pop(Schedule(), None)
    return found


def _own_fails(task: Task, answers: workers.Answers) -> DeviceError:
    return DeviceError(
        f"{task.kernel}: expected the compiler's own schedule to run, got {answers.log}"
    )


def _ask(request: Request) -> workers.Answers:
    """Return the answers that a worker gave."""
    return workers.ask(f"{__package__}.worker", request)


def _trials(answers: workers.Answers, schedules: Sequence[Schedule]) -> dict[Schedule, Trial]:
    assert answers.times is not None
    own = answers.times.get(0)
    found = {}
    for number, schedule in enumerate(schedules):
        times = answers.times.get(number)
        if times is not None and own is not None:
            found[schedule] = Trial(schedule, ratio(own, times))
            continue
        problem = answers.problems.get(number, "the compiler's own schedule does not run")
        if number in answers.same:
            problem = f"the same code as {schedules[answers.same[number]]}"
        found[schedule] = Trial(schedule, None, problem)
    return found
