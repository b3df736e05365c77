#!/usr/bin/env python3
"""Compares random programs with barriers on the default device with NumPy, at length.

Each seed is a kernel with barriers of the work-group. Many are compiled in one module, and modules
take the ABIs in turns. Where the driver ends the process or does not come to an end, the module is
taken apart until it has one kernel. A line after each module says how far it is: where a
run ends early, go on with --first. It prints what is wrong, and ends with status 1 if anything is.

    python test/barrier_check.py --first 1000 --count 10000
"""

import argparse
import concurrent.futures
import functools
import multiprocessing
import os
import pathlib
import resource
import sys
import time

ROOT = pathlib.Path(__file__).parents[1]
TESTS = ROOT / "test" / "python"
sys.path.insert(0, str(TESTS))

from cases import barrier_programs  # noqa: E402
from tinytc_mlir.compiler import ABIS  # noqa: E402


def arguments():
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--count", type=int, default=1000, help="number of kernels")
    parser.add_argument("--batch", type=int, default=100, help="number of kernels in a module")
    parser.add_argument("--abi", choices=ABIS, action="append", help="all in turns by default")
    parser.add_argument("--interpreted", action="store_true", help="run the reference, too")
    parser.add_argument(
        "--guarded", action="store_true", help="arrays between guard pages, for native code"
    )
    parser.add_argument("--time-limit", type=float, default=float("inf"), metavar="SECONDS")
    parser.add_argument(
        "--limit", type=int, default=30, metavar="SECONDS", help="of processors, for each kernel"
    )
    return parser.parse_args()


def apart(seeds, abi, options):
    """Return what is wrong, found in processes of their own, which a driver may end."""
    context, seconds = multiprocessing.get_context("fork"), options.limit * (len(seeds) + 1)
    check = functools.partial(
        barrier_programs.check, interpreted=options.interpreted, guarded=options.guarded
    )
    limit = (resource.RLIMIT_CPU, (seconds, seconds))
    with concurrent.futures.ProcessPoolExecutor(1, context, resource.setrlimit, limit) as pool:
        try:
            return pool.submit(check, seeds, (abi,)).result()
        except concurrent.futures.process.BrokenProcessPool:
            pass
    if len(seeds) == 1:
        text = barrier_programs.BarrierProgram(seeds[0]).text("f")
        return [f"seed {seeds[0]}, {abi}: the driver ended, or took over {seconds} s\n{text}"]
    middle = len(seeds) // 2
    return [text for half in (seeds[:middle], seeds[middle:]) for text in apart(half, abi, options)]


def main():
    """Check until all is done or time is up; return the status."""
    options = arguments()
    start, wrong = time.perf_counter(), 0
    last = options.first + options.count
    for first in range(options.first, last, options.batch):
        if time.perf_counter() - start > options.time_limit:
            break
        seeds = range(first, min(first + options.batch, last))
        abis = options.abi or ABIS
        abi = abis[first // options.batch % len(abis)]
        for text in apart(seeds, abi, options):
            wrong += 1
            print(text, end="\n\n", flush=True)
        times, elapsed_s = os.times(), time.perf_counter() - start
        machine_s = times.user + times.system + times.children_user + times.children_system
        done = f"up to {seeds.stop}: {wrong} wrong; {elapsed_s:.0f} s"
        print(f"{done}, {machine_s:.0f} s of processors", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
