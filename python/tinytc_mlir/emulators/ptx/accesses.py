# SPDX-License-Identifier: BSD-3-Clause
"""Loads, stores and atomic updates of a launch, checked before they are done."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...reference.untyped import Value
from ..accesses import MachineAccesses, stored_bytes
from ..findings import FINDINGS, SETTINGS
from ..numbers import DTYPES, UNSIGNED, from_bf16, to_bf16

#: PTX ISA, "Parallel Synchronization and Communication Instructions: atom" and "... red".
UPDATES: dict[str, Callable[..., Value]] = {
    "add": np.add,
    "min": np.fmin,
    "max": np.fmax,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "inc": lambda old, limit: 0 if old >= limit else old + 1,
    "dec": lambda old, limit: limit if old == 0 or old > limit else old - 1,
}


#: Those of shared memory: CUDA C++ Programming Guide, "Compute Capability 5.x", "Shared Memory".
BANKS, BANK_BYTES = 32, 4


def new_value(what: str, type_: str, old: Value, operands: Sequence[Value]) -> Value:
    """Return what an atomic update writes."""
    if what == "cas":
        return operands[1] if old == operands[0] else old
    if what == "exch":
        return operands[0]
    if type_ == "bf16":
        return to_bf16(UPDATES[what](from_bf16(old), from_bf16(operands[0])))
    return UPDATES[what](old, operands[0])


class Accesses(MachineAccesses):
    """The accesses of a launch.

    Args:
        launch: also has `parameters`.
    """

    private = ("local",)

    def functions(self) -> dict[str, Any]:
        """Return what generated code calls."""
        return {
            "load": self.load_elements,
            "store": self.store_elements,
            "update": self.update,
            "load_parameter": self.load_parameter,
            "part": lambda i, condition: self.threads(i)[
                np.broadcast_to(condition, self.threads(i).shape)
            ],
        }

    def load_parameter(self, name: str, offset: int, bits: int, count: int) -> list[Value]:
        """Return elements of a parameter of the kernel (PTX ISA, "Kernel Function Parameters")."""
        raw, size = self._launch.parameters[name], bits // 8
        if offset % (size * count) or offset + size * count > len(raw):
            FINDINGS.add("parameter", f"{name}+{offset}, {size * count} of {len(raw)} bytes")
        return [np.frombuffer(raw, UNSIGNED[bits], 1, offset + k * size) for k in range(count)]

    def load_elements(
        self,
        space: str,
        addresses: Value,
        i: Value,
        bits: int,
        count: int,
        used: tuple[int, int],
        text: str,
        *,
        atomic: bool,
        constant: bool,
    ) -> list[Value]:
        """Return the elements that threads load, an array for each of a vector.

        The compiler loads whole vectors where some elements are used. The others may be anybody's.

        Sources: PTX ISA, "Addresses as Operands" (alignment), "Data Movement and Conversion
        Instructions: ld.global.nc" (constant: memory that the kernel only reads).
        """
        each, threads = bits // 8, self.threads(i)
        addresses = np.broadcast_to(addresses, threads.shape)
        self.check_alignment(space, addresses, threads, text, each * count)
        first, stop = used
        place = (addresses + np.uint64(first * each), i, (stop - first) * each, text, each)
        memory, offsets = self.load(space, *place, atomic=atomic, constant=constant)
        self._profile(space, offsets - first * each, each * count, i)
        at = offsets // each - first
        return [memory.views[bits][at + k] for k in range(count)]

    def store_elements(
        self,
        space: str,
        addresses: Value,
        i: Value,
        bits: int,
        values: Sequence[Value],
        text: str,
        *,
        atomic: bool,
    ) -> None:
        """Store the elements of threads."""
        raw = stored_bytes(values, self.threads(i).shape)
        size = raw.shape[1]
        _, offsets = self.store(space, addresses, i, raw, text, size, atomic=atomic)
        self._profile(space, offsets, size, i)

    def update(
        self,
        space: str,
        addresses: Value,
        i: Value,
        what: str,
        type_: str,
        operands: Sequence[Value],
        text: str,
    ) -> Value:
        """Update elements one after the other, and return what was there."""
        dtype = DTYPES[type_]
        size = np.dtype(dtype).itemsize
        memory, offsets = self.load(space, addresses, i, size, text, size, atomic=True)
        memory.times.note(offsets, size)
        elements = memory.views[size * 8].view(dtype)
        operands = [np.broadcast_to(operand, offsets.shape) for operand in operands]
        old = np.empty(len(offsets), dtype)
        for k, at in enumerate(offsets // size):
            old[k] = elements[at]
            elements[at] = new_value(what, type_, old[k], [values[k] for values in operands])
        return old

    def _profile(self, space: str, offsets: Value, size: int, i: Value) -> None:
        """Count requests of warps, sectors of 32 bytes, and conflicts of banks."""
        counts = SETTINGS.profile
        if counts is None:
            return
        warps = self._launch.warp[i]
        for warp in np.unique(warps):
            mine = offsets[warps == warp]
            counts[space, "requests"] += 1
            counts[space, "bytes"] += len(mine) * size
            if space == "global":
                sectors = np.concatenate([mine // 32, (mine + size - 1) // 32])
                counts[space, "sectors"] += len(np.unique(sectors))
            elif space == "shared":
                lanes = self._launch.lane[i][warps == warp]
                self._profile_banks(mine, lanes, size)

    @staticmethod
    def _profile_banks(offsets: Value, lanes: Value, size: int) -> None:
        """Count the passes of a request over the banks: 32 lanes, or fewer of wide elements."""
        counts = SETTINGS.profile
        assert counts is not None
        passes = lanes // (BANKS * BANK_BYTES // max(size, BANK_BYTES))
        for number in np.unique(passes):
            mine = offsets[passes == number, None] + np.arange(0, max(size, 4), BANK_BYTES)
            words = np.unique(mine // BANK_BYTES)
            counts["shared", "passes"] += 1
            conflicts = int(np.bincount(words % BANKS).max()) - 1
            counts["shared", "bank conflicts"] += conflicts
