"""The search for the fastest schedule of a kernel on a device."""

from __future__ import annotations

import dataclasses
import json
import subprocess
from collections.abc import Callable, Mapping, Sequence

from .. import child_processes
from ..errors import DeviceError
from ..measure.sample_data import SampleOptions
from ..measure.timing import Settings, summarize
from .requests import Request
from .schedule import Schedule, refinements, tiles

_BATCH = 8  # schedules for one process
_BEST = 3  # how many are refined, and how many have a final
_QUICK, _FINAL = Settings(5, 0.01), Settings(15, 0.02)
_WORTH = 1.02  # a winner that gains less is noise


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
        best: the schedule to use; all zeros if the compiler's own choice is as good.
        speedup: how many times as fast as the compiler's own choice it is.
        trials: all schedules that were tried, the fastest first.
        path: file that the winner was written to, None if it was not stored.
    """

    kernel: str
    device: str
    best: Schedule
    speedup: float
    trials: tuple[Trial, ...]
    path: str | None = None


@dataclasses.dataclass(frozen=True)
class Task:
    """The kernel to tune.

    Args:
        module: the program as MLIR assembly.
        kernel: name of the kernel.
        target: name of the target.
        options: what it is launched with.
    """

    module: str
    kernel: str
    target: str
    options: SampleOptions

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


def search(task: Task, progress: Progress) -> tuple[Trial, ...]:
    """Return all trials, the fastest first.

    Tiles come first; the best of them are then unrolled and given several groups; a longer final
    round decides between the best of all.

    Args:
        task: the kernel.
        progress: called with what is tried next.

    Raises:
        DeviceError: not even the compiler's own schedule works.
    """
    done: dict[Schedule, Trial] = {}
    _try(task, tiles(), done, progress)
    _try(task, refinements(_best(done)), done, progress)
    finalists = _best(done)
    progress(f"final of {len(finalists)}")
    done |= _in_processes(task, finalists, _FINAL)
    return tuple(sorted(done.values(), key=lambda trial: -(trial.speedup or 0)))


def _best(done: Mapping[Schedule, Trial]) -> list[Schedule]:
    timed = [trial for trial in done.values() if trial.speedup is not None]
    timed.sort(key=lambda trial: -(trial.speedup or 0))
    return [trial.schedule for trial in timed[:_BEST]]


def worth(trials: Sequence[Trial]) -> tuple[Schedule, float]:
    """Return the schedule to use and its speedup: the compiler's own unless another is faster."""
    if trials and (trials[0].speedup or 0) >= _WORTH:
        return trials[0].schedule, trials[0].speedup or 1.0
    return Schedule(), 1.0


def _try(
    task: Task, schedules: Sequence[Schedule], done: dict[Schedule, Trial], progress: Progress
) -> None:
    for begin in range(0, len(schedules), _BATCH):
        fastest = max(done.values(), key=lambda trial: trial.speedup or 0, default=None)
        state = ""
        if fastest is not None and fastest.speedup is not None:
            state = f"; {fastest.speedup:.2f} x: {fastest.schedule}"
        progress(f"{min(begin + _BATCH, len(schedules))} of {len(schedules)}{state}")
        done |= _in_processes(task, schedules[begin : begin + _BATCH], _QUICK)


def _in_processes(
    task: Task, schedules: Sequence[Schedule], settings: Settings
) -> dict[Schedule, Trial]:
    """Return the trials of some schedules, trying again without any that crash the process."""
    found: dict[Schedule, Trial] = {}
    left = list(schedules)
    while left:
        # The compiler's own choice runs alongside them, because only ratios are steady.
        answers, status = _ask(task.request([Schedule(), *left], settings))
        if answers.times is not None:
            found |= _trials(answers, [Schedule(), *left])
            break
        if answers.begun in (None, 0):
            raise DeviceError(
                f"{task.kernel}: expected the compiler's own schedule to run, got a process that "
                f"ended with status {status}: {answers.log}"
            )
        guilty = left.pop(answers.begun - 1)
        found[guilty] = Trial(guilty, None, f"its process ended with status {status}")
    found.pop(Schedule(), None)
    return found


@dataclasses.dataclass
class _Answers:
    begun: int | None = None
    problems: dict[int, str] = dataclasses.field(default_factory=dict)
    times: dict[int, list[float]] | None = None
    log: str = ""


def _ask(request: Request) -> tuple[_Answers, int]:
    """Return the answers that a worker gave, and its exit status."""
    done = subprocess.run(
        child_processes.module_command(f"{__package__}.worker"),
        input=json.dumps(request),
        capture_output=True,
        text=True,
        env=child_processes.environment(),
        check=False,
    )
    answers = _Answers(log=(done.stderr.strip().splitlines() or ["no output"])[-1])
    for line in done.stdout.splitlines():
        answer = json.loads(line)
        if "begin" in answer:
            answers.begun = answer["begin"]
        elif "times" in answer:
            answers.times = {int(number): times for number, times in answer["times"].items()}
        elif "same" in answer:
            same = Schedule.from_dict(request["schedules"][answer["same"]][1])
            answers.problems[answer["of"]] = f"the same code as {same}"
        else:
            answers.problems[answer["of"]] = answer["problem"]
    return answers, done.returncode


def _surely(own: Sequence[float], times: Sequence[float]) -> float:
    """Return the speedup that three rounds of four reach; the best round is often luck."""
    return summarize([above / below for above, below in zip(own, times, strict=True)]).low


def _trials(answers: _Answers, schedules: Sequence[Schedule]) -> dict[Schedule, Trial]:
    assert answers.times is not None
    own = answers.times.get(0)
    found = {}
    for number, schedule in enumerate(schedules):
        times = answers.times.get(number)
        if times is None or own is None:
            problem = answers.problems.get(number, "the compiler's own schedule does not run")
            found[schedule] = Trial(schedule, None, problem)
        else:
            found[schedule] = Trial(schedule, _surely(own, times))
    return found
