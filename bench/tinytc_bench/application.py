# SPDX-License-Identifier: BSD-3-Clause
"""Times of an application's kernels, from their text to their first launch.

`measure_application` starts a process for each way to compile them, as caches and memory of the
driver last as long as a process.
"""

from __future__ import annotations

import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from tinytc_mlir import child_processes, switches
from tinytc_mlir.compiler import Context
from tinytc_mlir.runtime.arrays.memory import asarray
from tinytc_mlir.runtime.program import Program
from tinytc_mlir.runtime.spirv.prebuild import prebuild
from tinytc_mlir.scalars import SCALAR_TYPES

from .chains import Chain, application
from .findings import AGAIN, TOGETHER
from .measurements import ApplicationRun, ApplicationRuns

# Ways to compile: kernels in a program, all of them if None, and processes that build, if any.
# The last way finds what the one before has built.
WAYS: dict[str, tuple[int | None, int]] = {
    TOGETHER: (None, 0),
    f"{TOGETHER}, two processes": (None, 2),
    "a program each": (1, 0),
    "a program each, two processes": (1, 2),
    AGAIN: (1, 2),
}
_GROUPS, _TARGET = 3, "cpu"

_Kernel = tuple[Chain, str]
_Arguments = dict[str, Any]


def measure_application(count: int) -> ApplicationRuns:
    """Return what a number of chains take, by the way in which they are compiled.

    Args:
        count: number of chains.
    """
    runs: dict[str, ApplicationRun] = {}
    problems: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        environment = child_processes.environment()
        for number, way in enumerate(WAYS):
            if way != AGAIN:  # which finds what the way before it has kept
                environment[switches.CACHE_DIR.name] = os.path.join(folder, str(number))
            command = [*child_processes.module_command(__name__), way, str(count)]
            result = subprocess.run(
                command, env=environment, capture_output=True, text=True, check=False
            )
            if result.returncode:
                reason = (result.stderr.strip().splitlines() or ["no message"])[-1]
                problems["ours"] = f"{way}: status {result.returncode}: {reason}"
            else:
                runs[way] = json.loads(result.stdout)
    return {"runs": runs, "problems": problems}


def run_application(way: str, count: int) -> ApplicationRun:
    """Compile and launch a number of chains in this process.

    Args:
        way: one of `WAYS`.
        count: number of chains.
    """
    size, processes = WAYS[way]
    chains = list(itertools.islice(application(), count))
    arguments = {chain.function(type_): _arguments(chain, type_) for chain, type_ in chains}
    texts = [
        "\n".join(chain.text(type_) for chain, type_ in part)
        for part in _parts(chains, size or len(chains))
    ]
    context = Context()
    nothing = context.parse("func @nothing(%x: f32) { }").compile(_TARGET)
    nothing["nothing"](1.0, groups=1)  # starts the driver
    programs: list[Program] = []

    def compiled() -> Iterator[Program]:
        for text in texts:
            programs.append(context.parse(text, "<bench>").compile(_TARGET))
            yield programs[-1]

    memory_bytes = _memory_bytes()
    begin_ns, begin_cpu_ns = time.perf_counter_ns(), _cpu_ns()
    if processes:
        prebuild(compiled(), processes=processes)
    for program in programs if processes else compiled():
        for name in program:
            program[name](arguments[name], groups=_GROUPS)
    return {
        "chains": len(chains),
        "time_ns": time.perf_counter_ns() - begin_ns,
        "cpu_ns": _cpu_ns() - begin_cpu_ns,
        "memory_bytes": _memory_bytes() - memory_bytes,  # with all programs
    }


def _parts(chains: Sequence[_Kernel], size: int) -> Iterable[Sequence[_Kernel]]:
    return (chains[first : first + size] for first in range(0, len(chains), size))


def _arguments(chain: Chain, type_: str) -> _Arguments:
    """Return matrices of zeros, for some groups."""
    dtype = SCALAR_TYPES[type_].dtype
    return {
        name: asarray(np.zeros((matrix.rows, matrix.columns, *groups), dtype, order="F"))
        for name, matrix in chain.matrices.items()
        if matrix.role != "temporary"
        for groups in [(_GROUPS,) if matrix.is_batch else ()]
    }


def _cpu_ns() -> int:
    """Return the time on processors of this process and of those that it has waited for."""
    times = os.times()
    own_s = times.user + times.system + times.children_user + times.children_system
    return int(1e9 * own_s)


def _memory_bytes() -> int:
    """Return the memory that this process has now."""
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


if __name__ == "__main__":
    print(json.dumps(run_application(sys.argv[1], int(sys.argv[2]))))
