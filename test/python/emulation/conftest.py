"""The helpers of the tests whose kernels the emulators run can be imported by name."""

import pathlib
import sys

TESTS = pathlib.Path(__file__).parents[1]
sys.path[:0] = [
    str(TESTS / folder) for folder in ("seissol", "race", "device", "recipes", "matrix_unit")
]
