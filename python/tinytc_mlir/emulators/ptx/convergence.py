# SPDX-License-Identifier: BSD-3-Clause
"""Instructions at which threads wait for each other: barriers, exchanges and matrix instructions.

Sources: sections of the PTX ISA, of which "Synchronization" is short for "Parallel Synchronization
and Communication Instructions".
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...reference.untyped import Value
from ..findings import FINDINGS, Unsupported
from ..numbers import UNSIGNED
from ..schedule import Waiting
from .exchanges import EXCHANGES
from .operands import Instruction

ALL_LANES = np.uint64(0xFFFFFFFF)


def is_block_barrier(instruction: Instruction) -> bool:
    """Return whether all threads of a block wait for each other at an instruction.

    Source: PTX ISA, "Synchronization: bar, barrier", and "... bar.warp.sync" for those of a warp.
    """
    return instruction.root in ("bar", "barrier") and not instruction.has("warp")


class ConvergencePoints(Waiting):
    """The threads that wait, by segment.

    Args:
        launch: what they belong to.
        schedule: where they go on.
    """

    def release(self) -> bool:
        """Let those go on that have met the others; returns whether there were any."""
        barriers = [at for at in self.waiting if is_block_barrier(self._segments[at].instruction)]
        others = [at for at in self.waiting if at not in barriers]
        released = self._release_blocks(barriers) if barriers else False
        for at in others:
            released |= self._release_lanes(at)
        return released

    def _masks(self, threads: Value) -> Value:
        """Return the lanes of each warp that are among some threads."""
        launch = self._launch
        masks = np.zeros_like(launch.exist)
        bits = np.uint64(1) << launch.lane[threads].astype(np.uint64)
        np.bitwise_or.at(masks, launch.warp[threads], bits)
        return masks

    def _release_blocks(self, barriers: Sequence[int]) -> bool:
        """Let blocks go on of which all threads have arrived ("Synchronization: bar, barrier")."""
        launch = self._launch
        arrived = launch.gone.copy()
        for at in barriers:
            arrived[self.waiting[at]] = True
        missing = np.zeros(launch.block_of[-1] + 1, np.int64)
        np.add.at(missing, launch.block_of, ~arrived)
        released = False
        for at in barriers:
            threads = self.waiting[at]
            ready = missing[launch.block_of[threads]] == 0
            if not ready.any():
                continue
            self._check_barrier(threads[ready], self._segments[at].instruction)
            launch.synchronise(threads[ready], launch.orders)
            self.finish(at, ready)
            released = True
        return released

    def _check_barrier(self, threads: Value, instruction: Instruction) -> None:
        """Expect all threads of the block, and whole warps ("Synchronization: bar, barrier")."""
        launch, text = self._launch, instruction.text
        if launch.gone[np.isin(launch.block_of, launch.block_of[threads])].any():
            FINDINGS.add("threads have exited at a barrier", text)
        if instruction.root == "barrier" and not instruction.has("aligned"):
            return
        warps = np.unique(launch.warp[threads])
        expected = launch.exist[warps] & ~launch.exited[warps]
        if (self._masks(threads)[warps] != expected).any():
            FINDINGS.add("a barrier without the whole warp", text)

    def _release_lanes(self, at: int) -> bool:
        """Let lanes go on of which all that the mask names have arrived.

        Source: PTX ISA, "Synchronization: bar.warp.sync", "... vote.sync", "... redux.sync" and
        "Data Movement and Conversion Instructions: shfl.sync". mma has no mask, and is for the
        whole warp ("Multiply-and-Accumulate Instruction: mma"); activemask waits for nobody.
        """
        launch, threads = self._launch, self.waiting[at]
        instruction = self._segments[at].instruction
        warps, arrived = launch.warp[threads], self._masks(threads)
        alive = launch.exist & ~launch.exited
        if instruction.root == "mma":
            masks = np.full(len(threads), ALL_LANES)
            ready = arrived[warps] == masks
        elif instruction.root == "activemask":
            masks, ready = arrived[warps], np.ones(len(threads), bool)
        else:
            operand = instruction.operands[0 if instruction.root == "bar" else -1]
            masks = self.value(operand, threads).astype(np.uint64)
            ready = masks & alive[warps] & ~arrived[warps] == 0
        if not ready.any():
            return False
        self._check_masks(threads[ready], masks[ready], instruction.text)
        if instruction.root == "bar":
            self._check_groups(threads[ready], masks[ready], instruction)
            launch.synchronise(threads[ready], launch.orders)
        else:
            self._exchange(instruction, threads[ready], masks[ready])
        self.finish(at, ready)
        return True

    def _check_masks(self, threads: Value, masks: Value, text: str) -> None:
        """Expect that lanes name the same mask, with themselves (sections: `_release_lanes`)."""
        launch = self._launch
        warps = launch.warp[threads]
        if (masks >> launch.lane[threads].astype(np.uint64) & np.uint64(1) == 0).any():
            FINDINGS.add("a lane is not in its own mask", text)
        if (masks & launch.exited[warps]).any():
            FINDINGS.add("a mask names lanes that have exited", text)
        if (masks & ~launch.exist[warps]).any():
            FINDINGS.add("mask names lanes that are not there", text)
        alive = (launch.exist & ~launch.exited).astype(np.int64)
        pairs = np.stack([warps, masks.astype(np.int64)])
        pairs, counts = np.unique(pairs, axis=1, return_counts=True)
        for warp, mask, count in zip(*pairs, counts, strict=True):
            if int(mask & alive[warp]).bit_count() != count:
                FINDINGS.add("lanes name different masks", text)

    def _check_groups(self, threads: Value, masks: Value, instruction: Instruction) -> None:
        """Check that barriers of lanes are of all threads of a group: they order no others.

        Raises:
            Unsupported: others are in the group.
        """
        launch = self._launch
        groups = np.stack([launch.domain[threads], launch.warp[threads], masks.astype(np.int64)])
        _, counts = np.unique(groups, axis=1, return_counts=True)
        if (counts * launch.block[2] != launch.block_threads).any():
            raise Unsupported(instruction.text, instruction.line)

    def value(self, operand: str, threads: Value, bits: int = 32) -> Value:
        """Return the unsigned numbers of an operand."""
        if operand.startswith("%"):
            return self._launch.namespace[f"{operand[1:]}_u"][threads]
        digits = operand[2:] if operand[:2] in ("0f", "0F", "0d", "0D") else None
        number = int(digits, 16) if digits else int(operand.rstrip("U"), 0) % 2**bits
        return np.full(len(threads), number, UNSIGNED[bits])

    def predicate(self, operand: str, threads: Value) -> Value:
        """Return the truth of an operand."""
        values = self._launch.namespace[f"{operand.lstrip('!%')}_p"][threads]
        return values ^ operand.startswith("!")

    def assign(self, operand: str, threads: Value, values: Value, kind: str = "u") -> None:
        """Give a register a value."""
        if operand != "_":
            self._launch.namespace[f"{operand.strip()[1:]}_{kind}"][threads] = values

    def _exchange(self, instruction: Instruction, threads: Value, masks: Value) -> None:
        EXCHANGES[instruction.root](self, self._launch, instruction, threads, masks)
