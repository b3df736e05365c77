# SPDX-License-Identifier: BSD-3-Clause
"""Warns of the first launch whose accesses nobody has checked."""

from __future__ import annotations

import dataclasses
import sys
import warnings
from collections.abc import Iterable

from ...errors import UncheckedWarning
from .equal_sizes import EqualSizes
from .group_bounds import GroupBound, UncheckedUse
from .plan import IS_LARGE, IS_MIXED

_REASONS = {
    IS_LARGE: "it is accessed under a condition on numbers of more than 38 bits",
    IS_MIXED: "its size differs from member to member",
}
_PACKAGE = __name__.partition(".")[0]


class UncheckedUses:
    """The warnings of a kernel."""

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


def doubt_of(rule: EqualSizes | GroupBound, verdict: int) -> UncheckedUse | EqualSizes:
    """Return what is not known of a rule, by the verdict on it."""
    if isinstance(rule, GroupBound):
        return UncheckedUse(rule.argument, rule.modes, _REASONS[verdict], rule)
    reason = "sizes differ from member to member" if verdict == IS_MIXED else rule.reason
    return dataclasses.replace(rule, reason=reason or _REASONS[verdict])


def depth_of_caller() -> int:
    """Return the level of the code that calls the package, as `warn` above counts."""
    frame, depth = sys._getframe(1), 1
    while frame.f_back is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] != _PACKAGE:
            return depth
        frame, depth = frame.f_back, depth + 1
    return depth
