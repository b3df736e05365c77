"""Times native code on several threads beside libxsmm with OpenMP, by the clock.

Run with `python bench/thread_times.py gemm.f32` on Linux; the arguments are names of cases as for
`tinytc bench`, by default products and chains. Each has a process of its own, since OpenMP's
threads keep cores busy between calls, and in it each thread has a core of its own. Batches are of 2
MiB, launches included; a time is the median of 15 rounds, libxsmm's that of its best way. Other
processes should be stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

from tinytc_bench import worker
from tinytc_bench.cases import select
from tinytc_bench.data import Data
from tinytc_mlir.measure.timing import geometric_mean

_THREADS = 2
_ENVIRONMENT = {
    "OMP_NUM_THREADS": str(_THREADS),
    "OPENBLAS_NUM_THREADS": "1",
    "TINYTC_NUM_THREADS": str(_THREADS),
}
_FOOTPRINT_BYTES = 2**21
_ROUND_NS, _ROUNDS = 2_000_000, 15
_DEFAULT = ("gemm", "seissol")

Launch = Callable[[int], object]


def _launches(data: Data, name: str) -> list[Launch]:
    """Return what launches a batch so many times, in each way that there is."""
    if name == "native":
        return [worker.native(data, None).block]
    return [each.block for each in worker.peer_candidates(name, data)]


def _separate(cores: dict[int, int]) -> None:
    """Give each thread of the process a core of its own, in turns."""
    for thread in sorted(map(int, os.listdir("/proc/self/task"))):
        core = cores.setdefault(thread, len(cores) % _THREADS)
        os.sched_setaffinity(thread, {core})


def _round_ns(launch: Launch) -> float:
    begin, count = time.perf_counter_ns(), 0
    while time.perf_counter_ns() - begin < _ROUND_NS:
        launch(1)
        count += 1
    return (time.perf_counter_ns() - begin) / count


def _times_ns(name: str, cases: list[str]) -> dict[str, float]:
    """Return the time of a launch by case."""
    times: dict[str, float] = {}
    cores: dict[int, int] = {os.getpid(): 0}
    for case in select(cases):
        data = Data(case, case.groups(_FOOTPRINT_BYTES), queue="native")
        for launch in _launches(data, name):
            launch(3)
            _separate(cores)
            median = statistics.median(_round_ns(launch) for _ in range(_ROUNDS))
            times[case.name] = min(median, times.get(case.name, median))
    return times


def main() -> None:
    """Print a line for each case, and the mean."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", default=_DEFAULT, help="names of cases")
    parser.add_argument("--of", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.of is not None:
        json.dump(_times_ns(arguments.of, arguments.cases), sys.stdout)
        return
    native, peer = (
        json.loads(
            subprocess.run(
                [sys.executable, __file__, "--of", name, *arguments.cases],
                check=True,
                env=os.environ | _ENVIRONMENT,
                stdout=subprocess.PIPE,
            ).stdout
        )
        for name in ("native", "libxsmm")
    )
    ratios = {case: peer[case] / native[case] for case in native if case in peer}
    print("| case | native, us | libxsmm, us | native is faster by |\n|---|---|---|---|")
    for case, ratio in ratios.items():
        print(f"| {case} | {native[case] / 1e3:.1f} | {peer[case] / 1e3:.1f} | {ratio:.2f} |")
    worst = min(ratios, key=lambda case: ratios[case])
    print(f"\n{len(ratios)} cases: {geometric_mean(list(ratios.values())):.2f}, worst {worst}")


if __name__ == "__main__":
    main()
