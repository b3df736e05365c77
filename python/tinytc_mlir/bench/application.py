"""What the kernels of a whole application take from their text to their first launch.

`measure_application` starts a process for each way to compile them, as caches and memory of the
driver last as long as a process.
"""

from __future__ import annotations

import concurrent.futures
import itertools
import json
import pathlib
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..compiler import Context
from ..runtime.memory import asarray
from ..runtime.program import Program
from ..scalars import SCALAR_TYPES
from .chains import Chain, application
from .findings import TOGETHER
from .measurements import ApplicationRun, ApplicationRuns

# Ways to compile: kernels in a program, all of them if None, and threads.
WAYS: dict[str, tuple[int | None, int]] = {
    TOGETHER: (None, 1),
    "a program each": (1, 1),
    "a program each, two threads": (1, 2),
}
_GROUPS = 3

_Kernel = tuple[Chain, str]
_Arguments = dict[str, Any]


def measure_application(count: int) -> ApplicationRuns:
    """Return what a number of chains take, by the way in which they are compiled.

    Args:
        count: number of chains.
    """
    runs: dict[str, ApplicationRun] = {}
    problems: dict[str, str] = {}
    for way in WAYS:
        command = [sys.executable, "-m", __name__, way, str(count)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
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
    size, threads = WAYS[way]
    chains = list(itertools.islice(application(), count))
    arguments = {chain.function(type_): _arguments(chain, type_) for chain, type_ in chains}
    texts = [
        "\n".join(chain.text(type_) for chain, type_ in part)
        for part in _parts(chains, size or len(chains))
    ]
    _Builder({"nothing": {"x": 1.0}}).build("func @nothing(%x: f32) { }")  # starts the driver
    builder = _Builder(arguments)
    memory_bytes = _memory_bytes()
    begin_ns, begin_cpu_ns = time.perf_counter_ns(), time.process_time_ns()
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        programs = list(pool.map(builder.build, texts))
    run: ApplicationRun = {
        "chains": len(chains),
        "time_ns": time.perf_counter_ns() - begin_ns,
        "cpu_ns": time.process_time_ns() - begin_cpu_ns,
        "compile_ns": builder.compile_ns,
        "memory_bytes": _memory_bytes() - memory_bytes,
    }
    assert sum(map(len, programs)) == len(chains)  # all of them are still in memory
    return run


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


class _Builder:
    """Compiles programs, each thread in a context of its own, and launches their kernels.

    Args:
        arguments: arguments by the name of the kernel.
    """

    def __init__(self, arguments: dict[str, _Arguments]) -> None:
        self.compile_ns = 0
        self._arguments = arguments
        self._thread = threading.local()
        self._lock = threading.Lock()

    def build(self, text: str) -> Program:
        """Return the program of a text, all of whose kernels have been launched."""
        begin = time.perf_counter_ns()
        if not hasattr(self._thread, "context"):
            self._thread.context = Context()
        program: Program = self._thread.context.parse(text, "<bench>").compile("cpu")
        with self._lock:
            self.compile_ns += time.perf_counter_ns() - begin
        for name in program:
            program[name](self._arguments[name], groups=_GROUPS)
        return program


def _memory_bytes() -> int:
    """Return the memory that this process has now."""
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


if __name__ == "__main__":
    print(json.dumps(run_application(sys.argv[1], int(sys.argv[2]))))
