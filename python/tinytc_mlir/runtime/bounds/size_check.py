# SPDX-License-Identifier: BSD-3-Clause
"""Checks the sizes of a launch that do not depend on the number of groups.

The compiler compares the sizes that it knows. Here are those that only a launch tells.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable

from ...errors import ArgumentError
from ..arrays.array_view import NoArray
from ..manifest import KernelInfo, MemrefArgument
from .bound_check import LARGE_REASON, BoundCheck
from .equal_sizes import EqualSizes
from .group_bounds import GroupBound, described_modes, is_alloca
from .launch_sums import LaunchQuotient, LaunchValue, Sum, compare_values, names_in
from .launch_values import CODE_NAMES, LARGEST_VALUE, ONE_GROUP, LaunchValues, Parts
from .member_sizes import MemberSizes
from .padding import stays_in_memory
from .unchecked import UncheckedUses

_MIXED = "sizes differ from member to member"


class SizeCheck:
    """The requirements of a kernel on sizes and scalars, ready to check launches quickly.

    Args:
        info: the kernel's entry of the manifest.
        unchecked: warns of accesses that are not checked.
    """

    def __init__(self, info: KernelInfo, unchecked: UncheckedUses) -> None:
        self._info = info
        self._values = LaunchValues(info)
        self._members = MemberSizes(info, self._values)
        self._bounds = [bound for bound in info.group_bounds if bound.is_fixed]
        self._unchecked = unchecked
        uses = info.unchecked_uses
        self._uses = [use for use in uses if use.bound is not None and use.bound.is_fixed]

    def check(self, parts: Parts) -> None:
        """Check that sizes agree, and that accessed elements exist.

        Args:
            parts: the checked arguments.

        Raises:
            ArgumentError: they do not.
        """
        if self._may_fail is None or not self._may_fail(parts):
            return
        missing, mixed = self._values.missing(parts), self._values.mixed(parts)
        missing |= self._values.without_members(parts)
        doubts: list[object] = []
        for sizes in self._info.equal_sizes:
            if missing & sizes.needed:
                continue
            if mixed & sizes.sized:
                if not self._members.are_equal(sizes, mixed, parts):
                    doubts.append(dataclasses.replace(sizes, reason=_MIXED))
            else:
                doubts += self._check_equal(sizes, parts)
        check = BoundCheck(self._values, parts, ONE_GROUP)
        bounds = [bound for bound in self._bounds if not missing & bound.needed]
        for bound in bounds:
            if not mixed & bound.sized:
                self._check_bound(bound, check, parts)
        if not self._unchecked.are_known:
            unknown = [b for b in bounds if not self._members.are_inside(b, mixed, parts)]
            doubts += filter(None, map(check.doubt, unknown))
            doubts += [use for use in self._uses if check.may_leave(use)]
            self._unchecked.warn(doubts)

    @functools.cached_property
    def _may_fail(self) -> Callable[[Parts], bool] | None:
        """Return a function that says quickly whether a rule may be broken; None without rules.

        It ignores conditions.
        """
        code_of = self._values.code
        code = []
        for sizes in self._info.equal_sizes:
            if sizes.size != sizes.expected:
                code.append(f"{code_of(sizes.size)} != {code_of(sizes.expected)}")
        if self._values.member_sizes:
            code.append("values.mixed(parts)")
        for bound in (*self._bounds, *(use.bound for use in self._uses if use.bound)):
            rule = "< 0" if bound.size is None else f">= {code_of(bound.size)}"
            code.append(f"{code_of(bound.index.start)} {rule}")
        if not code:
            return None
        compiled: Callable[[Parts], bool] = eval(
            f"lambda parts: {' or '.join(dict.fromkeys(code))}",
            CODE_NAMES | {"values": self._values},
        )
        return compiled

    def _check_equal(self, sizes: EqualSizes, parts: Parts) -> list[EqualSizes]:
        """Check two sizes; return them if it is not known whether they must be equal."""
        size = self._values.sum(sizes.size, parts)
        expected = self._values.sum(sizes.expected, parts)
        if size == expected:
            return []
        if compare_values(sizes.conditions) and self._values.largest(parts) > LARGEST_VALUE:
            return [dataclasses.replace(sizes, reason=sizes.reason or LARGE_REASON)]
        if any(self._values.sum(condition, parts) < 0 for condition in sizes.conditions):
            return []
        if sizes.reason:
            return [sizes]
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
                raise self._error(value.argument, f"{rule}, got {given}")
        raise ArgumentError(
            f"{self._info.name}: expected {self._text(sizes.size)} to be "
            f"{self._text(sizes.expected)} = {expected} for {where}, got {size}"
        )

    def _subject(self, value: LaunchValue) -> str:
        """Return what is said about an argument: its mode and size, or nothing but its value."""
        if value.mode is None:
            return ""
        return f"mode {self._mode(value.argument, value.mode)} to have size "

    def _check_bound(self, bound: GroupBound, check: BoundCheck, parts: Parts) -> None:
        if check.most(bound) is None or stays_in_memory(bound, ONE_GROUP, self._values, parts):
            return
        index = self._values.sum(bound.index.start, parts)
        size = None if bound.size is None else self._values.sum(bound.size, parts)
        if isinstance(self._values.part_of(bound.argument, parts), NoArray):
            raise self._error(bound.argument, "expected an array because it is accessed, got None")
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
        raise self._error(bound.argument, message + hint)

    def _error(self, name: str, message: str) -> ArgumentError:
        if is_alloca(name):
            return ArgumentError(f"{self._info.name}: {name}: {message}")
        return ArgumentError(f"{self._info.name}: argument {name!r}: {message}", argument=name)

    def _mode(self, name: str, mode: int) -> int:
        """Return a mode as the array has it, whose modes may be those of the kernel reversed."""
        argument = self._values.arguments.get(name)
        modes = argument.modes if isinstance(argument, MemrefArgument) else None
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
