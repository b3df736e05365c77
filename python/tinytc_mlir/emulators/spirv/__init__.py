# SPDX-License-Identifier: BSD-3-Clause
"""SPIR-V of OpenCL with Intel's extensions, executed.

Sources: the SPIR-V specification and OpenCL's extended instructions; SPV_INTEL_2d_block_io and
cl_intel_subgroup_2d_block_io (block reads); cl_intel_subgroup_matrix_multiply_accumulate (dpas).
Rules name their sections.
"""

from .launch import Launch
from .module import Module

__all__ = ["Launch", "Module"]
