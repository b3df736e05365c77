"""Times native code on several threads beside libxsmm with OpenMP, by the clock.

Run with `python bench/thread_times.py gemm.f32` on Linux; the arguments are names of cases as for
`tinytc bench`, by default products and chains. Each has a process of its own, since OpenMP's
threads keep cores busy between calls, and in it each thread has a core of its own. Batches are of 2
MiB (`--bytes`), launches included; a time is the median of 15 rounds, libxsmm's that of its best
way. Other processes should be stopped. With `--busy`, a process that never waits runs on one of the
two cores, and the system chooses the cores of all other threads; a time then is the mean of 40
rounds, since what the other process takes comes and goes.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

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
_ROUND_NS, _ROUNDS, _BUSY_ROUNDS = 2_000_000, 15, 40
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


def _times_ns(name: str, arguments: argparse.Namespace) -> dict[str, float]:
    """Return the time of a launch by case."""
    times: dict[str, float] = {}
    cores: dict[int, int] = {os.getpid(): 0}
    for case in select(arguments.cases):
        data = Data(case, case.groups(arguments.bytes), queue="native")
        for launch in _launches(data, name):
            launch(3)
            if arguments.busy:
                average = statistics.mean(_round_ns(launch) for _ in range(_BUSY_ROUNDS))
            else:
                _separate(cores)
                average = statistics.median(_round_ns(launch) for _ in range(_ROUNDS))
            times[case.name] = min(average, times.get(case.name, average))
    return times


@contextlib.contextmanager
def _other_process(is_busy: bool) -> Iterator[None]:
    """Keep the last core busy meanwhile, if so."""
    if not is_busy:
        yield
        return
    core = max(os.sched_getaffinity(0))
    loop = f"import os\nos.sched_setaffinity(0, {{{core}}})\nwhile True: pass"
    with subprocess.Popen([sys.executable, "-c", loop]) as process:
        try:
            yield
        finally:
            process.kill()


def main() -> None:
    """Print a line for each case, and the mean."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", default=_DEFAULT, help="names of cases")
    parser.add_argument("--bytes", type=int, default=2**21, help="size of a batch's arrays")
    parser.add_argument("--busy", action="store_true", help="beside a process that never waits")
    parser.add_argument("--of", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.of is not None:
        json.dump(_times_ns(arguments.of, arguments), sys.stdout)
        return
    with _other_process(arguments.busy):
        native, peer = (
            json.loads(
                subprocess.run(
                    [sys.executable, __file__, "--of", name, *sys.argv[1:]],
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
