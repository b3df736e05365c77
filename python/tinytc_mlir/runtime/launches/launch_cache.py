# SPDX-License-Identifier: BSD-3-Clause
"""Caches launches of a kernel by signature, so that what depends on that alone is checked once.

Two launches have the same signature if their arrays have the same dtypes, shapes, strides, rights
to write and origins, their groups as many members, and their scalars the same types; scalars that
checks of sizes and groups read also have the same values. Only addresses and scalars are then
checked. Nothing here keeps an array or its memory alive.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Sequence
from typing import TypeAlias, cast

import numpy as np

from ... import switches
from ..._arrays import Layout, Overlaps, address_of
from ..arrays.array_view import Array, ArrayView, NoArray
from ..bounds.launch_values import checked_scalars, part_count
from ..bounds.overlap_check import OverlapCheck
from ..bounds.padding import bytes_after
from ..kernel_info import GroupArgument, KernelInfo, MemrefArgument, ScalarArgument
from ..protocol import DeviceQueue, KernelArgument, Pointer, Queue
from .arguments import Part, PointerTable
from .encoding import write_table
from .event import LAUNCHES_PER_CLEANUP
from .launch import Launch, Prepared
from .packing import packer
from .queues import views_of

# As many signatures are cached for a kernel, and as many tables for a group of one signature.
_MOST_PATTERNS = 4
_MOST_TABLES = 8

# Puts the arguments of a value into a list, or returns False if the value needs a full check.
_Fill: TypeAlias = Callable[[object, "list[KernelArgument]"], bool]


def _memory(array: Array) -> object:
    """Return what an array lies in."""
    base = array.base
    while type(base) is np.ndarray:
        base = base.base
    return base


def _layout(argument: MemrefArgument, array: object, queue: Queue) -> Layout | None:
    """Return the layout of an array, None if it is not in memory of a known origin."""
    if type(array) is not np.ndarray:
        return None
    memory = _memory(array)
    origin = None if memory is None else queue.origin(memory)
    if origin is None and not (memory is None and queue.uses_host_memory(waits=True)):
        return None
    address, divisor = address_of(array), math.lcm(array.itemsize, argument.alignment or 1)
    layout = Layout(
        np.ndarray,
        array.dtype,
        array.shape,
        array.strides,
        array.flags.writeable,
        queue.origin,
        origin,
        divisor,
        address % divisor,
    )
    # It reads NumPy's objects themselves: this one must find the same there as in Python.
    return layout if layout.address(array) == address else None


class LaunchCache:
    """How the last launches of a kernel looked.

    Args:
        info: description of the kernel.
        overlap_check: what must not overlap, if anything.
    """

    def __init__(self, info: KernelInfo, overlap_check: OverlapCheck | None = None) -> None:
        self._info = info
        self._overlap_check = overlap_check
        self._positions = positions_of(info)
        self._fixed = checked_scalars(info)
        self._can_repeat = not info.checks  # each launch of a debug build has a report of its own
        # Threads share them: it is replaced, never changed.
        self._patterns: tuple[_CachedLaunch, ...] = ()

    def find(
        self, values: Sequence[object], groups: object, queue: object, *, takes_plain: bool
    ) -> Launch | None:
        """Return a launch if one of the same signature is cached.

        Args:
            values: arguments in the order of the parameters.
            groups: number of groups.
            queue: queue or device.
            takes_plain: whether arrays may be plain ones of the host.
        """
        for pattern in self._patterns:
            if pattern.fits(groups, queue) and (takes_plain or not pattern.has_plain):
                launch = pattern.launch(values)
                if launch is not None:
                    return None if switches.INTERPRET.is_on() else launch
        return None

    def remember(
        self,
        values: Sequence[object],
        parts: Sequence[Part],
        groups: object,
        queue: object,
        prepared: Prepared,
    ) -> None:
        """Cache a launch by its signature, if its arguments are of the usual kinds.

        Args:
            values: arguments in the order of the parameters.
            parts: what they became.
            groups: number of groups.
            queue: queue or device.
            prepared: the launch.
        """
        if self._can_repeat and prepared.staging is None and _are_integers(groups):
            overlaps = None
            if self._overlap_check is not None:
                overlaps = self._overlap_check.known(parts, self._positions)
            slots = self._slots(values, parts, prepared, overlaps)
            if slots is not None:
                has_plain = any(view.memory is None for view in views_of(parts))
                pattern = _CachedLaunch(
                    *(self._info, groups, queue, prepared, slots, overlaps), has_plain=has_plain
                )
                self._patterns = (pattern, *self._patterns[: _MOST_PATTERNS - 1])

    def _slots(
        self,
        values: Sequence[object],
        parts: Sequence[Part],
        prepared: Prepared,
        overlaps: Overlaps | None,
    ) -> list[_Fill] | None:
        """Return what fills in the arguments of each parameter, None if a value is unusual."""
        slots: list[_Fill] = []
        part = 0
        for argument, value in zip(self._info.arguments, values, strict=True):
            position = self._positions[argument.name]
            slot: _Fill | None
            if isinstance(argument, ScalarArgument):
                slot = _scalar_slot(argument, value, position, argument.name in self._fixed)
            else:
                slot = _array_slot(argument, value, parts[part], position, prepared.queue, overlaps)
            if slot is None:
                return None
            slots.append(slot)
            part += part_count(argument)
        return slots


class _CachedLaunch:
    """How a launch looked.

    Args:
        info: description of the kernel.
        groups: number of groups as it was given.
        queue: queue or device as it was given.
        prepared: the launch.
        slots: what fills in the arguments of each parameter.
        overlaps: the arrays that must not overlap, if any.
        has_plain: whether arrays are plain ones of the host.
    """

    def __init__(
        self,
        info: KernelInfo,
        groups: object,
        queue: object,
        prepared: Prepared,
        slots: Sequence[_Fill],
        overlaps: Overlaps | None,
        *,
        has_plain: bool,
    ) -> None:
        self.has_plain = has_plain
        self._overlaps, self._count = overlaps, prepared.groups.counts[0]
        self._given = type(groups), groups, queue
        self._name, self._slots = info.name, slots
        self._queue, self._kernel = prepared.queue, prepared.kernel
        self._ranges, self._groups = prepared.ranges, prepared.groups
        # Slots fill in what points into memory, which must not be kept.
        self._arguments: list[KernelArgument] = [
            b"" if isinstance(argument, Pointer) else argument for argument in prepared.arguments
        ]
        self._has_groups = any(isinstance(each, GroupArgument) for each in info.arguments)
        # Each launch keeps arrays of its own: every second one asks whether earlier ones are over.
        self._launches = itertools.count(step=LAUNCHES_PER_CLEANUP // 2)

    def fits(self, groups: object, queue: object) -> bool:
        """Whether a launch has the same number of groups and the same queue."""
        type_, known, known_queue = self._given
        if queue is not known_queue or type(groups) is not type_:
            return False
        # (2.0, 3) is equal to (2, 3).
        return (type_ is not tuple or _are_integers(groups)) and groups == known

    def launch(self, values: Sequence[object]) -> Launch | None:
        """Return a launch with other arguments if they look like those of this one."""
        if len(values) != len(self._slots):
            return None
        if self._has_groups:  # the caller may change lists while the launch is running
            values = [tuple(value) if type(value) is list else value for value in values]
        arguments = self._arguments.copy()
        for fill, value in zip(self._slots, values):  # noqa: B905
            if not fill(value, arguments):
                return None
        if self._overlaps is not None and not self._overlaps.hold(arguments, self._count):
            return None
        prepared = self._queue.prepare(self._kernel, arguments, self._ranges)
        return Launch(
            self._name, self._queue, prepared, values, self._groups, launches=self._launches
        )


def _are_integers(groups: object) -> bool:
    """Whether a number of groups is given as nothing but integers, if at all."""
    if type(groups) is tuple:
        return all(type(count) is int for count in groups)
    return groups is None or type(groups) is int


def positions_of(info: KernelInfo) -> dict[str, int]:
    """Return where the first argument of each parameter is."""
    positions, position = {}, 0
    for argument in info.arguments:
        positions[argument.name] = position
        position += 1
        if isinstance(argument, MemrefArgument):
            position += (*argument.shape, *argument.stride).count(None)
        if isinstance(argument, GroupArgument):
            position += (argument.size, argument.offset).count(None)
    return positions


def _scalar_slot(
    argument: ScalarArgument, known: object, position: int, is_fixed: bool
) -> _Fill | None:
    if not isinstance(known, (int, float, complex, np.generic)):  # which do not change in place
        return None
    pack = packer(argument.type)

    def is_same(value: object, _: list[KernelArgument]) -> bool:
        # Zeros must be the same object, since they have a sign.
        return value is known or (type(value) is type(known) and value == known and value != 0)

    def fill(value: object, arguments: list[KernelArgument]) -> bool:
        if value is not known:
            try:
                arguments[position] = pack(value)
            except ValueError:
                return False
        return True

    return is_same if is_fixed else fill


def _array_slot(
    argument: MemrefArgument,
    value: object,
    part: Part,
    position: int,
    queue: Queue,
    overlaps: Overlaps | None,
) -> _Fill | None:
    if isinstance(part, NoArray):
        return lambda value, _: value is None
    if isinstance(part, PointerTable):
        return _group_slot(argument, value, part, position, queue, overlaps)
    layout = _layout(argument, value, queue)
    if layout is None:
        return _device_slot(argument, value, part, position, queue)
    pointer_in = layout.pointer
    new_tuple = tuple.__new__  # half of the time that `Pointer(...)` takes

    def fill(value: object, arguments: list[KernelArgument]) -> bool:
        entries = pointer_in(value)
        if entries is None:
            return False
        arguments[position] = new_tuple(Pointer, entries)
        return True

    bytes_read = part.bytes_read if isinstance(part, ArrayView) else 0

    def fill_with_padding(value: object, arguments: list[KernelArgument]) -> bool:
        return fill(value, arguments) and bytes_after(cast("Array", value)) >= bytes_read

    return fill_with_padding if bytes_read else fill


def _device_slot(
    argument: MemrefArgument, value: object, part: Part, position: int, queue: Queue
) -> _Fill | None:
    if not isinstance(part, ArrayView) or not hasattr(queue, "pointers_like"):
        return None
    divisor = math.lcm(part.dtype.itemsize, argument.alignment or 1)
    pointer_of = cast("DeviceQueue", queue).pointers_like(value, part, divisor)
    if pointer_of is None:
        return None

    def fill(value: object, arguments: list[KernelArgument]) -> bool:
        pointer = pointer_of(value)
        if pointer is None:
            return False
        arguments[position] = pointer
        return True

    return fill


def _group_slot(
    argument: MemrefArgument,
    value: object,
    table: PointerTable,
    position: int,
    queue: Queue,
    overlaps: Overlaps | None,
) -> _Fill | None:
    is_list = isinstance(value, (list, tuple))
    known: Sequence[object] = value if isinstance(value, (list, tuple)) else (value,)
    layout = _layout(argument, known[0], queue) if known else None
    if layout is None or layout.addresses(tuple(known)) is None:
        return None
    addresses_in, size, dope = layout.addresses, len(known), table.dope
    offset_bytes = table.offset_bytes
    pointers_of = dataclasses.replace(table, views=[]).pointers
    # By the addresses in them, so they are right whatever becomes of the arrays there.
    tables: dict[bytes, list[Pointer]] = {}

    def fill(value: object, arguments: list[KernelArgument]) -> bool:
        # One array is not a list of one: its last mode counts the members.
        if is_list != (type(value) is tuple):
            return False
        members = cast("tuple[object, ...]", value) if is_list else (value,)
        if len(members) != size:
            return False
        addresses = addresses_in(members)
        if addresses is None:
            return False
        pointers = tables.get(addresses)
        if pointers is None:
            if len(tables) >= _MOST_TABLES:
                tables.clear()
            members_at = pointers_of(np.frombuffer(addresses, np.uint64))
            pointers = tables[addresses] = write_table(queue, members_at, dope)
            if overlaps is not None:
                overlaps.add_table(pointers[0].address, (members_at + offset_bytes).tobytes())
        arguments[position : position + len(pointers)] = pointers
        return True

    return fill
