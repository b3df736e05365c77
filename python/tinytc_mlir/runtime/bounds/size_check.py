# SPDX-License-Identifier: BSD-3-Clause
"""Checks the sizes of a launch that do not depend on the number of groups.

The compiler compares the sizes that it knows. Here are those that only a launch tells.
"""

from __future__ import annotations

from ...errors import ArgumentError
from ..arrays.array_view import NoArray
from ..kernel_info import KernelInfo
from .equal_sizes import EqualSizes
from .group_bounds import GroupBound, described_modes, is_alloca
from .launch_sums import LaunchQuotient, LaunchValue, Sum, names_in
from .launch_values import ONE_GROUP, Parts
from .plan import BROKEN, HOLDS, LaunchPlan, LaunchRules
from .unchecked import UncheckedUses, doubt_of


class SizeCheck:
    """The requirements of a kernel on sizes and scalars, ready to check launches quickly.

    Args:
        info: the kernel's entry of the manifest.
        unchecked: warns of accesses that are not checked.
        plan: its rules.
    """

    def __init__(self, info: KernelInfo, unchecked: UncheckedUses, plan: LaunchPlan) -> None:
        self._info, self._plan, self._unchecked = info, plan, unchecked
        self._bounds = [bound for bound in info.group_bounds if bound.is_fixed]
        uses = info.unchecked_uses
        self._uses = [use for use in uses if use.bound is not None and use.bound.is_fixed]
        self._has_rules = bool(info.equal_sizes or self._bounds or self._uses)

    def check(self, parts: Parts) -> None:
        """Check that sizes agree, and that accessed elements exist.

        Raises:
            ArgumentError: they do not.
        """
        if not self._has_rules:
            return
        plan, rules = self._plan, self._plan.launch(parts, without_members=True)
        places = [plan.bounds[bound] for bound in self._bounds]
        verdicts = rules.verdicts(list(plan.sizes.values()), places, ONE_GROUP, ONE_GROUP)
        doubts: list[object] = []
        rules_of: list[EqualSizes | GroupBound] = [*plan.sizes, *self._bounds]
        for rule, verdict in zip(rules_of, verdicts, strict=False):
            if verdict == BROKEN:
                if isinstance(rule, EqualSizes):
                    raise self._unequal(rule, rules, parts)
                raise self._outside(rule, rules, parts)
            if verdict != HOLDS:
                doubts.append(doubt_of(rule, verdict))
        if not self._unchecked.are_known:
            for use in self._uses:
                assert use.bound is not None
                if rules.may_leave(plan.bounds[use.bound], ONE_GROUP):
                    doubts.append(use)
            self._unchecked.warn(doubts)
        rules.note_padding()

    def _unequal(self, sizes: EqualSizes, rules: LaunchRules, parts: Parts) -> ArgumentError:
        """Return the error for two sizes that differ."""
        size, expected = rules.sum(sizes.size), rules.sum(sizes.expected)
        place = "" if sizes.line is None else f" in line {sizes.line}"
        where = f"{sizes.instruction}{place}"
        for own, given, other, wanted in (
            (sizes.size, size, sizes.expected, expected),
            (sizes.expected, expected, sizes.size, size),
        ):
            value = _single(own)
            if value is not None:
                because = f" = {self._text(other)}" if names_in(other) else ""
                rule = f"expected {self._subject(value)}{wanted}{because} for {where}"
                is_none = isinstance(self._plan.part(value.argument, parts), NoArray)
                return self._error(value.argument, f"{rule}, got {None if is_none else given}")
        return ArgumentError(
            f"{self._info.name}: expected {self._text(sizes.size)} to be "
            f"{self._text(sizes.expected)} = {expected} for {where}, got {size}"
        )

    def _subject(self, value: LaunchValue) -> str:
        """Return what is said about an argument: its mode and size, or nothing but its value."""
        if value.mode is None:
            return ""
        return f"mode {self._mode(value.argument, value.mode)} to have size "

    def _outside(self, bound: GroupBound, rules: LaunchRules, parts: Parts) -> ArgumentError:
        """Return the error that an element is outside."""
        index = rules.sum(bound.index.start)
        size = None if bound.size is None else rules.sum(bound.size)
        if isinstance(self._plan.part(bound.argument, parts), NoArray):
            return self._error(bound.argument, "expected an array because it is accessed, got None")
        modes = [self._mode(bound.argument, mode) for mode in bound.modes]
        where = (
            described_modes(bound.argument, modes).partition(" of ")[0] if modes else "the group"
        )
        because = f" = {self._text(bound.index.start)}" if names_in(bound.index.start) else ""
        if size is None:
            message = f"expected no index of {where} below 0, got {index}{because}"
        else:
            what = ("element" if modes else "member") + ("s" if index else "")
            message = (
                f"expected {where} to have at least {index + 1} {what}, as index {index}{because} "
                f"is accessed, got {size}"
            )
        hint = f"; {bound.block}" if bound.block is not None else ""
        return self._error(bound.argument, message + hint)

    def _error(self, name: str, message: str) -> ArgumentError:
        if is_alloca(name):
            return ArgumentError(f"{self._info.name}: {name}: {message}")
        return ArgumentError(f"{self._info.name}: argument {name!r}: {message}", argument=name)

    def _mode(self, name: str, mode: int) -> int:
        """Return a mode as the array has it, whose modes may be those of the kernel reversed."""
        number = self._plan.numbers.get(name)
        modes = None if number is None else getattr(self._plan.arguments[number], "modes", None)
        return mode if modes is None else modes[mode]

    def _text(self, terms: Sum) -> str:
        """Return a sum in words."""
        text = ""
        for term in sorted(terms, key=lambda each: not each.values):
            factor = abs(term.factor)
            factors = [str(factor)] if factor != 1 or not term.values else []
            product = " * ".join([*factors, *map(self._value_text, term.values)])
            sign = "-" if term.factor < 0 else "+"
            text += f" {sign} {product}" if text else product if sign == "+" else f"-{product}"
        return text or "0"

    def _value_text(self, value: LaunchValue | LaunchQuotient) -> str:
        if isinstance(value, LaunchQuotient):
            return f"({self._text(value.dividend)}) / {value.divisor}"
        if value.mode is None:
            return f"{value.kind} {value.argument!r}".lstrip()
        if value.kind:
            return f"{value.kind} {self._mode(value.argument, value.mode)} of {value.argument!r}"
        return f"mode {self._mode(value.argument, value.mode)} of {value.argument!r}"


def _single(terms: Sum) -> LaunchValue | None:
    """Return the value of the launch that a sum is, None for other sums."""
    if len(terms) != 1 or terms[0].factor != 1 or len(terms[0].values) != 1:
        return None
    value = terms[0].values[0]
    return value if isinstance(value, LaunchValue) else None
