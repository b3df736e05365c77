"""Checks the sizes of a launch that do not depend on the number of groups.

The compiler compares the sizes that it knows. Here are those that only a launch tells.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from ..errors import ArgumentError
from .equal_sizes import EqualSizes
from .group_bounds import GroupBound, described_modes
from .launch_sums import LaunchValue, Sum, names_in
from .launch_values import LARGEST_VALUE, LaunchValues, Parts, signed, wrapped
from .manifest import KernelInfo, MemrefArgument


class SizeCheck:
    """What a kernel requires of sizes and scalars, ready to check launches quickly.

    Args:
        info: the kernel's entry of the manifest.
    """

    def __init__(self, info: KernelInfo) -> None:
        self._info = info
        self._values = LaunchValues(info)
        self._bounds = [bound for bound in info.group_bounds if bound.is_fixed]

    def check(self, parts: Parts) -> None:
        """Check that sizes agree, and that accessed elements exist.

        Args:
            parts: the checked arguments.

        Raises:
            ArgumentError: they do not.
        """
        if self._may_fail is None or not self._may_fail(parts):
            return
        missing = self._values.missing(parts)
        for sizes in self._info.equal_sizes:
            if not missing & (names_in(sizes.size) | names_in(sizes.expected)):
                self._check_equal(sizes, parts)
        for bound in self._bounds:
            if not missing & bound.names:
                self._check_bound(bound, parts)

    @functools.cached_property
    def _may_fail(self) -> Callable[[Parts], bool] | None:
        """Return a function that says quickly whether a rule may be broken; None without rules.

        It ignores conditions.
        """
        code_of = self._values.code
        code = []
        for sizes in self._info.equal_sizes:
            code.append(f"{code_of(sizes.size)} != {code_of(sizes.expected)}")
        for bound in self._bounds:
            rule = "< 0" if bound.size is None else f">= {code_of(bound.size)}"
            code.append(f"{code_of(bound.index.start)} {rule}")
        if not code:
            return None
        compiled: Callable[[Parts], bool] = eval(
            f"lambda parts: {' or '.join(dict.fromkeys(code))}",
            {"signed": signed, "wrapped": wrapped},
        )
        return compiled

    def _check_equal(self, sizes: EqualSizes, parts: Parts) -> None:
        size = self._values.sum(sizes.size, parts)
        expected = self._values.sum(sizes.expected, parts)
        if size == expected:
            return
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

    def _check_bound(self, bound: GroupBound, parts: Parts) -> None:
        index = self._values.sum(bound.index.start, parts)
        size = None if bound.size is None else self._values.sum(bound.size, parts)
        is_inside = index >= 0 if size is None else index < size
        if is_inside or not self._is_accessed(bound, parts):
            return
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
        raise self._error(bound.argument, message)

    def _is_accessed(self, bound: GroupBound, parts: Parts) -> bool:
        """Return whether the conditions of a bound certainly hold."""
        if bound.conditions and self._values.largest(parts) > LARGEST_VALUE:
            return False
        return all(self._values.sum(line.start, parts) >= 0 for line in bound.conditions)

    def _error(self, name: str, message: str) -> ArgumentError:
        return ArgumentError(f"{self._info.name}: argument {name!r}: {message}", argument=name)

    def _mode(self, name: str, mode: int) -> int:
        """Return a mode as the array has it, whose modes may be those of the kernel reversed."""
        argument = self._values.arguments[name]
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

    def _value_text(self, value: LaunchValue) -> str:
        if value.mode is None:
            return f"{value.argument!r}"
        return f"mode {self._mode(value.argument, value.mode)} of {value.argument!r}"


def _single(terms: Sum) -> LaunchValue | None:
    """Return the value of the launch that a sum is, None for other sums."""
    if len(terms) != 1 or terms[0].factor != 1 or len(terms[0].values) != 1:
        return None
    return terms[0].values[0]
