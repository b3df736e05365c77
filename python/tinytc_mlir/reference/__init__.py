# SPDX-License-Identifier: BSD-3-Clause
"""The meaning of every instruction in NumPy, independent of any lowering.

`interpret` runs kernels and finds undefined behaviour; `tolerance` says how far a device may be
from the results.
"""

from .interpreter import interpret
from .tolerance import tolerance

__all__ = ["interpret", "tolerance"]
