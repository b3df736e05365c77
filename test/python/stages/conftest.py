"""The helpers of this folder, of the device tests and of the race tests, by name."""

import pathlib
import sys

FOLDER = pathlib.Path(__file__).parent

sys.path[:0] = [str(FOLDER), *(str(FOLDER.parent / name) for name in ("device", "race"))]
