# SPDX-License-Identifier: BSD-3-Clause
"""Finds the fastest values of a program's compile-time variables, and the fastest schedules."""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
import math
import pathlib
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from .. import trust
from ..compiler import Context, target_name
from ..errors import ArgumentError, CompileError, DeviceError, TinyTCError, describe, got
from ..frontend.defines import value_text
from ..frontend.lexer import variables
from ..measure.launches import Timing
from ..program_cache import compiler_version
from ..runtime import devices
from ..runtime.kernel import Kernel
from ..runtime.launches.arguments import Groups, checked_counts
from ..runtime.program import Program
from . import arrays, store, workers
from .schedule import Schedule, functions_of, set_schedule

SCHEDULE = "SCHEDULE"
VERSION = 1
_BATCH, _FINALISTS = 8, 4
_MOST = 10_000  # combinations
_QUICK: Mapping[str, float] = {"rounds": 5, "block_s": 0.01}
_FINAL: Mapping[str, float] = {"rounds": 15, "block_s": 0.02}


@dataclasses.dataclass(frozen=True)
class AutotuneTrial:
    """One combination of choices.

    Args:
        choice: the value of each variable, and the schedule.
        timing: how long a launch takes, None if there was none.
        problem: why not.
        is_late: whether that is the time limit, which another run may not reach.
    """

    choice: Mapping[str, object]
    timing: Timing | None = None
    problem: str = ""
    is_late: bool = False


@dataclasses.dataclass(frozen=True)
class Autotuning:
    """The result of `autotune`.

    Args:
        kernel: the kernel with the best choice, ready to be launched.
        best: the value of each variable, and the schedule, of the fastest combination.
        trials: all combinations, the fastest first.
        is_cached: whether an earlier run has found this.
        path: file that it is stored in, None if it is not.
    """

    kernel: Kernel
    best: Mapping[str, object]
    trials: tuple[AutotuneTrial, ...]
    is_cached: bool
    path: str | None


class Family(Protocol):
    """A program for values of its constants, as `@tt.kernel` makes them."""

    @property
    def name(self) -> str:
        """Name of the kernel."""

    @property
    def constant_names(self) -> Sequence[str]:
        """Names of the constants that have no value yet."""

    @property
    def parameter_names(self) -> Sequence[str]:
        """Names of all parameters."""

    def with_constants(self, values: Mapping[str, object]) -> Family:
        """Return the program for values of some constants."""

    def text_of(self, constants: Mapping[str, object], args: object) -> str:
        """Return the text for values of the constants, and arguments like these."""


def search(  # noqa: PLR0913, options by keyword
    text: str | Family,
    choices: Mapping[str, Sequence[object]],
    args: Sequence[object] | Mapping[str, object] | None = None,
    *,
    groups: Groups = None,
    kernel: str | None = None,
    target: str | None = None,
    limit_s: float = 60.0,
    store_result: bool = True,
    progress: Callable[[str], None] = lambda text: None,
) -> Autotuning:
    """Return the fastest combination of compile-time variables and schedules, and its kernel.

    Each combination is compiled and launched in a process that is killed after a time limit. Those
    that reach it are not stored: the next call with the same choices tries them again. What a
    program computes for different variables is not compared.

    Args:
        text: the program, or a function marked with `@tt.kernel`.
        choices: values to try for each variable, names without the `$`, or for each `tt.const`
            parameter; "SCHEDULE", if the text has no such variable, is for schedules of the kernel:
            `Schedule`, mappings of its entries, or None for the compiler's own.
        args: arguments of the launches: numbers, NumPy arrays and lists of them. They are copied.
            None launches with random data for 1000 groups, or for `groups`.
        groups: number of groups; None is the number that fits the arrays.
        kernel: name of the kernel; None if there is only one.
        target: name of a target; None for the default device.
        limit_s: longest time for a combination to be compiled and launched, or for eight of them
            to be timed.
        store_result: whether to look for an earlier result and to store this one.
        progress: called with what is tried next.

    Raises:
        ArgumentError: the choices or arguments are odd.
        CompileError: the fastest combination cannot be compiled any more.
        DeviceError: there is no device, or no combination runs.

    >>> import tinytc_mlir as tt
    >>> text = '''func @scale(%X: memref<f32x64x?>) {
    ...   %g = group_id : index
    ...   %x = subview %X[:,%g] : memref<f32x64>
    ...   %two = constant $FACTOR : f32
    ...   %zero = constant 0.0 : f32
    ...   axpby.n %two, %x, %zero, %x
    ... }'''
    >>> found = tt.autotune(text, {"FACTOR": [1.0], "SCHEDULE": [None, {"rows": 2}]}, groups=10)
    >>> found.best["FACTOR"]
    1.0
    """
    task = _task(text, choices, args, groups, kernel, target)
    if isinstance(limit_s, bool) or not isinstance(limit_s, (int, float)) or not limit_s > 0:
        raise _error("limit_s", f"expected a positive number of seconds, got {describe(limit_s)}")
    path = task.path() if store_result else None
    combinations = task.combinations()
    known = _stored(path, combinations)
    is_cached = len(known) == len(combinations)
    with tempfile.TemporaryDirectory() as folder:
        request = dict(task.request)
        if args is not None and not is_cached:
            request["arguments"] = arrays.saved(args, pathlib.Path(folder))
        entries = [task.entry(choice) for choice in combinations]
        trials = _measured(request, combinations, entries, known, limit_s, progress)
    timed = [trial for trial in trials if trial.timing is not None]
    if not timed:
        raise DeviceError(f"expected a combination that runs, got none: {trials[0].problem}")
    if path is not None and not is_cached:
        _store(path, combinations, trials)
    best = timed[0].choice
    where = str(path) if path is not None else None
    return Autotuning(task.compiled(best), best, tuple(trials), is_cached, where)


@dataclasses.dataclass(frozen=True)
class _Task:
    """The input of a process, and the choices."""

    request: Mapping[str, Any]
    choices: Mapping[str, Sequence[object]]
    device: str
    family: Family | None
    args: object

    def combinations(self) -> list[dict[str, object]]:
        """Return all combinations of the choices."""
        names = list(self.choices)
        return [
            dict(zip(names, values, strict=True))
            for values in itertools.product(*self.choices.values())
        ]

    def path(self) -> pathlib.Path | None:
        """Return the file of the result, None if nothing is read or written.

        Its name depends on all that the result depends on.
        """
        folder = store.folder()
        if folder is None:
            return None
        entries = [self.entry(combination) for combination in self.combinations()]
        key = [VERSION, compiler_version(), dict(self.request), entries, self.device]
        digest = hashlib.sha256(json.dumps(key).encode()).hexdigest()
        return folder / f"auto-{digest[:32]}.json"

    def compiled(self, choice: Mapping[str, object]) -> Kernel:
        """Return the kernel for a combination."""
        request = self.request
        program = compiled(request, self.entry(choice))
        name = request["kernel"] or next(iter(program))
        return program[name]

    def entry(self, choice: Mapping[str, object]) -> dict[str, Any]:
        """Return a combination as JSON; schedules have been made of what stands for them."""
        schedules = [value for value in choice.values() if isinstance(value, Schedule)]
        values = {n: v for n, v in choice.items() if not isinstance(v, Schedule)}
        found: dict[str, Any] = {
            "defines": {},
            "schedule": schedules[0].to_dict() if schedules else None,
        }
        if self.family is None:
            found["defines"] = {name: value_text(name, value) for name, value in values.items()}
            return found
        try:
            return {**found, "text": self.family.text_of(values, self.args)}
        except CompileError as error:
            return {**found, "problem": f"{type(error).__name__}: {error}"}


def compiled(request: Mapping[str, Any], entry: Mapping[str, Any]) -> Program:
    """Return the program for a combination.

    Args:
        request: text, name of the kernel, and target.
        entry: values of the variables as text, and the entries of the schedule.
    """
    if "problem" in entry:
        raise TinyTCError(entry["problem"])
    text = entry.get("text", request["text"])
    module = Context().parse(text, "<autotune>", defines=entry["defines"])
    if entry["schedule"] is not None:
        functions = dict(functions_of(module.operation))
        name = request["kernel"] or next(iter(functions), None)
        if name in functions:
            set_schedule(functions[name], Schedule.from_dict(entry["schedule"]))
    return module.compile(request["target"])


def _task(
    text: object, choices: object, args: object, groups: object, kernel: object, target: object
) -> _Task:
    """Return the checked task."""
    family: Family | None = text if hasattr(text, "text_of") else None  # type: ignore[assignment]
    if family is not None:
        known = list(family.constant_names)
    elif isinstance(text, str):
        known = sorted(variables(text))
    else:
        raise _error("text", f"expected a text or a kernel, got {describe(text)}")
    if not isinstance(choices, Mapping) or not choices:
        raise _error("choices", f"expected a mapping of values to try, got {describe(choices)}")
    found: dict[str, Sequence[object]] = {}
    for name, values in choices.items():
        if isinstance(values, (str, bytes)) or not isinstance(values, Sequence) or not values:
            raise _error("choices", f"expected values to try for {name}, got {describe(values)}")
        is_schedule = name == SCHEDULE and SCHEDULE not in known
        if not is_schedule and name not in known:
            raise _error(
                "choices", f"expected the name of a variable of the program, {got(name, known)}"
            )
        found[name] = [_schedule(value) for value in values] if is_schedule else values
    count = math.prod(map(len, found.values()))
    if count > _MOST:
        raise _error("choices", f"expected at most {_MOST} combinations, got {count}")
    if kernel is not None and not isinstance(kernel, str):
        raise _error("kernel", f"expected a name, got {describe(kernel)}")
    if args is not None and not isinstance(args, (Mapping, list, tuple)):
        raise _error("args", f"expected a list of arguments, or a mapping, got {describe(args)}")
    name = target_name(target)
    device = store.describe(devices.default_device(name))
    request = {
        "text": text if isinstance(text, str) else None,
        "kernel": kernel,
        "target": name,
        "groups": None if groups is None else _counts(groups),
        "arguments": None if args is None else arrays.described(args),
    }
    return _Task(request, found, device, family, args)


def _counts(groups: object) -> list[int]:
    try:
        return list(checked_counts(groups, 1))
    except ValueError as error:
        raise _error("groups", str(error)) from None


def _schedule(value: object) -> Schedule:
    if value is None:
        return Schedule()
    if isinstance(value, Schedule):
        return value
    try:
        if isinstance(value, Mapping):
            return Schedule.from_dict(value)
        raise ValueError(f"expected a Schedule, a mapping of its entries or None, got {value!r}")
    except ValueError as error:
        raise _error("choices", str(error)) from None


def _error(argument: str, message: str) -> ArgumentError:
    return ArgumentError(f"autotune: argument {argument!r}: {message}", argument=argument)


def _measured(
    request: Mapping[str, Any],
    combinations: Sequence[Mapping[str, object]],
    entries: Sequence[Mapping[str, Any]],
    known: Sequence[AutotuneTrial],
    limit_s: float,
    progress: Callable[[str], None],
) -> list[AutotuneTrial]:
    """Return the trials of all combinations, the fastest first.

    Args:
        request: the program and its arguments.
        combinations: all combinations.
        entries: the same as JSON.
        known: those of an earlier run, the fastest first.
        limit_s: longest time between two answers of a process.
        progress: called with what is tried next.
    """
    trials = {_number(trial, combinations): trial for trial in known}

    def measure(numbers: Sequence[int], settings: Mapping[str, float]) -> None:
        left = list(numbers)
        while left:
            candidates = [(number, entries[number]) for number in left]
            asked = {**request, "candidates": candidates, "settings": settings}
            answers = workers.ask(f"{__package__}.autotune_worker", asked, limit_s)
            for number, problem in answers.problems.items():
                trials[number] = AutotuneTrial(combinations[number], None, problem)
            if answers.times is not None:
                for number, times in answers.times.items():
                    trials[number] = AutotuneTrial(combinations[number], _timing(times))
                return
            if answers.begun is None:
                raise DeviceError(f"expected a combination that runs, got {answers.log}")
            trials[answers.begun] = AutotuneTrial(
                combinations[answers.begun], None, answers.log, answers.is_late
            )
            left = [number for number in left if number not in trials]

    def fastest() -> list[int]:
        timed = [number for number, trial in trials.items() if trial.timing is not None]
        return sorted(timed, key=lambda number: _median(trials[number]))

    everything = range(len(combinations))
    missing = [number for number in everything if number not in trials]
    for begin in range(0, len(missing), _BATCH):
        batch = missing[begin : begin + _BATCH]
        progress(f"{batch[-1] + 1} of {len(combinations)}")
        measure(batch, _QUICK)
    is_new = any(trials[number].timing is not None for number in missing)
    finalists = fastest()[:_FINALISTS] if is_new else list(trials)[:_FINALISTS]
    if is_new and len(finalists) > 1:
        progress(f"final of {len(finalists)}")
        measure(finalists, _FINAL)
    order = [number for number in fastest() if number in finalists]
    order += [number for number in fastest() if number not in finalists]
    order += [number for number in everything if number not in order]
    return [trials[number] for number in order]


def _number(trial: AutotuneTrial, combinations: Sequence[Mapping[str, object]]) -> int:
    return next(n for n, choice in enumerate(combinations) if choice is trial.choice)


def _median(trial: AutotuneTrial) -> float:
    return trial.timing.median_ns if trial.timing is not None else float("inf")


def _timing(found: Sequence[float]) -> Timing:
    launches, median, low, high = found
    return Timing(median, (low, high), int(launches))


def _store(
    path: pathlib.Path,
    combinations: Sequence[Mapping[str, object]],
    trials: Sequence[AutotuneTrial],
) -> None:
    """Write the trials, each with the number of its combination."""
    entries = [
        {
            "of": _number(trial, combinations),
            "timing": dataclasses.asdict(trial.timing) if trial.timing is not None else None,
            "problem": trial.problem,
        }
        for trial in trials
        if not trial.is_late
    ]
    trust.write(path, json.dumps(entries).encode() + b"\n")


def _stored(
    path: pathlib.Path | None, combinations: Sequence[Mapping[str, object]]
) -> list[AutotuneTrial]:
    """Return the trials of an earlier run, none if there was none or its file is damaged."""
    if path is None:
        return []
    try:
        trials = []
        for entry in json.loads(store.read(path)):
            timing = entry["timing"]
            if timing is not None:
                quantiles = tuple(map(float, timing["quantiles_ns"]))
                timing = Timing(float(timing["median_ns"]), quantiles, int(timing["launches"]))
            trials.append(AutotuneTrial(combinations[entry["of"]], timing, str(entry["problem"])))
    except (OSError, ValueError, KeyError, TypeError, IndexError, TinyTCError):
        return []
    return trials
