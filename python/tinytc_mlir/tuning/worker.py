# SPDX-License-Identifier: BSD-3-Clause
"""Compiles and times some schedules of a kernel in a separate process.

A driver never frees a program, and may crash on one, so `search` starts a new process for every few
schedules. The request comes on stdin; answers are lines of JSON on stdout:
`{"begin": i}` before a schedule is touched, `{"problem": ..., "of": i}` if it is unusable,
`{"same": j, "of": i}` if it gives the code of an earlier one, `{"times": {i: [ns]}}` at the end.
"""

from __future__ import annotations

import json
import sys

from .. import child_processes
from ..compiler import Context, Module
from ..errors import TinyTCError
from ..measure.comparison import argument_error, copied, members_of
from ..measure.sample_data import SampleOptions, sample_arguments
from ..measure.timing import Candidate, Settings, interleave
from ..runtime.arrays.memory import empty
from ..runtime.devices import queue_of
from ..runtime.kernel import BoundKernel
from ..runtime.kernel_info import MemrefArgument
from ..runtime.launches.arguments import checked_counts
from ..runtime.program import Program
from ..scalars import SCALAR_TYPES
from .requests import Answer, Request
from .schedule import Schedule, functions_of, set_schedule

# The order of a sum depends on the schedule; the errors of a wrong tiling are far larger.
_EPSILONS = 1024.0


class _Trials:
    """The kernel, its arguments and what the compiler's own schedule computes."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._queue = queue_of(request["target"])
        self._groups = checked_counts(request["groups"], 1)
        sizes = {(name, mode): size for name, mode, size in request["sizes"]}
        options = SampleOptions(self._groups, request["seed"], sizes, request["scalars"])
        program = self._compile(Schedule())
        self._info = program[request["kernel"]].info
        self._values = sample_arguments(
            self._info, options, lambda shape, dtype: empty(shape, dtype, queue=self._queue)
        )
        self._written = [
            argument.name
            for argument in self._info.arguments
            if isinstance(argument, MemrefArgument) and argument.is_written
        ]
        self._initial = {name: copied(self._values[name]) for name in self._written}
        self._bind(program)()
        self._expected = {name: copied(self._values[name]) for name in self._written}
        self.codes: dict[bytes, int] = {}

    def _compile(self, schedule: Schedule) -> Program:
        module: Module = Context().parse_mlir(self._request["module"])
        functions = dict(functions_of(module.operation))
        set_schedule(functions[self._request["kernel"]], schedule)
        return module.compile(self._request["target"])

    def _bind(self, program: Program) -> BoundKernel:
        kernel = program[self._request["kernel"]]
        return kernel.bind(self._values, groups=self._groups, queue=self._queue)

    def candidate(self, number: int, schedule: Schedule) -> Candidate | Answer:
        """Return the launches of a schedule, or the answer that says why there are none."""
        try:
            program = self._compile(schedule)
            same = self.codes.setdefault(program.code, number)
            if same != number:
                return {"same": same, "of": number}
            bound = self._bind(program)
            self.reset()
            bound()
        except TinyTCError as error:
            return {"problem": f"{type(error).__name__}: {error}", "of": number}
        error_size = max(map(self._error, self._written), default=0.0)
        if not error_size <= _EPSILONS:
            return {"problem": f"wrong result, by {error_size:.0f} epsilon", "of": number}
        return Candidate(bound.submit, self._queue.wait, self.reset)

    def reset(self) -> None:
        """Reset the arrays that the kernel writes to their initial values."""
        for name, initial in self._initial.items():
            for target, source in zip(
                members_of(self._values[name]), members_of(initial), strict=True
            ):
                target[...] = source

    def _error(self, name: str) -> float:
        """Return how far an array is from what is expected, in epsilons."""
        argument = next(a for a in self._info.arguments if a.name == name)
        assert isinstance(argument, MemrefArgument)
        error = argument_error(argument, self._values[name], self._expected[name])
        epsilon = SCALAR_TYPES[argument.element_type].epsilon
        if not epsilon:
            return error * float("inf") if error else 0.0
        return error / epsilon


def main() -> None:
    """Answer the request on stdin."""
    answer = child_processes.answers()
    request: Request = json.load(sys.stdin)
    trials = _Trials(request)
    candidates: dict[str, Candidate] = {}
    for number, entries in request["schedules"]:
        answer({"begin": number})
        found = trials.candidate(number, Schedule.from_dict(entries))
        if isinstance(found, Candidate):
            candidates[str(number)] = found
        else:
            answer(found)
    answer({"times": interleave(candidates, Settings(**request["settings"]))})


if __name__ == "__main__":
    main()
