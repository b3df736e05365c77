# SPDX-License-Identifier: BSD-3-Clause
"""Launches: the values and memories of work-items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...reference.untyped import Value
from ..accesses import WORD_BYTES
from ..findings import FINDINGS, Fault, Modes
from ..launch import MachineLaunch
from ..memory import ARENA, Space, round_up
from .accesses import Accesses
from .compiler import Compiled, Jump
from .convergence import ConvergencePoints
from .module import Module


class Launch(MachineLaunch):
    """One run of a kernel.

    Args:
        module: what the kernel belongs to.
        name: that of the kernel.
        groups: number of work-groups in x, y and z.
        local_size: number of work-items likewise.
        parameters: the bytes of each parameter.
    """

    def __init__(
        self,
        module: Module,
        name: str,
        groups: Modes,
        local_size: Modes,
        parameters: Sequence[bytes],
    ) -> None:
        function = module.kernels[name]
        if function not in module.compiled:
            module.compiled[function] = Compiled(module, function)
        super().__init__(module.compiled[function], groups, local_size, ConvergencePoints)
        self.module, modes = module, module.modes[function]
        if modes.get("LocalSize", list(local_size)) != list(local_size):
            FINDINGS.add("launch", f"local size {local_size}, not {modes['LocalSize']}")
        (self.subgroup_size,) = modes["SubgroupSize"]
        self._parameters = parameters
        self.run()

    def prepare(self, count: int) -> None:
        """Make the values and memories of work-groups."""
        self.lane = self.inside % self.subgroup_size
        subgroups = -(-self.block_threads // self.subgroup_size)
        self.unit = self.subgroup_of = self.block_of * subgroups + self.inside // self.subgroup_size
        self.subgroup_items = np.bincount(self.subgroup_of)
        self.specials = self._special_values(subgroups)
        variables = self._place_memories(count)
        namespace = self.compiled.bind(len(self.threads), Accesses(self).functions())
        namespace.update(variables)
        self._pass_parameters(namespace)
        self.namespace = namespace

    def _special_values(self, subgroups: int) -> dict[str, Value]:
        local, place, inside = self.local, self.place, self.inside
        sizes, counts = np.array(self.block), np.array(self.grid)

        def everywhere(value: Value) -> Value:
            return np.broadcast_to(value, (len(inside), *np.shape(value)))

        return {
            "LocalInvocationId": local,
            "WorkgroupId": place,
            "LocalInvocationIndex": inside,
            "GlobalInvocationId": place * sizes + local,
            "GlobalSize": everywhere(counts * sizes),
            "WorkgroupSize": everywhere(sizes),
            "NumWorkgroups": everywhere(counts),
            "GlobalOffset": everywhere(np.zeros(3, int)),
            "NumSubgroups": everywhere(subgroups),
            "SubgroupId": inside // self.subgroup_size,
            "SubgroupLocalInvocationId": self.lane,
            **dict.fromkeys(("SubgroupSize", "SubgroupMaxSize"), everywhere(self.subgroup_size)),
        }

    def _place_memories(self, count: int) -> dict[str, Value]:
        """Allocate local and private memory, and return the addresses of local variables."""
        top, variables = 0, {f"g{n}": np.uint64(at) for n, at in self.module.globals.items()}
        for number, space in self.module.variables.items():
            if space == "Workgroup":
                start = round_up(top, 64)
                variables[f"g{number}"] = np.uint64(start)
                top = start + self.module.type_of[number].element.size_bytes
        private_bytes = self.compiled.statements.private_bytes
        local, private = (round_up(size, 64) for size in (top, private_bytes))
        top, private_bytes = (round_up(size, WORD_BYTES) for size in (top, private_bytes))
        number = len(self.threads)
        self.spaces = {
            "CrossWorkgroup": ARENA,
            "Workgroup": Space.of_parts(count, local, top, "local memory"),
            "Function": Space.of_parts(number, private, private_bytes, "private memory"),
        }
        self.starts = {"Workgroup": self.block_of * local, "Function": self.threads * private}
        return variables

    def _pass_parameters(self, namespace: dict[str, Any]) -> None:
        expected = self.compiled.parameters
        if len(self._parameters) != len(expected):
            FINDINGS.add("launch", f"{len(self._parameters)} parameters, not {len(expected)}")
            raise Fault("parameters")
        for number, raw in zip(expected, self._parameters, strict=True):
            type_ = self.compiled.types[number]
            if len(raw) != type_.size_bytes:
                FINDINGS.add("launch", f"{len(raw)} bytes for a parameter of {type_.size_bytes}")
            value = np.frombuffer(raw, type_.dtype)
            values = type_.empty(len(self.threads))
            values[...] = value if type_.is_vector else value[0]
            namespace[f"v{number}"] = values

    def leave(self, threads: Value) -> None:
        """End work-items; a barrier waits for them all the same."""

    def jump(self, jump: Jump, at: int, threads: Value, schedule: Any) -> None:
        """Part work-items at a branch, and move their values along its edges."""
        taken = np.ones(len(threads), bool)
        if jump.condition is not None:
            taken = self.value(jump.condition, threads)
        for (segment, edge), mine in zip(
            jump.targets, (threads[taken], threads[~taken]), strict=False
        ):
            if edge and len(mine):
                self.namespace[edge](self.select(mine))
            schedule.go(segment, mine)

    def value(self, number: int, threads: Value) -> Value:
        """Return the value of each of some work-items."""
        if number in self.module.constants:
            value = np.asarray(self.module.constants[number])
            return np.broadcast_to(value, (len(threads), *value.shape))
        return self.namespace[f"v{number}"][threads]
