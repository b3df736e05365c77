# SPDX-License-Identifier: BSD-3-Clause
"""Copies into local memory that work-items do not wait for, in groups.

What a copy writes is undefined until its work-item has waited for the copy's group, and only
then stored: others may load it after a barrier. It stays undefined where somebody has stored to
the source before.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from ..reference.rounding import Array
from ..reference.shadow import AccessKind, StoreTimes
from ..reference.untyped import Ir, Value
from .lanes import Lanes
from .memory_ops import access_element, pointee
from .writer import Handler, Writer

Note = Callable[[int, Value, Value, Lanes, Value], None]


@dataclasses.dataclass(frozen=True)
class _Copy:
    """One element on its way.

    Args:
        site: number of the instruction.
        base: where the pointer points to.
        address: the element, by work-item.
        value: what is copied, by work-item.
        source: first byte of where it comes from, by work-item; negative for zeros.
        since: when the copy has begun.
        lanes: the work-items that copy.
        group: number of the group, by work-item.
    """

    site: int
    base: Value
    address: Value
    value: Value
    source: Array
    since: int
    lanes: Lanes
    group: Array


class AsyncCopies:
    """The copies under way of the work-items of a team.

    Args:
        lanes: all of them.
        note: `Accesses.note`.
        forget: `Accesses.forget`.
        times: when memory was stored to.
    """

    def __init__(
        self, lanes: Lanes, note: Note, forget: Callable[[int, Value], None], times: StoreTimes
    ) -> None:
        self._note, self._forget, self._times = note, forget, times
        self._group = np.zeros(len(lanes.numbers), np.int64)
        self._under_way: list[_Copy] = []

    def begin(
        self, site: int, base: Value, address: Value, lanes: Lanes, value: Array, source: Array
    ) -> None:
        """Begin to copy an element of each work-item, whose place the caller has noted.

        Args:
            site: number of the instruction.
            base: where the pointer points to.
            address: the element, by work-item.
            lanes: the work-items that copy.
            value: what is at the source.
            source: number of its element, by work-item; negative where the value is no element.
        """
        self._forget(site, lanes.pick(address))
        place = np.array(source) * value.itemsize
        since, group = self._times.watch(), self._group.copy()
        copy = _Copy(site, base, address, np.array(value), place, since, lanes, group)
        self._under_way.append(copy)

    def commit(self, lanes: Lanes) -> None:
        """End a group."""
        self._group += lanes.spread_mask()

    def wait(self, lanes: Lanes, most: int) -> None:
        """Store what belongs to groups before the last `most` of them."""
        left = []
        for copy in self._under_way:
            mine = copy.lanes.spread_mask()
            ended = mine & lanes.spread_mask() & (copy.group < self._group - most)
            is_stored = self._times.is_stored_since(copy.source, copy.value.itemsize, copy.since)
            kept = ended & ~(is_stored & (copy.source >= 0))
            if kept.any():
                self._note(
                    copy.site,
                    copy.base,
                    copy.address,
                    Lanes(copy.lanes.numbers, None if kept.all() else kept),
                    copy.value,
                )
            rest = mine & ~ended
            if rest.any():
                left.append(dataclasses.replace(copy, lanes=Lanes(copy.lanes.numbers, rest)))
        self._under_way = left


def _copy(writer: Writer, op: Ir) -> None:
    """Element by element; those that are not read are zero."""
    sizes = list(op.attributes["operandSegmentSizes"])
    if sizes[:4] != [1, 1, 1, 1]:
        writer.fail(op, f"expected one index of each memref, got {op}")
    to, place, source, first, *read = op.operands
    target = pointee(to.type)
    dtype = target.dtype
    for number in range(op.attributes["dstElements"].value):
        at, some = writer.fresh("v"), writer.fresh("l")
        poison = writer.bind("c", np.array(-1, f"i{target.width}").view(dtype)[()])
        zero = writer.bind("c", np.dtype(dtype).type(0))
        entry = writer.bind("c", np.int64(number))
        writer.put(f"{at} = 0")
        inside = writer.fresh("v")
        exists = f"{entry} < {writer.name(read[0])}" if read else f"{entry} >= 0"
        writer.put(f"{inside} = {exists}")
        writer.put(f"{some}, _ = {writer.lanes}.split({inside})")
        before, writer.lanes = writer.lanes, some
        with writer.indented(f"if {some} is not None:"):
            index = f"{writer.name(first)} + {entry}"
            address = access_element(writer, op, AccessKind.READ, (source, index))
            writer.put(f"{at} = {address}")
        writer.lanes = before
        index = f"{writer.name(place)} + {entry}"
        address = access_element(writer, op, AccessKind.WRITE, (to, index), poison)
        base, site = writer.name(to), max(writer.accesses)
        loaded = f"take_{dtype}({at}, None, None, 'clip')"
        places = f"choose({inside}, {loaded}, {zero}), choose({inside}, {at}, -1)"
        writer.put(f"copies.begin({site}, {base}, {address}, {writer.lanes}, {places})")


def _commit(writer: Writer, op: Ir) -> None:
    writer.put(f"copies.commit({writer.lanes})")


def _wait(writer: Writer, op: Ir) -> None:
    if writer.is_preemptive:
        writer.put("yield")
    writer.put(f"copies.wait({writer.lanes}, {_most(op)})")


def _most(op: Any) -> int:
    return int(op.attributes["n"].value)


HANDLERS: dict[str, Handler] = {
    "nvgpu.device_async_copy": _copy,
    "nvvm.cp.async.commit.group": _commit,
    "nvvm.cp.async.wait.group": _wait,
}
