"""Times chains of products on one core by its CPU time, which a loaded machine hardly changes.

Run with `python bench/cpu_time.py seissol.f32` on Linux; the arguments are names of cases as for
`tinytc bench`. The output lists, in nanoseconds for each group, our kernel and libxsmm's, without
and with fetching the next group's matrices: where all groups use the same matrices, which then
stay in the first-level cache, and for a batch of 16 MiB. A time is the least of several launches.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from typing import Any

# Before the libraries start their threads.
os.environ |= {"OMP_NUM_THREADS": "1", "CL_CONFIG_CPU_TBB_NUM_WORKERS": "1"}

from tinytc_bench.case import Case
from tinytc_bench.cases import select
from tinytc_bench.chain_peers import libxsmm_chain
from tinytc_bench.chains import Chain
from tinytc_bench.data import Data
from tinytc_mlir.compiler import Context
from tinytc_mlir.errors import TinyTCError
from tinytc_mlir.measure.timing import geometric_mean
from tinytc_mlir.runtime.devices import queue_of

_BATCH_BYTES = 16 * 2**20
_MATRICES = ("a", "b", "c", "next_a", "next_b")
_ROUNDS = 15

_Run = Callable[[], Any]


def ours(case: Case, chain: Chain, data: Data, is_shared: bool) -> _Run:
    """Return a launch of our kernel, for all groups on the first one's matrices if shared."""
    kernel = Context().parse(case.ours.text).compile("cpu")[case.ours.kernels[0]]
    values: dict[str, Any] = {}
    for argument in kernel.info.arguments:
        array = data.arrays[argument.name]
        is_batch = chain.matrices[argument.name].is_batch
        values[argument.name] = [array[..., 0]] * data.groups if is_batch and is_shared else array
    queue = queue_of("cpu")
    submit = kernel.bind(values, groups=data.groups, queue=queue).submit

    def run() -> None:
        submit()
        queue.wait()

    return run


def libxsmm(case: Case, chain: Chain, data: Data, is_shared: bool, prefetches: bool) -> _Run | None:
    """Return the chain with libxsmm, None if it cannot compute it."""
    answer: Any = libxsmm_chain(chain, case.type, data.arrays, data.groups, prefetches=prefetches)
    if isinstance(answer, str):
        return None
    if is_shared:
        for product in answer.args[0]:
            for name in _MATRICES:
                matrix = getattr(product, name)
                if matrix.first:
                    matrix.step = 0
    return answer


def least_ns(candidates: dict[str, _Run]) -> dict[str, float]:
    """Return the least CPU time of each candidate, which take turns."""
    times = dict.fromkeys(candidates, float("inf"))
    for _ in range(_ROUNDS):
        for name, run in candidates.items():
            run()
            begin = time.process_time_ns()
            run()
            times[name] = min(times[name], time.process_time_ns() - begin)
    return times


def main() -> None:
    """Print one line for each case."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("cases", nargs="*", default=["seissol"], metavar="CASE")
    names = parser.parse_args().cases
    try:
        cases = [case for case in select(names) if case.chain is not None]
    except TinyTCError as error:
        parser.error(str(error))
    if not cases:
        parser.error(f"expected names of chains, got {', '.join(names)}")
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    ratios: dict[str, list[float]] = {"one": [], "batch": []}
    print(f"{'case':32}{'where':7}{'ours':>9}{'libxsmm':>9}{'fetches':>9}{'ratio':>7}")
    for case in cases:
        chain = case.chain
        assert chain is not None
        data = Data(case, case.groups(_BATCH_BYTES))
        for where, is_shared in (("one", True), ("batch", False)):
            candidates = {
                "ours": ours(case, chain, data, is_shared),
                "libxsmm": libxsmm(case, chain, data, is_shared, False),
                "fetches": libxsmm(case, chain, data, is_shared, True),
            }
            times = least_ns({name: run for name, run in candidates.items() if run is not None})
            each = {name: value / data.groups for name, value in times.items()}
            texts = [f"{each[name]:.1f}" if name in each else "-" for name in candidates]
            peers = [value for name, value in each.items() if name != "ours"]
            ratio = "-"
            if peers:  # libxsmm is installed and can compute the chain
                ratios[where].append(min(peers) / each["ours"])
                ratio = f"{ratios[where][-1]:.2f}"
            numbers = "".join(f"{text:>9}" for text in texts)
            print(f"{case.name:32}{where:7}{numbers}{ratio:>7}", flush=True)
    for where, values in ratios.items():
        if values:
            print(f"{where}: geometric mean of the ratios {geometric_mean(values):.2f}")


if __name__ == "__main__":
    main()
