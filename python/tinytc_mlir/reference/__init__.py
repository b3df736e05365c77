# SPDX-License-Identifier: BSD-3-Clause
"""The meaning of every instruction in NumPy, independent of any lowering.

`interpret` runs kernels and finds undefined behaviour; `check_races` does the same for what the
compiler has made of them; `tolerance` says how far a device may be from the results.
"""

from .gpu import check_races
from .interpreter import interpret
from .tolerance import tolerance

__all__ = ["check_races", "interpret", "tolerance"]
