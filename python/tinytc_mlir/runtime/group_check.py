"""Checks the number of groups of a launch against its arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from .group_bounds import GroupBound, LaunchValue, Line, Sum, Term, described_modes
from .manifest import Argument, GroupArgument, KernelInfo, MemrefArgument, ScalarArgument

Counts: TypeAlias = tuple[int, int, int]
# The parts of a launch in the order of the ABI, as `Signature.parts` returns them.
_Parts: TypeAlias = Sequence[Any]

# Conditions compare what 64 bits can certainly hold if values are no larger.
_LARGEST_VALUE = 2**38
_DIMENSIONS = "xyz"


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
            position += _part_count(argument)
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
        exceeded: list[tuple[int, GroupBound]] = []
        for bound in self._info.group_bounds:
            most = self._most(bound, parts)
            if most is not None and counts[bound.dimension] > most:
                exceeded.append((most, bound))
        if exceeded:
            most, bound = min(exceeded, key=lambda each: each[0])
            text = self._limit(bound, most, parts)
            raise ValueError(f"expected at most {text}, got {counts[bound.dimension]}")

    def counts(self, parts: _Parts) -> Counts:
        """Return the number of groups that fits the arrays.

        Args:
            parts: the checked arguments.

        Raises:
            ValueError: `expected ..., got ...`, there is no such number, or there are several.
        """
        allowed = [(bound, self._most(bound, parts)) for bound in self._info.group_bounds]
        found = [(bound, most) for bound, most in allowed if most is not None]
        if not found:
            uses = "".join(f"; {use}" for use in self._info.unchecked_uses)
            raise ValueError(
                f"expected a number of groups because no array limits it{uses}, got None"
            )
        counts = [1, 1, 1]
        for dimension in range(3):
            here = [(bound, most) for bound, most in found if bound.dimension == dimension]
            if len({most for _, most in here}) > 1:
                limits = dict.fromkeys(self._limit(bound, most, parts) for bound, most in here)
                texts = ", ".join(f"at most {text}" for text in limits)
                raise ValueError(
                    f"expected a number of groups because the arrays disagree ({texts}), got None"
                )
            for bound, most in here:
                if most == 0:
                    text = self._limit(bound, most, parts)
                    raise ValueError(f"expected arrays for at least 1 group, got some for {text}")
                counts[dimension] = most
        return counts[0], counts[1], counts[2]

    def _most(self, bound: GroupBound, parts: _Parts) -> int | None:
        """Return how many groups a bound allows, None if any number."""
        slope, start = self._line(bound.index, parts)
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

    def _limit(self, bound: GroupBound, most: int, parts: _Parts) -> str:
        """Return in words how many groups a bound allows and why."""
        groups = "1 group" if most == 1 else f"{most} groups"
        if bound.dimension:
            groups += f" in dimension {_DIMENSIONS[bound.dimension]}"
        slope, start = self._line(bound.index, parts)
        where = described_modes(bound.argument, bound.modes)
        what = "elements"
        if isinstance(self._arguments.get(bound.argument), GroupArgument):
            if not bound.modes:
                what = "members"
            else:
                name = f"{bound.argument!r}"
                where = where.replace(name, f"the members of {name}")
        if bound.size is None:
            return f"{groups} (group {most} accesses index {slope * most + start} of {where})"
        size = self._sum(bound.size, parts)
        what = what[:-1] if size == 1 else what
        verb = "has" if len(bound.modes) <= 1 else "have"
        text = f"{groups} ({where} {verb} {size} {what}"
        if (slope, start) != (1, 0):
            text += f", group {most} accesses index {slope * most + start}"
        return text + ")"

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


def _part_count(argument: Argument) -> int:
    """Return how many parts an argument has."""
    if isinstance(argument, ScalarArgument):
        return 1
    if isinstance(argument, GroupArgument):
        return 1 + (argument.size is None) + (argument.offset is None)
    return 1 + (*argument.shape, *argument.stride).count(None)
