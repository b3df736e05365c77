# SPDX-License-Identifier: BSD-3-Clause
"""Emulators that execute PTX, and SPIR-V for Intel's GPUs, where there is no GPU.

They are written from the PTX ISA, from SPIR-V and from its extensions alone: of the interpreters of
the package they have the checks of memory, but the meaning of no instruction, so that an error of
the compiler's authors shows.
"""

from .device import FORMATS, TARGETS, EmulatedArray, EmulatedQueue, emulated

__all__ = ["FORMATS", "TARGETS", "EmulatedArray", "EmulatedQueue", "emulated"]
