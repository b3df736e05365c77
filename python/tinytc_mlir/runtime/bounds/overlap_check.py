# SPDX-License-Identifier: BSD-3-Clause
"""Checks that arrays of a launch do not overlap where an instruction reads one and updates another.

The compiler refuses operands that overlap if both are views of one parameter; `DisjointBlocks`
describes those of two parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from ..._arrays import Overlaps
from ...errors import ArgumentError
from ..arrays.array_view import ArrayView, NoArray
from ..kernel_info import GroupArgument, KernelInfo, MemrefArgument
from .batch_modes import batch_modes, modes_of_blocks
from .disjoint_blocks import OTHER_GROUPS, DisjointBlocks
from .launch_values import Parts, part_count

# What `Overlaps` takes for a parameter.
_Place: TypeAlias = "tuple[int, int, list[list[int]], list[list[int]], int]"


class OverlapCheck:
    """The arrays that must not overlap in launches of a kernel.

    Args:
        info: the kernel's entry of the manifest.
    """

    def __init__(self, info: KernelInfo) -> None:
        self._info = info
        names = {n for rule in info.disjoint_blocks for n in (rule.written, rule.read)}
        self._arguments: dict[str, MemrefArgument] = {}
        self._positions: dict[str, int] = {}  # of the first part
        position = 0
        for argument in info.arguments:
            if isinstance(argument, MemrefArgument) and argument.name in names:
                self._arguments[argument.name] = argument
                self._positions[argument.name] = position
            position += part_count(argument)
        numbers = {name: number for number, name in enumerate(self._arguments)}
        modes = batch_modes(info)
        self._rules = []
        for rule in info.disjoint_blocks:
            written_mode, read_mode = modes_of_blocks(rule, modes) or (None, None)
            self._rules.append(
                (
                    *(numbers[rule.written], numbers[rule.read]),
                    *(list(map(_number, rule.written_sizes)), list(map(_number, rule.read_sizes))),
                    *(list(rule.moved), rule.in_place, _number(rule.member_mode)),
                    *(_number(written_mode), _number(read_mode)),
                )
            )

    def check(self, parts: Parts, groups: int = 1) -> None:
        """Check that no group reads what it, or another one, updates in the same instruction.

        Raises:
            ArgumentError: it does.
        """
        found = self.known(parts, self._positions).fault(self._addresses(parts), groups)
        if found is not None:
            number, member = found
            raise self._error(self._info.disjoint_blocks[number], member)

    def known(self, parts: Parts, positions: Mapping[str, int]) -> Overlaps:
        """Return the same check of launches with other arrays that look like these.

        Args:
            parts: the checked arguments.
            positions: of the first argument of each parameter in the kernel's ABI.
        """
        places: list[_Place | None] = []
        for name, argument in self._arguments.items():
            part = self._part(name, parts)
            if part is None:
                places.append(None)
                continue
            sizes, strides, count = _members(part, argument)
            item_bytes = (part if isinstance(part, ArrayView) else part.views[0]).dtype.itemsize
            places.append((positions[name], item_bytes, sizes, strides, count))
        return Overlaps(self._rules, places)

    def _addresses(self, parts: Parts) -> list[int | bytes | None]:
        """Return the addresses of arrays, and those of the members of groups."""
        found: list[int | bytes | None] = []
        for name, argument in self._arguments.items():
            part = self._part(name, parts)
            if part is None or isinstance(part, ArrayView):
                found.append(None if part is None else part.address)
            else:
                found.append(_member_addresses(part, len(argument.shape)).tobytes())
        return found

    def _part(self, name: str, parts: Parts) -> Any:  # noqa: ANN401 (of any kind)
        """Return an array or a table; None if it is missing or has no members."""
        part = parts[self._positions[name]]
        if isinstance(part, NoArray) or not (isinstance(part, ArrayView) or part.size):
            return None
        return part

    def _error(self, rule: DisjointBlocks, member: int | None) -> ArgumentError:
        names = (rule.written, rule.read)
        are_groups = [isinstance(self._arguments[name], GroupArgument) for name in names]
        head, what, tail = rule.message(self._info.name, *are_groups)
        got = OTHER_GROUPS if member is None else (f"{what}{member}" if what else "") + tail
        return ArgumentError(head + got, argument=rule.read)


def _number(mode: int | None) -> int:
    return -1 if mode is None else mode


def _strides_bytes(view: ArrayView) -> tuple[int, ...]:
    """Return the strides of the caller's array, also where the kernel sees a copy with others."""
    array: Any = view.array
    return array.strides if view.is_rearranged else view.strides_bytes


def _members(
    part: Any,  # noqa: ANN401 (of any kind)
    argument: MemrefArgument,
) -> tuple[list[list[int]], list[list[int]], int]:
    """Return sizes and strides in bytes by mode, of each member or of all, and their number."""
    if isinstance(part, ArrayView):
        return [[each] for each in part.shape], [[each] for each in _strides_bytes(part)], 0
    views, order = part.views, len(argument.shape)
    item_bytes, rows = views[0].dtype.itemsize, iter([row.tolist() for row in part.dope])
    sizes = [next(rows) if size is None else [size] for size in argument.shape]
    steps = [next(rows) if step is None else [step] * part.size for step in argument.stride]
    strides = [[each * item_bytes for each in row] for row in steps]
    for number, view in enumerate(views):
        if view.is_rearranged:
            for row, stride in zip(strides, _strides_bytes(view)[:order], strict=True):
                row[number :: len(views)] = [stride] * len(row[number :: len(views)])
    return sizes, strides, part.size


def _member_addresses(table: Any, order: int) -> npt.NDArray[np.int64]:  # noqa: ANN401
    """Return the addresses of the members of a group."""
    first = table.views[0]
    addresses = table.pointers([view.address for view in table.views]) + table.offset_bytes
    if first.is_rearranged and len(first.shape) > order:  # one array for all
        addresses = addresses[:1] + np.arange(table.size) * _strides_bytes(first)[-1]
    return cast("npt.NDArray[np.int64]", addresses)
