# SPDX-License-Identifier: BSD-3-Clause
"""Entries of the manifest for arrays that must not overlap."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TypeAlias

from ...errors import describe
from ...shapes import INT64_MAX
from .launch_sums import json_integer, json_list, json_object

# For each array and group, by its name: the number of modes, and whether it is a group.
Orders: TypeAlias = Mapping[str, "tuple[int, bool]"]
Sizes: TypeAlias = "tuple[int | None, ...]"

OTHER_GROUPS = "one of which a group reads what another one updates"
"""The found value in a message, where blocks of different groups overlap."""


@dataclasses.dataclass(frozen=True)
class DisjointBlocks:
    """Blocks of two parameters, one of which an instruction reads while it updates the other.

    In the first group, blocks begin at the same index of both parameters in the modes that `moved`
    lists, and at the first element in all others.

    Args:
        written: the parameter that is updated.
        read: the other one.
        written_sizes: sizes of the block that is updated; None is the array's own.
        read_sizes: the same of the other block.
        moved: modes of both in which they do not begin at the first element.
        in_place: whether the instruction may read the very elements that it updates.
        instruction: its name.
        line: its line, if it is known.
        member_mode: if one parameter is a group and the other is not: the mode of the other that
            counts the members; None if all groups use the same block.
    """

    written: str
    read: str
    written_sizes: Sizes
    read_sizes: Sizes
    moved: tuple[int, ...]
    in_place: bool
    instruction: str
    line: int | None = None
    member_mode: int | None = None

    @property
    def place(self) -> str:
        """The instruction and its line."""
        return self.instruction + ("" if self.line is None else f" in line {self.line}")

    def message(
        self, kernel: str, is_written_group: bool, is_read_group: bool
    ) -> tuple[str, str, str]:
        """Return the parts of the message that blocks overlap.

        Args:
            kernel: name of the kernel.
            is_written_group: whether the parameter that is updated is a group.
            is_read_group: the same of the other one.

        Returns:
            The head, what the number of a member follows, "" if there is none, and the tail.
        """
        expected = f"an array that does not overlap {self.written!r}"
        if self.in_place:
            expected = f"{self.written!r} itself or {expected}"
        head = (
            f"{kernel}: argument {self.read!r}: expected {expected}, because {self.place} "
            "reads one and updates the other, got "
        )
        if is_read_group:
            return head, "member ", " with common elements"
        if is_written_group:
            return head, "group ", " of one with common elements"
        return head, "", "one with common elements"


def blocks_from_dict(data: object, orders: Orders) -> DisjointBlocks:
    """Return blocks of the manifest.

    Raises:
        ValueError: `expected ..., got ...`.
    """
    fields = json_object(data, "disjoint blocks")
    written, read = (_name(fields.get(key), orders) for key in ("written", "read"))
    (order, is_group), (other_order, is_other_group) = orders[written], orders[read]
    member_mode = fields.get("member_mode")
    if member_mode is not None:
        if is_group == is_other_group:
            raise ValueError(
                "expected a group and an array for a mode that counts members, "
                f"got {written!r} and {read!r}"
            )
        json_integer(member_mode, "a mode", 0, (other_order if is_group else order) - 1)
    in_place, instruction = fields.get("in_place"), fields.get("instruction")
    if not isinstance(in_place, bool):
        raise ValueError(f"expected true or false for 'in_place', got {describe(in_place)}")
    if not isinstance(instruction, str):
        raise ValueError(f"expected the name of an instruction, got {describe(instruction)}")
    last = min(order, other_order) - 1
    moved = json_list(fields.get("moved"), "modes")
    line = fields.get("line")
    return DisjointBlocks(
        written,
        read,
        _sizes(fields.get("written_sizes"), order),
        _sizes(fields.get("read_sizes"), other_order),
        tuple(json_integer(mode, "a mode", 0, last) for mode in moved),
        in_place,
        instruction,
        None if line is None else json_integer(line, "a line", 0, 2**32),
        member_mode,
    )


def _name(data: object, orders: Orders) -> str:
    if not isinstance(data, str) or data not in orders:
        raise ValueError(f"expected the name of an array, got {describe(data)}")
    return data


def _sizes(data: object, order: int) -> Sizes:
    sizes = json_list(data, "sizes")
    if len(sizes) != order:
        raise ValueError(f"expected {order} sizes of a block, got {len(sizes)}")
    return tuple(
        None if size is None else json_integer(size, "a size", 0, INT64_MAX) for size in sizes
    )
