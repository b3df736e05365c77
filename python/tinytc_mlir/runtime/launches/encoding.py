# SPDX-License-Identifier: BSD-3-Clause
"""From checked arguments of a launch to those of the kernel's ABI."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..arrays.array_view import ArrayView, NoArray
from ..kernel_info import KernelInfo
from ..protocol import KernelArgument, Pointer, Queue
from .arguments import Part, PointerTable


class Encoder:
    """Turns parts into arguments in the order of the kernel's ABI."""

    def __init__(self, info: KernelInfo, queue: Queue, pointers: dict[int, Pointer]) -> None:
        self._queue = queue
        self._pointers = pointers
        self._looks_at_members = info.aligned_members_variant is not None

    def encode(self, part: Part) -> Sequence[KernelArgument]:
        """Return the arguments of a part."""
        if isinstance(part, ArrayView):
            return (self._pointer(part),)
        if isinstance(part, PointerTable):
            return self._table(part)
        if isinstance(part, NoArray):
            return [ctypes.c_longlong(0)] * part.pointers
        return (part,)

    def _pointer(self, view: ArrayView) -> Pointer:
        if view.memory is None:
            return self._pointers[id(view)]
        return Pointer(view.memory, view.address, view)

    def _table(self, table: PointerTable) -> Sequence[KernelArgument]:
        """Write pointers and tables of a group."""
        members = tuple(map(self._pointer, table.views))
        pointers = table.pointers([member.address for member in members])
        first, *rest = write_table(self._queue, pointers, table.dope)
        if self._looks_at_members:
            first = first._replace(members_bits=table.member_bits(pointers), members=members)
        return [first, *rest]


def write_table(
    queue: Queue,
    pointers: npt.NDArray[np.int64],
    dope: Sequence[npt.NDArray[np.int64]],
) -> list[Pointer]:
    """Return pointers to the tables of a group, written into one allocation, their owner.

    Args:
        queue: queue of the launch.
        pointers: pointers of the members.
        dope: for every `?` of the memref's shape and stride, the values of the members.
    """
    rows, row_bytes = 1 + len(dope), pointers.nbytes
    memory = queue.allocate(rows * row_bytes)
    table_bytes = memory.host[: rows * row_bytes]  # none without members
    block = table_bytes.view(np.int64).reshape(rows, pointers.size)
    block[0] = pointers
    for row, values in enumerate(dope, 1):
        block[row] = values
    memory.upload()
    table = Pointer(memory.native, memory.address)
    rest = (memory.address + row * row_bytes for row in range(1, rows))
    return [table, *(Pointer(memory.native, address) for address in rest)]
