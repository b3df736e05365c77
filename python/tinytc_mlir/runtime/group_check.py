"""Checks the number of groups of a launch against its arrays."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

from .group_bounds import GroupBound, Line, described_modes
from .launch_sums import names_in
from .launch_values import LARGEST_VALUE, LaunchValues, Parts, signed, wrapped
from .manifest import GroupArgument, KernelInfo

Counts: TypeAlias = tuple[int, int, int]
_DIMENSIONS = "xyz"
ONE_GROUP: Counts = (1, 1, 1)


class GroupCheck:
    """The bounds of a kernel, ready to check launches quickly.

    Args:
        info: the kernel's entry of the manifest.
    """

    def __init__(self, info: KernelInfo) -> None:
        self._info = info
        self._values = LaunchValues(info)
        bounds = self._all = [bound for bound in info.group_bounds if not bound.is_fixed]
        used = {*info.grid_dimensions, *(bound.dimension for bound in bounds)}
        self._dimensions = sorted(used)  # none if all groups would do the same
        # Whether messages say which dimension they mean.
        self._is_grid = max(used, default=0) > 0
        self._is_joint = any(bound.others for bound in bounds)

    def check(self, counts: Counts, parts: Parts) -> None:
        """Check that all groups access elements that there are.

        Args:
            counts: number of groups in three dimensions.
            parts: the checked arguments.

        Raises:
            ValueError: `expected ..., got ...`.
        """
        if self._may_exceed is None or not self._may_exceed(parts, *counts):
            return
        for others in (ONE_GROUP, counts):  # a dimension alone says more than several together
            exceeded = self._exceeded(counts, others, parts)
            if exceeded:
                most, bound = min(exceeded, key=lambda each: each[0])
                text = self._limit(bound, most, others, parts)
                raise ValueError(f"expected at most {text}, got {counts[bound.dimension]}")

    def counts(self, parts: Parts) -> Counts:
        """Return the number of groups that fits the arrays, 1 in dimensions without an id.

        Args:
            parts: the checked arguments.

        Raises:
            ValueError: `expected ..., got ...`, there is no such number, or there are several.
        """
        if not self._dimensions:  # the usual case, quickly
            return ONE_GROUP
        counts = [1, 1, 1]
        for dimension in self._dimensions:
            counts[dimension] = self._count(dimension, parts)
        x, y, z = counts
        # Each number fits if the others are 1.
        for _, bound in self._exceeded((x, y, z), (x, y, z), parts) if self._is_joint else ():
            where = described_modes(bound.argument, bound.modes)
            verb = "limits" if len(bound.modes) <= 1 else "limit"
            names = " and ".join(_DIMENSIONS[d] for d in self._moving(bound, (x, y, z), parts))
            raise ValueError(
                f"expected numbers of groups because {where} {verb} {names} together, got None"
            )
        return x, y, z

    def _count(self, dimension: int, parts: Parts) -> int:
        """Return the number of groups that fits the arrays in a dimension."""
        found = [
            (bound, most)
            for bound in self._bounds(parts)
            if bound.dimension == dimension
            and (most := self._most(bound, ONE_GROUP, parts)) is not None
        ]
        number = f"a number of groups{self._in_dimension(dimension)}"
        if not found:
            uses = "".join(f"; {use}" for use in self._info.unchecked_uses)
            raise ValueError(f"expected {number} because no array limits it{uses}, got None")
        if len({most for _, most in found}) > 1:
            limits = dict.fromkeys(
                self._limit(bound, most, ONE_GROUP, parts) for bound, most in found
            )
            texts = ", ".join(f"at most {text}" for text in limits)
            raise ValueError(f"expected {number} because the arrays disagree ({texts}), got None")
        bound, most = found[0]
        if most == 0:
            text = self._limit(bound, most, ONE_GROUP, parts)
            raise ValueError(f"expected arrays for at least 1 group, got some for {text}")
        return most

    def _exceeded(
        self, counts: Counts, others: Counts, parts: Parts
    ) -> list[tuple[int, GroupBound]]:
        """Return the bounds that are exceeded, after the number of groups that they allow.

        Args:
            counts: numbers of groups.
            others: numbers of groups in the dimensions that a bound is not for.
            parts: the checked arguments.
        """
        allowed = [(self._most(bound, others, parts), bound) for bound in self._bounds(parts)]
        return [
            (most, bound)
            for most, bound in allowed
            if most is not None and counts[bound.dimension] > most
        ]

    def _most(self, bound: GroupBound, counts: Counts, parts: Parts) -> int | None:
        """Return how many groups a bound allows in its dimension, None if any number."""
        slope, start = self._index(bound, counts, parts)
        # An index is outside by this much, and that much more with each group.
        outside, more = -start - 1, -slope
        if bound.size is not None:
            outside, more = start - self._values.sum(bound.size, parts), slope
        if outside < 0 and more <= 0:
            return None
        # Of the groups that are outside and meet the conditions.
        least = 0 if outside >= 0 else -(outside // more)
        greatest: float = math.inf if more >= 0 else outside // -more
        for condition in bound.conditions:
            factor, constant = self._line(condition, parts)
            if factor > 0:
                least = max(least, -(constant // factor))
            elif factor < 0:
                greatest = min(greatest, constant // -factor)
            elif constant < 0:
                return None
        if least > greatest or not -(2**63) <= slope * least + start < 2**63:
            return None
        if bound.conditions and self._values.largest(parts) > LARGEST_VALUE:
            return None
        return least

    def _bounds(self, parts: Parts) -> Sequence[GroupBound]:
        """Return the bounds that do not mention an array that is not passed."""
        missing = self._values.missing(parts)
        if not missing:
            return self._all
        return [bound for bound in self._all if not missing & bound.names]

    def _limit(self, bound: GroupBound, most: int, counts: Counts, parts: Parts) -> str:
        """Return in words how many groups a bound allows and why."""
        groups = "1 group" if most == 1 else f"{most} groups"
        groups += self._in_dimension(bound.dimension)
        moving = self._moving(bound, counts, parts)
        others = [d for d in moving if d != bound.dimension and counts[d] > 1]
        if others:
            groups += " with " + " and ".join(f"{counts[d]} in {_DIMENSIONS[d]}" for d in others)
        slope, start = self._index(bound, counts, parts)
        group: object = most
        if self._is_grid:
            last = [counts[d] - 1 if d in others else 0 for d in range(3)]
            last[bound.dimension] = most
            group = tuple(last)
        where = described_modes(bound.argument, bound.modes)
        what = "elements"
        if isinstance(self._values.arguments.get(bound.argument), GroupArgument):
            if not bound.modes:
                what = "members"
            else:
                name = f"{bound.argument!r}"
                where = where.replace(name, f"the members of {name}")
        accesses = f"group {group} accesses index {slope * most + start}"
        if bound.size is None:
            return f"{groups} ({accesses} of {where})"
        size = self._values.sum(bound.size, parts)
        what = what[:-1] if size == 1 else what
        verb = "has" if len(bound.modes) <= 1 else "have"
        text = f"{groups} ({where} {verb} {size} {what}"
        if (slope, start) != (1, 0):
            text += f", {accesses}"
        return text + ")"

    def _in_dimension(self, dimension: int) -> str:
        """Return how a message names the dimension, nothing if there is no other."""
        return f" in {_DIMENSIONS[dimension]}" if self._is_grid else ""

    def _moving(self, bound: GroupBound, counts: Counts, parts: Parts) -> list[int]:
        """Return the dimensions whose ids move the index of a bound."""
        return sorted([bound.dimension, *(d for d, slope in self._others(bound, parts) if slope)])

    def _others(self, bound: GroupBound, parts: Parts) -> list[tuple[int, int]]:
        """Return what other ids add to the index of the element that is farthest outside."""
        slopes = [(d, self._values.sum(slope, parts)) for d, slope in bound.others]
        if bound.size is None:
            return [(d, min(slope, 0)) for d, slope in slopes]
        return [(d, max(slope, 0)) for d, slope in slopes]

    def _index(self, bound: GroupBound, counts: Counts, parts: Parts) -> tuple[int, int]:
        """Return slope and start of the index, for the last groups of other dimensions."""
        slope, start = self._line(bound.index, parts)
        return slope, start + sum(s * (counts[d] - 1) for d, s in self._others(bound, parts))

    def _line(self, line: Line, parts: Parts) -> tuple[int, int]:
        return self._values.sum(line.slope, parts), self._values.sum(line.start, parts)

    @functools.cached_property
    def _may_exceed(self) -> Callable[..., bool] | None:
        """Return a function that says quickly that no bound is exceeded; None without bounds.

        It ignores conditions. As Python code, it costs a fifth of what `_most` does.
        """
        comparisons = list(dict.fromkeys(map(self._comparison, self._all)))
        if not comparisons:
            return None
        code = f"lambda parts, x, y, z: {' or '.join(comparisons)}"
        compiled: Callable[..., bool] = eval(code, {"signed": signed, "wrapped": wrapped})
        return compiled

    def _comparison(self, bound: GroupBound) -> str:
        """Return the code that compares the index of the last group, and perhaps of the first."""
        count = _DIMENSIONS[bound.dimension]
        slope, start = self._values.code(bound.index.slope), self._values.code(bound.index.start)
        choose = "min" if bound.size is None else "max"
        for dimension, terms in bound.others:
            last = f"({_DIMENSIONS[dimension]} - 1)"
            start += f" + {choose}({self._values.code(terms)}, 0) * {last}"
        rule = "< 0" if bound.size is None else f">= {self._values.code(bound.size)}"
        if (slope, start) == ("(1)", "(0)"):
            return f"{count} - 1 {rule}"
        comparison = f"{slope} * ({count} - 1) + {start} {rule}"
        if not names_in(bound.index.slope):  # the last group is farthest outside
            return comparison
        return f"{comparison} or {start} {rule}"
