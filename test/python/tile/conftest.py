"""The helpers of this folder can be imported by name."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
