# SPDX-License-Identifier: BSD-3-Clause
"""Checks the number of groups of a launch against its arrays."""

from __future__ import annotations

from collections.abc import Iterable

from ..arrays.array_view import ArrayView
from ..kernel_info import GroupArgument, KernelInfo
from .group_bounds import GroupBound, described_modes
from .launch_values import ONE_GROUP, Counts, Parts
from .plan import BROKEN, HOLDS, LaunchPlan, LaunchRules
from .unchecked import UncheckedUses, doubt_of

_DIMENSIONS = "xyz"


class GroupCheck:
    """The bounds of a kernel, ready to check launches quickly.

    Args:
        info: the kernel's entry of the manifest.
        plan: its rules.
        unchecked: warns of accesses that are not checked; None if nobody need know.
    """

    def __init__(
        self, info: KernelInfo, plan: LaunchPlan, unchecked: UncheckedUses | None = None
    ) -> None:
        self._info, self._plan = info, plan
        self._all = [bound for bound in info.group_bounds if not bound.is_fixed]
        self._places = [plan.bounds[bound] for bound in self._all]
        self._unchecked = unchecked
        uses = info.unchecked_uses
        self._uses = [use for use in uses if use.bound is None or not use.bound.is_fixed]
        used = {*info.grid_dimensions, *(bound.dimension for bound in self._all)}
        self._dimensions = sorted(used)  # none if all groups would do the same
        # Whether messages say which dimension they mean.
        self._is_grid = max(used, default=0) > 0
        self._groups = {a.name for a in info.arguments if isinstance(a, GroupArgument)}
        self._is_joint = any(bound.others for bound in self._all)

    def rules(self, parts: Parts) -> LaunchRules | None:
        """Return the rules of a launch with some checked arguments, None if there are none."""
        return self._plan.launch(parts) if self._all or self._uses or self._dimensions else None

    def check(self, counts: Counts, rules: LaunchRules) -> None:
        """Check that all groups access elements that there are.

        Args:
            counts: number of groups in three dimensions.
            rules: the rules of the launch.

        Raises:
            ValueError: `expected ..., got ...`.
        """
        # A dimension alone says more than several together.
        for others in (ONE_GROUP, counts) if self._is_joint else (counts,):
            exceeded = self._exceeded(counts, others, rules)
            if exceeded:
                most, bound = min(exceeded, key=lambda each: each[0])
                text = self._limit(bound, most, others, rules)
                hint = f"; {bound.block}" if bound.block is not None else ""
                raise ValueError(f"expected at most {text}, got {counts[bound.dimension]}{hint}")
        self._warn(counts, rules)
        rules.note_padding()

    def _warn(self, counts: Counts, rules: LaunchRules) -> None:
        """Warn of accesses that may be outside: unchecked ones, and those of doubtful bounds."""
        if self._unchecked is None or self._unchecked.are_known:
            return
        verdicts = rules.verdicts([], self._places, counts, counts)
        uses = [
            doubt_of(bound, verdict)
            for bound, verdict in zip(self._all, verdicts, strict=False)
            if verdict != HOLDS
        ]
        for use in self._uses:
            if use.bound is None or rules.may_leave(self._plan.bounds[use.bound], counts):
                uses.append(use)
        self._unchecked.warn(uses)

    def fitting(self, rules: LaunchRules | None, parts: Parts) -> Counts:
        """Return the number of groups that fits the arrays, 1 in dimensions without an id.

        It is 0 for an empty batch.

        Raises:
            ValueError: `expected ..., got ...`, there is no such number, or there are several.
        """
        if not self._dimensions or rules is None:  # the usual case, quickly
            return ONE_GROUP
        counts = [1, 1, 1]
        for dimension in self._dimensions:
            counts[dimension] = self._count(dimension, rules, parts)
        x, y, z = counts
        # Each number fits if the others are 1.
        for _, bound in self._exceeded((x, y, z), (x, y, z), rules) if self._is_joint else ():
            where = described_modes(bound.argument, bound.modes)
            verb = "limits" if len(bound.modes) <= 1 else "limit"
            names = " and ".join(_DIMENSIONS[d] for d in _moving(bound, rules))
            what = f"numbers of groups because {where} {verb} {names} together"
            raise ValueError(f"expected {what}, got groups=None")
        return x, y, z

    def _count(self, dimension: int, rules: LaunchRules, parts: Parts) -> int:
        """Return the number of groups that fits the arrays in a dimension."""
        bounds = [bound for bound in self._all if bound.dimension == dimension]
        found = self._limits(bounds, rules)
        if not found:  # such as a loop without iterations: those of other launches
            uniform = [b for b in bounds if not any(each.slope for each in b.conditions)]
            found = self._limits(uniform, rules, False)
        number = f"a number of groups{self._in_dimension(dimension)}"
        if not found:
            uses = "".join(f"; {use}" for use in self._info.unchecked_uses)
            raise ValueError(f"expected {number} because no array limits it{uses}, got groups=None")
        if len({most for _, most in found}) > 1:
            limits = dict.fromkeys(
                self._limit(bound, most, ONE_GROUP, rules) for bound, most in found
            )
            texts = ", ".join(f"at most {text}" for text in limits)
            raise ValueError(
                f"expected {number} because the arrays disagree ({texts}), got groups=None"
            )
        most = found[0][1]
        too_small = None
        if most == 0:
            too_small = next((b for b, _ in found if not self._is_empty(b, rules, parts)), None)
        if too_small is not None:
            text = self._limit(too_small, most, ONE_GROUP, rules)
            raise ValueError(f"expected arrays for at least 1 group, got some for {text}")
        return most

    def _is_empty(self, bound: GroupBound, rules: LaunchRules, parts: Parts) -> bool:
        """Return whether a bound is about no elements, those of an empty batch."""
        if bound.size is not None and rules.sum(bound.size) == 0:
            return True
        part = self._plan.part(bound.argument, parts)
        return isinstance(part, ArrayView) and 0 in part.shape

    def _limits(
        self, bounds: Iterable[GroupBound], rules: LaunchRules, asks_conditions: bool = True
    ) -> list[tuple[GroupBound, int]]:
        """Return the bounds that limit the number of groups, and that."""
        found = [(b, rules.most(self._plan.bounds[b], ONE_GROUP, asks_conditions)) for b in bounds]
        return [(bound, most) for bound, most in found if most is not None]

    def _exceeded(
        self, counts: Counts, others: Counts, rules: LaunchRules
    ) -> list[tuple[int, GroupBound]]:
        """Return the bounds that are exceeded, after the number of groups that they allow.

        Args:
            counts: numbers of groups.
            others: numbers of groups in the dimensions that a bound is not for.
            rules: those of the launch.
        """
        verdicts = rules.verdicts([], self._places, counts, others)
        broken = [b for b, verdict in zip(self._all, verdicts, strict=False) if verdict == BROKEN]
        return [(rules.most(self._plan.bounds[b], others) or 0, b) for b in broken]

    def _limit(self, bound: GroupBound, most: int, counts: Counts, rules: LaunchRules) -> str:
        """Return in words how many groups a bound allows and why."""
        groups = "1 group" if most == 1 else f"{most} groups"
        groups += self._in_dimension(bound.dimension)
        others = [d for d in _moving(bound, rules) if d != bound.dimension and counts[d] > 1]
        if others:
            groups += " with " + " and ".join(f"{counts[d]} in {_DIMENSIONS[d]}" for d in others)
        place = self._plan.bounds[bound]
        first, index = (rules.index(place, number, counts) for number in (0, most))
        group: object = most
        if self._is_grid:
            last = [counts[d] - 1 if d in others else 0 for d in range(3)]
            last[bound.dimension] = most
            group = tuple(last)
        where = described_modes(bound.argument, bound.modes)
        what = "elements"
        if bound.argument in self._groups:
            if not bound.modes:
                what = "members"
            else:
                name = f"{bound.argument!r}"
                where = where.replace(name, f"the members of {name}")
        accesses = f"group {group} accesses index {index}"
        if bound.size is None:
            return f"{groups} ({accesses} of {where})"
        size = rules.sum(bound.size)
        what = what[:-1] if size == 1 else what
        verb = "has" if len(bound.modes) <= 1 else "have"
        text = f"{groups} ({where} {verb} {size} {what}"
        if (rules.sum(bound.index.slope), first) != (1, 0):
            text += f", {accesses}"
        return text + ")"

    def _in_dimension(self, dimension: int) -> str:
        """Return how a message names the dimension, nothing if there is no other."""
        return f" in {_DIMENSIONS[dimension]}" if self._is_grid else ""


def _moving(bound: GroupBound, rules: LaunchRules) -> list[int]:
    """Return the dimensions whose ids move the index of a bound outwards."""
    slopes = [(dimension, rules.sum(terms)) for dimension, terms in bound.others]
    outwards = [d for d, slope in slopes if (slope < 0 if bound.size is None else slope > 0)]
    return sorted([bound.dimension, *outwards])
