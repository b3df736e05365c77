"""Random programs of work-items with barriers, and their comparison with NumPy."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import tinytc_mlir as tt
from cases.barrier_numbers import Array, stored
from cases.barrier_regions import Regions
from cases.barrier_statements import GROUPS
from native.guarded import GuardedArray
from tinytc_mlir.compiler import ABIS
from tinytc_mlir.reference import interpret
from tinytc_mlir.scalars import bfloat16_values


class BarrierProgram(Regions):
    """Writes and computes one kernel.

    Args:
        seed: decides all choices.
    """

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.seed = seed
        self.results: list[tuple[str, str]] = []
        self.statements(self.rng.randint(5, 10), depth=0)
        while not self.barriers:
            self.barrier()
        self._finish()

    # The whole -------------------------------------------------------------------------

    def _finish(self) -> None:
        """Choose the values that are stored: those that no other is computed from, and any."""
        used = Counter(re.findall(r"%v\d+", "\n".join(step.text for step in self.steps)))
        names = [(name, type_) for name, type_, _ in self.known if type_ in self.inputs]
        last = [(name, type_) for name, type_ in names if used[name] == 1]
        chosen = {*last[-3:], names[-1]}
        self.results = sorted(chosen)
        if self.matrices():
            self.results.append((self.matrices()[-1], self.matrix_type))

    def body(self) -> str:
        """Return the instructions of the work-items."""
        texts = [step.text for step in self.steps]
        for number, (name, type_) in enumerate(self.results):
            if type_ == self.matrix_type:
                texts.append(f"cooperative_matrix_store {name}, %B_{number}[0, %column]")
            else:
                texts.append(f"store {name}, %B_{number}[%g]")
        return "\n".join(texts)

    def parameters(self) -> list[tuple[str, str, Array | list[Array]]]:
        """Return name, type and array of each parameter, results with other numbers in them."""
        found: list[tuple[str, str, Array | list[Array]]] = [
            (f"%A_{type_}", f"memref<{type_}x{self.count}>", stored(type_, values))
            for type_, values in self.inputs.items()
        ]
        found += self.memory_parameters(self.body())
        for n, (_, type_) in enumerate(self.results):
            if type_ == self.matrix_type:
                shape = f"{self.component}x{self.rows}x{self.columns * self.subgroups}"
                array = self.matrix_array(np.full_like(self.blocks, 77))
            else:
                shape, array = f"{type_}x{self.count}", stored(type_, np.full(self.count, 77))
            found.append((f"%B_{n}", f"memref<{shape}>", array))
        return found

    def text(self, kernel: str) -> str:
        """Return the text of the function."""
        parameters = ", ".join(f"{name}: {type_}" for name, type_, _ in self.parameters())
        body = self.body()
        local = "\n".join(
            f"{name}_{t} = alloca : memref<{t}x{self.size}, local>"
            for t in self.inputs
            for name in ("%L", "%K")
            if f"{name}_{t}[" in body
        )
        places = "" if self.is_plain else self.memory_text()
        return f"""func @{kernel}({parameters}) attributes {{{self.attributes}}} {{
{local}
%group = group_id.x : index
parallel {{
%s = subgroup_linear_id : i32
%l = subgroup_local_id : i32
%lanes = constant {self.lanes} : i32
%first = arith.mul %s, %lanes : i32
%item = arith.add %first, %l : i32
%place = cast %item : index
%last = constant {self.size - 1} : index
%mirror = arith.sub %last, %place : index
%size = constant {self.size} : index
%base = arith.mul %group, %size : index
%g = arith.add %base, %place : index
{places}
{body}
}}
}}
"""

    def arguments(self, make: Callable[[Array], Array] = lambda array: array) -> list[Any]:
        """Return new arrays of the parameters, each as a function makes it."""
        return [
            list(map(make, array)) if isinstance(array, list) else make(array)
            for _, _, array in self.parameters()
        ]

    def expected(self) -> list[Array]:
        """Return the results."""
        return [self.environment[name] for name, _ in self.results]

    def values(self, arguments: list[Array]) -> list[Array]:
        """Return the results of a run."""
        found = []
        taken = arguments[-len(self.results) :]
        for array, (_, type_) in zip(taken, self.results, strict=True):
            is_matrix = type_ == self.matrix_type
            is_bfloat16 = (self.component if is_matrix else type_) == "bf16"
            values = bfloat16_values(array) if is_bfloat16 else np.asarray(array)
            found.append(self.matrices_in(values) if is_matrix else values)
        return found


def guarded_copy(array: Array, at_end: bool) -> Array:
    """Return a copy of an array with a guard page after or before it."""
    stride = [step // array.itemsize for step in array.strides]
    return GuardedArray(array.reshape(-1, order="F"), array.shape, stride, at_end)


def differences(program: BarrierProgram, arguments: list[Array]) -> str:
    """Return where the results of a run are wrong; empty if nowhere."""
    for number, (got, wanted) in enumerate(
        zip(program.values(arguments), program.expected(), strict=True)
    ):
        bad = np.flatnonzero(got != wanted)
        if len(bad):
            at = bad[0]
            shown = f"is {got.ravel()[at]}, not {wanted.ravel()[at]}"
            return f"%B_{number}[{at}] {shown}; {len(bad)} are wrong"
    return ""


def check(
    seeds: Sequence[int],
    abis: Sequence[str] = ABIS,
    *,
    interpreted: bool = False,
    guarded: bool = False,
) -> list[str]:
    """Compile kernels in one module for each ABI, run them, and return what is wrong.

    Args:
        seeds: of the kernels.
        abis: "plain", "packed".
        interpreted: whether the reference runs them, too.
        guarded: whether arrays are between pages that nobody may access, for native code.
    """
    programs = [BarrierProgram(seed) for seed in seeds]
    text = "\n".join(program.text(f"k{program.seed}") for program in programs)
    runs: dict[str, Callable[[BarrierProgram, list[Array]], None]] = {}
    module = tt.Context().parse(text)
    for abi in abis:
        compiled = module.compile(abi=abi)
        runs[abi] = lambda program, arguments, c=compiled: c[f"k{program.seed}"](
            *arguments, groups=GROUPS
        )
    if interpreted:
        runs["reference"] = lambda program, arguments: interpret(
            module, f"k{program.seed}", arguments, GROUPS
        )
    found = []
    made = [lambda array, at_end=at_end: guarded_copy(array, at_end) for at_end in (False, True)]
    for program in programs:
        for name, run in runs.items():
            is_guarded = guarded and name != "reference"
            arguments = program.arguments(made[program.seed % 2] if is_guarded else np.array)
            run(program, arguments)
            message = differences(program, arguments)
            if message:
                found.append(f"seed {program.seed}, {name}: {message}\n{program.text('f')}")
    return found
