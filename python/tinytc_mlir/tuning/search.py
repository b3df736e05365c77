"""The search for the fastest schedule of a kernel on a device."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence

from ..errors import DeviceError
from ..measure.sample_data import SampleOptions
from ..measure.timing import Settings, summarize
from . import workers
from .requests import Request
from .schedule import Schedule, refinements, tiles

_BATCH = 8  # schedules for one process
_BEST = 3  # how many are refined
_FINALISTS = 5
_QUICK, _FINAL, _CONFIRM = Settings(5, 0.01), Settings(21, 0.02), Settings(31, 0.02)
_CONFIRMATIONS = 3  # processes that must agree about a winner
_CANDIDATES = 3  # how many may try to be confirmed
_WORTH = 1.05  # a winner that gains less is noise
_TIE = 1.02  # schedules whose times differ by less in a quarter of the rounds are equally fast


@dataclasses.dataclass(frozen=True)
class Trial:
    """The outcome of trying a schedule.

    Args:
        schedule: the schedule.
        speedup: how many times as fast as the compiler's own choice in three rounds of four;
            None if it was not timed.
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
        speedup: how many times as fast as the compiler's own choice it was each time, 1 for that
            choice.
        trials: all schedules that were tried, the fastest first.
        ties: further schedules that are as fast as the best, so that another search may name them.
        confirmations: how many times as fast as the compiler's own choice the best was in each of
            the processes that compared it with nothing else.
        path: file that the winner was written to, None if it was not stored.
    """

    kernel: str
    device: str
    best: Schedule
    speedup: float
    trials: tuple[Trial, ...]
    ties: tuple[Schedule, ...] = ()
    confirmations: tuple[float, ...] = ()
    path: str | None = None

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
    """

    module: str
    kernel: str
    target: str
    options: SampleOptions
    subgroup_sizes: tuple[int, ...] = ()

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


def search(task: Task, progress: Progress) -> Tuning:
    """Return what a search has found.

    Tiles come first; the best of them are then unrolled and given several groups and other
    subgroups; a longer final decides between the best of all. The winner, the simplest of those
    that are equally fast, must then be faster than the compiler's own choice in further processes
    that time these two only.

    Args:
        task: the kernel.
        progress: called with what is tried next.

    Raises:
        DeviceError: not even the compiler's own schedule works.
    """
    done: dict[Schedule, Trial] = {}
    _try(task, tiles(), done, progress)
    _try(task, refinements(_best(done, _BEST), task.subgroup_sizes), done, progress)
    finalists = _best(done, _FINALISTS)
    progress(f"final of {len(finalists)}")
    final = _in_processes(task, finalists, _FINAL)
    done |= final.trials
    trials = tuple(sorted(done.values(), key=lambda trial: -(trial.speedup or 0)))
    own = Tuning(task.kernel, "", Schedule(), 1.0, trials)
    left = _best(final.trials, _FINALISTS)
    for number in range(min(_CANDIDATES, len(left))):
        ties = equally_fast(left[0], {schedule: final.times[schedule] for schedule in left})
        winner = min(ties, key=_complexity)
        progress(f"confirmation {number + 1}: {winner}")
        confirmations: tuple[float, ...] = ()
        while len(confirmations) < _CONFIRMATIONS and min(confirmations, default=_WORTH) >= _WORTH:
            confirmations += (_speedup(task, winner),)
        if min(confirmations) >= _WORTH:
            others = tuple(schedule for schedule in ties if schedule != winner)
            return dataclasses.replace(
                own,
                best=winner,
                speedup=min(confirmations),
                ties=others,
                confirmations=confirmations,
            )
        left.remove(winner)
    return own


def equally_fast(best: Schedule, times: Mapping[Schedule, Sequence[float]]) -> list[Schedule]:
    """Return the schedules that the rounds do not tell from the best, itself included.

    Args:
        best: the fastest schedule.
        times: times in the same rounds, by schedule.
    """

    def slowdown(schedule: Schedule) -> float:
        pairs = zip(times[schedule], times[best], strict=True)
        return summarize([this / fastest for this, fastest in pairs]).low

    others = (schedule for schedule in times if schedule != best)
    return [best, *(schedule for schedule in others if slowdown(schedule) <= _TIE)]


def _complexity(schedule: Schedule) -> tuple[int, tuple[int, ...]]:
    """Return what orders equally fast schedules, so that searches agree about one of them."""
    entries = tuple(schedule.to_dict().values())
    return len(entries) - entries.count(0), entries


def _speedup(task: Task, schedule: Schedule) -> float:
    """Return how many times as fast as the compiler's own a schedule is in a fresh process."""
    return _in_processes(task, [schedule], _CONFIRM).trials[schedule].speedup or 0.0


def _best(done: Mapping[Schedule, Trial], count: int) -> list[Schedule]:
    timed = [trial for trial in done.values() if trial.speedup is not None]
    timed.sort(key=lambda trial: -(trial.speedup or 0))
    return [trial.schedule for trial in timed[:count]]


def _try(
    task: Task, schedules: Sequence[Schedule], done: dict[Schedule, Trial], progress: Progress
) -> None:
    for begin in range(0, len(schedules), _BATCH):
        fastest = max(done.values(), key=lambda trial: trial.speedup or 0, default=None)
        state = ""
        if fastest is not None and fastest.speedup is not None:
            state = f"; {fastest.speedup:.2f} x: {fastest.schedule}"
        progress(f"{min(begin + _BATCH, len(schedules))} of {len(schedules)}{state}")
        batch = schedules[begin : begin + _BATCH]
        done |= _in_processes(task, batch, _QUICK).trials


@dataclasses.dataclass
class _Timed:
    """Trials of some schedules, and the times of those that ran and of the compiler's own."""

    trials: dict[Schedule, Trial] = dataclasses.field(default_factory=dict)
    times: dict[Schedule, list[float]] = dataclasses.field(default_factory=dict)


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
            raise DeviceError(
                f"{task.kernel}: expected the compiler's own schedule to run, got {answers.log}"
            )
        guilty = left.pop(answers.begun - 1)
        found.trials[guilty] = Trial(guilty, None, answers.log)
    found.trials.pop(Schedule(), None)
    return found


def _ask(request: Request) -> workers.Answers:
    """Return the answers that a worker gave."""
    return workers.ask(f"{__package__}.worker", request)


def _surely(own: Sequence[float], times: Sequence[float]) -> float:
    """Return the speedup that three rounds of four reach; the best round is often luck."""
    return summarize([above / below for above, below in zip(own, times, strict=True)]).low


def _trials(answers: workers.Answers, schedules: Sequence[Schedule]) -> dict[Schedule, Trial]:
    assert answers.times is not None
    own = answers.times.get(0)
    found = {}
    for number, schedule in enumerate(schedules):
        times = answers.times.get(number)
        if times is not None and own is not None:
            found[schedule] = Trial(schedule, _surely(own, times))
            continue
        problem = answers.problems.get(number, "the compiler's own schedule does not run")
        if number in answers.same:
            problem = f"the same code as {schedules[answers.same[number]]}"
        found[schedule] = Trial(schedule, None, problem)
    return found
