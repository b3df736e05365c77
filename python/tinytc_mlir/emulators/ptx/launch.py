# SPDX-License-Identifier: BSD-3-Clause
"""Launches: all threads of some blocks at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ...reference.untyped import Value
from ..accesses import WORD_BYTES
from ..findings import SETTINGS, Fault, Modes
from ..launch import MachineLaunch
from ..memory import ARENA, Space, round_up
from .accesses import Accesses
from .compiler import Compiled, Jump
from .convergence import ConvergencePoints
from .copies import Copies
from .module import SHARED_ALIGNMENT, Entry
from .operands import Instruction

WARP = 32
STATIC_BYTES = 48 * 1024
#: CUDA C++ Programming Guide, "Compute Capabilities", "Features and Technical Specifications".
MAX_SHARED_BYTES = 227 * 1024
MAX_GRID = (2**31 - 1, 65535, 65535)
MAX_BLOCK = (1024, 1024, 64)


class Launch(MachineLaunch):
    """One run of a kernel.

    Args:
        entry: the kernel.
        grid: number of blocks in x, y and z.
        block: number of threads likewise.
        parameters: bytes of each parameter by name.
        dynamic_bytes: size of the shared memory that the launch gives.
    """

    def __init__(
        self,
        entry: Entry,
        grid: Modes,
        block: Modes,
        parameters: Mapping[str, bytes],
        dynamic_bytes: int,
    ) -> None:
        if entry.compiled is None:
            entry.compiled = Compiled(entry)
        super().__init__(entry.compiled, grid, block, ConvergencePoints)
        self.parameters = parameters
        shared = entry.module.shared_bytes
        if dynamic_bytes:
            shared = round_up(shared, SHARED_ALIGNMENT) + round_up(dynamic_bytes, 16)
        raw = np.frombuffer(entry.module.constant_bytes, np.uint8)
        length = round_up(len(raw), WORD_BYTES)
        constants = Space.of_parts(1, length, length, "const")
        constants.bytes[: len(raw)], constants.initialised[:] = raw, True
        self.spaces = {"global": ARENA, "const": constants}
        self._used_bytes = {"shared": shared, "local": entry.local_bytes}
        self.run()

    def prepare(self, count: int) -> None:
        """Make the registers and memories of blocks."""
        number = len(self.threads)
        specials = self._special_registers()
        self.lane = specials["laneid"].astype(np.uint32)
        warps = -(-self.block_threads // WARP)
        self.unit = self.warp = self.block_of * warps + self.inside // WARP
        self.exist, self.exited = np.zeros((2, count * warps), np.uint64)
        np.bitwise_or.at(self.exist, self.warp, np.uint64(1) << self.lane.astype(np.uint64))
        self.gone = np.zeros(number, bool)
        # Blocks, and groups that lie side by side in one, are ordered by nothing.
        self.domain = self.domain * self.block[2] + self.local[:, 2]
        shared, local = self._place("shared", count), self._place("local", number)
        nowhere = np.zeros(number, np.int64)
        self.starts = {
            "shared": self.block_of * shared,
            "local": self.threads * local,
            "const": nowhere,
        }
        accesses = Accesses(self)
        functions = accesses.functions() | Copies(accesses, number).functions()
        self.namespace = self.compiled.bind(number, specials, functions)

    def _place(self, space: str, count: int) -> int:
        """Allocate a memory of which blocks or threads have parts; return the size of one."""
        used = round_up(self._used_bytes[space], WORD_BYTES)
        part = round_up(used, 128)
        self.spaces[space] = Space.of_parts(count, part, used, space)
        return part

    def _special_registers(self) -> dict[str, Value]:
        lane = self.inside % WARP
        below = (1 << lane) - 1
        values = {
            "laneid": lane,
            "warpid": self.inside // WARP,
            "lanemask_lt": below,
            "lanemask_eq": 1 << lane,
            "lanemask_le": 2 * below + 1,
            "lanemask_gt": 0xFFFFFFFF ^ (2 * below + 1),
            "lanemask_ge": 0xFFFFFFFF ^ below,
        }
        for axis, name in enumerate("xyz"):
            values[f"tid_{name}"] = self.local[:, axis]
            values[f"ctaid_{name}"] = self.place[:, axis]
            values[f"ntid_{name}"] = np.full(len(lane), self.block[axis])
            values[f"nctaid_{name}"] = np.full(len(lane), self.grid[axis])
        return values

    def leave(self, threads: Value) -> None:
        """End threads."""
        self.gone[threads] = True
        bits = np.uint64(1) << self.lane[threads].astype(np.uint64)
        np.bitwise_or.at(self.exited, self.warp[threads], bits)

    def execute(self, at: int, threads: Value, schedule: Any) -> None:
        """Run a segment, and have the schedule run what follows."""
        if SETTINGS.profile is not None:
            warps = len(np.unique(self.warp[threads]))
            for opcode, count in self.compiled.opcodes[at].items():
                SETTINGS.profile["instructions", opcode] += count * warps
        super().execute(at, threads, schedule)

    def jump(self, segment: Jump, at: int, threads: Value, schedule: Any) -> None:
        """Part threads at a branch."""
        taken = self._taken(segment.instruction, threads)
        if segment.instruction.root == "trap":
            if taken.any():
                raise Fault("trap")
            schedule.go(at + 1, threads)
            return
        schedule.go(segment.target, threads[taken])
        schedule.go(at + 1, threads[~taken])

    def _taken(self, instruction: Instruction, threads: Value) -> Value:
        if instruction.guard is None:
            return np.ones(len(threads), bool)
        register, is_negated = instruction.guard
        return self.namespace[f"{register[1:]}_p"][threads] ^ is_negated


def launch_problems(
    entry: Entry, grid: Modes, block: Modes, dynamic_bytes: int, most_dynamic_bytes: int
) -> Iterator[str]:
    """Yield what is wrong with the shape of a launch.

    Args:
        entry: the kernel.
        grid: number of blocks in x, y and z.
        block: number of threads likewise.
        dynamic_bytes: size of the shared memory that the launch gives.
        most_dynamic_bytes: what the kernel may be given.
    """
    limits = (*zip(grid, MAX_GRID, strict=True), *zip(block, MAX_BLOCK, strict=True))
    if (
        any(not 0 < size <= limit for size, limit in limits)
        or block[0] * block[1] * block[2] > MAX_BLOCK[0]
    ):
        yield f"grid {grid}, block {block}"
    if entry.block and entry.block != block:
        yield f"block {block}, .reqntid {entry.block}"
    if dynamic_bytes > most_dynamic_bytes:
        yield f"{dynamic_bytes} bytes of dynamic shared memory, at most {most_dynamic_bytes}"
    if entry.module.shared_bytes + dynamic_bytes > MAX_SHARED_BYTES:
        yield f"{entry.module.shared_bytes} + {dynamic_bytes} bytes of shared memory"
    dynamic = entry.module.dynamic
    if dynamic and not dynamic_bytes and any(dynamic in text for text in entry.code):
        yield "no dynamic shared memory, which the kernel uses"
