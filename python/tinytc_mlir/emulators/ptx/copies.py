# SPDX-License-Identifier: BSD-3-Clause
"""Copies from global to shared memory that threads do not wait for, and their groups.

Source: PTX ISA, "Data Movement and Conversion Instructions: cp.async", "... cp.async.commit_group"
and "... cp.async.wait_group, cp.async.wait_all". Bytes under way are undefined from the copy to the
wait of the thread that made it; other threads see them after a barrier.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...reference.untyped import Value
from ..accesses import MachineAccesses
from ..findings import Unsupported

if TYPE_CHECKING:
    from ..memory import Space
    from .operands import Instruction, Operands

#: By the level of the cache.
SIZES = {"ca": (4, 8, 16), "cg": (16,)}
POISON = 0xFF


def copy(code: Operands, ins: Instruction) -> list[str]:
    """Return the statements of `cp`."""
    if ins.has("commit_group"):
        return ["commit_copies(i)"]
    if ins.has("wait_all"):
        return [f"wait_for_copies(i, None, {ins.text!r})"]
    if ins.has("wait_group"):
        return [f"wait_for_copies(i, {int(ins.operands[0])}, {ins.text!r})"]
    level = ins.one_of(*SIZES)
    spaces = [word for word in ins.words if word in ("shared", "global")]
    if ins.words[1] != "async" or level is None or spaces != ["shared", "global"]:
        raise Unsupported(ins.text)
    to, source, size, *rest = ins.operands
    if int(size) not in SIZES[level]:
        raise Unsupported(ins.text)
    read = code.source(rest[0], "u32") if rest else f"np.uint32({size})"
    places = f"{code.address(to)}, {code.address(source)}"
    return [f"copy_async({places}, i, {size}, {read}, {ins.text!r})"]


class Copies:
    """The copies under way of the threads of a launch.

    Args:
        accesses: those of the launch.
        threads: how many threads there are.
    """

    def __init__(self, accesses: MachineAccesses, threads: Value) -> None:
        self._accesses = accesses
        self._under_way: list[tuple[Value, Value, Value, Value, str]] = []
        self._group = np.zeros(threads, np.int64)

    def functions(self) -> dict[str, Any]:
        """Return what generated code calls."""
        return {
            "copy_async": self.copy,
            "commit_copies": self.commit,
            "wait_for_copies": self.wait,
        }

    def copy(self, to: Value, source: Value, i: Value, size: int, read: Value, text: str) -> None:
        """Begin a copy; bytes beyond the `read` first ones of the source are zero."""
        accesses, threads = self._accesses, self._accesses.threads(i)
        to, source, read = (np.broadcast_to(each, threads.shape) for each in (to, source, read))
        data = np.zeros((len(threads), size), np.uint8)
        for count in np.unique(np.minimum(read, size)):
            some = np.flatnonzero(read == count)
            if not count or not len(some):
                continue
            place = (source[some], threads[some], int(count), text)
            memory, offsets = accesses.load("global", *place, size, atomic=False)
            data[some, :count] = memory.bytes[offsets[:, None] + np.arange(count)]
        memory, offsets = self._store(to, threads, np.full_like(data, POISON), text)
        memory.initialised[offsets[:, None] + np.arange(size)] = False
        self._under_way.append((threads.copy(), to.copy(), data, self._group[threads], text))

    def _store(self, to: Value, threads: Value, data: Value, text: str) -> tuple[Space, Value]:
        return self._accesses.store("shared", to, threads, data, text, data.shape[1], atomic=False)

    def commit(self, i: Value) -> None:
        """End a group of copies of each thread."""
        self._group[self._accesses.threads(i)] += 1

    def wait(self, i: Value, most: int | None, text: str) -> None:
        """Wait until at most so many groups are under way; None: no copies at all are."""
        waits = np.zeros(len(self._group), bool)
        waits[self._accesses.threads(i)] = True
        left = []
        for threads, to, data, group, copied_by in self._under_way:
            ended = waits[threads]
            if most is not None:
                ended = ended & (group < self._group[threads] - most)
            if ended.any():
                self._store(to[ended], threads[ended], data[ended], copied_by)
            if not ended.all():
                rest = ~ended
                left.append((threads[rest], to[rest], data[rest], group[rest], copied_by))
        self._under_way = left
