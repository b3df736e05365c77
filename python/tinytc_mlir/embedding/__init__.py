# SPDX-License-Identifier: BSD-3-Clause
"""Libraries of kernels for programs in C, C++ and Fortran."""

from .library import build_library

__all__ = ["build_library"]
