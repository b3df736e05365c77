#!/usr/bin/env python3
"""Puts faults into kernels at the gpu stage, one at a time, and says which verification finds.

With --code, they are in PTX and SPIR-V, which emulators run.

Faults that change no result, and cause no race, on numbers of NumPy are equivalent and not counted.

    python test/mutation_check.py --count 500 --first 0
    python test/mutation_check.py --count 500 --first 0 --code

It prints each fault that is not found, with its line, and the share of each kind that is.
"""

import argparse
import collections
import pathlib
import random
import sys
import time

TESTS = pathlib.Path(__file__).resolve().parent / "python"
sys.path.insert(0, str(TESTS))

from cases.changed_code import KINDS, CodeSuspect  # noqa: E402
from cases.compiled_cases import device_cases, fitting  # noqa: E402
from cases.mutants import Suspect  # noqa: E402
from tinytc_mlir.errors import TinyTCError  # noqa: E402

TARGETS = ("cpu", "native", "cuda:sm_90", "intel-gpu:pvc")


def in_stage(case, target, rng):
    """Return kind, outcome and line of a fault in the gpu stage of a case, None without any."""
    suspect = Suspect(case, target)
    if not suspect.faults:
        return None
    kind = rng.choice(sorted({kind for kind, _ in suspect.faults}))
    kind, number = rng.choice([fault for fault in suspect.faults if fault[0] == kind])
    line = suspect.text.split("\n")[number].strip()
    return kind, suspect.outcome(kind, number), line


def in_code(case, target, rng):
    """Return kind, outcome and nothing of a fault in the code of a case, None without any."""
    kind = rng.choice(list(KINDS[target][1]))
    outcome = CodeSuspect(case, target).outcome(kind, rng)
    return None if outcome is None else (kind, outcome, "")


def main():
    """Put faults into kernels, and return the status: 1 if more than one in a hundred is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100, help="number of faults")
    parser.add_argument("--first", type=int, default=0, help="seed of the first")
    parser.add_argument("--time-limit", type=float, default=float("inf"), help="in seconds")
    parser.add_argument("--code", action="store_true", help="faults in code for GPUs")
    options, start = parser.parse_args(), time.monotonic()
    cases, counts, seed = device_cases(), collections.Counter(), options.first
    while counts["all", "found"] + counts["all", "missed"] < options.count:
        if time.monotonic() - start > options.time_limit:
            break
        rng = random.Random(seed)
        seed += 1
        target = rng.choice(list(KINDS) if options.code else TARGETS)
        case = fitting(rng.choice(cases), target)
        try:
            found = (in_code if options.code else in_stage)(case, target, rng) if case else None
        except TinyTCError:
            continue
        if found is None:
            continue
        kind, outcome, line = found
        counts[kind, outcome] += 1
        counts["all", outcome] += 1
        if outcome == "missed":
            print(f"seed {seed - 1}, {target}, {kind}: {case.name}: {line}", flush=True)
    for (kind, outcome), count in sorted(counts.items()):
        print(f"{count:5} {outcome:6} {kind}")
    total = counts["all", "found"] + counts["all", "missed"]
    return int(counts["all", "missed"] > total / 100)


if __name__ == "__main__":
    sys.exit(main())
