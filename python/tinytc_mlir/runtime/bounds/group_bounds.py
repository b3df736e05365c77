# SPDX-License-Identifier: BSD-3-Clause
"""Entries of the manifest for the elements that a group accesses, in terms of its id.

How it is derived, and why it never refuses a valid launch: docs/decisions/group-bounds.md.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...errors import describe
from .launch_sums import (
    Known,
    Sum,
    compare_values,
    json_integer,
    json_list,
    json_object,
    names_in,
    needed_names,
    sized_in,
    sum_from_list,
    sum_to_list,
)


class Line(NamedTuple):
    """The integer `slope * id + start` of a group.

    Args:
        slope: what multiplies the group's id.
        start: what it is for id 0.
    """

    slope: Sum
    start: Sum


class Place(NamedTuple):
    """An element of an array's memory, counted from its start: the sum over all ids.

    Args:
        slopes: what multiplies the ids in x, y and z.
        start: what it is for the group with the ids 0.
    """

    slopes: tuple[Sum, ...]
    start: Sum


class BlockAccess(NamedTuple):
    """An access to a block of a matrix that is not checked.

    Args:
        instruction: its name.
        line: its line, if it is known.
        checked: the modifier with which it would be.
        reach: of a load from an array, the first and the last element of the array's memory that
            groups read; where the block is outside the array, it may still be inside its memory.
    """

    instruction: str
    line: int | None
    checked: str
    reach: tuple[Place, Place] | None = None

    def __str__(self) -> str:
        place = "" if self.line is None else f" in line {self.line}"
        effect = "loads zeros" if self.instruction.endswith("_load") else "accesses nothing"
        return f"{self.instruction}.{self.checked}{place} {effect} outside"


PARTS = -1
"""The mode of the parts of complex numbers, among those of an array of them."""


@dataclasses.dataclass(frozen=True)
class GroupBound:
    """An element that every group accesses whose id meets the conditions.

    Args:
        argument: name of the parameter.
        modes: modes of a memref, or of the members of a group, that the index counts through;
            none if it counts members. Mode `PARTS` is that of the parts of complex numbers, before
            mode 0.
        index: index of the element.
        size: number of elements, which the index must stay below; None if the index counts down, so
            that it must not become negative.
        dimension: dimension of the group id.
        conditions: lines that must not be negative.
        others: dimensions whose ids also move the index, and what multiplies them; groups access
            such an element whatever these ids are. The ids of the remaining dimensions are 0.
        block: the access, if it is one to a block.
    """

    argument: str
    modes: tuple[int, ...]
    index: Line
    size: Sum | None
    dimension: int = 0
    conditions: tuple[Line, ...] = ()
    others: tuple[tuple[int, Sum], ...] = ()
    block: BlockAccess | None = None

    @property
    def sums(self) -> list[Sum]:
        """All sums in it."""
        lines = [self.index, *self.conditions]
        sums = [self.size or (), *(terms for _, terms in self.others)]
        sums += [terms for line in lines for terms in (line.slope, line.start)]
        for place in self._reach:
            sums += [*place.slopes, place.start]
        return sums

    @property
    def sized(self) -> set[str]:
        """The parameters whose modes are mentioned."""
        return set().union(*map(sized_in, self.sums))

    @property
    def compares_values(self) -> bool:
        """Whether 64 bits may not hold its conditions."""
        return compare_values(
            terms for line in self.conditions for terms in (line.slope, line.start)
        )

    @property
    def needed(self) -> set[str]:
        """The groups without whose members it says nothing, among others."""
        asked = names_in(tuple(term for terms in self.sums for term in terms))
        needed = needed_names(self.sums)
        return needed if self.argument in asked else needed | {self.argument}

    @property
    def _reach(self) -> tuple[Place, ...]:
        return (self.block and self.block.reach) or ()

    @property
    def is_fixed(self) -> bool:
        """Whether it is the same for any number of groups."""
        slopes = [self.index.slope, *(line.slope for line in self.conditions), self.others]
        slopes += [slope for place in self._reach for slope in place.slopes]
        return not any(slopes)


class UncheckedUse(NamedTuple):
    """Accesses that no bound covers.

    Args:
        argument: name of the parameter, or what messages call an alloca.
        modes: modes as in `GroupBound`.
        reason: why there is no bound.
        bound: if a launch keeps it, these accesses are inside all the same.
    """

    argument: str
    modes: tuple[int, ...]
    reason: str
    bound: GroupBound | None = None

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


class LaunchDependent(NamedTuple):
    """An instruction that computes something else if the batch is cut into several launches.

    It uses the group's id other than as an index, or the number of groups or of elements.
    """

    instruction: str
    line: int | None = None


def described_modes(argument: str, modes: Sequence[int]) -> str:
    """Return what a message calls some modes of an argument.

    >>> described_modes("A", (1, 2)), described_modes("G", ())
    ("modes 1 and 2 of 'A'", "'G'")
    >>> described_modes("A", (PARTS,)), described_modes("A", (PARTS, 0))
    ("the mode for the parts of 'A'", "the mode for the parts and mode 0 of 'A'")
    """
    if not modes:
        return f"{argument!r}"
    if modes[0] == PARTS:
        rest = f" and {described_modes(argument, modes[1:])}" if modes[1:] else f" of {argument!r}"
        return f"the mode for the parts{rest}"
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
    if bound.block is not None:
        result["block"] = _block_to_dict(bound.block)
    return result


def _block_to_dict(block: BlockAccess) -> dict[str, Any]:
    result: dict[str, Any] = {"instruction": block.instruction, "line": block.line}
    result["checked"] = block.checked
    if block.reach is not None:
        result["reach"] = [
            [*map(sum_to_list, place.slopes), sum_to_list(place.start)] for place in block.reach
        ]
    return result


def unchecked_to_dict(use: UncheckedUse) -> dict[str, Any]:
    """Return an unchecked use as the manifest has it."""
    result = {"argument": use.argument, "modes": list(use.modes), "reason": use.reason}
    return result if use.bound is None else result | {"bound": bound_to_dict(use.bound)}


def _line_to_dict(line: Line) -> dict[str, Any]:
    return {"slope": sum_to_list(line.slope), "start": sum_to_list(line.start)}


def bound_from_dict(data: object, values: Known) -> GroupBound:
    """Return a bound of the manifest.

    Args:
        data: an object of JSON.
        values: what the host knows of each parameter.

    Raises:
        ValueError: `expected ..., got ...`.
    """
    fields = json_object(data, "a bound")
    use = unchecked_from_dict(
        {"argument": fields.get("argument"), "reason": "", "modes": fields.get("modes")}, values
    )
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
        _block(fields["block"], values) if "block" in fields else None,
    )


def _block(data: object, values: Known) -> BlockAccess:
    fields = json_object(data, "a block")
    words = [fields.get("instruction"), fields.get("checked")]
    if not all(isinstance(word, str) for word in words):
        raise ValueError(f"expected an instruction and a modifier, got {describe(words)}")
    reach = None
    if "reach" in fields:
        first, last = _pair(fields["reach"], "two places")
        reach = _place(first, values), _place(last, values)
    return BlockAccess(str(words[0]), _line_number(fields), str(words[1]), reach)


def _place(data: object, values: Known) -> Place:
    sums = [sum_from_list(each, values) for each in json_list(data, "three slopes and a start")]
    if len(sums) != 4:
        raise ValueError(f"expected three slopes and a start, got {describe(data)}")
    return Place(tuple(sums[:3]), sums[3])


def dimension_from(data: object) -> int:
    """Return a dimension of the manifest.

    Raises:
        ValueError: `expected ..., got ...`.
    """
    return json_integer(data, "a dimension from 0 to 2", 0, 2)


def unchecked_from_dict(data: object, values: Known) -> UncheckedUse:
    """Return an unchecked use of the manifest; like `bound_from_dict`."""
    fields = json_object(data, "a use")
    argument, reason = fields.get("argument"), fields.get("reason")
    if not isinstance(argument, str) or not (argument in values or is_alloca(argument)):
        raise ValueError(f"expected the name of a parameter, got {describe(argument)}")
    if not isinstance(reason, str):
        raise ValueError(f"expected a reason, got {describe(reason)}")
    modes = tuple(
        json_integer(mode, "a mode", PARTS, 2**31)
        for mode in json_list(fields.get("modes"), "modes")
    )
    bound = bound_from_dict(fields["bound"], values) if "bound" in fields else None
    return UncheckedUse(argument, modes, reason, bound)


def is_alloca(argument: str) -> bool:
    """Return whether a bound is about local memory instead of an array."""
    return argument == "alloca" or argument.startswith("alloca in ")


def access_from_dict(data: object, values: Known) -> GroupAccess:
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


def _line(data: object, values: Known) -> Line:
    fields = json_object(data, "a line")
    return Line(
        sum_from_list(fields.get("slope"), values), sum_from_list(fields.get("start"), values)
    )


def _other(data: object, values: Known) -> tuple[int, Sum]:
    dimension, slope = _pair(data, "a dimension and a slope")
    return dimension_from(dimension), sum_from_list(slope, values)


def _pair(data: object, what: str) -> list[Any]:
    pair = json_list(data, what)
    if len(pair) != 2:
        raise ValueError(f"expected {what}, got {describe(data)}")
    return pair
