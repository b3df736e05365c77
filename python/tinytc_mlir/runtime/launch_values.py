"""Computes what the host knows at a launch: sizes, scalars, numbers of members."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

from .array_view import NoArray
from .launch_sums import LaunchValue, Sum, Term, names_in
from .manifest import Argument, GroupArgument, KernelInfo, MemrefArgument, ScalarArgument

# The parts of a launch in the order of the ABI, as `Signature.parts` returns them.
Parts: TypeAlias = Sequence[Any]

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

    def part(self, name: str, parts: Parts) -> Any:  # noqa: ANN401 (of any kind)
        """Return the first part of an argument."""
        return parts[self._positions[name]]

    def missing(self, parts: Parts) -> set[str]:
        """Return the names of the arrays that are not passed."""
        return {name for name in self._optional if isinstance(self.part(name, parts), NoArray)}

    def sum(self, terms: Sum, parts: Parts) -> int:
        """Return the value of a sum as kernels compute it, in 64 bits."""
        return wrapped(
            sum(
                term.factor * math.prod(self._value(value, parts) for value in term.values)
                for term in terms
            )
        )

    def _value(self, value: LaunchValue, parts: Parts) -> int:
        part = self.part(value.argument, parts)
        argument = self.arguments[value.argument]
        if isinstance(argument, ScalarArgument):
            return signed(part.value) if argument.type == "i8" else int(part.value)
        return int(part.size if value.mode is None else part.shape[value.mode])

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

        It has the variable `parts` and the functions `signed` and `wrapped`.
        """
        products = (
            "*".join([*map(self._value_code, term.values)] + [str(term.factor)] * _shows(term))
            for term in terms
        )
        code = f"({' + '.join(products) or '0'})"
        return f"wrapped{code}" if self._may_overflow(terms) else code

    def _may_overflow(self, terms: Sum) -> bool:
        """Return whether 64 bits may not hold a sum; they hold each scalar, and sizes of arrays."""
        names = [value.argument for term in terms for value in term.values if value.mode is None]
        are_wide = [
            isinstance(argument, ScalarArgument) and argument.type in WIDE_TYPES
            for argument in map(self.arguments.__getitem__, names)
        ]
        is_single = len(terms) == 1 and _is_single(terms[0])
        return any(are_wide) and not is_single

    def _value_code(self, value: LaunchValue) -> str:
        part = f"parts[{self._positions[value.argument]}]"
        argument = self.arguments[value.argument]
        if isinstance(argument, ScalarArgument):
            return f"signed({part}.value)" if argument.type == "i8" else f"{part}.value"
        return f"{part}.size" if value.mode is None else f"{part}.shape[{value.mode}]"


def checked_scalars(info: KernelInfo) -> set[str]:
    """Return the names of the scalar parameters that checks of sizes and groups may look at.

    Args:
        info: the kernel's entry of the manifest.
    """
    scalars = {a.name: a.type for a in info.arguments if isinstance(a, ScalarArgument)}
    sums = [terms for sizes in info.equal_sizes for terms in (sizes.size, sizes.expected)]
    names = set().union(*map(names_in, sums), *(bound.names for bound in info.group_bounds))
    if any(bound.conditions for bound in info.group_bounds):  # which no large value may meet
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
