# SPDX-License-Identifier: BSD-3-Clause
"""The warning that copies of arrays in another order take longer than the kernel."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable

from ...errors import ArrayOrderWarning
from ..bounds.unchecked import depth_of_caller
from .array_view import ArrayView
from .staging import Staging

_LEAST_BYTES = 1 << 20  # copies of less are not worth a warning
_warned: set[Hashable] = set()


def warn_of_slow_copies(
    key: Hashable, name: str, views: Iterable[ArrayView], staging: Staging, run_s: float
) -> None:
    """Warn once for each kernel if copies in another order took most of a launch.

    Args:
        key: what tells the kernel from all others.
        name: its name.
        views: the arrays of the launch.
        staging: the copies.
        run_s: how long the kernel ran.
    """
    copies_s = staging.rearranging_s
    is_small = staging.rearranged_bytes < _LEAST_BYTES or copies_s <= run_s
    if is_small or key in _warned:
        return
    _warned.add(key)
    arguments = (view.argument for view in views if view.is_rearranged)
    names = ", ".join(dict.fromkeys(repr(each.name) for each in arguments if each is not None))
    message = (
        f"{name}: copying arrays in the order of the kernel ({names}) took "
        f"{copies_s * 1e3:.1f} ms, the kernel {run_s * 1e3:.1f} ms; tinytc_mlir.asarray copies an "
        "array once, in column-major order"
    )
    warnings.warn(message, ArrayOrderWarning, stacklevel=depth_of_caller())
