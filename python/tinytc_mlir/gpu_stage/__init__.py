# SPDX-License-Identifier: BSD-3-Clause
"""Runs the gpu stage of a kernel in NumPy and finds what is undefined there.

The reference interpreter runs programs as the language means them; this runs what the compiler
has made of them, work-item by work-item, and finds races, accesses out of bounds and divergence
without a GPU. `check_races` checks a kernel once, `GpuStage` checks one program often.
"""

from .checker import GpuStage, check_races
from .findings import Finding, Kind
from .lanes import TooManyIterationsError, limited_iterations

__all__ = [
    "Finding",
    "GpuStage",
    "Kind",
    "TooManyIterationsError",
    "check_races",
    "limited_iterations",
]
