"""Makes the cases of the device tests and the programs as in SeisSol importable."""

import pathlib
import sys

TESTS = pathlib.Path(__file__).parents[1]
sys.path[:0] = [str(TESTS / folder) for folder in ("tile", "race", "device", "seissol")]
