"""The helpers of the device tests and of the race tests, by name."""

import pathlib
import sys

FOLDER = pathlib.Path(__file__).parent.parent

sys.path[:0] = [str(FOLDER / name) for name in ("device", "race")]
