# SPDX-License-Identifier: BSD-3-Clause
"""PTX as text, executed as the PTX ISA 8.8 says.

Rules name sections of the PTX ISA by title, since their numbers differ between its versions.
"""

from .launch import MAX_SHARED_BYTES, STATIC_BYTES, Launch, launch_problems
from .module import Entry, Module

__all__ = ["MAX_SHARED_BYTES", "STATIC_BYTES", "Entry", "Launch", "Module", "launch_problems"]
