"""Kernels as data, and their comparison with the reference interpreter.

The numbers in the arrays are small integers, so that sums and products are exact in every
type, and the device must agree with the reference bit for bit whatever order it adds in.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import random
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from memory import GUARD, Buffer, Memory, difference

import accepted_spirv
import binaries
import profiles
import tinytc_mlir as tt
from interpreting import COMPLEX, DTYPES, INTEGERS
from tinytc_bench import ocloc_counts
from tinytc_mlir import switches
from tinytc_mlir.compiler import ABIS
from tinytc_mlir.explore import ocloc
from tinytc_mlir.reference import interpret
from tinytc_mlir.scalars import bfloat16_bits
from tinytc_mlir.tuning import Schedule, functions_of, set_schedule

SIZES = (1, 2, 3, 5, 7, 13, 16, 17, 31, 32, 64, 67)
SHAPES = (
    "",
    "subgroup_size=16, work_group_size=[16,1]",
    "subgroup_size=16, work_group_size=[32,2]",
    "subgroup_size=32, work_group_size=[64,4]",
    "subgroup_size=4, work_group_size=[4,1]",
    "subgroup_size=8, work_group_size=[8,3]",
    "subgroup_size=64, work_group_size=[64,1]",
    "work_group_size=[48,1]",
)
"""Attributes of a function: work-group shapes from one subgroup to several."""

WORK_ITEM = """\
%sg = builtin.subgroup_id : i32
%lane = builtin.subgroup_local_id : i32
%width = builtin.subgroup_size : i32
%base = arith.mul %sg, %width : i32
%item = arith.add %base, %lane : i32
%i = cast %item : index"""
"""The number of a work-item in a work-group of one row: %item as i32, %i as index."""

counted: Counter[str] = Counter()
"""How many cases ran, and how many modules and kernels were compiled for each GPU."""


@dataclasses.dataclass
class Case:
    """One kernel, its arguments, and the groups to launch.

    Args:
        name: what is printed when device and reference disagree.
        body: text between the braces of the function.
        parameters: by name, type and value: a scalar, a Buffer, or a list of Buffers with the
            offset of the group.
        groups: number of groups, or up to three of them.
        attributes: what is in the braces after `attributes`.
        tolerance: relative difference between device and reference that is allowed.
        schedule: tiling of the kernel.
        may_round: whether device and reference may also differ as `kernel_check` allows.
    """

    name: str
    body: str
    parameters: dict[str, tuple[str, Any]]
    groups: int | tuple[int, ...] = 1
    attributes: str = ""
    tolerance: float = 0.0
    schedule: Schedule = dataclasses.field(default_factory=Schedule)
    may_round: bool = False

    def text(self, kernel: str) -> str:
        """Return the text of the function."""
        parameters = ", ".join(f"%{name}: {type_}" for name, (type_, _) in self.parameters.items())
        attributes = f" attributes {{{self.attributes}}}" if self.attributes else ""
        return f"func @{kernel}({parameters}){attributes} {{\n{self.body}\n}}\n"


def stored(values: Any, type_: str) -> Any:
    """Return numbers as a type has them in memory."""
    if type_ == "bf16":
        return bfloat16_bits(np.asarray(values, np.float32))
    return np.asarray(values).astype(DTYPES[type_])


def numbers(rng: random.Random, type_: str, count: int) -> Any:
    """Return small whole numbers of a type, none of them 0."""
    real = np.array(rng.choices((-3, -2, -1, 1, 2, 3), k=count))
    if type_ in COMPLEX:
        return stored(real + 1j * np.array(rng.choices((-2, -1, 1, 2), k=count)), type_)
    return stored(real, type_)


def buffer(
    rng: random.Random,
    type_: str,
    shape: Sequence[int],
    stride: Sequence[int] | None = None,
    *,
    fill: Any = None,
) -> Buffer:
    """Return an array with random elements, in the packed layout if no stride is given."""
    shape = tuple(shape)
    if stride is None:
        stride = tuple(itertools.accumulate((1, *shape[:-1]), lambda a, b: a * b))[: len(shape)]
    extent = 1 + sum((size - 1) * step for size, step in zip(shape, stride, strict=True))
    data = numbers(rng, type_, extent + 2 * GUARD)
    result = Buffer(type_, data, shape, tuple(stride))
    if fill is not None:
        result.view(data)[...] = stored(fill, type_)
    return result


def literal(type_: str, value: Any) -> str:
    """Return a constant of a type."""
    if type_ in COMPLEX:
        return f"[{value.real:.1f}, {value.imag:.1f}]"
    return str(value) if type_ in INTEGERS else f"{value:.1f}"


def run_cases(
    cases: Iterable[Case],
    *,
    batch: int = 40,
    compile_: Callable[..., tt.Program] | None = None,
) -> None:
    """Compare device and reference, many kernels in one module; in a commit, a third of many cases.

    The binaries of our own pipeline must also pass spirv-val and ocloc, if these are installed: at
    night for each GPU, in a commit for one in turn.
    """
    pending = list(cases)
    assert pending, "no cases"
    compiler = compile_ or compiler_of(pending)
    failures: list[str] = []
    for first in range(0, len(pending), batch):
        some = pending[first : first + batch]
        failures += _run_batch(profiles.some_of(some, some[0].name), compiler)
    if compile_ is None and ocloc.is_installed() and not switches.TARGET.is_on():
        failures += compile_for_gpus(pending, batch=batch)
    assert not failures, f"{len(failures)} of {len(pending)} cases\n" + "\n".join(failures[:8])


def compiler_of(cases: Sequence[Case]) -> Callable[..., tt.Program]:
    """Return what compiles cases: for both ABIs, alternating in the same way in every run."""
    abi = ABIS[zlib.crc32(cases[0].name.encode()) % len(ABIS)]
    return functools.partial(tt.Module.compile, abi=abi)


def compile_for_gpus(cases: Sequence[Case], *, batch: int = 40) -> list[str]:
    """Return what is wrong with the binaries of cases, in a commit those for one GPU a batch."""
    compiler = compiler_of(cases)
    failures: list[str] = []
    for first in range(0, len(cases), batch):
        some = cases[first : first + batch]
        texts = [case.text("f") for case in some]
        fitting = {gpu for text in texts for gpu in ocloc_counts.gpus_for(text)}
        for gpu in profiles.in_turns(sorted(fitting), "".join(texts)):
            failures += _compile_batch(some, compiler, gpu)
    return failures


_T = TypeVar("_T")


def halves(
    cases: Sequence[Case], build: Callable[[Sequence[Case]], _T], failures: list[str]
) -> Iterator[tuple[Sequence[Case], _T]]:
    """Yield cases and what `build` makes of them; half of them at a time where it fails."""
    try:
        built = build(cases)
    except tt.TinyTCError as error:
        if len(cases) == 1:
            failures.append(f"{cases[0].name}: {error}\n{cases[0].text('f')}")
            return
        half = len(cases) // 2
        yield from halves(cases[:half], build, failures)
        yield from halves(cases[half:], build, failures)
    else:
        yield cases, built


def parse(cases: Sequence[Case]) -> tt.Module:
    """Return a module of cases, whose kernels are k0, k1, ..."""
    text = "".join(case.text(f"k{i}") for i, case in enumerate(cases))
    module = tt.Context().parse(text, "cases.ir")
    for (_, function), case in zip(functions_of(module.operation), cases, strict=True):
        set_schedule(function, case.schedule)
    return module


def _run_batch(cases: Sequence[Case], compile_: Callable[..., tt.Program]) -> list[str]:
    """Return what is wrong with cases on the device."""

    def build(cases: Sequence[Case]) -> tuple[tt.Module, tt.Program]:
        module = parse(cases)
        program = compile_(module)
        if binaries.CAN_VALIDATE and program.manifest.format == "spirv":
            binaries.validate(program.spirv)
        program["k0"]  # builds it
        return module, program

    failures: list[str] = []
    for some, (module, program) in halves(cases, build, failures):
        for i, case in enumerate(some):
            counted["cases"] += 1
            message = _compare(case, module, program, f"k{i}")
            if message:
                failures.append(f"{case.name}: {message}\n{case.text('f')}")
    return failures


def _compile_batch(
    cases: Sequence[Case], compile_: Callable[..., tt.Program], gpu: str
) -> list[str]:
    """Return what is wrong with the binaries of cases for a GPU."""

    def build(cases: Sequence[Case]) -> None:
        program = compile_(parse(cases), ocloc.DEVICES[gpu].name)
        registers = program.manifest.registers or ocloc.REGISTERS[0]
        if accepted_spirv.is_accepted(gpu, registers, program.spirv):
            return
        if binaries.CAN_VALIDATE:
            binaries.validate(program.spirv)
        ocloc.compile_binary(program.spirv, gpu, registers=registers)

    failures: list[str] = []
    fitting = [for_gpu(case, gpu) for case in cases if gpu in ocloc_counts.gpus_for(case.text("f"))]
    for some, _ in halves(fitting, build, failures) if fitting else ():
        counted[f"{gpu} modules"] += 1
        counted[f"{gpu} kernels"] += len(some)
    return failures


def for_gpu(case: Case, gpu: str) -> Case:
    """Return a case with a work-group of our choice, unless the body knows its subgroups."""
    size = re.search(r"subgroup_size=(\d+)", case.attributes)
    has_size = size is not None and int(size[1]) in ocloc.DEVICES[gpu].subgroup_sizes
    if has_size and "subgroup" in case.body:
        return case
    return dataclasses.replace(case, attributes="")


def _compare(case: Case, module: Any, program: Any, kernel: str) -> str:
    expected, actual = Memory(case.parameters, np.copy), Memory(case.parameters, tt.asarray)
    interpret(module, kernel, expected.arguments, case.groups)
    program[kernel](actual.arguments, groups=case.groups)
    return difference(expected, actual, case.tolerance)
