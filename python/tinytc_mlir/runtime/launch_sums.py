"""Sums of products of integers that the host knows at a launch, as the manifest has them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from ..errors import describe

# What the compiler makes: 16 and 3. More is no manifest of ours.
_MOST_TERMS = 32
_MOST_VALUES = 8


@dataclasses.dataclass(frozen=True)
class LaunchValue:
    """An integer that the host knows at a launch.

    Args:
        argument: name of the parameter.
        mode: mode of a memref, whose size it is; None for the value of a scalar and for the number
            of members of a group.
    """

    argument: str
    mode: int | None = None


@dataclasses.dataclass(frozen=True)
class Term:
    """A product of a constant and values of the launch.

    Args:
        factor: the constant.
        values: the values.
    """

    factor: int
    values: tuple[LaunchValue, ...] = ()


# A sum of products.
Sum: TypeAlias = tuple[Term, ...]


def names_in(terms: Sum) -> set[str]:
    """Return the parameters that a sum mentions."""
    return {value.argument for term in terms for value in term.values}


def sum_to_list(terms: Sum) -> list[Any]:
    """Return a sum as the manifest has it."""
    return [
        [
            term.factor,
            *([v.argument] if v.mode is None else [v.argument, v.mode] for v in term.values),
        ]
        for term in terms
    ]


def sum_from_list(data: object, values: Mapping[str, Sequence[int | None]]) -> Sum:
    """Return a sum of the manifest.

    Args:
        data: a list of JSON.
        values: what the host knows of each parameter: modes with a size, and None if there is a
            value or a number of members.

    Raises:
        ValueError: `expected ..., got ...`.
    """
    terms = json_list(data, "terms")
    if len(terms) > _MOST_TERMS:
        raise ValueError(f"expected at most {_MOST_TERMS} terms, got {len(terms)}")
    return tuple(_term(each, values) for each in terms)


def _term(data: object, values: Mapping[str, Sequence[int | None]]) -> Term:
    factor, *factors = json_list(data, "a factor and values") or [None]
    if len(factors) > _MOST_VALUES:
        raise ValueError(f"expected at most {_MOST_VALUES} values, got {len(factors)}")
    factor = json_integer(factor, "a factor", -(2**63), 2**63)
    return Term(factor, tuple(_value(each, values) for each in factors))


def _value(data: object, values: Mapping[str, Sequence[int | None]]) -> LaunchValue:
    name, *rest = json_list(data, "name and mode of a value") or [None]
    mode = rest[0] if rest else None
    is_mode = mode is None or (type(mode) is int and len(rest) == 1)
    if not isinstance(name, str) or not is_mode or mode not in values.get(name, ()):
        raise ValueError(f"expected name and mode of a value, got {describe(data)}")
    return LaunchValue(name, mode)


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
