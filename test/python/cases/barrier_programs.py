"""Random programs of work-items with barriers, and their comparison with NumPy."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

import tinytc_mlir as tt
from cases.barrier_numbers import COMPARISONS, Array, Environment, stored
from cases.barrier_statements import GROUPS, Statements, Step
from interpreting import COMPLEX
from tinytc_mlir.compiler import ABIS
from tinytc_mlir.reference import interpret
from tinytc_mlir.scalars import bfloat16_values


class BarrierProgram(Statements):
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

    # Regions ---------------------------------------------------------------------------

    def _condition(self) -> str:
        type_ = self.any_type()
        word = self.rng.choice(("eq", "ne") if type_ in COMPLEX else tuple(COMPARISONS))
        a, b = self.value(type_), self.value(type_)
        text = f"cmp.{word} {a}, {b} : bool"
        return self.assign("bool", text, lambda e: COMPARISONS[word](e[a], e[b]))

    def _region(self, make: Callable[[], None]) -> list[Step]:
        """Return the steps that a function adds, whose values are seen by no others."""
        steps, known = len(self.steps), len(self.known)
        make()
        del self.known[known:]
        added = self.steps[steps:]
        del self.steps[steps:]
        return added

    def choice(self, depth: int) -> None:
        """Add a choice between two regions."""
        condition, type_ = self._condition(), self.any_type()
        yielded: list[str] = []

        def branch() -> None:
            if self.rng.random() < 0.5:
                self.statements(self.rng.randint(1, 2), depth + 1, diverges=True)
            yielded.append(self.value(type_))

        branches = [self._region(branch) for _ in range(2)]
        texts = [
            "\n".join([s.text for s in b] + [f"yield ({y})"])
            for b, y in zip(branches, yielded, strict=True)
        ]

        def compute(environment: Environment) -> Array:
            for step in (*branches[0], *branches[1]):
                step.run(environment)
            left, right = (environment[name] for name in yielded)
            return np.where(environment[condition], left, right)

        text = f"if {condition} -> ({type_}) {{\n{texts[0]}\n}} else {{\n{texts[1]}\n}}"
        self.assign(type_, text, compute)

    def loop(self, depth: int, diverges: bool) -> None:
        """Add a loop, which work-items may leave at different times."""
        type_ = self.any_type()
        first = self.value(type_)
        trips, start = self.rng.randint(1, 3), self.constant("i32", 0)
        own = diverges or self.rng.random() < 0.3
        end = self.constant("i32", trips)
        if own:
            end = self.assign(
                "i32", f"arith.min {end}, %l : i32", lambda e: np.minimum(trips, e["%l"])
            )
        carried, counter = self.name(), self.name()
        self.environment[carried] = self.environment[first]
        self.environment[counter] = np.zeros(self.count, np.int64)
        yielded: list[str] = []

        def body() -> None:
            self.known += [(carried, type_, False), (counter, "i32", True)]
            self.statements(self.rng.randint(2, 4), depth + 1, diverges=own)
            yielded.append(self.value(type_))

        steps = self._region(body)

        def compute(environment: Environment) -> Array:
            environment[carried] = environment[first]
            for trip in range(trips):
                environment[counter] = np.full(self.count, trip)
                for step in steps:
                    step.run(environment)
                runs = trip < environment[end]
                environment[carried] = np.where(runs, environment[yielded[0]], environment[carried])
            return environment[carried]

        inner = "\n".join([step.text for step in steps] + [f"yield ({yielded[0]})"])
        text = f"for {counter} : i32 = {start}, {end} init({carried} = {first}) -> ({type_}) {{\n"
        self.assign(type_, f"{text}{inner}\n}}", compute)

    # The whole -------------------------------------------------------------------------

    def _finish(self) -> None:
        """Choose the values that are stored: those that no other is computed from, and any."""
        used = Counter(re.findall(r"%v\d+", "\n".join(step.text for step in self.steps)))
        names = [(name, type_) for name, type_, _ in self.known if type_ in self.inputs]
        last = [(name, type_) for name, type_ in names if used[name] == 1]
        chosen = {*last[-3:], names[-1]}
        self.results = sorted(chosen)

    def parameters(self) -> list[tuple[str, str, int]]:
        """Return name, type and number of elements of each parameter."""
        given = [(f"%A_{type_}", type_, self.count) for type_ in self.inputs]
        taken = [(f"%B_{n}", type_, self.count) for n, (_, type_) in enumerate(self.results)]
        return given + taken

    def text(self, kernel: str) -> str:
        """Return the text of the function."""
        parameters = ", ".join(f"{name}: memref<{t}x{n}>" for name, t, n in self.parameters())
        body = "\n".join(step.text for step in self.steps)
        local = "\n".join(
            f"%L_{t} = alloca : memref<{t}x{self.size}, local>"
            for t in self.inputs
            if f"%L_{t}[" in body
        )
        stores = "\n".join(f"store {name}, %B_{n}[%g]" for n, (name, _) in enumerate(self.results))
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
{body}
{stores}
}}
}}
"""

    def arguments(self) -> list[Array]:
        """Return the arrays of the inputs, and of the results, with other numbers in them."""
        given = [stored(type_, values) for type_, values in self.inputs.items()]
        return given + [stored(t, np.full(self.count, 77)) for _, t in self.results]

    def expected(self) -> list[Array]:
        """Return the results."""
        return [self.environment[name] for name, _ in self.results]

    def values(self, arguments: list[Array]) -> list[Array]:
        """Return the results of a run."""
        results = arguments[len(self.inputs) :]
        return [
            bfloat16_values(array) if type_ == "bf16" else array
            for array, (_, type_) in zip(results, self.results, strict=True)
        ]


def differences(program: BarrierProgram, arguments: list[Array]) -> str:
    """Return where the results of a run are wrong; empty if nowhere."""
    for number, (got, wanted) in enumerate(
        zip(program.values(arguments), program.expected(), strict=True)
    ):
        bad = np.flatnonzero(got != wanted)
        if len(bad):
            at = bad[0]
            return f"%B_{number}[{at}] is {got[at]}, not {wanted[at]}; {len(bad)} are wrong"
    return ""


def check(
    seeds: Sequence[int], abis: Sequence[str] = ABIS, *, interpreted: bool = False
) -> list[str]:
    """Compile kernels in one module for each ABI, run them, and return what is wrong.

    Args:
        seeds: of the kernels.
        abis: "plain", "packed".
        interpreted: whether the reference runs them, too.
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
    for program in programs:
        for name, run in runs.items():
            arguments = program.arguments()
            run(program, arguments)
            message = differences(program, arguments)
            if message:
                found.append(f"seed {program.seed}, {name}: {message}\n{program.text('f')}")
    return found
