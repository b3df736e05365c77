"""Times launches of a kernel in Python beside those of the same program as a text.

Run with `python bench/python_kernels.py`. The output is the processor time of a new process that
launches a program of the cache and how much more a function takes, in milliseconds, and how much
longer a later call of the function takes than one of its kernel object, in microseconds of the
calling thread. Both are measured in turns, and the numbers are medians of differences, which a
loaded machine hardly changes. Modules are compiled to bytecode before.
"""

from __future__ import annotations

import argparse
import os
import resource
import runpy
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import tinytc_mlir as tt

_KERNEL = """import tinytc_mlir as tt

@tt.kernel
def scale(a: tt.f32, x: tt.f32[8, None]):
    i = tt.group_id
    x[:, i] = a * x[:, i]
"""
_HEAD = """import sys
import numpy as np
import tinytc_mlir as tt
x = np.ones((8, 4), np.float32)
"""
_PROGRAMS = {
    "text": "tt.compile(open(sys.argv[1]).read())['scale'](2.0, x)",
    "function": "sys.path.insert(0, sys.argv[2]); from scale import scale; scale(2.0, x)",
    "imports": "",
}


def _kernel(path: Path) -> tt.KernelFunction:
    found: tt.KernelFunction = runpy.run_path(str(path))["scale"]
    return found


def _used() -> float:
    """Return the processor time of all processes that have ended."""
    found = resource.getrusage(resource.RUSAGE_CHILDREN)
    return found.ru_utime + found.ru_stime


def first_calls(count: int) -> dict[str, float]:
    """Return the processor time of a new process for each kind of program, in seconds."""
    times: dict[str, list[float]] = {name: [] for name in _PROGRAMS}
    with tempfile.TemporaryDirectory() as folder:
        text, function = Path(folder) / "scale.ir", Path(folder) / "scale.py"
        function.write_text(_KERNEL)
        text.write_text(_kernel(function).text)
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = folder  # modules are compiled once, as for users
        for turn in range(count + 1):  # the first one fills the caches
            for name, program in _PROGRAMS.items():
                command = [sys.executable, "-c", _HEAD + program, str(text), folder]
                before = _used()
                subprocess.run(command, check=True, env=environment)
                if turn:
                    times[name].append(_used() - before)
    found = {name: statistics.median(each) for name, each in times.items()}
    return found | {"more": _more(times["function"], times["text"])}


def _more(times: list[float], others: list[float]) -> float:
    """Return how much longer something takes than another thing that was measured in turns."""
    return statistics.median(a - b for a, b in zip(times, others, strict=True))


def later_calls(count: int) -> tuple[float, float]:
    """Return the time of a call of the kernel object, and how much longer the function takes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scale.py"
        path.write_text(_KERNEL)
        scale = _kernel(path)
    x = np.ones((8, 1), np.float32, order="F")
    scale(1.0, x)
    calls: dict[str, Callable[..., None]] = {"object": scale.kernel(), "function": scale}
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(count):
        for name, call in calls.items():
            start = time.thread_time()
            for _ in range(100):
                call(1.0, x)
            times[name].append((time.thread_time() - start) / 100)
    return statistics.median(times["object"]), _more(times["function"], times["object"])


def main() -> None:
    """Print the numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=9, help="new processes of each kind")
    parser.add_argument("--pairs", type=int, default=200, help="pairs of 100 later calls")
    options = parser.parse_args()
    first = first_calls(options.processes)
    print(f"new process, imports {first['imports'] * 1e3:.0f} ms of processor time")
    print(f"launch of a text {first['text'] * 1e3:.0f} ms, function {first['more'] * 1e3:+.1f} ms")
    least, more = later_calls(options.pairs)
    print(f"later call, kernel object {least * 1e6:.2f} us, function {more * 1e6:+.2f} us")


if __name__ == "__main__":
    main()
