#!/usr/bin/env python3
"""Compares random programs with barriers on the default device with NumPy, at length.

Each seed is a kernel with barriers of the work-group. Many are compiled in one module, and modules
take the ABIs in turns. A line after each module says how far it is: where a
run ends early, go on with --first. It prints what is wrong, and ends with status 1 if anything is.

    python test/barrier_check.py --first 1000 --count 10000
"""

import argparse
import concurrent.futures
import multiprocessing
import os
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).parents[1]
TESTS = ROOT / "test" / "python"
sys.path[:0] = [str(TESTS / folder) for folder in ("device", ".")]

import barrier_programs  # noqa: E402

from tinytc_mlir.compiler import ABIS  # noqa: E402


def arguments():
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--count", type=int, default=1000, help="number of kernels")
    parser.add_argument("--batch", type=int, default=100, help="number of kernels in a module")
    parser.add_argument("--time-limit", type=float, default=float("inf"), metavar="SECONDS")
    return parser.parse_args()


def apart(seeds, abi):
    """Return what is wrong, found in a process of its own, which a driver may end."""
    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(1, context) as pool:
        try:
            return pool.submit(barrier_programs.check, seeds, (abi,)).result()
        except concurrent.futures.process.BrokenProcessPool:
            return [f"the driver ended the process for {seeds}"]


def main():
    """Check until all is done or time is up; return the status."""
    options = arguments()
    start, wrong = time.perf_counter(), 0
    last = options.first + options.count
    for first in range(options.first, last, options.batch):
        if time.perf_counter() - start > options.time_limit:
            break
        seeds = range(first, min(first + options.batch, last))
        abi = ABIS[first // options.batch % len(ABIS)]
        for text in apart(seeds, abi):
            wrong += 1
            print(text, end="\n\n", flush=True)
        times, elapsed_s = os.times(), time.perf_counter() - start
        machine_s = times.user + times.system + times.children_user + times.children_system
        done = f"up to {seeds.stop}: {wrong} wrong; {elapsed_s:.0f} s"
        print(f"{done}, {machine_s:.0f} s of processors", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
