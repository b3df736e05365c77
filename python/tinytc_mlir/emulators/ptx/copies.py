# SPDX-License-Identifier: BSD-3-Clause
"""Copies from global to shared memory that threads do not wait for, and their groups.

Source: PTX ISA, "Data Movement and Conversion Instructions: cp.async", "... cp.async.commit_group"
and "... cp.async.wait_group, cp.async.wait_all". Bytes under way are undefined from the copy to the
wait of the thread that made it, and stay so where somebody has stored to the source before; other
threads see them after a barrier.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

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
    to, source, size, *rest = ins.operands
    if int(size, 0) not in SIZES[ins.words[2]]:
        raise Unsupported(size)
    read = code.source(rest[0], "u32") if rest else f"np.uint32({size})"
    places = f"{code.address(to)}, {code.address(source)}"
    return [f"copy_async({places}, i, {size}, {read}, {ins.text!r})"]


class _Group(NamedTuple):
    """Copies that an instruction has begun, an element of each array for a thread.

    Args:
        threads: the threads.
        to: where the copies go.
        source: where they come from.
        read: how many bytes are read; the others are zero.
        data: what was there.
        since: when they have begun.
        group: the group of each.
    """

    threads: Value
    to: Value
    source: Value
    read: Value
    data: Value
    since: Value
    group: Value

    def part(self, which: Value) -> _Group:
        """Return the copies of some threads."""
        return _Group(*(each[which] for each in self))


class Copies:
    """The copies under way of the threads of a launch.

    Args:
        accesses: those of the launch.
        threads: how many threads there are.
    """

    def __init__(self, accesses: MachineAccesses, threads: Value) -> None:
        self._accesses = accesses
        self._under_way: list[tuple[_Group, str]] = []
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
        for count in np.unique(np.minimum(read, size)):
            some = np.flatnonzero(read == count)
            if count and len(some):
                place = (source[some], threads[some], int(count), text)
                accesses.load("global", *place, size, atomic=False)
        data = self._read(source, read, size)
        memory, offsets = self._store(to, threads, np.full_like(data, POISON), text)
        memory.initialised[offsets[:, None] + np.arange(size)] = False
        since = np.full(len(threads), self._accesses.memory("global").times.watch())
        begun = _Group(threads, to, source, read, data, since, self._group[threads])
        self._under_way.append((_Group(*map(np.array, begun)), text))

    def _read(self, source: Value, read: Value, size: int) -> Value:
        """Return what is at the source now."""
        memory, columns = self._accesses.memory("global"), np.arange(size)
        offsets = (source - np.uint64(memory.base)).view(np.int64)[:, None] + columns
        inside = columns < np.asarray(read)[:, None]
        return np.where(inside, memory.bytes[np.where(inside, offsets, 0)], np.uint8(0))

    def _is_stored(self, copies: _Group) -> Value:
        """Return of which copies the source has been stored to since they have begun."""
        memory, columns = self._accesses.memory("global"), np.arange(copies.data.shape[1])
        places = (copies.source - np.uint64(memory.base)).view(np.int64)[:, None] + columns
        is_stored = memory.times.is_stored_since(places, 1, copies.since[:, None])
        return (is_stored & (columns < copies.read[:, None])).any(axis=1)

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
        for copies, copied_by in self._under_way:
            ended = waits[copies.threads]
            if most is not None:
                ended = ended & (copies.group < self._group[copies.threads] - most)
            kept = copies.part(ended & ~self._is_stored(copies))
            if len(kept.threads):
                self._store(kept.to, kept.threads, kept.data, copied_by)
            if not ended.all():
                left.append((copies.part(~ended), copied_by))
        self._under_way = left
