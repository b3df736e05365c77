# SPDX-License-Identifier: BSD-3-Clause
"""Computes what the host knows at a launch: sizes, scalars, numbers of members."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

from ..arrays.array_view import NoArray
from ..manifest import Argument, GroupArgument, KernelInfo, MemrefArgument, ScalarArgument
from .launch_sums import (
    ASSOCIATED,
    STRIDE,
    LaunchQuotient,
    LaunchValue,
    Sum,
    Term,
    compare_values,
    names_in,
    values_in,
)

# The parts of a launch in the order of the ABI, as `Signature.parts` returns them.
Parts: TypeAlias = Sequence[Any]
# Number of groups in three dimensions.
Counts: TypeAlias = tuple[int, int, int]
ONE_GROUP: Counts = (1, 1, 1)

# Conditions compare what 64 bits can certainly hold if values are no larger.
LARGEST_VALUE = 2**38

# Scalars that may be larger than that.
WIDE_TYPES = ("index", "i64")


class LaunchValues:
    """Where the integers that the host knows are among the parts of a launch.

    Args:
        info: the kernel's entry of the manifest.
    """

    def __init__(self, info: KernelInfo) -> None:
        self.arguments = {argument.name: argument for argument in info.arguments}
        self._positions: dict[str, int] = {}
        position = 0
        for argument in info.arguments:
            self._positions[argument.name] = position
            position += part_count(argument)
        self._optional = [
            argument.name
            for argument in info.arguments
            if isinstance(argument, MemrefArgument) and argument.optional
        ]
        self.member_sizes = {
            value.argument
            for terms in sums_of(info)
            for value in values_in(terms)
            if value.mode is not None and not value.kind and self._is_group(value.argument)
        }

    def _is_group(self, name: str) -> bool:
        return isinstance(self.arguments[name], GroupArgument)

    def part(self, name: str, parts: Parts) -> Any:  # noqa: ANN401 (of any kind)
        """Return the first part of an argument."""
        return parts[self._positions[name]]

    def part_of(self, name: str, parts: Parts) -> Any:  # noqa: ANN401 (of any kind)
        """Return the same, None for an alloca."""
        return parts[self._positions[name]] if name in self._positions else None

    def missing(self, parts: Parts) -> set[str]:
        """Return the names of the arrays that are not passed."""
        return {name for name in self._optional if isinstance(self.part(name, parts), NoArray)}

    def without_members(self, parts: Parts) -> set[str]:
        """Return the groups without members, whose sizes are looked at."""
        return {name for name in self.member_sizes if not self.part(name, parts).size}

    def mixed(self, parts: Parts) -> set[str]:
        """Return the groups whose members differ in sizes that are looked at."""
        names = self.member_sizes
        return {name for name in names if not self._are_equal(name, parts)} if names else names

    def _are_equal(self, name: str, parts: Parts) -> bool:
        part, argument = self.part(name, parts), self.arguments[name]
        if isinstance(part, NoArray) or len(part.views) <= 1:
            return True
        assert isinstance(argument, GroupArgument)
        sizes = part.dope[: argument.shape.count(None)]
        return all((entries == entries[0]).all() for entries in sizes)

    def sum(self, terms: Sum, parts: Parts) -> int:
        """Return the value of a sum as kernels compute it, in 64 bits."""
        return wrapped(
            sum(
                term.factor * math.prod(self.value(value, parts) for value in term.values)
                for term in terms
            )
        )

    def value(self, value: LaunchValue | LaunchQuotient, parts: Parts) -> int:
        """Return an integer of a launch."""
        if isinstance(value, LaunchQuotient):
            return quotient(self.sum(value.dividend, parts), value.divisor)
        part = self.part(value.argument, parts)
        argument = self.arguments[value.argument]
        if isinstance(argument, ScalarArgument):
            return signed(part.value) if argument.type == "i8" else int(part.value)
        if value.kind == STRIDE:
            part = parts[self._stride_position(value, argument)]
        return _ARRAY_VALUES[value.kind](part, argument, value.mode)

    def _stride_position(self, value: LaunchValue, argument: MemrefArgument) -> int:
        before = (*argument.shape, *argument.stride[: value.mode]).count(None)
        return self._positions[value.argument] + 1 + before

    def largest(self, parts: Parts) -> int:
        """Return the largest magnitude of what bounds may mention."""
        values = [0]
        for name, argument in self.arguments.items():
            part = self.part(name, parts)
            if isinstance(argument, GroupArgument):
                values.append(part.size)
            elif isinstance(argument, MemrefArgument):
                values += part.shape
            elif argument.type in WIDE_TYPES:
                values.append(abs(part.value))
        return max(values)

    def code(self, terms: Sum) -> str:
        """Return Python code for a sum, which costs a fifth of what `sum` does.

        It has the variable `parts` and the names of `CODE_NAMES`.
        """
        products = (
            "*".join([*map(self._value_code, term.values)] + [str(term.factor)] * _shows(term))
            for term in terms
        )
        code = f"({' + '.join(products) or '0'})"
        return f"wrapped{code}" if self._may_overflow(terms) else code

    def _may_overflow(self, terms: Sum) -> bool:
        """Return whether 64 bits may not hold a sum; they hold each scalar, and sizes of arrays."""
        names = [value.argument for value in values_in(terms) if value.mode is None]
        are_wide = [
            isinstance(argument, ScalarArgument) and argument.type in WIDE_TYPES
            for argument in map(self.arguments.__getitem__, names)
        ]
        is_single = len(terms) == 1 and _is_single(terms[0])
        return any(are_wide) and not is_single

    def _value_code(self, value: LaunchValue | LaunchQuotient) -> str:
        if isinstance(value, LaunchQuotient):
            return f"quotient({self.code(value.dividend)}, {value.divisor})"
        part = f"parts[{self._positions[value.argument]}]"
        argument = self.arguments[value.argument]
        if isinstance(argument, ScalarArgument):
            return f"signed({part}.value)" if argument.type == "i8" else f"{part}.value"
        if value.kind == ASSOCIATED:
            return f"is_associated({part})"
        if value.kind == STRIDE:
            return f"parts[{self._stride_position(value, argument)}].value"
        if value.mode is None:
            return f"{part}.size"
        row = argument.shape[: value.mode].count(None)
        is_group = isinstance(argument, GroupArgument)
        return f"member_size({part}, {row})" if is_group else f"{part}.shape[{value.mode}]"


def sums_of(info: KernelInfo) -> Iterator[Sum]:
    """Yield all sums that checks of a kernel evaluate."""
    for sizes in info.equal_sizes:
        yield from (sizes.size, sizes.expected, *sizes.conditions)
    for bound in info.group_bounds:
        yield from bound.sums
    for use in info.unchecked_uses:
        if use.bound is not None:
            yield from use.bound.sums


def checked_scalars(info: KernelInfo) -> set[str]:
    """Return the names of the scalar parameters that checks of sizes and groups may read.

    Args:
        info: the kernel's entry of the manifest.
    """
    scalars = {a.name: a.type for a in info.arguments if isinstance(a, ScalarArgument)}
    names = set().union(*map(names_in, sums_of(info)))
    compares = any(bound.compares_values for bound in info.group_bounds)
    if compares or any(compare_values(sizes.conditions) for sizes in info.equal_sizes):
        # No large value may meet conditions.
        names.update(name for name, type_ in scalars.items() if type_ in WIDE_TYPES)
    return names & scalars.keys()


def signed(value: int) -> int:
    """Return the i8 whose bit pattern is passed."""
    return value - 256 if value > 127 else value


def wrapped(value: int) -> int:
    """Return the integer of 64 bits that arithmetic of a kernel has for a value.

    >>> wrapped(2**63), wrapped(-3)
    (-9223372036854775808, -3)
    """
    return (value + 2**63) % 2**64 - 2**63


def quotient(dividend: int, divisor: int) -> int:
    """Return a quotient as kernels compute it, rounded to 0.

    >>> quotient(7, 2), quotient(-7, 2)
    (3, -3)
    """
    return dividend // divisor if dividend >= 0 else -(-dividend // divisor)


def is_associated(part: object) -> int:
    """Return 1 if there is an array, 0 for None."""
    return int(not isinstance(part, NoArray))


def member_size(part: Any, row: int) -> int:  # noqa: ANN401 (of any kind)
    """Return a dynamic size of all members of a group, 0 if there is none."""
    return 0 if isinstance(part, NoArray) or not part.size else int(part.dope[row][0])


def _size(part: Any, argument: MemrefArgument, mode: int | None) -> int:  # noqa: ANN401
    """Return the size of a mode, or the number of members."""
    if mode is None:
        return int(part.size)
    if isinstance(argument, GroupArgument):
        return member_size(part, argument.shape[:mode].count(None))
    return int(part.shape[mode])


# The value of an array, by its kind.
_ARRAY_VALUES: dict[str, Callable[[Any, MemrefArgument, int | None], int]] = {
    "": _size,
    ASSOCIATED: lambda part, *_: is_associated(part),
    STRIDE: lambda part, *_: int(part.value),
}

# Names that the code of sums may use.
CODE_NAMES = {
    "signed": signed,
    "wrapped": wrapped,
    "quotient": quotient,
    "is_associated": is_associated,
    "member_size": member_size,
}


def _is_single(term: Term) -> bool:
    return term.factor == 1 and len(term.values) == 1


def _shows(term: Term) -> bool:
    return term.factor != 1 or not term.values


def part_count(argument: Argument) -> int:
    """Return how many parts an argument has."""
    if isinstance(argument, ScalarArgument):
        return 1
    if isinstance(argument, GroupArgument):
        return 1 + (argument.size is None) + (argument.offset is None)
    return 1 + (*argument.shape, *argument.stride).count(None)
