#!/usr/bin/env python3
"""Executes the code for a GPU on the emulator, and compares with the reference interpreter.

The suite runs a sample; this runs as much as one likes:

    python test/emulate.py cuda:sm_90 --cases 2000 --random 1000 --products 500
    python test/emulate.py intel-gpu:pvc --products 200 --first 1000 --order warps

The last line is the figure; the status is 1 if anything is wrong.
"""

import argparse
import pathlib
import random
import sys
import time

TESTS = pathlib.Path(__file__).resolve().parent / "python"
sys.path.insert(0, str(TESTS))

from cases import kernel_check  # noqa: E402
from cases.compiled_cases import device_cases  # noqa: E402
from emulators.comparison import run_cases, sample  # noqa: E402
from emulators.machines import TARGETS, machine  # noqa: E402
from emulators.products import product  # noqa: E402
from tinytc_mlir.emulators.findings import FINDINGS, HARMLESS, SETTINGS  # noqa: E402


def arguments():
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--cases", type=int, default=0, help="cases of the device tests")
    parser.add_argument("--random", type=int, default=0, help="random kernels")
    parser.add_argument("--products", type=int, default=0, help="random products")
    parser.add_argument("--first", type=int, default=0, help="seed of the first kernel")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--order", choices=("all", "warps", "lanes"), default="all")
    parser.add_argument("--limit", type=int, default=SETTINGS.limit, help="steps of a launch")
    return parser.parse_args()


def chosen(options):
    """Return the cases to run."""
    cases = [case for case in device_cases() if options.only in case.name] if options.cases else []
    seeds = range(options.first, options.first + options.random)
    products = range(options.first, options.first + options.products)
    return [
        *sample(cases, options.cases, options.first),
        *map(kernel_check.random_kernel, seeds),
        *map(product, products),
    ]


def main():
    """Run the cases, and return the status."""
    options, start = arguments(), time.monotonic()
    SETTINGS.order, SETTINGS.limit = options.order, options.limit
    with machine(options.target).installed() as gpu:
        failures, launches = run_cases(chosen(options), gpu, random.Random(options.first))
    for line in failures:
        print(line)
    counts = ", ".join(f"{count} {name}" for name, count in FINDINGS.counts.items())
    wrong = sum(line.startswith("func @") for line in failures)
    print(f"harmless kinds: {', '.join(sorted(HARMLESS))}")
    seconds = time.monotonic() - start
    print(f"{options.target}: {launches} launches, {wrong} wrong; {counts}; {seconds:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
