"""Runs programs on tiles in NumPy, so that their numbers are known without a GPU.

A tile is an array, a pointer the address of memory of the host; a tile block runs at a time. What
a load leaves open is not a number, and accesses outside of all arrays are errors.
"""

from .interpreter import TileStage

__all__ = ["TileStage"]
