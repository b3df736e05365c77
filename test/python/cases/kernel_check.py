"""Random kernels on the device and in the reference interpreter.

Their numbers are small, so that most sums are exact and device and reference agree bit for bit.
Where they do not, a running error analysis certifies by how much they may differ.
"""

from __future__ import annotations

import dataclasses
import functools
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import tinytc_mlir as tt
from cases.case import Case, halves, parse
from cases.kernel_instructions import CHOICES
from cases.kernel_maker import KernelMaker
from cases.memory import Memory, difference
from cases.rounding_bounds import Run, disagreement
from tinytc_mlir.reference import interpret
from tinytc_mlir.runtime.kernel_info import KernelInfo


@dataclasses.dataclass
class Count:
    """What became of kernels.

    Args:
        equal: as in the reference, bit for bit or within the tolerance of a case.
        rounded: different by no more than rounding explains, or where rounding decides what the
            kernel does.
        undefined: no behaviour to compare.
        unbuilt: errors of those that the compiler or the device refuses, and their texts.
        failures: what is wrong with the others, and their texts.
    """

    equal: int = 0
    rounded: int = 0
    undefined: int = 0
    unbuilt: list[str] = dataclasses.field(default_factory=list)
    failures: list[str] = dataclasses.field(default_factory=list)

    def __add__(self, other: Count) -> Count:
        values = (vars(self)[name] + vars(other)[name] for name in vars(self))
        return Count(*values)

    def __str__(self) -> str:
        return (
            f"{self.equal} equal, {self.rounded} equal but for rounding, {self.undefined} "
            f"undefined, {len(self.unbuilt)} not built, {len(self.failures)} wrong"
        )


def random_kernel(seed: int, count: int = 6) -> Case:
    """Return a random kernel with its arguments.

    Args:
        seed: what decides all choices.
        count: number of instructions, not counting what they need.
    """
    return KernelMaker(random.Random(f"kernel {seed}"), CHOICES).case(f"kernel {seed}", count)


def check(
    cases: Sequence[Case],
    abi: str,
    adapt: Callable[[tt.Program], tt.Program] = lambda program: program,
    *,
    debug: bool = False,
) -> Count:
    """Compile kernels in one module, run them, and compare with the reference.

    Args:
        cases: the kernels.
        abi: "plain" or "packed".
        adapt: makes the program to run of the one that is compiled.
        debug: whether the kernels check what the language leaves undefined.
    """
    count = Count()

    def build(some: Sequence[Case]) -> tuple[tt.Module, tt.Program]:
        module = parse(some)
        program = adapt(module.compile(abi=abi, debug=debug))
        program["k0"]  # builds it
        return module, program

    for some, (module, program) in halves(cases, build, count.unbuilt):
        for number, case in enumerate(some):
            head = f"{case.name}, {abi}, {case.groups} groups, schedule: {case.schedule}"
            try:
                message = compare(case, module, program, f"k{number}", count)
            except tt.DeviceError as error:
                count.unbuilt.append(f"{head}: {error}\n{case.text('f')}")
            else:
                if message:
                    count.failures.append(f"{head}: {message}\n{case.text('f')}")
    return count


def reference(module: tt.Module, info: KernelInfo, groups: Any) -> Run:
    """Return the reference interpreter of a kernel, with the work-groups of the compiled one."""
    return functools.partial(
        interpret,
        module,
        info.name,
        groups=groups,
        work_group_size=info.local_size[:2],
        subgroup_size=info.subgroup_size,
    )


def compare(case: Case, module: tt.Module, program: tt.Program, kernel: str, count: Count) -> str:
    """Run one kernel on the device and in the reference.

    Returns:
        what is wrong; empty if nothing is, which is counted.
    """
    expected, actual = Memory(case.parameters, np.copy), Memory(case.parameters, tt.asarray)
    info = program.kernels[kernel]
    run = reference(module, info, case.groups)
    try:
        run(args=expected.arguments)
    except tt.errors.InterpreterError:
        count.undefined += 1
        return ""
    program[kernel](actual.arguments, groups=case.groups)
    message = disagreement(case, expected, actual, run)
    is_equal = not difference(expected, actual, case.tolerance)
    count.equal += is_equal
    count.rounded += not message and not is_equal
    return message
