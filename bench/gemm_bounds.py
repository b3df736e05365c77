"""Compares batches of products with the fastest code written by hand for each, on one core.

Run with `python bench/gemm_bounds.py 'gemm.f32.*x9'` on Linux with AVX-512 and gcc; the arguments
are names of cases as for `tinytc bench`. The output lists, for a batch of 16 MiB (or what
`--mib` says) by the clock, in nanoseconds for each group:

- fma: the multiply-adds at the rate of those that only use registers, where rows that do not fill
  a register count as if they did;
- traffic: reading A and B and writing C with whole registers, in the order of memory;
- by hand: code for the sizes, in the fastest of several tiles, without and with fetching the next
  group's matrices;
- libxsmm's kernels in the faster of both ways, and our kernel.

Everything but our kernel is called directly, by one thread. Ours runs on one worker of the runtime
while the thread that launched it waits on another core: on the same one, waiting takes 4 to 8 % of
the time. `--launches` says how many launches are waited for at once, so that what a launch costs
shows as well. A time is the least of several.
"""

from __future__ import annotations

import argparse
import ctypes
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import chain_bounds
import cpu_time  # noqa: F401  sets the number of threads before the libraries start theirs
import numpy as np

from tinytc_bench.case import Case
from tinytc_bench.cases import select
from tinytc_bench.chains import Chain, Matrix, Product
from tinytc_bench.data import Data
from tinytc_bench.peers import libxsmm_peer
from tinytc_mlir.compiler import Context
from tinytc_mlir.measure.timing import geometric_mean
from tinytc_mlir.runtime.devices import queue_of

_ROUNDS = 7
_COLUMNS = ("fma", "traffic", "by hand", "libxsmm", "ours")
_BATCH = """
typedef void (*product_function)(const T *a, const T *b, T *c, const T *s);

static inline void fetch(const T *first, long count) {
    for (long i = 0; i < count; i += 64 / sizeof(T))
        _mm_prefetch((const char *)(first + i), _MM_HINT_T0);
}

void run_batch(product_function product, const T *a, const T *b, T *c, long size_a, long size_b,
               long size_c, long groups, long fetches) {
    for (long g = 0; g < groups; ++g) {
        if (fetches) {
            fetch(a + (g + 1) * size_a, size_a);
            fetch(b + (g + 1) * size_b, size_b);
            fetch(c + (g + 1) * size_c, size_c);
        }
        product(a + g * size_a, b + g * size_b, c + g * size_c, 0);
    }
}

void run_traffic(const T *a, const T *b, T *c, long size_a, long size_b, long size_c, long groups) {
    for (long g = 0; g < groups; ++g) {
        V sum[4] = {SET(0), SET(0), SET(0), SET(0)};
        for (long i = 0; i + L <= size_a; i += L)
            sum[i / L & 3] += LOAD(ALL, a + g * size_a + i);
        for (long i = 0; i + L <= size_b; i += L)
            sum[i / L & 3] += LOAD(ALL, b + g * size_b + i);
        for (long i = 0; i + L <= size_c; i += L)
            STORE(c + g * size_c + i, ALL, sum[i / L & 3]);
    }
}
"""


def _chain(case: Case) -> Chain:
    """Return the product of a case as a chain of one."""
    assert case.gemm is not None
    m, n, k = case.gemm.shape
    matrices = {"A": Matrix(m, k, "in"), "B": Matrix(k, n, "in"), "C": Matrix(m, n, "out")}
    return Chain(case.name, matrices, (Product("C", "A", "B", (m, n, k)),))


def _ours(case: Case, data: Data, launches: int) -> Callable[[], Any]:
    kernel = Context().parse(case.ours.text).compile("cpu")["gemm"]
    queue = queue_of("cpu")
    submit = kernel.bind(data.values("ABC"), groups=data.groups, queue=queue).submit

    def run() -> None:
        for _ in range(launches):
            submit()
        queue.wait()

    return run


def _candidates(
    case: Case, data: Data, library: ctypes.CDLL, names: list[str], launches: int
) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield what is timed, with the name of its column."""
    arrays = [data.arrays[name] for name in "ABC"]
    addresses = [ctypes.c_void_p(array.ctypes.data) for array in arrays]
    counts = [ctypes.c_long(array.size // data.groups) for array in arrays]
    groups = ctypes.c_long(data.groups)

    def repeat(function: Callable[..., Any], *values: object) -> Callable[[], Any]:
        return lambda: [function(*values) for _ in range(launches)]

    result = np.zeros(16, arrays[0].dtype)
    times, place = ctypes.c_long(data.groups * 10), ctypes.c_void_p(result.ctypes.data)
    yield "fma", repeat(library.multiply_add, times, place)
    yield "traffic", repeat(library.run_traffic, *addresses, *counts, groups)
    for name in names:
        function = ctypes.cast(library[name], ctypes.c_void_p)
        for fetches in (False, True):
            values = (function, *addresses, *counts, groups, ctypes.c_long(fetches))
            yield "by hand", repeat(library.run_batch, *values)
    for prefetches in (False, True):
        answer = libxsmm_peer(case, data.arrays, data.groups, prefetches=prefetches)
        if not isinstance(answer, str):
            yield "libxsmm", repeat(answer)
    yield "ours", _ours(case, data, launches)


def _measure(case: Case, folder: str, mib: float, launches: int) -> dict[str, float]:
    """Return the least time of each column for a group, in nanoseconds."""
    chain = _chain(case)
    code = chain_bounds.Code(chain, case.type, False)
    text = (chain_bounds.HEAD, chain_bounds.TYPES[case.type], code.text(), chain_bounds.TAIL)
    library = chain_bounds.compile_c("".join((*text, _BATCH)), folder)
    data = Data(case, case.groups(int(mib * 2**20)))
    names = [name for _, _, name in code.functions()]
    runs = list(_candidates(case, data, library, names, launches))
    for column, run in runs:
        if column not in ("fma", "traffic"):
            data.reset()
            run()
            if data.error() > 1:
                raise SystemExit(f"{case.name}: wrong result of {column}")
    times = dict.fromkeys(_COLUMNS, float("inf"))
    for _ in range(_ROUNDS):
        for column, run in runs:
            run()
            begin = time.perf_counter_ns()
            run()
            elapsed = (time.perf_counter_ns() - begin) / (data.groups * launches)
            times[column] = min(times[column], elapsed)
    times["fma"] *= chain_bounds.fmas(chain, code.lanes) / 240
    return times


def main() -> None:
    """Print one line for each case."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("cases", nargs="*", default=["gemm.f32", "gemm.f64"], metavar="CASE")
    parser.add_argument("--mib", type=float, default=16, help="size of a batch")
    parser.add_argument("--launches", type=int, default=1, help="launches that are waited for")
    options = parser.parse_args()
    cases = [case for case in select(options.cases) if case.family == "gemm"]
    print(f"{'case':22}" + "".join(f"{name:>9}" for name in _COLUMNS) + "  by hand, ours/libxsmm")
    ratios: dict[str, list[float]] = {name: [] for name in _COLUMNS}
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            times = _measure(case, folder, options.mib, options.launches)
        numbers = "".join(f"{times[name]:9.1f}" for name in _COLUMNS)
        for name in _COLUMNS:
            ratios[name].append(times["libxsmm"] / times[name])
        print(f"{case.name:22}{numbers}{ratios['by hand'][-1]:9.2f}{ratios['ours'][-1]:9.2f}")
    for name, values in ratios.items():
        print(f"{name}: {geometric_mean(values):.2f} of libxsmm's rate")


if __name__ == "__main__":
    main()
