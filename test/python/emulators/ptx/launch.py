"""Launches: all threads of some blocks at once."""

import numpy as np

from emulators.accesses import WORD_BYTES
from emulators.findings import FINDINGS, SETTINGS, Fault
from emulators.memory import ARENA, Space, round_up
from emulators.ptx.accesses import Accesses
from emulators.ptx.compiler import Compiled, Jump
from emulators.ptx.convergence import ConvergencePoints
from emulators.ptx.module import SHARED_ALIGNMENT
from emulators.schedule import Run, Schedule, next_epochs
from tinytc_mlir._tinytc import Order

WARP = 32
THREADS_AT_ONCE = 2048


class Launch:
    """One run of a kernel.

    Args:
        entry: the kernel.
        grid: number of blocks in x, y and z.
        block: number of threads likewise.
        parameters: bytes of each parameter by name.
        dynamic_bytes: size of the shared memory that the launch gives.
    """

    def __init__(self, entry, grid, block, parameters, dynamic_bytes):
        if not hasattr(entry, "compiled"):
            entry.compiled = Compiled(entry)
        self.entry, self.compiled = entry, entry.compiled
        self.grid, self.block, self.parameters = grid, block, parameters
        self._block_threads = block[0] * block[1] * block[2]
        shared = entry.module.shared_bytes
        if dynamic_bytes:
            shared = round_up(shared, SHARED_ALIGNMENT) + round_up(dynamic_bytes, 16)
        raw = np.frombuffer(entry.module.constant_bytes, np.uint8)
        length = round_up(len(raw), WORD_BYTES)
        constants = Space.of_parts(1, length, length, "const")
        constants.bytes[: len(raw)], constants.initialised[:] = raw, True
        self.spaces = {"global": ARENA, "const": constants}
        self._used_bytes = {"shared": shared, "local": entry.local_bytes}
        self.end, self.sites = self.compiled.end, {}
        self.order = Order(since=next_epochs())
        blocks = grid[0] * grid[1] * grid[2]
        at_once = max(1, THREADS_AT_ONCE // self._block_threads)
        for first in range(0, blocks, at_once):
            self._run(first, min(at_once, blocks - first))
        FINDINGS.counts["launches"] += 1

    def _run(self, first, count):
        """Run blocks; arrays have an element for each of their threads."""
        number = count * self._block_threads
        self.threads = np.arange(number)
        in_block, self.block_of = (
            self.threads % self._block_threads,
            self.threads // (self._block_threads),
        )
        specials = self._special_registers(in_block, first + self.block_of)
        self.lane = specials["laneid"].astype(np.uint32)
        warps = -(-self._block_threads // WARP)
        self.unit = self.warp = self.block_of * warps + in_block // WARP
        self.exist, self.exited = np.zeros((2, count * warps), np.uint64)
        np.bitwise_or.at(self.exist, self.warp, np.uint64(1) << self.lane.astype(np.uint64))
        self.gone = np.zeros(number, bool)
        # Blocks, and groups that lie side by side in one, are ordered by nothing.
        aside = specials["tid_z"] if self.block[2] > 1 else 0
        self.domain = ((first + self.block_of) * self.block[2] + aside).astype(np.int64)
        self.epoch = np.full(number, self.order.since, np.int64)
        self.order.set_agents(self.epoch, self.domain)
        shared, local = (
            self._place(space, parts) for space, parts in (("shared", count), ("local", number))
        )
        nowhere = np.zeros(number, np.int64)
        self.starts = {
            "shared": self.block_of * shared,
            "local": self.threads * local,
            "const": nowhere,
        }
        functions = Accesses(self).functions()
        self.namespace = self.compiled.bind(number, specials, functions)
        schedule = Schedule(self, first)
        schedule.run(ConvergencePoints(self, schedule))
        FINDINGS.counts["instructions"] += schedule.steps

    def _place(self, space, count):
        """Allocate a memory of which blocks or threads have parts; return the size of one."""
        used = round_up(self._used_bytes[space], WORD_BYTES)
        part = round_up(used, 128)
        self.spaces[space] = Space.of_parts(count, part, used, space)
        return part

    def _special_registers(self, in_block, block):
        (x, y, _), (grid_x, grid_y, _) = self.block, self.grid
        lane = in_block % WARP
        below = (1 << lane) - 1
        values = {
            "tid_x": in_block % x,
            "tid_y": in_block // x % y,
            "tid_z": in_block // (x * y),
            "ctaid_x": block % grid_x,
            "ctaid_y": block // grid_x % grid_y,
            "ctaid_z": block // (grid_x * grid_y),
            "laneid": lane,
            "warpid": in_block // WARP,
            "lanemask_lt": below,
            "lanemask_eq": 1 << lane,
            "lanemask_le": 2 * below + 1,
            "lanemask_gt": 0xFFFFFFFF ^ (2 * below + 1),
            "lanemask_ge": 0xFFFFFFFF ^ below,
        }
        for axis, size, number in zip("xyz", self.block, self.grid, strict=True):
            values[f"ntid_{axis}"] = np.full(len(in_block), size)
            values[f"nctaid_{axis}"] = np.full(len(in_block), number)
        return values

    def leave(self, threads):
        """End threads."""
        self.gone[threads] = True
        bits = np.uint64(1) << self.lane[threads].astype(np.uint64)
        np.bitwise_or.at(self.exited, self.warp[threads], bits)

    def execute(self, at, threads, schedule):
        """Run a segment, and have the schedule run what follows."""
        segment = self.compiled.segments[at]
        schedule.count(segment.length if isinstance(segment, Run) else 1)
        if SETTINGS.profile is not None:
            warps = len(np.unique(self.warp[threads]))
            for opcode, count in self.compiled.opcodes[at].items():
                SETTINGS.profile["instructions", opcode] += count * warps
        if isinstance(segment, Jump):
            taken = self._taken(segment.instruction, threads)
            schedule.go(segment.target, threads[taken])
            schedule.go(at + 1, threads[~taken])
        elif isinstance(segment, Run):
            whole = len(threads) == len(self.threads)
            self.namespace[segment.function](slice(None) if whole else threads)
            schedule.go(at + 1, threads)
        else:
            schedule.convergence.arrive(at, threads)

    def _taken(self, instruction, threads):
        if instruction.root == "trap":
            raise Fault("trap")
        if instruction.guard is None:
            return np.ones(len(threads), bool)
        register, is_negated = instruction.guard
        return self.namespace[f"{register[1:]}_p"][threads] ^ is_negated
