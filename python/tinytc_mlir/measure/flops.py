# SPDX-License-Identifier: BSD-3-Clause
"""Counts the floating-point operations of a kernel."""

from __future__ import annotations

from typing import Any

from .._tinytc import count_flops


def flops_per_group(module_operation: Any, kernel: str) -> int | None:
    """Return the operations of a kernel's products of two factors for one group.

    These are its gemm, gemv, ger and hadamard_product instructions.

    Args:
        module_operation: the `builtin.module` at the stage of the dialect.
        kernel: name of the kernel.

    Returns:
        The number, or None if it depends on dynamic sizes or control flow.
    """
    return count_flops(module_operation, kernel)
