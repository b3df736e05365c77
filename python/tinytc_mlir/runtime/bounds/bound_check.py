# SPDX-License-Identifier: BSD-3-Clause
"""Evaluates the bounds of a launch."""

from __future__ import annotations

import math

from .group_bounds import GroupBound, Line, UncheckedUse
from .launch_sums import Sum
from .launch_values import LARGEST_VALUE, Counts, LaunchValues, Parts
from .padding import stays_in_memory

_SIZE_REASON = "its size differs from member to member"
LARGE_REASON = "it is accessed under a condition on numbers of more than 38 bits"


class BoundCheck:
    """Says which groups of a launch exceed bounds.

    Args:
        values: the values of the launch.
        parts: the checked arguments.
        counts: number of groups in three dimensions; the bounds are looked at in one of them.
    """

    def __init__(self, values: LaunchValues, parts: Parts, counts: Counts) -> None:
        self._values, self._parts, self._counts = values, parts, counts

    def most(self, bound: GroupBound, *, trusts_conditions: bool = False) -> int | None:
        """Return how many groups a bound certainly allows, None if any number.

        Args:
            bound: the bound.
            trusts_conditions: whether conditions hold in 64 bits however large values are.
        """
        slope, start = self.index(bound)
        # An index is outside by this much, and that much more with each group.
        outside, more = -start - 1, -slope
        if bound.size is not None:
            outside, more = start - self._sum(bound.size), slope
        if outside < 0 and more <= 0:
            return None
        # Of the groups that are outside and meet the conditions.
        least = 0 if outside >= 0 else -(outside // more)
        greatest: float = math.inf if more >= 0 else outside // -more
        for condition in bound.conditions:
            factor, constant = self._line(condition)
            if factor > 0:
                least = max(least, -(constant // factor))
            elif factor < 0:
                greatest = min(greatest, constant // -factor)
            elif constant < 0:
                return None
        if least > greatest:
            return None
        return None if not trusts_conditions and self._is_doubtful(bound, least) else least

    def _is_doubtful(self, bound: GroupBound, group: int) -> bool:
        """Return whether 64 bits may not hold an index or a condition."""
        slope, start = self.index(bound)
        if not -(2**63) <= slope * group + start < 2**63:
            return True
        return bound.compares_values and self._values.largest(self._parts) > LARGEST_VALUE

    def may_leave(self, use: UncheckedUse) -> bool:
        """Return whether the accesses of an unchecked use may be outside."""
        bound = use.bound
        if bound is None or self._values.mixed(self._parts) & bound.sized:
            return True
        most = self.most(bound, trusts_conditions=True)
        if most is not None and self._is_doubtful(bound, most):
            return True
        if most is None and bound.compares_values:
            most = self.most_of_large(bound)
        if most is None or self._counts[bound.dimension] <= most:
            return False
        return not stays_in_memory(bound, self._counts, self._values, self._parts)

    def most_of_large(self, bound: GroupBound) -> int | None:
        """Return how many groups a bound allows if its conditions say nothing."""
        if self._values.largest(self._parts) <= LARGEST_VALUE:
            return None
        bare = GroupBound(bound.argument, bound.modes, bound.index, bound.size, bound.dimension)
        return self.most(bare, trusts_conditions=True)

    def doubt(self, bound: GroupBound) -> UncheckedUse | None:
        """Return what is not known of a bound that no group certainly exceeds, None if nothing."""
        reason = LARGE_REASON
        if self._values.mixed(self._parts) & bound.sized:
            reason = _SIZE_REASON
        use = UncheckedUse(bound.argument, bound.modes, reason, bound)
        return use if self.may_leave(use) else None

    def index(self, bound: GroupBound) -> tuple[int, int]:
        """Return slope and start of the index, for the last groups of other dimensions."""
        slope, start = self._line(bound.index)
        counts = self._counts
        return slope, start + sum(s * (counts[d] - 1) for d, s in self._others(bound))

    def moving(self, bound: GroupBound) -> list[int]:
        """Return the dimensions whose ids move the index of a bound."""
        return sorted([bound.dimension, *(d for d, slope in self._others(bound) if slope)])

    def _others(self, bound: GroupBound) -> list[tuple[int, int]]:
        """Return what other ids add to the index of the element that is farthest outside."""
        slopes = [(d, self._sum(slope)) for d, slope in bound.others]
        if bound.size is None:
            return [(d, min(slope, 0)) for d, slope in slopes]
        return [(d, max(slope, 0)) for d, slope in slopes]

    def _line(self, line: Line) -> tuple[int, int]:
        return self._sum(line.slope), self._sum(line.start)

    def _sum(self, terms: Sum) -> int:
        return self._values.sum(terms, self._parts)
