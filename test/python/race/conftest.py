"""The helpers of this folder and those of the device tests can be imported by name."""

import pathlib
import sys

FOLDER = pathlib.Path(__file__).parent

sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "device")]
