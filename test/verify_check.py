#!/usr/bin/env python3
"""Verifies kernels of the device tests: stages at points of fields, and compiled code on integers.

The suite runs a sample; this runs as much as one likes:

    python test/verify_check.py cpu --step 1
    python test/verify_check.py native --step 10 --machine

It prints how often each outcome was found; the status is 1 if anything is wrong.
"""

import argparse
import collections
import pathlib
import sys
import time

import numpy as np

TESTS = pathlib.Path(__file__).resolve().parent / "python"
sys.path.insert(0, str(TESTS))

from cases.compiled_cases import device_cases, fitting  # noqa: E402
from cases.verified_cases import claims_of  # noqa: E402
from tinytc_mlir.certificates import Outcome  # noqa: E402


def arguments():
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("target", help="name of a target")
    parser.add_argument("--first", type=int, default=0, help="number of the first kernel")
    parser.add_argument("--step", type=int, default=60, help="one kernel in so many")
    parser.add_argument("--machine", action="store_true", help="run compiled code, too")
    parser.add_argument("--why", action="store_true", help="print what is not shown")
    return parser.parse_args()


def main():
    """Verify the kernels, and return the status."""
    options, start = arguments(), time.monotonic()
    counts, times, wrong = collections.Counter(), [], 0
    for case in device_cases()[options.first :: options.step]:
        fit = fitting(case, options.target)
        if fit is None:
            continue
        begin = time.monotonic()
        for claim in claims_of(fit, options.target, machine=options.machine):
            counts[claim.subject.split(" on ")[0], claim.outcome.value] += 1
            is_wrong = claim.outcome is Outcome.WRONG
            wrong += is_wrong
            if is_wrong or (options.why and claim.outcome is not Outcome.SHOWN):
                print(f"{case.name}: {claim}", flush=True)
        times.append(time.monotonic() - begin)
    for (subject, outcome), count in sorted(counts.items()):
        print(f"{count:6} {outcome:9} {subject}")
    seconds = time.monotonic() - start
    print(f"{len(times)} kernels, {np.median(times):.3f} s each in the median, {seconds:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
