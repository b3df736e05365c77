#!/usr/bin/env python3
"""Compares random kernels as functions of Python with the functions themselves, run by Python.

Each seed is a function (test/python/python_kernels/random_functions.py), which is compiled for this
processor, and every few of them for the device. A function may be refused, by an error with a
place; less than 3 of 10 may be. Prints what is wrong, and ends with status 1 if anything is.

    python test/python_kernel_check.py --count 2000
    python test/python_kernel_check.py --first 17 --count 1 --show  # prints the function, too
"""

import argparse
import os
import pathlib
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "test" / "python" / "python_kernels")]
os.environ["TINYTC_CACHE_DIR"] = "0"

import function_check  # noqa: E402
import random_functions  # noqa: E402


def arguments():
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--count", type=int, default=1000, help="number of functions")
    parser.add_argument("--batch", type=int, default=50, help="number of functions in a file")
    parser.add_argument(
        "--device-every", type=int, default=1, metavar="N", help="launch every Nth on the device"
    )
    parser.add_argument("--show", action="store_true", help="print the functions")
    parser.add_argument("--time-limit", type=float, default=float("inf"), metavar="SECONDS")
    return parser.parse_args()


def main():
    """Check until all is done or time is up; return the status."""
    options = arguments()
    start = time.perf_counter()
    total = function_check.Count()
    end = options.first + options.count
    with tempfile.TemporaryDirectory() as folder:
        for first in range(options.first, end, options.batch):
            if time.perf_counter() - start > options.time_limit:
                break
            seeds = range(first, min(first + options.batch, end))
            if options.show:
                print(random_functions.module(seeds))
            path = pathlib.Path(folder) / f"functions_{first}.py"
            found = function_check.check(seeds, path, options.device_every)
            for text in found.failures:
                print(text, end="\n\n", flush=True)
            total += found
            elapsed_s = time.perf_counter() - start
            print(f"up to {seeds.stop}: {total}; {elapsed_s:.0f} s", file=sys.stderr, flush=True)
    return 1 if total.failures or total.refuses_many else 0


if __name__ == "__main__":
    sys.exit(main())
