#!/usr/bin/env python3
"""Compares kernels that read narrow elements a stride apart with the reference interpreter.

Each seed is a kernel of one instruction with a type of 8 or 16 bits, a stride from 1 to 17 or one
that is known at run time only, and 1 to 40 rows; modules take the ABIs in turns. The driver builds
in a process of its own, since it may end there (docs/decisions/cpu-driver.md). Prints what is
wrong, then a table, and ends with status 1 if anything is.

    python test/stride_check.py --count 2000
    python test/stride_check.py --count 2000 --processor sapphirerapids   # only builds, for another
"""

import argparse
import collections
import contextlib
import os
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "test" / "python"))
os.environ.update(TINYTC_BUILD_APART="1", TINYTC_CACHE_DIR="0")

from cases import kernel_check, stride_cases  # noqa: E402
from cases.other_processor import OtherProcessor  # noqa: E402
from tinytc_mlir.compiler import ABIS  # noqa: E402


def arguments():
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--count", type=int, default=1000, help="number of kernels")
    parser.add_argument("--batch", type=int, default=44, help="number of kernels in a module")
    parser.add_argument("--processor", help="build for another one, and launch nothing")
    parser.add_argument("--time-limit", type=float, default=float("inf"), metavar="SECONDS")
    return parser.parse_args()


class ThisProcessor:
    """Builds, launches and compares."""

    check = staticmethod(kernel_check.check)

    def close(self):
        """Leave nothing."""


def main():
    """Check until all is done or time is up; return the status."""
    options = arguments()
    start = time.perf_counter()
    total = kernel_check.Count()
    table = collections.defaultdict(kernel_check.Count)
    checker = OtherProcessor(options.processor) if options.processor else ThisProcessor()
    with contextlib.closing(checker):
        for first in range(options.first, options.first + options.count, options.batch):
            if time.perf_counter() - start > options.time_limit:
                break
            seeds = range(first, min(first + options.batch, options.first + options.count))
            groups = collections.defaultdict(list)
            for seed in seeds:
                case = stride_cases.stride_case(seed)
                groups[tuple(case.name.split()[:2])].append(case)
            abi = ABIS[first // options.batch % len(ABIS)]
            for key, some in groups.items():
                found = checker.check(some, abi)
                for text in (*found.failures, *found.unbuilt):
                    print(text, end="\n\n", flush=True)
                table[key] += found
                total += found
            elapsed_s = time.perf_counter() - start
            print(f"up to {seeds.stop}: {total}; {elapsed_s:.0f} s", file=sys.stderr, flush=True)
    show(table)
    return 1 if total.failures or total.unbuilt else 0


def show(table):
    """Print, for each form and type, the kernels that were checked and those that were wrong."""
    print(f"| form | {' | '.join(stride_cases.TYPES)} |")
    print("|---" * (1 + len(stride_cases.TYPES)) + "|")
    for form in stride_cases.FORMS:
        cells = []
        for type_ in stride_cases.TYPES:
            count = table[form, type_]
            good = count.equal + count.rounded
            wrong = len(count.failures) + len(count.unbuilt)
            cells.append(f"{good} of {good + wrong}")
        print(f"| {form} | {' | '.join(cells)} |")


if __name__ == "__main__":
    sys.exit(main())
