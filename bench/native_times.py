"""Times native code beside the driver's and the peers' by CPU time of one thread.

Run with `python bench/native_times.py gemm.f32` on Linux; the arguments are names of cases as for
`tinytc bench`, by default all. The first table has nanoseconds for each group, of our kernel as
native code and through the driver, of libxsmm in its best way, of MKL, and of loops in C, for
batches of 1 MiB and of 16 MiB, launches included. A time is the least of several. With
`--vector-bytes`, nobody uses longer registers. The second table has geometric means and the worst
case of the ratios to native code, by kinds of cases; above 1, native code is faster. The last lines
have the rate of fused multiply-adds in registers, the peak of the processor, and the share of it
that products of 128 cubed reach.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import time
from collections import defaultdict
from collections.abc import Iterable

# Before the libraries start their threads.
os.environ |= {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "CL_CONFIG_CPU_TBB_NUM_WORKERS": "1",
    "DPCPP_CPU_NUM_CUS": "1",
    "TINYTC_NUM_THREADS": "1",
}

from tinytc_bench import ceilings, worker
from tinytc_bench.case import Case
from tinytc_bench.cases import select
from tinytc_bench.data import Data
from tinytc_bench.processors import environment
from tinytc_mlir.errors import TinyTCError
from tinytc_mlir.measure.timing import geometric_mean

_BATCHES = {"1 MiB": 2**20, "16 MiB": 2**24}
_PEERS = ("libxsmm", "mkl", "c")
_NAMES = ("native", "driver", *_PEERS)
_ROUND_NS, _ROUNDS = 2_000_000, 9

Times = dict[str, float]


def times_ns(case: Case, footprint_bytes: int, vector_bytes: int | None) -> Times:
    """Return the CPU time of a group of each candidate with a correct result."""
    groups = case.groups(footprint_bytes)
    data, host_data = Data(case, groups), Data(case, groups, queue="native")
    made = [
        ("native", worker.native(host_data, vector_bytes), host_data),
        ("driver", worker.own(data, vector_bytes), data),
    ]
    for peer in _PEERS:
        made += [(peer, each, host_data) for each in worker.peer_candidates(peer, host_data)]
    right = [
        (name, candidate)
        for name, candidate, its_data in made
        if worker.measured_result(candidate, its_data) <= 1
    ]
    host_data.reset()
    data.reset()
    found: Times = {}
    for _ in range(_ROUNDS):
        for name, candidate in right:
            count, begin, elapsed = 0, time.process_time_ns(), 0
            while elapsed < _ROUND_NS:
                candidate.block(1)
                count += 1
                elapsed = time.process_time_ns() - begin
            found[name] = min(found.get(name, float("inf")), elapsed / count / groups)
    return found


def kind_of(case: Case) -> str:
    """Return the part of a case's name that says what it computes."""
    return ".".join(case.name.split(".")[:2])


def peak_flops(type_: str) -> float:
    """Return the operations of a second that are fused multiply-adds in registers."""
    ceiling, best = ceilings.fma(type_), float("inf")
    for _ in range(_ROUNDS):
        begin = time.process_time_ns()
        ceiling.run()
        best = min(best, time.process_time_ns() - begin)
    return ceiling.amount / best * 1e9


def print_peaks(cases: Iterable[Case], everything: dict[str, dict[str, Times]]) -> None:
    """Print the peak, and the share of it that products of 128 cubed reach."""
    for case in cases:
        if case.name in ("gemm.f32.128", "gemm.f64.128"):
            peak = peak_flops(case.type)
            shares = (
                f"{batch}: {case.flops / times['native'] * 1e9 / peak:.2f}"
                for batch, times in everything[case.name].items()
            )
            print(f"{case.name}: peak {peak / 1e9:.0f} GFLOP/s, share of it {', '.join(shares)}")


def main() -> None:
    """Print a line for each case and batch, and one for each kind."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("cases", nargs="*", default=["*"], metavar="CASE")
    parser.add_argument("--vector-bytes", type=int, choices=(16, 32, 64))
    parser.add_argument("--json", type=pathlib.Path, help="file for all times")
    arguments = parser.parse_args()
    try:
        cases = select(arguments.cases)
    except TinyTCError as error:
        parser.error(str(error))
    os.environ |= environment(arguments.vector_bytes)  # before libraries are loaded
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    everything: dict[str, dict[str, Times]] = {}
    ratios: dict[tuple[str, str, str], dict[str, float]] = defaultdict(dict)
    print(f"{'case':32}{'batch':8}{''.join(f'{name:>10}' for name in _NAMES)}")
    for case in cases:
        for batch, size in _BATCHES.items():
            times = times_ns(case, size, arguments.vector_bytes)
            everything.setdefault(case.name, {})[batch] = times
            texts = (f"{times[name]:10.1f}" if name in times else f"{'-':>10}" for name in _NAMES)
            print(f"{case.name:32}{batch:8}{''.join(texts)}", flush=True)
            for name in times.keys() - {"native"}:
                ratio = times[name] / times["native"]
                ratios[kind_of(case), batch, name][case.name] = ratio
                ratios["all", batch, name][case.name] = ratio
    if arguments.json:
        arguments.json.write_text(json.dumps(everything, indent=1))
    print(f"\n{'kind':24}{'batch':8}{'to':10}{'mean':>6}{'worst':>7}  case")
    for (kind, batch, name), values in sorted(ratios.items()):
        worst = min(values, key=lambda case: values[case])
        mean = geometric_mean(list(values.values()))
        print(f"{kind:24}{batch:8}{name:10}{mean:6.2f}{values[worst]:7.2f}  {worst}")
    print_peaks(cases, everything)


if __name__ == "__main__":
    main()
