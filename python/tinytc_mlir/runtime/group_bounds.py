"""What the manifest says about the elements that a group accesses, in terms of its id.

How it is derived, and why it never refuses a valid launch: docs/decisions/group-bounds.md.
"""

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


@dataclasses.dataclass(frozen=True)
class Line:
    """The integer `slope * id + start` of a group.

    Args:
        slope: what multiplies the group's id.
        start: what it is for id 0.
    """

    slope: Sum
    start: Sum


@dataclasses.dataclass(frozen=True)
class GroupBound:
    """An element that every group accesses whose id meets the conditions.

    Args:
        argument: name of the parameter.
        modes: modes of a memref, or of the members of a group, that the index counts through;
            none if it counts members.
        index: index of the element.
        size: number of elements, which the index must stay below; None if the index counts down, so
            that it must not become negative.
        dimension: dimension of the group id.
        conditions: lines that must not be negative.
        others: dimensions whose ids also move the index, and what multiplies them; groups access
            such an element whatever these ids are. The ids of the remaining dimensions are 0.
    """

    argument: str
    modes: tuple[int, ...]
    index: Line
    size: Sum | None
    dimension: int = 0
    conditions: tuple[Line, ...] = ()
    others: tuple[tuple[int, Sum], ...] = ()


@dataclasses.dataclass(frozen=True)
class UncheckedUse:
    """Accesses that depend on the group and that no bound covers.

    Args:
        argument: name of the parameter.
        modes: modes as in `GroupBound`.
        reason: why there is no bound.
    """

    argument: str
    modes: tuple[int, ...]
    reason: str

    def __str__(self) -> str:
        return f"{described_modes(self.argument, self.modes)}: {self.reason}"


# How accesses depend on the id of the group in x: all are at exactly the id, none depends on it, or
# neither.
GROUP_ID = "group_id"
SHARED = "shared"
OTHER = "other"


@dataclasses.dataclass(frozen=True)
class GroupAccess:
    """How the groups of a launch share some modes that they access.

    Args:
        argument: name of the parameter.
        modes: modes as in `GroupBound`.
        index: "group_id" if each access is at exactly the id, "shared" if none depends on it, or
            "other".
        reason: of other accesses, what the first one accesses.
        line: line of that access, if it is known.
    """

    argument: str
    modes: tuple[int, ...]
    index: str
    reason: str = ""
    line: int | None = None


@dataclasses.dataclass(frozen=True)
class LaunchDependent:
    """An instruction that computes something else if the batch is cut into several launches.

    It uses the group's id other than as an index, or the number of groups or of elements.

    Args:
        instruction: its name.
        line: its line, if it is known.
    """

    instruction: str
    line: int | None = None


def described_modes(argument: str, modes: Sequence[int]) -> str:
    """Return what a message calls some modes of an argument.

    >>> described_modes("A", (1, 2)), described_modes("G", ())
    ("modes 1 and 2 of 'A'", "'G'")
    """
    if not modes:
        return f"{argument!r}"
    if len(modes) == 1:
        return f"mode {modes[0]} of {argument!r}"
    return f"modes {', '.join(map(str, modes[:-1]))} and {modes[-1]} of {argument!r}"


def bound_to_dict(bound: GroupBound) -> dict[str, Any]:
    """Return a bound as the manifest has it."""
    result = {
        "argument": bound.argument,
        "modes": list(bound.modes),
        "dimension": bound.dimension,
        "index": _line_to_dict(bound.index),
        "size": None if bound.size is None else _sum_to_list(bound.size),
        "conditions": [_line_to_dict(line) for line in bound.conditions],
    }
    if bound.others:
        result["others"] = [[other, _sum_to_list(slope)] for other, slope in bound.others]
    return result


def _line_to_dict(line: Line) -> dict[str, Any]:
    return {"slope": _sum_to_list(line.slope), "start": _sum_to_list(line.start)}


def _sum_to_list(terms: Sum) -> list[Any]:
    return [
        [
            term.factor,
            *([v.argument] if v.mode is None else [v.argument, v.mode] for v in term.values),
        ]
        for term in terms
    ]


def bound_from_dict(data: object, values: Mapping[str, Sequence[int | None]]) -> GroupBound:
    """Return a bound of the manifest.

    Args:
        data: an object of JSON.
        values: what the host knows of each parameter: modes with a size, and None if there is a
            value or a number of members.

    Raises:
        ValueError: `expected ..., got ...`.
    """
    fields = _object(data, "a bound")
    use = unchecked_from_dict({**fields, "reason": ""}, values)
    dimension = dimension_from(fields.get("dimension"))
    size = fields.get("size")
    return GroupBound(
        use.argument,
        use.modes,
        _line(fields.get("index"), values),
        None if size is None else _sum(size, values),
        dimension,
        tuple(_line(each, values) for each in _list(fields.get("conditions"), "conditions")),
        tuple(_other(each, values) for each in _list(fields.get("others", []), "others")),
    )


def dimension_from(data: object) -> int:
    """Return a dimension of the manifest.

    Raises:
        ValueError: `expected ..., got ...`.
    """
    return _integer(data, "a dimension from 0 to 2", 0, 2)


def unchecked_from_dict(data: object, values: Mapping[str, Sequence[int | None]]) -> UncheckedUse:
    """Return an unchecked use of the manifest; like `bound_from_dict`."""
    fields = _object(data, "a use")
    argument, reason = fields.get("argument"), fields.get("reason")
    if not isinstance(argument, str) or argument not in values:
        raise ValueError(f"expected the name of a parameter, got {describe(argument)}")
    if not isinstance(reason, str):
        raise ValueError(f"expected a reason, got {describe(reason)}")
    modes = tuple(
        _integer(mode, "a mode", 0, 2**31) for mode in _list(fields.get("modes"), "modes")
    )
    return UncheckedUse(argument, modes, reason)


def access_from_dict(data: object, values: Mapping[str, Sequence[int | None]]) -> GroupAccess:
    """Return a `GroupAccess` of the manifest; like `bound_from_dict`."""
    fields = _object(data, "an access")
    use = unchecked_from_dict({"reason": "", **fields}, values)
    index = fields.get("index")
    if index not in (GROUP_ID, SHARED, OTHER):
        raise ValueError(f"expected a kind of index, got {describe(index)}")
    return GroupAccess(use.argument, use.modes, index, use.reason, _line_number(fields))


def launch_dependent_from_dict(data: object) -> LaunchDependent:
    """Return a `LaunchDependent` of the manifest.

    Raises:
        ValueError: `expected ..., got ...`.
    """
    fields = _object(data, "an instruction")
    name = fields.get("instruction")
    if not isinstance(name, str):
        raise ValueError(f"expected the name of an instruction, got {describe(name)}")
    return LaunchDependent(name, _line_number(fields))


def _line_number(fields: Mapping[str, Any]) -> int | None:
    line = fields.get("line")
    return None if line is None else _integer(line, "a line", 0, 2**32)


def _line(data: object, values: Mapping[str, Sequence[int | None]]) -> Line:
    fields = _object(data, "a line")
    return Line(_sum(fields.get("slope"), values), _sum(fields.get("start"), values))


def _other(data: object, values: Mapping[str, Sequence[int | None]]) -> tuple[int, Sum]:
    pair = _list(data, "a dimension and a slope")
    if len(pair) != 2:
        raise ValueError(f"expected a dimension and a slope, got {describe(data)}")
    return dimension_from(pair[0]), _sum(pair[1], values)


def _sum(data: object, values: Mapping[str, Sequence[int | None]]) -> Sum:
    terms = _list(data, "terms")
    if len(terms) > _MOST_TERMS:
        raise ValueError(f"expected at most {_MOST_TERMS} terms, got {len(terms)}")
    return tuple(_term(each, values) for each in terms)


def _term(data: object, values: Mapping[str, Sequence[int | None]]) -> Term:
    factor, *factors = _list(data, "a factor and values") or [None]
    if len(factors) > _MOST_VALUES:
        raise ValueError(f"expected at most {_MOST_VALUES} values, got {len(factors)}")
    factor = _integer(factor, "a factor", -(2**63), 2**63)
    return Term(factor, tuple(_value(each, values) for each in factors))


def _value(data: object, values: Mapping[str, Sequence[int | None]]) -> LaunchValue:
    name, *rest = _list(data, "name and mode of a value") or [None]
    mode = rest[0] if rest else None
    is_mode = mode is None or (type(mode) is int and len(rest) == 1)
    if not isinstance(name, str) or not is_mode or mode not in values.get(name, ()):
        raise ValueError(f"expected name and mode of a value, got {describe(data)}")
    return LaunchValue(name, mode)


def _object(data: object, what: str) -> Mapping[str, Any]:
    if not isinstance(data, Mapping):
        raise ValueError(f"expected {what} to be an object, got {describe(data)}")
    return data


def _list(data: object, what: str) -> list[Any]:
    if not isinstance(data, list):
        raise ValueError(f"expected a list of {what}, got {describe(data)}")
    return data


def _integer(data: object, what: str, low: int, high: int) -> int:
    if type(data) is not int or not low <= data <= high:
        raise ValueError(f"expected {what}, got {describe(data)}")
    return data
