#!/usr/bin/env python3
"""Checks the derivatives of random kernels by inner products, at length.

Each seed is a kernel. It runs on the default device, or with TINYTC_INTERPRET=1 in the reference
interpreter, which also finds races. Where numbers get large, smaller ones follow, until rounding
errors hide nothing. It prints what is wrong, and ends with status 1 if anything is.

    python test/derivative_check.py --first 1000 --count 5000
"""

import argparse
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent / "python" / "derivatives"))

import random_checks


def main():
    """Check until all is done or time is up; return the status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--count", type=int, default=1000, help="number of kernels")
    parser.add_argument("--differences", action="store_true", help="compare with differences, too")
    parser.add_argument(
        "--symmetry", action="store_true", help="check the symmetry of second derivatives, too"
    )
    parser.add_argument(
        "--second", action="store_true", help="check reverse derivatives of reverse ones instead"
    )
    parser.add_argument("--groups", type=int, default=400, help="groups of a launch of these")
    parser.add_argument("--time-limit", type=float, default=float("inf"), metavar="SECONDS")
    options = parser.parse_args()
    start, wrong, smaller, refused, overflows, done = time.perf_counter(), 0, 0, 0, 0, 0
    for seed in range(options.first, options.first + options.count):
        elapsed_s = time.perf_counter() - start
        if elapsed_s > options.time_limit:
            break
        if done % 100 == 0:
            print(f"up to {seed}: {wrong} wrong; {elapsed_s:.0f} s", flush=True)
        if options.second:
            found = random_checks.check_reverse_of_reverse(seed, options.groups)
        else:
            found = random_checks.check(seed, options.differences, options.symmetry)
        done += 1
        refused += found.is_refused
        smaller += 0 < found.scale < 1
        if found.wrong:
            wrong += 1
            print(found.wrong, end="\n\n", flush=True)
        elif found.scale == 0:
            overflows += 1
            print(f"seed {seed}: overflow of all numbers", flush=True)
    print(
        f"{done} kernels, {wrong} wrong, {refused} refused, {smaller} at smaller numbers, "
        f"{overflows} that overflow, in {time.process_time():.0f} s of processor time"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
