# SPDX-License-Identifier: BSD-3-Clause
"""Compiles and times some combinations of `autotune` in a separate process.

The request comes on stdin. Answers are lines of JSON on stdout: `{"begin": i}` before a combination
is touched, `{"problem": ..., "of": i}` if it is unusable, and at the end for each the number of
launches, the median and the quartiles in nanoseconds, `{"times": {i: [...]}}`.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import sys
from collections.abc import Mapping
from typing import Any

from .. import child_processes
from ..errors import TinyTCError
from ..measure.comparison import copied, members_of
from ..measure.sample_data import SampleOptions, sample_arguments
from ..measure.timing import Candidate, Settings, interleave, summarize
from ..runtime.arrays.memory import empty
from ..runtime.devices import queue_of
from ..runtime.kernel import BoundKernel
from . import arrays, chosen
from .autotune import compiled

_GROUPS = 1000  # of random data


@dataclasses.dataclass(frozen=True)
class _Counted(Candidate):
    """A candidate that remembers the number of launches of each block."""

    blocks: list[int] = dataclasses.field(default_factory=list)

    def block(self, launches: int) -> float:
        """Return the time of one launch in nanoseconds, the mean of consecutive ones."""
        self.blocks.append(launches)
        return super().block(launches)


def _bound(request: Mapping[str, Any], entry: Mapping[str, Any]) -> tuple[BoundKernel, Any]:
    """Return a combination's kernel with its arguments, and what resets these."""
    program = compiled(request, entry)
    kernel = program[chosen(list(program), request["kernel"])]
    queue = queue_of(request["target"])
    groups = request["groups"]
    allocate = functools.partial(empty, queue=queue)
    if request["arguments"] is None:
        groups = groups or _GROUPS
        counts = tuple(groups) if isinstance(groups, list) else groups
        values = sample_arguments(kernel.info, SampleOptions(counts), allocate)
    else:
        by_position, by_name = arrays.loaded(request["arguments"], allocate)
        names = [argument.name for argument in kernel.info.arguments]
        values = dict(zip(names, kernel.signature.ordered(by_position, by_name), strict=True))
    initial = {name: copied(value) for name, value in values.items()}

    def reset() -> None:
        for name, value in values.items():
            for target, source in zip(_arrays(value), _arrays(initial[name]), strict=True):
                target[...] = source

    return kernel.bind(values, groups=groups, queue=queue), reset


def _arrays(value: object) -> list[Any]:
    if isinstance(value, list):
        return value
    return [each for each in members_of(value) if hasattr(each, "shape")]


def main() -> None:
    """Answer the request on stdin."""
    answer = child_processes.answers()
    request = json.load(sys.stdin)
    candidates: dict[str, _Counted] = {}
    for number, entry in request["candidates"]:
        answer({"begin": number})
        try:
            bound, reset = _bound(request, entry)
            bound()
        except TinyTCError as error:
            answer({"problem": f"{type(error).__name__}: {error}", "of": number})
        else:
            candidates[str(number)] = _Counted(bound.submit, bound.finish, reset)
    settings = Settings(**request["settings"])
    found = {}
    for key, times in (interleave(candidates, settings) if candidates else {}).items():
        summary = summarize(times)
        launches = candidates[key].blocks[-1] * len(times)
        found[key] = [launches, summary.median, summary.low, summary.high]
    answer({"times": found})


if __name__ == "__main__":
    main()
