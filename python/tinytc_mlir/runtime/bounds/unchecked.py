# SPDX-License-Identifier: BSD-3-Clause
"""Warns of the first launch whose accesses nobody has checked."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable

from ...errors import UncheckedWarning

_PACKAGE = __name__.partition(".")[0]


class UncheckedUses:
    """The warnings of a kernel.

    Args:
        name: name of the kernel.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self.are_known = False

    def warn(self, uses: Iterable[object]) -> None:
        """Warn of accesses that may be outside their arrays, unless that has happened."""
        texts = list(dict.fromkeys(map(str, uses)))
        if not texts or self.are_known:
            return
        self.are_known = True
        message = f"{self._name}: groups cannot be checked: {'; '.join(texts)}; debug=True does"
        warnings.warn(message, UncheckedWarning, stacklevel=depth_of_caller())


def depth_of_caller() -> int:
    """Return the level of the code that calls the package, as `warn` above counts."""
    frame, depth = sys._getframe(1), 1
    while frame.f_back is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] != _PACKAGE:
            return depth
        frame, depth = frame.f_back, depth + 1
    return depth
