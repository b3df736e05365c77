# SPDX-License-Identifier: BSD-3-Clause
"""Checks that arrays of a launch do not overlap where an instruction reads one and updates another.

The compiler refuses operands that overlap if both are views of one parameter; `DisjointBlocks`
describes those of two parameters.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...errors import ArgumentError
from ..arrays.array_view import ArrayView, NoArray
from ..arrays.elements import Elements, Span, share_elements
from ..manifest import GroupArgument, KernelInfo, MemrefArgument
from .batch_modes import batch_modes, modes_of_blocks
from .disjoint_blocks import OTHER_GROUPS, DisjointBlocks, Sizes
from .known_distances import Addresses, KnownDistances, signed_address
from .launch_values import Parts, part_count


class _Side(NamedTuple):
    """The blocks of one parameter.

    Args:
        addresses: of the block of each member; a single one if there is one for all.
        block: the block of a member.
        span: that of the first block.
        stride: bytes between the blocks of an array that is no group, None for a group.
    """

    addresses: Addresses
    block: Callable[[int], Elements]
    span: Span
    stride: int | None


class OverlapCheck:
    """The arrays that must not overlap in launches of a kernel.

    Args:
        info: the kernel's entry of the manifest.
    """

    def __init__(self, info: KernelInfo) -> None:
        self._info = info
        self._arguments: dict[str, MemrefArgument] = {}
        self._positions: dict[str, int] = {}  # of the first part
        self._batch_modes = batch_modes(info)
        position = 0
        for argument in info.arguments:
            if isinstance(argument, MemrefArgument):
                self._arguments[argument.name] = argument
            self._positions[argument.name] = position
            position += part_count(argument)

    def check(self, parts: Parts) -> None:
        """Check that no group reads what it updates in the same instruction.

        Raises:
            ArgumentError: it does.
        """
        for rule in self._info.disjoint_blocks:
            written, read = self._sides(rule, parts) or (None, None)
            if written is None or read is None:
                continue
            for member in _meetings(written, read):
                if _overlap(rule, written.block(member), read.block(member)):
                    raise self._error(rule, member)

    def check_groups(self, parts: Parts, count: int) -> None:
        """Check that no group reads what another one updates in the same instruction.

        Args:
            parts: arguments that passed the check.
            count: number of groups.

        Raises:
            ArgumentError: it does.
        """
        spans: dict[str, Span | None] = {}
        for rule in self._info.disjoint_blocks if count > 1 else ():
            # Most arrays are apart as a whole, which takes less time to find.
            first, second = (self._span(name, parts, spans) for name in (rule.written, rule.read))
            if not first or not second or first[0] >= second[1] or second[0] >= first[1]:
                continue
            step, is_shared = self._step(rule, parts)
            written, read = (step and self._sides(rule, parts)) or (None, None)
            if written is None or read is None:
                continue
            if _groups_overlap(rule, written.block(0), read.block(0), step, is_shared, count):
                raise self._error(rule, 0, OTHER_GROUPS)

    def _span(self, name: str, parts: Parts, spans: dict[str, Span | None]) -> Span | None:
        """Return where an array begins and ends, None for a group and an array that is missing."""
        if name not in spans:
            view = parts[self._positions[name]]
            spans[name] = None
            if isinstance(view, ArrayView):
                item_bytes, strides = view.dtype.itemsize, _strides_bytes(view)
                begin, end = Elements(view.address, view.shape, strides, item_bytes).span
                spans[name] = view.address + begin, view.address + end
        return spans[name]

    def _step(self, rule: DisjointBlocks, parts: Parts) -> tuple[int, bool]:
        """Return the distance of the blocks of two groups, 0 if it is not known or not the same.

        Also return whether all groups read the same block.
        """
        modes = modes_of_blocks(rule, self._batch_modes)
        written, read = (parts[self._positions[name]] for name in (rule.written, rule.read))
        if modes is None or not isinstance(written, ArrayView) or not isinstance(read, ArrayView):
            return 0, False
        mode, read_mode = modes
        step = _strides_bytes(written)[mode]
        read_step = 0 if read_mode is None else _strides_bytes(read)[read_mode]
        return (step if read_step in (0, step) else 0), read_step == 0

    def known(
        self, parts: Parts, positions: Mapping[str, int], count: int
    ) -> KnownDistances | None:
        """Return what finds later launches with other arrays that look like these to be apart.

        Args:
            parts: arguments that passed the check.
            positions: of the first argument of each parameter in the kernel's ABI.
            count: number of groups.
        """
        arrays: list[tuple[int, int, int, int, int]] = []
        groups: list[tuple[int, int, int, int, tuple[int | None, int | None]]] = []
        for rule in self._info.disjoint_blocks:
            written, read = self._sides(rule, parts) or (None, None)
            if written is None or read is None:
                continue
            low, high = written.span[0] - read.span[1], written.span[1] - read.span[0]
            pair = positions[rule.written], positions[rule.read]
            if any(self._is_group(name) for name in (rule.written, rule.read)):
                groups.append((*pair, low, high, (written.stride, read.stride)))
            else:
                distance = int(read.addresses[0] - written.addresses[0])
                step, is_shared = self._step(rule, parts)
                reach = (count - 1) * step  # of the blocks that are updated
                ends = (0, reach) if is_shared else (-reach, reach)
                arrays.append((*pair, low + min(ends), high + max(ends), distance))
        return KnownDistances(arrays, groups) if arrays or groups else None

    def _is_group(self, name: str) -> bool:
        return isinstance(self._arguments[name], GroupArgument)

    def _sides(self, rule: DisjointBlocks, parts: Parts) -> tuple[_Side, _Side] | None:
        """Return what must not overlap; None if an array is missing or a group has no members."""
        names = (rule.written, rule.written_sizes), (rule.read, rule.read_sizes)
        for part in (parts[self._positions[name]] for name, _ in names):
            if isinstance(part, NoArray) or not (isinstance(part, ArrayView) or part.size):
                return None
        written, read = (self._side(name, sizes, rule, parts) for name, sizes in names)
        return written, read

    def _side(self, name: str, sizes: Sizes, rule: DisjointBlocks, parts: Parts) -> _Side:
        part = parts[self._positions[name]]
        if not isinstance(part, ArrayView):
            return _members(part, sizes, self._arguments[name])
        mode = rule.member_mode
        count, step = (1, 0) if mode is None else (part.shape[mode], _strides_bytes(part)[mode])
        block = _block(part.address, sizes, part.shape, _strides_bytes(part), part)
        addresses = signed_address(part.address) + np.arange(count, dtype=np.int64) * step

        def member(number: int) -> Elements:
            return block._replace(address=block.address + number * step)

        return _Side(addresses, member, block.span, step)

    def _error(self, rule: DisjointBlocks, member: int, got: str = "") -> ArgumentError:
        are_groups = self._is_group(rule.written), self._is_group(rule.read)
        head, what, tail = rule.message(self._info.name, *are_groups)
        return ArgumentError(
            head + (got or (f"{what}{member}" if what else "") + tail),
            argument=rule.read,
        )


def _strides_bytes(view: ArrayView) -> tuple[int, ...]:
    """Return the strides of the caller's array, also where the kernel sees a copy with others."""
    array: Any = view.array
    return array.strides if view.is_rearranged else view.strides_bytes


def _block(
    address: int,
    sizes: Sizes,
    shape: Sequence[int],
    strides_bytes: Sequence[int],
    view: ArrayView,
) -> Elements:
    pairs = zip(sizes, shape, strict=True)
    block = tuple(size if known is None else min(known, size) for known, size in pairs)
    return Elements(address, block, tuple(strides_bytes), view.dtype.itemsize)


def _members(table: Any, sizes: Sizes, argument: MemrefArgument) -> _Side:  # noqa: ANN401
    """Return the members of a group."""
    views, order = table.views, len(argument.shape)
    first, item_bytes = views[0], views[0].dtype.itemsize
    if first.is_rearranged and len(first.shape) > order:  # one array for all
        steps = np.arange(table.size, dtype=np.int64) * _strides_bytes(first)[-1]
        addresses = signed_address(first.address) + steps
    else:
        addresses = table.pointers([view.address for view in views]) + table.offset_bytes

    def member(number: int) -> Elements:
        view = views[0 if len(views) == 1 else number]
        values = iter([int(row[number]) for row in table.dope])
        shape = [next(values) if size is None else size for size in argument.shape]
        steps = [next(values) if step is None else step for step in argument.stride]
        strides_bytes = tuple(step * item_bytes for step in steps)
        if view.is_rearranged:
            strides_bytes = _strides_bytes(view)[:order]
        return _block(int(addresses[number]), sizes, shape, strides_bytes, view)

    return _Side(addresses, member, member(0).span, None)


def _meetings(written: _Side, read: _Side) -> Sequence[int]:
    """Return the members whose ranges may meet."""
    counts = [side.addresses.size for side in (written, read) if side.addresses.size > 1]
    if not counts:
        return (0,)
    distances = read.addresses[: min(counts)] - written.addresses[: min(counts)]
    low, high = written.span[0] - read.span[1], written.span[1] - read.span[0]
    numbers: list[int] = np.flatnonzero((low < distances) & (distances < high)).tolist()
    return numbers


def _overlap(rule: DisjointBlocks, written: Elements, read: Elements) -> bool:
    for mode in rule.moved:  # with other strides, they are at another distance than the arrays
        if written.strides_bytes[mode] != read.strides_bytes[mode]:
            return False
    if rule.in_place and written.is_same(read):
        return False
    return share_elements(written, read)


def _groups_overlap(
    rule: DisjointBlocks, written: Elements, read: Elements, step: int, is_shared: bool, count: int
) -> bool:
    """Whether a group reads what another one updates; the blocks are those of the first group."""

    def others(block: Elements, step: int) -> Elements:
        return block._replace(
            address=block.address + step,
            shape=(*block.shape, count - 1),
            strides_bytes=(*block.strides_bytes, step),
        )

    rule = dataclasses.replace(rule, in_place=False)
    if is_shared:
        return _overlap(rule, others(written, step), read)
    return any(_overlap(rule, written, others(read, each)) for each in (step, -step))
