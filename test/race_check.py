#!/usr/bin/env python3
"""Checks kernels of the gpu stage for races, accesses out of bounds and divergence, at length.

The tests check a sample; this checks all cases of the device tests, the examples, and random
programs starting at a seed, on every target with both ABIs, until all are done or time is up. It
prints what is wrong, and ends with status 1 if anything is. Random programs may loop for ever:
those that take too long are given up and counted.

    python test/race_check.py                               # everything once
    python test/race_check.py --only random --first 1000 --count 10000 --time-limit 3600
    python test/race_check.py --only device --target intel-gpu:pvc --seed 7
"""

import argparse
import functools
import pathlib
import random
import signal
import sys
import time

ROOT = pathlib.Path(__file__).parents[1]
TESTS = ROOT / "test" / "python"
sys.path.insert(0, str(TESTS))

import programs  # noqa: E402
import tinytc_mlir as tt  # noqa: E402
from cases import compiled_cases, kernel_check  # noqa: E402
from tinytc_mlir.compiler import ABIS, TARGETS  # noqa: E402


def arguments():
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", choices=SOURCES, action="append", help="kernels to check")
    parser.add_argument("--target", choices=TARGETS, action="append")
    parser.add_argument("--abi", choices=ABIS, action="append")
    parser.add_argument("--native", action="store_true", help="schedules for this processor")
    parser.add_argument("--first", type=int, default=0, help="first seed of random programs")
    parser.add_argument("--count", type=int, default=1000, help="number of random programs")
    parser.add_argument("--seed", type=int, help="run work-items one by one, in this order")
    parser.add_argument(
        "--part", default="1/1", metavar="I/N", help="every Nth, starting at the Ith"
    )
    parser.add_argument("--time-limit", type=float, default=float("inf"), metavar="SECONDS")
    parser.add_argument("--program-limit", type=float, default=20, metavar="SECONDS")
    return parser.parse_args()


def device_checks(options):
    """Yield a function that checks each case of the device tests."""
    return (functools.partial(check_case, case) for case in compiled_cases.device_cases())


def example_checks(options):
    """Yield a function that checks each example."""
    for path in sorted((ROOT / "examples").glob("*.ir")):
        text = path.read_text(encoding="utf-8")
        yield functools.partial(compiled_cases.failures_of_program, text, path.name)


def random_checks(options):
    """Yield a function that checks each random program of collective instructions and loops."""
    for seed in range(options.first, options.first + options.count):
        yield functools.partial(check_case, compiled_cases.random_case(seed))


def instruction_checks(options):
    """Yield a function that checks each random program of all instructions."""
    for seed in range(options.first, options.first + options.count):
        text = programs.generate(random.Random(seed))
        name = f"instructions, seed {seed}"
        yield functools.partial(compiled_cases.failures_of_program, text, name)


def kernel_checks(options):
    """Yield a function that checks each random kernel of all instructions, types and layouts."""
    for seed in range(options.first, options.first + options.count):
        yield functools.partial(check_case, kernel_check.random_kernel(seed))


SOURCES = {
    "device": device_checks,
    "examples": example_checks,
    "random": random_checks,
    "instructions": instruction_checks,
    "kernels": kernel_checks,
}


def check_case(case, target, abi, **how):
    """Return how many kernels were checked, and what is wrong with them."""
    fit = compiled_cases.fitting(case, target)
    if fit is None:
        return 0, []
    try:
        return 1, list(filter(None, [compiled_cases.failure(fit, target, abi, **how)]))
    except tt.errors.InterpreterError:  # of a random kernel
        return 0, []


def all_checks(options):
    """Yield a function for each kernel or program, target and ABI."""
    how = {"seed": options.seed, "native": options.native}
    for source in options.only or SOURCES:
        for check in SOURCES[source](options):
            for target in options.target or TARGETS:
                for abi in options.abi or ABIS:
                    yield functools.partial(check, target, abi, **how)


def give_up(number, frame):
    """End a check that takes too long."""
    raise TimeoutError


def within(limit_s, check):
    """Return what a check returns, None if it takes longer than a time."""
    signal.setitimer(signal.ITIMER_REAL, limit_s)
    try:
        return check()
    except TimeoutError:
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def main():
    """Check until all is done or time is up; return the status."""
    signal.signal(signal.SIGALRM, give_up)
    options = arguments()
    first, step = map(int, options.part.split("/"))
    start = time.perf_counter()
    count = failed = given_up = 0
    for number, check in enumerate(all_checks(options)):
        if time.perf_counter() - start > options.time_limit:
            break
        if number % step != first - 1:
            continue
        result = within(options.program_limit, check)
        if result is None:
            given_up += 1
            continue
        checked, failures = result
        count += checked
        failed += len(failures)
        for text in failures:
            print(text, end="\n\n", flush=True)
    elapsed_s = time.perf_counter() - start
    print(
        f"{count} kernels checked in {elapsed_s:.0f} s, {count / elapsed_s:.1f} in a second, "
        f"{failed} of them wrong; {given_up} programs given up after {options.program_limit:g} s"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
