#!/usr/bin/env python3
"""Checks factorisations and solves by their backward errors, for all sizes.

Matrices are random: well and ill conditioned, singular, indefinite, with NaN or infinities.
Residuals must be as small, element by element, as theorems 8.5, 9.3 and 10.3 of Higham, Accuracy
and Stability of Numerical Algorithms, say for every order of the sums; `info` and pivots must be
LAPACK's, and what is not part of a result must be as before. Prints a line for each kind and type,
and ends with status 1 if anything is wrong.

    python test/factorization_check.py --target native --seeds 3
    python test/factorization_check.py --target interpreter --sizes 0 1 5 17 40
"""

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "python"))

from cases import random_factors
from cases.matrices import TYPES


def main():
    """Check all kinds; return the status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--target", default="native", help="or cpu, or interpreter")
    parser.add_argument("--sizes", type=int, nargs="*", default=[*range(41), 64, 96])
    parser.add_argument("--seeds", type=int, default=1, help="matrices of each kind and size")
    parser.add_argument("--only", default="", help="instructions whose name contains this")
    options = parser.parse_args()
    wrong = 0
    for kind in random_factors.KINDS:
        if options.only not in kind.__name__:
            continue
        for type_ in TYPES:
            found = [
                failure
                for size in options.sizes
                for is_known in (True, False)
                for failure in random_factors.check(
                    kind, type_, size, is_known, options.target, range(options.seeds)
                )
            ]
            wrong += len(found)
            print(f"{kind.__name__} {type_}: {len(found)} wrong", *found[:5], sep="\n", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
