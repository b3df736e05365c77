#!/usr/bin/env python3
"""Compiles instructions with random strategies, which are in files that users change.

Each seed is an instruction, a type, a target and a strategy on the instruction or on the ops that
it becomes. It must be refused with a message or compute the right numbers, and not end the
process: each batch of seeds has a process of its own. Prints what is wrong and how many were
refused, made, and right; ends with status 1 if anything is wrong.

    python test/strategy_check.py --count 2000
"""

import argparse
import collections
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "python"))


def work(first, count):
    """Print what becomes of each seed, before and after it is tried."""
    from odd_strategies import outcome

    for seed in range(first, first + count):
        print(seed, flush=True)
        print(outcome(seed), flush=True)


def main():
    """Check all batches; return the status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--count", type=int, default=200, help="number of strategies")
    parser.add_argument("--batch", type=int, default=100, help="number of them in a process")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work(options.first, options.count)
        return 0
    outcomes, wrong = collections.Counter(), 0
    first, end = options.first, options.first + options.count
    while first < end:
        count = min(options.batch, end - first)
        words = [sys.executable, __file__, "--worker", "--first", str(first), "--count", str(count)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        lines = done.stdout.split()
        outcomes.update(lines[1::2])
        first += count
        if done.returncode != 0:
            wrong += 1
            first = int(lines[-1]) + 1
            print(f"seed {lines[-1]}: status {done.returncode}\n{done.stderr[-2000:]}")
    print(dict(outcomes), f"{wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
