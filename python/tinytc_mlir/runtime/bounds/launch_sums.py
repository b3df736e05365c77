# SPDX-License-Identifier: BSD-3-Clause
"""Sums of products of integers that the host knows at a launch, as the manifest has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from ...errors import describe

# The compiler makes at most 16 and 3. More is no manifest of ours.
_MOST_TERMS = 32
_MOST_VALUES = 8


# Kinds of values besides sizes, the values of scalars, and numbers of members.
STRIDE = "stride"
ASSOCIATED = "associated"
_QUOTIENT = "/"


class LaunchValue(NamedTuple):
    """An integer that the host knows at a launch.

    Args:
        argument: name of the parameter.
        mode: mode of a memref, whose size it is, or of the members of a group, if all have the same
            size; None for the value of a scalar and for the number of members of a group.
        kind: "stride" if it is the stride of the mode, in elements; "associated" if it is 1 if
            there is an array, and 0 for None.
    """

    argument: str
    mode: int | None = None
    kind: str = ""


class LaunchQuotient(NamedTuple):
    """An integer division, rounded to 0.

    Args:
        dividend: what is divided.
        divisor: a positive number.
    """

    dividend: Sum
    divisor: int


class Term(NamedTuple):
    """A product of a constant and values of the launch."""

    factor: int
    values: tuple[LaunchValue | LaunchQuotient, ...] = ()


# A sum of products.
Sum: TypeAlias = tuple[Term, ...]
# The values of a parameter that the host knows: the mode and the kind of each.
Known: TypeAlias = Mapping[str, Sequence[tuple[int | None, str]]]


def values_in(terms: Sum) -> Iterator[LaunchValue]:
    """Yield the values that a sum mentions, also in quotients."""
    for term in terms:
        for value in term.values:
            if isinstance(value, LaunchQuotient):
                yield from values_in(value.dividend)
            else:
                yield value


def names_in(terms: Sum) -> set[str]:
    """Return the parameters that a sum mentions."""
    return {value.argument for value in values_in(terms)}


def sized_in(terms: Sum) -> set[str]:
    """Return the parameters whose modes a sum mentions: of a group, sizes of its members."""
    return {value.argument for value in values_in(terms) if value.mode is not None}


def compare_values(sums: Iterable[Sum]) -> bool:
    """Return whether 64 bits may not hold some sums, because they depend on values of any size."""
    return any(value.kind != ASSOCIATED for terms in sums for value in values_in(terms))


def needed_names(sums: Iterable[Sum]) -> set[str]:
    """Return the parameters that sums mention without asking whether there is an array.

    Of a group without members they say nothing.
    """
    values = [value for terms in sums for value in values_in(terms)]
    asked = {value.argument for value in values if value.kind == ASSOCIATED}
    return {value.argument for value in values} - asked


def sum_to_list(terms: Sum) -> list[Any]:
    """Return a sum as the manifest has it."""
    return [[term.factor, *map(_value_to_list, term.values)] for term in terms]


def _value_to_list(value: LaunchValue | LaunchQuotient) -> list[Any]:
    if isinstance(value, LaunchQuotient):
        return [_QUOTIENT, sum_to_list(value.dividend), value.divisor]
    if value.kind:
        return [value.argument, value.mode, value.kind]
    return [value.argument] if value.mode is None else [value.argument, value.mode]


def sum_from_list(data: object, values: Known) -> Sum:
    """Return a sum of the manifest.

    Args:
        data: a list of JSON.
        values: what the host knows of each parameter.

    Raises:
        ValueError: `expected ..., got ...`.
    """
    terms = json_list(data, "terms")
    if len(terms) > _MOST_TERMS:
        raise ValueError(f"expected at most {_MOST_TERMS} terms, got {len(terms)}")
    return tuple(_term(each, values) for each in terms)


def _term(data: object, values: Known) -> Term:
    factor, *factors = json_list(data, "a factor and values") or [None]
    if len(factors) > _MOST_VALUES:
        raise ValueError(f"expected at most {_MOST_VALUES} values, got {len(factors)}")
    factor = json_integer(factor, "a factor", -(2**63), 2**63)
    return Term(factor, tuple(_value(each, values) for each in factors))


def _value(data: object, values: Known) -> LaunchValue | LaunchQuotient:
    name, *rest = json_list(data, "name and mode of a value") or [None]
    if name == _QUOTIENT and len(rest) == 2:
        divisor = json_integer(rest[1], "a positive divisor", 1, 2**63)
        return LaunchQuotient(sum_from_list(rest[0], values), divisor)
    mode, kind = (*rest, *(None, "")[len(rest) :])[:2]
    is_mode = (mode is None or type(mode) is int) and isinstance(kind, str) and len(rest) <= 2
    if not isinstance(name, str) or not is_mode or (mode, kind) not in values.get(name, ()):
        raise ValueError(f"expected name and mode of a value, got {describe(data)}")
    return LaunchValue(name, mode, kind)


def json_object(data: object, what: str) -> Mapping[str, Any]:
    """Return JSON that must be an object; raises ValueError otherwise."""
    if not isinstance(data, Mapping):
        raise ValueError(f"expected {what} to be an object, got {describe(data)}")
    return data


def json_list(data: object, what: str) -> list[Any]:
    """Return JSON that must be a list; raises ValueError otherwise."""
    if not isinstance(data, list):
        raise ValueError(f"expected a list of {what}, got {describe(data)}")
    return data


def json_integer(data: object, what: str, low: int, high: int) -> int:
    """Return JSON that must be an integer in [low, high]; raises ValueError otherwise."""
    if type(data) is not int or not low <= data <= high:
        raise ValueError(f"expected {what}, got {describe(data)}")
    return data
