"""What the manifest says about the elements that a group accesses, in terms of its id.

How it is derived, and why it never refuses a valid launch: docs/decisions/group-bounds.md.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import describe
from .launch_sums import (
    Sum,
    json_integer,
    json_list,
    json_object,
    names_in,
    sum_from_list,
    sum_to_list,
)


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

    @property
    def names(self) -> set[str]:
        """The parameters that are mentioned."""
        lines = [self.index, *self.conditions]
        sums = [self.size or (), *(terms for _, terms in self.others)]
        sums += [terms for line in lines for terms in (line.slope, line.start)]
        return {self.argument}.union(*map(names_in, sums))

    @property
    def is_fixed(self) -> bool:
        """Whether a launch of any number of groups accesses the element."""
        return not self.index.slope and not self.others


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
        "size": None if bound.size is None else sum_to_list(bound.size),
        "conditions": [_line_to_dict(line) for line in bound.conditions],
    }
    if bound.others:
        result["others"] = [[other, sum_to_list(slope)] for other, slope in bound.others]
    return result


def _line_to_dict(line: Line) -> dict[str, Any]:
    return {"slope": sum_to_list(line.slope), "start": sum_to_list(line.start)}


def bound_from_dict(data: object, values: Mapping[str, Sequence[int | None]]) -> GroupBound:
    """Return a bound of the manifest.

    Args:
        data: an object of JSON.
        values: what the host knows of each parameter: modes with a size, and None if there is a
            value or a number of members.

    Raises:
        ValueError: `expected ..., got ...`.
    """
    fields = json_object(data, "a bound")
    use = unchecked_from_dict({**fields, "reason": ""}, values)
    dimension = dimension_from(fields.get("dimension"))
    size = fields.get("size")
    return GroupBound(
        use.argument,
        use.modes,
        _line(fields.get("index"), values),
        None if size is None else sum_from_list(size, values),
        dimension,
        tuple(_line(each, values) for each in json_list(fields.get("conditions"), "conditions")),
        tuple(_other(each, values) for each in json_list(fields.get("others", []), "others")),
    )


def dimension_from(data: object) -> int:
    """Return a dimension of the manifest.

    Raises:
        ValueError: `expected ..., got ...`.
    """
    return json_integer(data, "a dimension from 0 to 2", 0, 2)


def unchecked_from_dict(data: object, values: Mapping[str, Sequence[int | None]]) -> UncheckedUse:
    """Return an unchecked use of the manifest; like `bound_from_dict`."""
    fields = json_object(data, "a use")
    argument, reason = fields.get("argument"), fields.get("reason")
    if not isinstance(argument, str) or argument not in values:
        raise ValueError(f"expected the name of a parameter, got {describe(argument)}")
    if not isinstance(reason, str):
        raise ValueError(f"expected a reason, got {describe(reason)}")
    modes = tuple(
        json_integer(mode, "a mode", 0, 2**31) for mode in json_list(fields.get("modes"), "modes")
    )
    return UncheckedUse(argument, modes, reason)


def access_from_dict(data: object, values: Mapping[str, Sequence[int | None]]) -> GroupAccess:
    """Return a `GroupAccess` of the manifest; like `bound_from_dict`."""
    fields = json_object(data, "an access")
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
    fields = json_object(data, "an instruction")
    name = fields.get("instruction")
    if not isinstance(name, str):
        raise ValueError(f"expected the name of an instruction, got {describe(name)}")
    return LaunchDependent(name, _line_number(fields))


def _line_number(fields: Mapping[str, Any]) -> int | None:
    line = fields.get("line")
    return None if line is None else json_integer(line, "a line", 0, 2**32)


def _line(data: object, values: Mapping[str, Sequence[int | None]]) -> Line:
    fields = json_object(data, "a line")
    return Line(
        sum_from_list(fields.get("slope"), values), sum_from_list(fields.get("start"), values)
    )


def _other(data: object, values: Mapping[str, Sequence[int | None]]) -> tuple[int, Sum]:
    pair = json_list(data, "a dimension and a slope")
    if len(pair) != 2:
        raise ValueError(f"expected a dimension and a slope, got {describe(data)}")
    return dimension_from(pair[0]), sum_from_list(pair[1], values)
