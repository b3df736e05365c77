# SPDX-License-Identifier: BSD-3-Clause
"""Checks the number of groups of a launch against its arrays."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Sequence

from ..arrays.array_view import ArrayView
from ..manifest import GroupArgument, KernelInfo
from .bound_check import BoundCheck
from .group_bounds import GroupBound, described_modes
from .launch_sums import names_in
from .launch_values import CODE_NAMES, ONE_GROUP, Counts, LaunchValues, Parts
from .padding import stays_in_memory
from .unchecked import UncheckedUses

_DIMENSIONS = "xyz"


class GroupCheck:
    """The bounds of a kernel, ready to check launches quickly.

    Args:
        info: the kernel's entry of the manifest.
        unchecked: warns of accesses that are not checked; None if nobody need know.
    """

    def __init__(self, info: KernelInfo, unchecked: UncheckedUses | None = None) -> None:
        self._info = info
        self._values = LaunchValues(info)
        bounds = self._all = [bound for bound in info.group_bounds if not bound.is_fixed]
        self._unchecked = unchecked
        uses = info.unchecked_uses
        self._uses = [use for use in uses if use.bound is None or not use.bound.is_fixed]
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
            if self._uses:
                self._warn(counts, parts, ())
            return
        for others in (ONE_GROUP, counts):  # a dimension alone says more than several together
            exceeded = self._exceeded(counts, others, parts)
            if exceeded:
                most, bound = min(exceeded, key=lambda each: each[0])
                text = self._limit(bound, most, others, parts)
                hint = f"; {bound.block}" if bound.block is not None else ""
                raise ValueError(f"expected at most {text}, got {counts[bound.dimension]}{hint}")
        self._warn(counts, parts, self._all)

    def _warn(self, counts: Counts, parts: Parts, bounds: Sequence[GroupBound]) -> None:
        """Warn of accesses that may be outside: unchecked ones, and those of doubtful bounds."""
        unchecked = self._unchecked
        if unchecked is None or unchecked.are_known or not (self._uses or bounds):
            return
        check, missing = BoundCheck(self._values, parts, counts), self._values.missing(parts)
        uses = [check.doubt(bound) for bound in bounds if not missing & bound.needed]
        if self._may_leave is None or self._may_leave(parts, *counts):
            uses += [use for use in self._uses if check.may_leave(use)]
        unchecked.warn(use for use in uses if use is not None)

    def counts(self, parts: Parts) -> Counts:
        """Return the number of groups that fits the arrays, 1 in dimensions without an id.

        It is 0 for an empty batch.

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
            moving = BoundCheck(self._values, parts, (x, y, z)).moving(bound)
            names = " and ".join(_DIMENSIONS[d] for d in moving)
            what = f"numbers of groups because {where} {verb} {names} together"
            raise ValueError(f"expected {what}, got groups=None")
        return x, y, z

    def _count(self, dimension: int, parts: Parts) -> int:
        """Return the number of groups that fits the arrays in a dimension."""
        bounds = [bound for bound in self._bounds(parts) if bound.dimension == dimension]
        found = self._limits(bounds, parts)
        if not found:  # such as a loop without iterations: those of other launches
            uniform = [b for b in bounds if not any(each.slope for each in b.conditions)]
            bare = [dataclasses.replace(bound, conditions=()) for bound in uniform]
            found = self._limits(bare, parts)
        number = f"a number of groups{self._in_dimension(dimension)}"
        if not found:
            uses = "".join(f"; {use}" for use in self._info.unchecked_uses)
            raise ValueError(f"expected {number} because no array limits it{uses}, got groups=None")
        if len({most for _, most in found}) > 1:
            limits = dict.fromkeys(
                self._limit(bound, most, ONE_GROUP, parts) for bound, most in found
            )
            texts = ", ".join(f"at most {text}" for text in limits)
            raise ValueError(
                f"expected {number} because the arrays disagree ({texts}), got groups=None"
            )
        most = found[0][1]
        too_small = next((b for b, _ in found if most == 0 and not self._is_empty(b, parts)), None)
        if too_small is not None:
            text = self._limit(too_small, most, ONE_GROUP, parts)
            raise ValueError(f"expected arrays for at least 1 group, got some for {text}")
        return most

    def _is_empty(self, bound: GroupBound, parts: Parts) -> bool:
        """Return whether a bound is about no elements, those of an empty batch."""
        if bound.size is not None and self._values.sum(bound.size, parts) == 0:
            return True
        part = self._values.part_of(bound.argument, parts)
        return isinstance(part, ArrayView) and 0 in part.shape

    def _limits(self, bounds: Iterable[GroupBound], parts: Parts) -> list[tuple[GroupBound, int]]:
        """Return the bounds that limit the number of groups, and that."""
        check = BoundCheck(self._values, parts, ONE_GROUP)
        return [
            (bound, most)
            for bound in bounds
            if (most := check.most(bound)) is not None
            and not (most == 0 and stays_in_memory(bound, ONE_GROUP, self._values, parts))
        ]

    def _exceeded(
        self, counts: Counts, others: Counts, parts: Parts
    ) -> list[tuple[int, GroupBound]]:
        """Return the bounds that are exceeded, after the number of groups that they allow.

        Args:
            counts: numbers of groups.
            others: numbers of groups in the dimensions that a bound is not for.
            parts: the checked arguments.
        """
        check = BoundCheck(self._values, parts, others)
        allowed = [(check.most(bound), bound) for bound in self._bounds(parts)]
        return [
            (most, bound)
            for most, bound in allowed
            if most is not None
            and counts[bound.dimension] > most
            and not stays_in_memory(bound, counts, self._values, parts)
        ]

    def _bounds(self, parts: Parts) -> Sequence[GroupBound]:
        """Return the bounds that say something of a launch.

        Sizes may differ from member to member, and older compilers did not ask for arrays.
        """
        missing, mixed = self._values.missing(parts), self._values.mixed(parts)
        if not (missing or mixed):
            return self._all
        return [
            bound for bound in self._all if not mixed & bound.sized and not missing & bound.needed
        ]

    def _limit(self, bound: GroupBound, most: int, counts: Counts, parts: Parts) -> str:
        """Return in words how many groups a bound allows and why."""
        groups = "1 group" if most == 1 else f"{most} groups"
        groups += self._in_dimension(bound.dimension)
        check = BoundCheck(self._values, parts, counts)
        moving = check.moving(bound)
        others = [d for d in moving if d != bound.dimension and counts[d] > 1]
        if others:
            groups += " with " + " and ".join(f"{counts[d]} in {_DIMENSIONS[d]}" for d in others)
        slope, start = check.index(bound)
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

    @functools.cached_property
    def _may_exceed(self) -> Callable[..., bool] | None:
        """Return a function that says quickly that no bound is exceeded; None without bounds."""
        return self._comparisons(self._all)

    @functools.cached_property
    def _may_leave(self) -> Callable[..., bool] | None:
        """Return the same for bounds of unchecked uses; None if some have no bound."""
        bounds = [use.bound for use in self._uses if use.bound is not None]
        return self._comparisons(bounds) if len(bounds) == len(self._uses) else None

    def _comparisons(self, bounds: Sequence[GroupBound]) -> Callable[..., bool] | None:
        """Return a function that compares the indices of all bounds; None without bounds.

        It ignores conditions. As Python code, it costs a fifth of what `BoundCheck.most` does.
        """
        comparisons = list(dict.fromkeys(map(self._comparison, bounds)))
        if not comparisons:
            return None
        if any(self._values.member_sizes & bound.sized for bound in bounds):
            comparisons.append("values.mixed(parts)")
        code = f"lambda parts, x, y, z: {' or '.join(comparisons)}"
        compiled: Callable[..., bool] = eval(code, CODE_NAMES | {"values": self._values})
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
        is_farthest = not names_in(bound.index.slope) and not self._moves_inward(bound)
        return comparison if is_farthest else f"{comparison} or {start} {rule}"

    def _moves_inward(self, bound: GroupBound) -> bool:
        """Return whether the first of several groups is farther outside than the last one."""
        slope = sum(term.factor for term in bound.index.slope)
        return slope > 0 if bound.size is None else slope < 0
