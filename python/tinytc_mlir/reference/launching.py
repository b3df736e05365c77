# SPDX-License-Identifier: BSD-3-Clause
"""Lets the runtime interpret the kernels of a module."""

from __future__ import annotations

import functools

from ..runtime.interpreted import Run
from .interpreter import Interpretable, interpret_abi


def interpreting(module: Interpretable) -> Run:
    """Return what runs the kernels of a module at the stage of the dialect.

    Args:
        module: `tinytc_mlir.Module` or `mlir.ir.Module`; it must stay as it is.
    """
    return functools.partial(interpret_abi, module)
