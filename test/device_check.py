#!/usr/bin/env python3
"""Compares random kernels on the default device with the reference interpreter, at length.

Each seed is a kernel of instructions of all kinds, types and layouts, with subgroups of 4 to 64
work-items, a schedule at random, and arguments that it is defined for. Many kernels are compiled in
one module, and modules take the ABIs in turns. A line after each module says how far it is: where a
run ends early, go on with --first. It prints what is wrong, and ends with status 1 if anything is.

    python test/device_check.py                                       # 1000 kernels
    python test/device_check.py --first 1000 --count 10000 --part 1/2 # the first half of more
    python test/device_check.py --only device                         # the cases of the tests
"""

import argparse
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).parents[1]
TESTS = ROOT / "test" / "python"
sys.path[:0] = [str(TESTS / folder) for folder in ("race", "device", ".")]

import compiled_cases  # noqa: E402
import kernel_check  # noqa: E402

from tinytc_mlir.compiler import ABIS  # noqa: E402

BATCH = 40
"""Number of kernels in a module."""


def arguments():
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", choices=SOURCES, default="kernels", help="what to check")
    parser.add_argument("--first", type=int, default=0, help="first seed or number of a case")
    parser.add_argument("--count", type=int, default=1000, help="number of kernels")
    parser.add_argument("--part", default="1/1", metavar="I/N", help="each Nth module from the Ith")
    parser.add_argument("--time-limit", type=float, default=float("inf"), metavar="SECONDS")
    return parser.parse_args()


def random_kernels(first, last):
    """Return the random kernels of some seeds."""
    return [kernel_check.random_kernel(seed) for seed in range(first, last)]


def device_cases(first, last):
    """Return some cases of the device tests."""
    return compiled_cases.device_cases()[first:last]


SOURCES = {"kernels": random_kernels, "device": device_cases}


def main():
    """Check until all is done or time is up; return the status."""
    options = arguments()
    part, parts = map(int, options.part.split("/"))
    start = time.perf_counter()
    count = kernel_check.Count()
    last = options.first + options.count
    for number, first in enumerate(range(options.first, last, BATCH)):
        if number % parts != part - 1:
            continue
        if time.perf_counter() - start > options.time_limit:
            break
        cases = SOURCES[options.only](first, min(first + BATCH, last))
        if not cases:
            break
        known = len(count.failures), len(count.unbuilt)
        kernel_check.check(cases, ABIS[first // BATCH % len(ABIS)], count)
        for text in (*count.failures[known[0] :], *count.unbuilt[known[1] :]):
            print(text, end="\n\n", flush=True)
        elapsed_s = time.perf_counter() - start
        print(f"up to {first + len(cases)}: {count}; {elapsed_s:.0f} s", flush=True)
    return 1 if count.failures or count.unbuilt else 0


if __name__ == "__main__":
    sys.exit(main())
