"""The helpers of this folder and the arrays between guard zones can be imported by name."""

import pathlib
import sys

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "device")]
