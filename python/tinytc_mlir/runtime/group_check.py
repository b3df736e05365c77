"""Checks the number of groups of a launch against its arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

from .array_view import NoArray
from .group_bounds import GroupBound, LaunchValue, Line, Sum, Term, described_modes
from .manifest import Argument, GroupArgument, KernelInfo, MemrefArgument, ScalarArgument

Counts: TypeAlias = tuple[int, int, int]
# The parts of a launch in the order of the ABI, as `Signature.parts` returns them.
_Parts: TypeAlias = Sequence[Any]

# Conditions compare what 64 bits can certainly hold if values are no larger.
_LARGEST_VALUE = 2**38
_DIMENSIONS = "xyz"
ONE_GROUP: Counts = (1, 1, 1)


class GroupCheck:
    """The bounds of a kernel, ready to check launches quickly.

    Args:
        info: the kernel's entry of the manifest.
    """

    def __init__(self, info: KernelInfo) -> None:
        self._info = info
        self._arguments = {argument.name: argument for argument in info.arguments}
        self._positions: dict[str, int] = {}
        position = 0
        for argument in info.arguments:
            self._positions[argument.name] = position
            position += part_count(argument)
        bounds = info.group_bounds
        used = {*info.grid_dimensions, *(bound.dimension for bound in bounds)}
        self._dimensions = sorted(used)  # none if all groups would do the same
        # Whether messages say which dimension they mean.
        self._is_grid = max(used, default=0) > 0
        self._is_joint = any(bound.others for bound in bounds)
        self._optional = [
            (argument.name, self._positions[argument.name])
            for argument in info.arguments
            if isinstance(argument, MemrefArgument) and argument.optional
        ]
        self._may_exceed = self._compiled()

    def check(self, counts: Counts, parts: _Parts) -> None:
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

    def counts(self, parts: _Parts) -> Counts:
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

    def _count(self, dimension: int, parts: _Parts) -> int:
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
        self, counts: Counts, others: Counts, parts: _Parts
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

    def _most(self, bound: GroupBound, counts: Counts, parts: _Parts) -> int | None:
        """Return how many groups a bound allows in its dimension, None if any number."""
        slope, start = self._index(bound, counts, parts)
        if bound.size is None:
            if slope >= 0:
                return None
            least = max(start // -slope + 1, 0)
        else:
            if slope <= 0:
                return None
            least = max(-((start - self._sum(bound.size, parts)) // slope), 0)
        greatest: float = math.inf  # of the groups that meet the conditions
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
        if bound.conditions and self._largest_value(parts) > _LARGEST_VALUE:
            return None
        return least

    def _bounds(self, parts: _Parts) -> Sequence[GroupBound]:
        """Return the bounds that do not mention an array that is not passed."""
        bounds = self._info.group_bounds
        if not any(isinstance(parts[position], NoArray) for _, position in self._optional):
            return bounds
        return [bound for bound in bounds if not self._is_without_array(bound, parts)]

    def _is_without_array(self, bound: GroupBound, parts: _Parts) -> bool:
        """Return whether a bound mentions an array that is not passed."""
        names = {bound.argument, *(value.argument for value in _values(bound))}
        return any(isinstance(parts[p], NoArray) for name, p in self._optional if name in names)

    def _limit(self, bound: GroupBound, most: int, counts: Counts, parts: _Parts) -> str:
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
        if isinstance(self._arguments.get(bound.argument), GroupArgument):
            if not bound.modes:
                what = "members"
            else:
                name = f"{bound.argument!r}"
                where = where.replace(name, f"the members of {name}")
        accesses = f"group {group} accesses index {slope * most + start}"
        if bound.size is None:
            return f"{groups} ({accesses} of {where})"
        size = self._sum(bound.size, parts)
        what = what[:-1] if size == 1 else what
        verb = "has" if len(bound.modes) <= 1 else "have"
        text = f"{groups} ({where} {verb} {size} {what}"
        if (slope, start) != (1, 0):
            text += f", {accesses}"
        return text + ")"

    def _in_dimension(self, dimension: int) -> str:
        """Return how a message names the dimension, nothing if there is no other."""
        return f" in {_DIMENSIONS[dimension]}" if self._is_grid else ""

    def _moving(self, bound: GroupBound, counts: Counts, parts: _Parts) -> list[int]:
        """Return the dimensions whose ids move the index of a bound."""
        return sorted([bound.dimension, *(d for d, slope in self._others(bound, parts) if slope)])

    def _others(self, bound: GroupBound, parts: _Parts) -> list[tuple[int, int]]:
        """Return what other ids add to the index of the element that is farthest outside."""
        slopes = [(d, self._sum(slope, parts)) for d, slope in bound.others]
        if bound.size is None:
            return [(d, min(slope, 0)) for d, slope in slopes]
        return [(d, max(slope, 0)) for d, slope in slopes]

    def _index(self, bound: GroupBound, counts: Counts, parts: _Parts) -> tuple[int, int]:
        """Return slope and start of the index, for the last groups of other dimensions."""
        slope, start = self._line(bound.index, parts)
        return slope, start + sum(s * (counts[d] - 1) for d, s in self._others(bound, parts))

    def _line(self, line: Line, parts: _Parts) -> tuple[int, int]:
        return self._sum(line.slope, parts), self._sum(line.start, parts)

    def _sum(self, terms: Sum, parts: _Parts) -> int:
        return sum(
            term.factor * math.prod(self._value(value, parts) for value in term.values)
            for term in terms
        )

    def _value(self, value: LaunchValue, parts: _Parts) -> int:
        part = parts[self._positions[value.argument]]
        argument = self._arguments[value.argument]
        if isinstance(argument, ScalarArgument):
            return _signed(part.value) if argument.type == "i8" else int(part.value)
        return int(part.size if value.mode is None else part.shape[value.mode])

    def _largest_value(self, parts: _Parts) -> int:
        """Return the largest magnitude of what bounds may mention."""
        values = [0]
        for name, argument in self._arguments.items():
            part = parts[self._positions[name]]
            if isinstance(argument, GroupArgument):
                values.append(part.size)
            elif isinstance(argument, MemrefArgument):
                values += part.shape
            elif argument.type in ("index", "i64"):
                values.append(abs(part.value))
        return max(values)

    def _compiled(self) -> Callable[..., bool] | None:
        """Return a function that says quickly that no bound is exceeded; None without bounds.

        It ignores conditions. As Python code, it costs a fifth of what `_most` does.
        """
        comparisons = list(dict.fromkeys(map(self._comparison, self._info.group_bounds)))
        if not comparisons:
            return None
        code = f"lambda parts, x, y, z: {' or '.join(comparisons)}"
        compiled: Callable[..., bool] = eval(code, {"signed": _signed})
        return compiled

    def _comparison(self, bound: GroupBound) -> str:
        """Return the code that compares the index of the last group."""
        count = _DIMENSIONS[bound.dimension]
        slope, start = self._code(bound.index.slope), self._code(bound.index.start)
        choose = "min" if bound.size is None else "max"
        for dimension, terms in bound.others:
            last = f"({_DIMENSIONS[dimension]} - 1)"
            start += f" + {choose}({self._code(terms)}, 0) * {last}"
        if bound.size is None:
            return f"{slope} * ({count} - 1) + {start} < 0"
        size = self._code(bound.size)
        if (slope, start) == ("(1)", "(0)"):
            return f"{count} > {size}"
        return f"{slope} * ({count} - 1) + {start} >= {size}"

    def _code(self, terms: Sum) -> str:
        products = (
            "*".join([*map(self._value_code, term.values)] + [str(term.factor)] * _shows(term))
            for term in terms
        )
        return f"({' + '.join(products) or '0'})"

    def _value_code(self, value: LaunchValue) -> str:
        part = f"parts[{self._positions[value.argument]}]"
        argument = self._arguments[value.argument]
        if isinstance(argument, ScalarArgument):
            return f"signed({part}.value)" if argument.type == "i8" else f"{part}.value"
        return f"{part}.size" if value.mode is None else f"{part}.shape[{value.mode}]"


def _shows(term: Term) -> bool:
    return term.factor != 1 or not term.values


def _signed(value: int) -> int:
    """Return the i8 whose bit pattern is passed."""
    return value - 256 if value > 127 else value


def part_count(argument: Argument) -> int:
    """Return how many parts an argument has."""
    if isinstance(argument, ScalarArgument):
        return 1
    if isinstance(argument, GroupArgument):
        return 1 + (argument.size is None) + (argument.offset is None)
    return 1 + (*argument.shape, *argument.stride).count(None)


def bound_scalars(info: KernelInfo) -> set[str]:
    """Return the names of the scalar parameters that a check of the number of groups may look at.

    Args:
        info: the kernel's entry of the manifest.
    """
    names = {a.name for a in info.arguments if isinstance(a, ScalarArgument)}
    if any(bound.conditions for bound in info.group_bounds):  # which no large value may meet
        return names
    return {value.argument for bound in info.group_bounds for value in _values(bound)} & names


def _values(bound: GroupBound) -> Iterator[LaunchValue]:
    """Yield the values that a bound mentions."""
    lines = [bound.index, *bound.conditions]
    sums = [bound.size or (), *(terms for _, terms in bound.others)]
    sums += [terms for line in lines for terms in (line.slope, line.start)]
    for terms in sums:
        for term in terms:
            yield from term.values
