# SPDX-License-Identifier: BSD-3-Clause
"""Memories with shadows: what is allocated, initialised, read and written by whom."""

from __future__ import annotations

import mmap
import weakref
from typing import Any

import numpy as np

from ..reference import shadow
from ..reference.shadow import VERBS, AccessKind, StoreTimes, checked_memory, problems_of
from ..reference.untyped import Value
from .findings import FINDINGS, Fault
from .numbers import UNSIGNED

PROT_NONE = 0  # of <sys/mman.h>


GLOBAL, LOCAL = "global", "local"
"""The kinds of memory that barriers order: that of the device, and that of work-groups."""


class Space:
    """Bytes, and for each whether it is initialised, whose it is, and its last accesses.

    Args:
        size_bytes: its size.
        name: what findings call it.
        fill: what the bytes are.
    """

    kind = LOCAL

    def __init__(self, size_bytes: int, name: str, fill: int = 0) -> None:
        size = (size_bytes + 63) // 16 * 16
        self.name, self.size, self.base = name, size, 0
        self.bytes = np.full(size, fill, np.uint8)
        self.views = {bits: self.bytes.view(dtype) for bits, dtype in UNSIGNED.items()}
        self.initialised, self.owners = np.zeros(size, bool), np.zeros(size, np.int32)
        self.times = StoreTimes(size)
        self._checked = checked_memory(
            self.bytes, 1, initialised=self.initialised, owners=self.owners
        )

    @classmethod
    def of_parts(cls, count: int, size_bytes: int, used_bytes: int, name: str) -> Space:
        """Return a space of equal parts that begin with bytes of their own."""
        space = cls(size_bytes * count, name, 0xFF)
        parts = space.owners[: size_bytes * count].reshape(count, size_bytes)
        parts[:, :used_bytes] = np.arange(1, count + 1)[:, None]
        return space

    def access(
        self,
        kind: AccessKind | None,
        offsets: Value,
        size_bytes: int,
        items: Value,
        launch: Any,
        text: str,
        values: Value | None = None,
        **more: Any,
    ) -> None:
        """Check accesses, and store their values if they have some; faults are findings.

        Args:
            kind: what they do; None if nobody can race with them.
            offsets: of the first byte of each.
            size_bytes: of each.
            items: the threads.
            launch: what orders them, in `orders`.
            text: of the instruction.
            values: (n, size_bytes) array of the bytes to be written.
            more: `expected` and `bases` of `CheckedMemory.access`.

        Raises:
            Fault: one is out of bounds.
        """
        found = self._checked.access(
            shadow.NOT_COMPARED if kind is None else kind,
            *(offsets, 1, size_bytes, items, launch.orders[self.kind]),
            launch.sites.setdefault(text, len(launch.sites)),
            values,
            **more,
        )
        if values is not None:
            self.times.note(offsets, size_bytes)
        for problem in problems_of(found or []):
            self._report(problem, kind, items[problem.place], launch, text)

    def _report(
        self, problem: Any, kind: AccessKind | None, thread: int, launch: Any, text: str
    ) -> None:
        if problem.fault is shadow.Fault.OUT_OF_BOUNDS:
            where = self.describe(problem.byte)
            FINDINGS.add("out of bounds", f"{self.name}: thread {thread} at {where}: {text}")
            raise Fault("out of bounds")
        if problem.fault is shadow.Fault.UNINITIALISED:
            FINDINGS.add("uninitialised", f"{self.name}: thread {thread}: {text}")
            return
        what = "same value twice" if problem.fault is shadow.Fault.EQUAL_STORES else "race"
        if AccessKind.CONSTANT in (kind, problem.kind):
            what = "constant loads"
        word = "block" if problem.is_between_groups else "thread"
        other = f"another {word}" if problem.agent == shadow.MANY else f"{word} {problem.agent}"
        before = list(launch.sites)[problem.site]
        verb = "reads" if kind is None else VERBS[kind]
        accesses = f"thread {thread} {verb} what {other} {VERBS[problem.kind]}"
        FINDINGS.add(what, f"{self.name}: {accesses}: {text}, and before it {before}")

    def describe(self, offset: int) -> str:
        """Return where a byte is, for findings."""
        return f"byte {offset}"


def round_up(size_bytes: int, alignment: int) -> int:
    """Return the multiple of an alignment that is not smaller."""
    return -(-size_bytes // alignment) * alignment


def reserved(size_bytes: int) -> Value:
    """Return an array of addresses that nothing else of this process has; an access is a fault."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    return np.frombuffer(mmap.mmap(-1, size_bytes, flags, prot=PROT_NONE), np.uint8)


class Arena(Space):
    """The memory of a device: allocations with gaps between them.

    Its addresses are reserved, its bytes are elsewhere: code of the host that takes such an address
    for one of its own faults. Memory that nobody wrote is NaN in every floating-point type.
    """

    kind = GLOBAL
    GAP_BYTES, ALIGNMENT = 512, 256

    def __init__(self, size_bytes: int = 1 << 25) -> None:
        super().__init__(size_bytes, "global")
        self._reserved = reserved(self.size)
        self.base = self._reserved.ctypes.data
        self.sizes: dict[int, int] = {}
        self._top = self.GAP_BYTES

    def allocate(self, size_bytes: int) -> int:
        """Return the address of new memory, at a multiple of 256 bytes."""
        if not self.sizes:
            self._top = self.GAP_BYTES
        start = round_up(self._top, self.ALIGNMENT)
        if start + size_bytes + self.GAP_BYTES > self.size:
            raise MemoryError
        self._top = start + size_bytes + self.GAP_BYTES
        self.sizes[start] = size_bytes
        here = slice(start, start + size_bytes)
        self.owners[here], self.initialised[here], self.bytes[here] = 1, False, 0xFF
        return int(self.base + start)

    def forget(self, address: int, size_bytes: int, which: Value) -> None:
        """Let nobody have written some bytes of an allocation."""
        start = address - self.base
        self.initialised[start : start + size_bytes][which] = False
        self.bytes[start : start + size_bytes][which] = 0xFF

    def disown(self, address: int, size_bytes: int, which: Value = True) -> None:
        """Let bytes of an allocation belong to nobody.

        Args:
            address: the first of them.
            size_bytes: how many.
            which: which of them; all by default.
        """
        start = address - self.base
        self.owners[start : start + size_bytes][which] = 0

    def free(self, address: int) -> None:
        """Give memory back."""
        start = address - self.base
        self.owners[start : start + self.sizes.pop(start)] = 0

    def locate(self, address: int, size_bytes: int) -> slice:
        """Return where bytes are that a copy reads or writes."""
        start = address - self.base
        if size_bytes and not self.owners[start : start + size_bytes].all():
            raise Fault(f"copy outside of allocations: {address:#x}, {size_bytes} bytes")
        return slice(start, start + size_bytes)

    def write(self, address: int, data: bytes) -> None:
        """Copy bytes into memory."""
        here = self.locate(address, len(data))
        self.bytes[here], self.initialised[here] = np.frombuffer(data, np.uint8), True

    def read(self, address: int, size_bytes: int) -> bytes:
        """Return bytes of memory."""
        return self.bytes[self.locate(address, size_bytes)].tobytes()

    def allocation(self, address: int) -> tuple[int | None, int]:
        """Return address and size of the allocation of an address, None if there is none."""
        at = address - self.base
        for start, size in self.sizes.items():
            if start <= at < start + size:
                return self.base + start, size
        return None, 0

    def describe(self, at: int) -> str:
        """Return where a byte is relative to the nearest allocation."""
        if not self.sizes:
            return "no allocation"
        _, start, size = min(
            (min(abs(at - start), abs(at - start - size)), start, size)
            for start, size in self.sizes.items()
        )
        return f"{self.base + at:#x}, {at - start} bytes after the start of {size} bytes"


ARENA = Arena()


def placed(owner: object, data: bytes) -> int:
    """Return the address of bytes in the memory of the device, while an object lives."""
    address = ARENA.allocate(len(data))
    ARENA.write(address, data)
    weakref.finalize(owner, ARENA.free, address)
    return address
