# SPDX-License-Identifier: BSD-3-Clause
"""What lanes of a warp compute together.

Sources: sections of the PTX ISA, of which "Synchronization" is short for "Parallel Synchronization
and Communication Instructions".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...gpu_stage.fragments import LANES
from ...reference.untyped import Value
from ..findings import FINDINGS
from .fragments import multiply_add
from .operands import Instruction, names

REDUCTIONS: dict[str, Callable[..., Value]] = {
    "add": np.add.reduce,
    "min": np.min,
    "max": np.max,
    "and": np.bitwise_and.reduce,
    "or": np.bitwise_or.reduce,
    "xor": np.bitwise_xor.reduce,
}


def _groups(launch: Any, threads: Value, masks: Value) -> Iterator[Value]:
    """Yield who is in each set of lanes that exchange something."""
    keys = launch.warp[threads].astype(np.int64) << 32 | masks.astype(np.int64)
    for key in np.unique(keys):
        yield keys == key


def shuffle(points: Any, launch: Any, ins: Instruction, threads: Value, masks: Value) -> None:
    """Read a register of another lane.

    Source: PTX ISA, "Data Movement and Conversion Instructions: shfl.sync".
    """
    result, _, is_inside = ins.operands[0].partition("|")
    values, other, limits = (points.value(operand, threads) for operand in ins.operands[1:4])
    lane, other = launch.lane[threads].astype(np.int64), other.astype(np.int64) & 31
    segment, clamp = (limits.astype(np.int64) >> 8) & 31, limits.astype(np.int64) & 31
    highest, lowest = (lane & segment) | (clamp & ~segment), lane & segment
    source = {
        "up": lane - other,
        "down": lane + other,
        "bfly": lane ^ other,
        "idx": lowest | (other & ~segment),
    }[ins.words[2]]
    inside = source >= highest if ins.words[2] == "up" else source <= highest
    source = np.where(inside, source, lane)
    warps = launch.warp[threads]
    table = np.full((len(launch.exist), LANES), 0xDEADBEEF, np.uint32)
    here = np.zeros(table.shape, bool)
    table[warps, launch.lane[threads]], here[warps, launch.lane[threads]] = values, True
    if not here[warps, source].all():
        FINDINGS.add("shfl from a lane that is not there", ins.text)
    points.assign(result, threads, table[warps, source])
    if is_inside:
        points.assign(is_inside, threads, inside, "p")


def reduce(points: Any, launch: Any, ins: Instruction, threads: Value, masks: Value) -> None:
    """Combine integers of lanes. Source: PTX ISA, "Synchronization: redux.sync"."""
    values = points.value(ins.operands[1], threads)
    values = values.view(np.int32) if ins.type == "s32" else values
    result = np.empty_like(values)
    for group in _groups(launch, threads, masks):
        result[group] = REDUCTIONS[ins.words[2]](values[group])
    points.assign(ins.operands[0], threads, result.view(np.uint32))


def vote(points: Any, launch: Any, ins: Instruction, threads: Value, masks: Value) -> None:
    """Combine predicates of lanes. Source: PTX ISA, "Synchronization: vote.sync"."""
    values = points.predicate(ins.operands[1], threads)
    for group in _groups(launch, threads, masks):
        mine, truth = threads[group], values[group]
        if ins.words[2] == "ballot":
            bits = np.uint32(1) << launch.lane[mine]
            points.assign(ins.operands[0], mine, np.bitwise_or.reduce(np.where(truth, bits, 0)))
            continue
        result = {"all": truth.all(), "any": truth.any(), "uni": truth.all() or not truth.any()}
        points.assign(ins.operands[0], mine, result[ins.words[2]], "p")


def active_mask(points: Any, launch: Any, ins: Instruction, threads: Value, masks: Value) -> None:
    """Give the lanes that are there. Source: PTX ISA, "Synchronization: activemask"."""
    points.assign(ins.operands[0], threads, masks.astype(np.uint32))


def multiply(points: Any, launch: Any, ins: Instruction, threads: Value, masks: Value) -> None:
    """Multiply fragments of matrices.

    Source: PTX ISA, "Multiply-and-Accumulate Instruction: mma".
    """
    types = ins.words[6:]
    threads = np.sort(threads)
    warps = len(threads) // LANES
    bits = 64 if types[1] == "f64" else 32

    def read(operand: str) -> Value:
        values = [points.value(name, threads, bits) for name in names(operand)]
        return np.stack(values, -1).reshape(warps, LANES, -1)

    result = multiply_add(ins.words[3], types, *map(read, ins.operands[1:]))
    for k, name in enumerate(names(ins.operands[0])):
        points.assign(name, threads, result[:, :, k].ravel())
    FINDINGS.counts["matrix operations"] += warps


EXCHANGES = {
    "shfl": shuffle,
    "redux": reduce,
    "vote": vote,
    "activemask": active_mask,
    "mma": multiply,
}
