#!/usr/bin/env python3
"""Compares the checks of launches with brute force, for random kernels, sizes and groups.

The reference interpreter executes each launch and notes whether an access leaves the memory of an
array. No such launch may be accepted without a warning, and no launch may be refused that is
defined. Seeds decide everything. It prints what is wrong, and ends with status 1 if anything is.

    python test/launch_check.py --count 20000               # launches
    python test/launch_check.py --first 812 --count 1       # the kernel of one seed
"""

import argparse
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "test" / "python" / "bounds"), str(ROOT / "test" / "python")]

import launch_verdicts  # noqa: E402


def main():
    """Check as many launches as the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--count", type=int, default=1000, help="number of launches")
    options = parser.parse_args()
    counts = launch_verdicts.Counts()
    seed, begin, shown = options.first, time.perf_counter(), 0
    while counts.launches < options.count:
        launch_verdicts.check_kernel(seed, counts)
        seed += 1
        for wrong in counts.wrong[shown:]:
            print(*wrong, sep="\n", end="\n\n", flush=True)
        shown = len(counts.wrong)
    seconds = time.perf_counter() - begin
    print(f"seeds {options.first} to {seed - 1}, {counts.launches} launches in {seconds:.0f} s")
    print(counts)
    print(f"wrong: {shown}")
    sys.exit(bool(shown))


if __name__ == "__main__":
    main()
