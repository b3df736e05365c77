# SPDX-License-Identifier: BSD-3-Clause
"""Starts the processes that compile and time candidates, and reads what they answer."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping

from .. import child_processes, switches

LIMIT_S = 120.0  # for one candidate: to be compiled and launched once, or for all to be timed
_START_S = 60.0  # more for the first answer, as a busy machine may start processes slowly
_TIME_OUT = "no answer within"


@dataclasses.dataclass
class Answers:
    """The output of a process before it ended.

    Args:
        begun: number of the last candidate that it touched, None if it touched none.
        problems: why candidates are unusable, by number.
        same: the earlier candidate that gives the same code, by number.
        times: times of a launch in nanoseconds for each round, by number; None if it did not get
            so far.
        log: how it ended.
        is_late: whether it was killed because it did not answer in time.
        start_s: time until it touched the first candidate, in seconds.
    """

    begun: int | None = None
    problems: dict[int, str] = dataclasses.field(default_factory=dict)
    same: dict[int, int] = dataclasses.field(default_factory=dict)
    times: dict[int, list[float]] | None = None
    log: str = ""
    is_late: bool = False
    start_s: float = 0.0

    def add(self, answer: Mapping[str, object]) -> None:
        """Take in one line."""
        number = answer.get("of")
        if "begin" in answer:
            assert isinstance(answer["begin"], int)
            self.begun = answer["begin"]
        elif "times" in answer:
            assert isinstance(answer["times"], dict)
            self.times = {int(key): times for key, times in answer["times"].items()}
        elif isinstance(number, int) and isinstance(answer.get("same"), int):
            self.same[number] = int(str(answer["same"]))
        elif isinstance(number, int):
            self.problems[number] = str(answer["problem"])


def ask(module: str, request: object, limit_s: float = LIMIT_S) -> Answers:
    """Return what a process answers, which ends itself or is killed.

    Args:
        module: name of the module that it runs.
        request: what it reads from stdin, as JSON.
        limit_s: longest time between two answers, besides the start of the process.
    """
    answers = Answers()
    begin_s = time.monotonic()
    with (
        tempfile.TemporaryFile("w+") as log,
        subprocess.Popen(
            child_processes.module_command(module),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            # Most of what is tried is never used again.
            env={**child_processes.environment(), switches.CACHE_DIR.name: "0"},
        ) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        killed = threading.Event()

        def kill() -> None:
            killed.set()
            process.kill()

        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(json.dumps(request))
            process.stdin.close()
        patience_s = limit_s + _START_S
        while True:
            timer = threading.Timer(patience_s, kill)
            timer.start()
            patience_s = limit_s
            line = process.stdout.readline()
            timer.cancel()
            if not line:
                break
            answers.start_s = answers.start_s or time.monotonic() - begin_s
            with contextlib.suppress(ValueError):  # half a line of a process that was killed
                answers.add(json.loads(line))
        status = process.wait()
        log.seek(0)
        last = (log.read().strip().splitlines() or ["no output"])[-1]
    answers.is_late = killed.is_set()
    if answers.is_late:
        answers.log = f"{_TIME_OUT} {limit_s:g} s"
    else:
        answers.log = f"its process ended with status {status}: {last}"
    return answers
