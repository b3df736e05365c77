#!/usr/bin/env python3
"""Launches kernels with random views of random arrays, and compares with NumPy.

    python test/view_check.py --count 20000 --target native

Prints what is wrong, and ends with status 1 if anything is.
"""

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "python"))

from random_views import check


def main():
    """Check the seeds; return the status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--count", type=int, default=1000, help="number of launches")
    parser.add_argument("--target", default="native", help="target of the kernels")
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.count)
    wrong = [found for found in (check(seed, options.target) for seed in seeds) if found]
    print(*wrong, f"{len(wrong)} of {len(seeds)} launches are wrong", sep="\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
