# SPDX-License-Identifier: BSD-3-Clause
"""Instructions at which work-items wait for each other: barriers, group functions, and calls."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ...reference.untyped import Value
from ..findings import FINDINGS, Unsupported
from ..memory import GLOBAL, LOCAL
from ..schedule import Waiting
from .arithmetic import signed
from .functions import call
from .words import Instruction

WORKGROUP, SUBGROUP = 2, 3  # the numbers of the scopes
WIDER_SCOPES = (0, 1, 2)  # all devices, the device, and a work-group
OPERATIONS = ("Reduce", "InclusiveScan", "ExclusiveScan")
#: SPIR-V, "Group and Subgroup Instructions" and "Non-Uniform Instructions".
SHUFFLES = {
    "GroupBroadcast": lambda lane, operand: operand,
    "GroupNonUniformBroadcast": lambda lane, operand: operand,
    "GroupNonUniformShuffle": lambda lane, operand: operand,
    "GroupNonUniformShuffleXor": lambda lane, operand: lane ^ operand,
    "GroupNonUniformShuffleUp": lambda lane, operand: lane - operand,
    "GroupNonUniformShuffleDown": lambda lane, operand: lane + operand,
}
REDUCTIONS = {"Add": np.add, "Mul": np.multiply, "Min": np.fmin, "Max": np.fmax}

ORDERING = 0x8 | 0x10
"""Memory semantics of barriers that acquire and release, or are sequentially consistent."""
MEMORIES = {LOCAL: 0x100, GLOBAL: 0x200}
"""Memory semantics that name a kind of memory."""


class ConvergencePoints(Waiting):
    """The work-items that wait, by segment.

    Args:
        launch: what they belong to.
        schedule: where they go on.
    """

    def release(self) -> bool:
        """Let those go on that have met the others; returns whether there were any."""
        released = False
        for at in list(self.waiting):
            ins, threads = self._segments[at].instruction, self.waiting[at]
            ready = self._are_ready(ins, threads)
            if not ready.any():
                continue
            if ins.name == "ControlBarrier":
                self._synchronise(ins, threads[ready])
            else:
                self._compute(ins, threads[ready])
            self.finish(at, ready)
            released = True
        return released

    def _synchronise(self, ins: Instruction, threads: Value) -> None:
        """Order the kinds of memory that a barrier names, if it acquires and releases."""
        semantics = self._scope(ins, 2)
        if not semantics & ORDERING:
            return
        launch = self._launch
        if self._scope(ins, 0) == SUBGROUP and launch.block_threads > launch.subgroup_size:
            raise Unsupported(ins)  # it orders nothing between subgroups
        launch.synchronise(threads, [kind for kind, bit in MEMORIES.items() if semantics & bit])

    def _are_ready(self, ins: Instruction, threads: Value) -> Value:
        """Return which work-items need not wait any more.

        Source: SPIR-V, "Barrier Instructions" (OpControlBarrier), "Group and Subgroup Instructions"
        (all of the scope) and "Non-Uniform Instructions" (those that are there).
        """
        launch = self._launch
        if ins.name == "FunctionCall":
            is_alone = "sub" not in launch.module.imports.get(ins.id(1), "")
        else:
            is_alone = "NonUniform" in ins.name
        if is_alone:
            return np.ones(len(threads), bool)
        if ins.name == "ControlBarrier" and self._scope(ins, 0) == WORKGROUP:
            groups = launch.block_of[threads]
            return np.bincount(groups, minlength=groups[-1] + 1)[groups] == launch.block_threads
        subgroups = launch.subgroup_of[threads]
        counts = np.bincount(subgroups, minlength=len(launch.subgroup_items))
        return counts[subgroups] == launch.subgroup_items[subgroups]

    def _scope(self, ins: Instruction, index: int) -> int:
        return int(self._launch.module.constants[ins.id(index)])

    def _compute(self, ins: Instruction, threads: Value) -> None:
        launch = self._launch
        if ins.name == "FunctionCall":
            operands = [launch.value(int(word[1:]), threads) for word in ins.words[2:]]
            result = call(launch, launch.module.imports[ins.id(1)], operands, threads)
            if launch.compiled.types[ins.result].kind != "void":
                self._assign(ins, threads, result)
            return
        if self._scope(ins, 1) == WORKGROUP and launch.block_threads > launch.subgroup_size:
            raise Unsupported(ins)
        if ins.name in SHUFFLES:
            self._assign(ins, threads, self._shuffle(ins, threads))
        else:
            self._assign(ins, threads, self._reduce(ins, threads))

    def _assign(self, ins: Instruction, threads: Value, values: Value) -> None:
        target = self._launch.namespace[f"v{ins.result}"]
        target[threads] = values.view(target.dtype)

    def _shuffle(self, ins: Instruction, threads: Value) -> Value:
        launch = self._launch
        values, operand = (launch.value(ins.id(k), threads) for k in (2, 3))
        if values.ndim > 1 or operand.ndim > 1:
            raise Unsupported(ins)
        lanes, subgroups = launch.lane[threads], launch.subgroup_of[threads]
        source = SHUFFLES[ins.name](lanes, operand.astype(np.int64))
        table = np.zeros((len(launch.subgroup_items), launch.subgroup_size), values.dtype)
        here = np.zeros(table.shape, bool)
        table[subgroups, lanes], here[subgroups, lanes] = values, True
        inside = np.clip(source, 0, launch.subgroup_size - 1)
        if ((inside != source) | ~here[subgroups, inside]).any():
            FINDINGS.add("a lane that is not there", str(ins))
        if "Broadcast" in ins.name:
            common = np.zeros(len(table), np.int64)
            common[subgroups] = source
            if (common[subgroups] != source).any():
                FINDINGS.add("broadcast from several lanes", str(ins))
        return table[subgroups, inside]

    def _reduce(self, ins: Instruction, threads: Value) -> Value:
        match = re.fullmatch(r"Group(?:NonUniform)?([FISU])(Add|Mul|Min|Max)", ins.name)
        if not match:
            raise Unsupported(ins)
        kind, name = match.groups()
        launch = self._launch
        values = launch.value(ins.id(3), threads)
        values = signed(values) if kind == "S" else values
        result, subgroups = np.empty_like(values), launch.subgroup_of[threads]
        for subgroup in np.unique(subgroups):
            mine = np.flatnonzero(subgroups == subgroup)
            mine = mine[np.argsort(launch.lane[threads[mine]])]
            sums = REDUCTIONS[name].accumulate(values[mine])
            if ins.words[2] == "Reduce":
                result[mine] = sums[-1]
            elif ins.words[2] == "InclusiveScan":
                result[mine] = sums
            else:
                result[mine[1:]] = sums[:-1]
                result[mine[0]] = _identity(name, values.dtype)
        return result


def _identity(name: str, dtype: Any) -> Value:
    if name in ("Add", "Mul"):
        return int(name == "Mul")
    is_largest = name == "Min"
    if dtype.kind == "f":
        return np.inf if is_largest else -np.inf
    limits = np.iinfo(dtype)
    return limits.max if is_largest else limits.min
