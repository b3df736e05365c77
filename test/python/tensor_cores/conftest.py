"""The helpers of the tests of matrix units can be imported by name."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "matrix_unit"))
