#!/usr/bin/env python3
"""Compares mass and stiffness matrices as in dealii-X with NumPy in double precision.

Prints a line for each of the 14 kernels of test/python/bounds/sum_factorization.py: points of
quadrature in each dimension, elements, and the largest error, relative to the largest result and
in multiples of the epsilon of f32. Ends with status 1 if an error is larger than what the tests
allow.

    python test/sum_factorization_check.py --groups 2000
"""

import argparse
import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "test" / "python" / folder) for folder in ("bounds", ".")]

import sum_factorization as kernels  # noqa: E402

import tinytc_mlir as tt  # noqa: E402


def arguments():
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--groups", type=int, default=500, help=f"each has {kernels.BLOCK} elements"
    )
    return parser.parse_args()


def check(problem):
    """Print what a kernel is off by; return whether that is allowed."""
    kernel = tt.Context().parse(problem.text).compile("cpu")[problem.name]
    kernel(*problem.bases, *problem.arrays)
    result = np.asarray(problem.arrays[-1])
    wanted = problem.reference()
    error = np.abs(result - wanted).max()
    relative = error / np.abs(wanted).max()
    elements = result.shape[-1] * kernels.BLOCK
    print(
        f"| {problem.name} | {problem.points} | {elements} | {relative:.1e} | "
        f"{relative / kernels.EPSILON:.1f} |",
        flush=True,
    )
    return error <= problem.tolerance()


def main():
    """Check all kernels; return the status."""
    groups = arguments().groups
    print("| kernel | points | elements | largest error | in epsilons |")
    print("|---" * 5 + "|")
    problems = kernels.problems(groups, tt.asarray)
    failures = sum(not check(problem) for problem in problems)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
