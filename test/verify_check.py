#!/usr/bin/env python3
"""Verifies kernels: stages at points of fields, derivatives, and compiled code on integers.

They are those of the device tests, of the examples, recipes, SeisSol's chains and the tests of
derivatives, and random ones.

The suite runs a sample; this runs as much as one likes:

    python test/verify_check.py cpu --step 1
    python test/verify_check.py native --step 10 --machine
    python test/verify_check.py native --only seissol --only recipes --step 1 --machine --why

It prints how often each outcome was found; the status is 1 if anything is wrong.
"""

import argparse
import collections
import functools
import pathlib
import sys
import time

import numpy as np

TESTS = pathlib.Path(__file__).resolve().parent / "python"
sys.path.insert(0, str(TESTS))

from cases.compiled_cases import device_cases, fitting  # noqa: E402
from cases.verified_cases import claims_of  # noqa: E402
from cases.verified_programs import SOURCES, claims_of_program  # noqa: E402
from tinytc_mlir.certificates import Outcome  # noqa: E402


def arguments():
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("target", help="name of a target")
    kinds = ("device", *SOURCES)
    parser.add_argument("--only", choices=kinds, action="append", help="which; by default device")
    parser.add_argument("--first", type=int, default=0, help="number of the first kernel")
    parser.add_argument("--step", type=int, default=60, help="one kernel in so many")
    parser.add_argument("--time-limit", type=float, default=float("inf"), help="in seconds")
    parser.add_argument("--machine", action="store_true", help="run compiled code, too")
    parser.add_argument("--why", action="store_true", help="print what is not shown")
    return parser.parse_args()


def kernels(options, kind):
    """Yield names of kernels or programs, with functions that return their claims."""
    target, machine = options.target, options.machine
    if kind == "device":
        for case in device_cases()[options.first :: options.step]:
            fit = fitting(case, target)
            if fit is not None:
                yield case.name, functools.partial(claims_of, fit, target, machine=machine)
        return
    for name, text in list(SOURCES[kind]())[options.first :: options.step]:
        of_each = functools.partial(claims_of_program, text, target, machine=machine)
        yield name, lambda of_each=of_each: [each for _, claims in of_each() for each in claims]


def main():
    """Verify the kernels, and return the status."""
    options, start = arguments(), time.monotonic()
    counts, times, wrong = collections.Counter(), [], 0
    chosen = (each for kind in options.only or ["device"] for each in kernels(options, kind))
    for name, claims_of_it in chosen:
        begin = time.monotonic()
        if begin - start > options.time_limit:
            break
        for claim in claims_of_it():
            subject = claim.subject.split(" on ")[0].split(" of ")[0]
            counts[subject, claim.outcome.value] += 1
            is_wrong = claim.outcome is Outcome.WRONG
            wrong += is_wrong
            if is_wrong or (options.why and claim.outcome is not Outcome.SHOWN):
                print(f"{name}: {claim}", flush=True)
        times.append(time.monotonic() - begin)
    for (subject, outcome), count in sorted(counts.items()):
        print(f"{count:6} {outcome:9} {subject}")
    seconds = time.monotonic() - start
    print(f"{len(times)} kernels, {np.median(times):.3f} s each in the median, {seconds:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
