"""Comparison of cases on the device with the reference interpreter, and their code for GPUs."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib.util
import re
import unittest.mock
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import accepted_code
import binaries
import profiles
import tinytc_mlir as tt
from cases.case import Case, halves, parse
from cases.memory import Memory
from cases.rounding_bounds import disagreement
from tinytc_bench import ocloc_counts
from tinytc_mlir import switches
from tinytc_mlir.compiler import ABIS
from tinytc_mlir.explore import ocloc
from tinytc_mlir.reference import interpret

counted: Counter[str] = Counter()
"""How many cases ran, and how many modules and kernels were compiled for each GPU."""


def run_cases(
    cases: Iterable[Case],
    *,
    batch: int = 40,
    compile_: Callable[..., tt.Program] | None = None,
) -> None:
    """Compare device and reference, many kernels in one module; in a commit, a part of many cases.

    The binaries of our own pipeline must also pass spirv-val and ocloc, if these are installed: at
    night for each GPU, in a commit a part of every other test's for one in turn.
    """
    pending = list(cases)
    assert pending, "no cases"
    compiler = compile_ or compiler_of(pending)
    failures: list[str] = []
    chosen = profiles.some_of(pending, pending[0].name)
    for first in range(0, len(chosen), batch):
        failures += _run_batch(chosen[first : first + batch], compiler)
    key = f"{pending[0].name} for GPUs"
    has_turn = True in profiles.in_turns((True, False), key)
    if compile_ is None and has_turn and ocloc.is_installed() and not switches.TARGET.is_on():
        failures += compile_for_gpus(profiles.some_of(pending, key), batch=batch)
    assert not failures, f"{len(failures)} of {len(pending)} cases\n" + "\n".join(failures[:8])


@dataclasses.dataclass(frozen=True)
class Comparison:
    """What a test compares: cases, and options of `run_cases`."""

    cases: Iterable[Case]
    options: dict[str, Any]


def comparison(cases: Iterable[Case], **options: Any) -> Comparison:
    """Return cases to compare, with options of `run_cases`."""
    return Comparison(cases, options)


def compares(make: Callable[..., Comparison]) -> Callable[..., None]:
    """Make a test of a function that returns a comparison, whose cases other tests take, too.

    In a commit, it runs for some of its parameters.
    """

    @pytest.mark.similar
    @functools.wraps(make)
    def test(**arguments: Any) -> None:
        found = make(**arguments)
        run_cases(found.cases, **found.options)

    test.make = make  # type: ignore[attr-defined]
    return test


def is_comparison(value: object) -> bool:
    """Return whether a value is a test that `compares` has made."""
    return hasattr(value, "make") and hasattr(value, "__wrapped__")


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


def _run_batch(cases: Sequence[Case], compile_: Callable[..., tt.Program]) -> list[str]:
    """Return what is wrong with cases on the device."""

    def build(cases: Sequence[Case]) -> tuple[tt.Module, tt.Program]:
        module = parse(cases)
        program = compile_(module)
        if binaries.CAN_VALIDATE and program.manifest.format == "spirv":
            binaries.validate(program.spirv)
        with _built_at_once():
            program.build()
        return module, program

    failures: list[str] = []
    for some, (module, program) in halves(cases, build, failures):
        for i, case in enumerate(some):
            counted["cases"] += 1
            message = _compare(case, module, program, f"k{i}")
            if message:
                failures.append(f"{case.name}: {message}\n{case.text('f')}")
    return failures


@contextlib.contextmanager
def _built_at_once() -> Iterator[None]:
    """Let the CPU driver build all kernels of a program together in the context.

    Each program that it is given costs 13 ms, whatever is in it.
    """
    if importlib.util.find_spec("dpctl") is None:
        yield
        return
    from tinytc_mlir.runtime.spirv import sycl

    with unittest.mock.patch.object(sycl, "part_of", lambda program, _: program):
        yield


def _compile_batch(
    cases: Sequence[Case], compile_: Callable[..., tt.Program], gpu: str
) -> list[str]:
    """Return what is wrong with the binaries of cases for a GPU."""

    def build(cases: Sequence[Case]) -> None:
        program = compile_(parse(cases), ocloc.DEVICES[gpu].name)
        registers = program.manifest.registers or ocloc.REGISTERS[0]
        if binaries.CAN_VALIDATE:
            binaries.validate(program.spirv)
        accepted_code.check_once(
            f"ocloc {gpu} {registers}",
            program.spirv,
            lambda: ocloc.compile_binary(program.spirv, gpu, registers=registers),
        )

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
    run = functools.partial(interpret, module, kernel, groups=case.groups)
    run(args=expected.arguments)
    program[kernel](actual.arguments, groups=case.groups)
    return disagreement(case, expected, actual, run)
