#!/usr/bin/env python3
"""Launches kernels with random views of random arrays, and compares with NumPy.

    python test/view_check.py --count 20000 --target native

Prints how far it is and what is wrong, and ends with status 1 if anything is.
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
    wrong = 0
    for done in range(options.count):
        if done % 1000 == 0:
            print(f"{done} launches: {wrong} wrong", flush=True)
        found = check(options.first + done, options.target)
        if found:
            wrong += 1
            print(found, flush=True)
    print(f"{wrong} of {options.count} launches are wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
