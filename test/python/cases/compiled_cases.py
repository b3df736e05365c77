"""Kernels that the compiler makes of the device tests' cases and of random programs, checked.

A case passes if the checker finds nothing at the gpu stage and the numbers are those of the
reference interpreter.
"""

import dataclasses
import functools
import gc
import inspect
import itertools
import pathlib
import random
import re

import numpy as np

import tinytc_mlir as tt
from cases import kernel_check
from cases.case import parse
from cases.memory import Memory
from cases.random_program import Program
from cases.rounding_bounds import disagreement
from cases.running import is_comparison
from scripts import loaded
from tinytc_bench import ocloc_counts
from tinytc_mlir._tinytc import targets
from tinytc_mlir.compiler import ABIS, TARGETS
from tinytc_mlir.explore import ocloc
from tinytc_mlir.gpu_stage import GpuStage
from tinytc_mlir.measure.sample_data import SampleOptions, sample_arguments

DEVICE_TESTS = pathlib.Path(__file__).parents[1] / "device"
FACTS = {target.name: target for target in targets()}
GPUS = {target.name: gpu for gpu, target in ocloc.DEVICES.items()}
OF_SOME_LANES = "some lanes"
"""How names of cases begin that sum over the lanes that run, which SPIR-V leaves undefined."""
_SCHEDULED_AS_OTHERS = ("intel-gpu:bmg", "cuda:sm_80", "cuda:sm_100")  # pvc and sm_90
CONFIGURATIONS = tuple(
    itertools.product([name for name in TARGETS if name not in _SCHEDULED_AS_OTHERS], ABIS)
)
"""Every target that has schedules of its own, with both ABIs."""

REGISTERS = (0, 128, 256)
"""Registers of a thread on GPUs of Intel: chosen, or given."""


@functools.cache
def device_calls():
    """Return the cases and options of each comparison of the device tests."""
    collected = []
    for path in sorted(DEVICE_TESTS.glob("test_*.py")):
        if "@compares" not in path.read_text(encoding="utf-8"):
            continue
        for _, test in inspect.getmembers(loaded(path), is_comparison):
            for arguments in _parameters(test):
                comparison = test.make(**arguments)
                collected.append((tuple(comparison.cases), comparison.options))
    gc.freeze()
    return tuple(collected)


def device_cases():
    """Return all cases of the device tests, without running any."""
    return tuple(itertools.chain.from_iterable(cases for cases, _ in device_calls()))


def _parameters(function):
    """Yield the arguments of a test for each of its parameters."""
    axes = []
    for mark in getattr(function, "pytestmark", []):
        if mark.name != "parametrize":
            continue
        names, values = mark.args
        names = names.replace(" ", "").split(",") if isinstance(names, str) else list(names)
        axes.append(
            [dict(zip(names, each if len(names) > 1 else (each,), strict=True)) for each in values]
        )
    for chosen in itertools.product(*axes):
        yield {name: value for each in chosen for name, value in each.items()}


def random_case(seed):
    """Return a random whole program."""
    return Program(random.Random(seed)).case(f"seed {seed}")


def fitting(case, target):
    """Return a case as a target can run it, None if it cannot."""
    facts = FACTS[target]
    if facts.family == "cpu":
        return case
    if target in GPUS and case.name.startswith(OF_SOME_LANES):
        return None
    if target in GPUS and GPUS[target] not in ocloc_counts.gpus_for(case.text("f")):
        return None
    sizes = facts.subgroup_sizes
    size = re.search(r"subgroup_size=(\d+)", case.attributes)
    if not case.attributes or (size and int(size[1]) in sizes):
        return case
    # The body may count on the sizes that the attributes ask for.
    if "parallel" in case.body or "cooperative" in case.body:
        return None
    size = sizes[len(case.name) % len(sizes)]
    return dataclasses.replace(
        case, attributes=f"subgroup_size={size}, work_group_size=[{2 * size},1]"
    )


def failure(case, target, abi, *, seed=None, native=False, registers=0):
    """Return what is wrong with a case on a target, the empty string if nothing is.

    Args:
        case: a case that fits the target.
        target: name of the target.
        abi: "plain" or "packed".
        seed: what decides the order of the work-items, None if they run in step.
        native: whether the schedule is for the vector registers of this machine.
        registers: registers of a thread, 0 if that is left open.
    """
    module = parse([case])
    stage = GpuStage(module, target=target, abi=abi, native=native, registers=registers)
    actual, expected = Memory(case.parameters, np.copy), Memory(case.parameters, np.copy)
    found = stage.check("k0", actual.arguments, case.groups, seed=seed)
    run = kernel_check.reference(module, stage.info("k0"), case.groups)
    run(args=expected.arguments)
    message = disagreement(case, expected, actual, run)
    lines = [*map(str, found), *filter(None, [message])]
    return "\n".join([f"{case.name} for {target}, {abi}:", *lines, case.text("f")]) if lines else ""


def failures_of_program(text, name, target, abi, *, groups=3, seed=None, native=False):
    """Return how many kernels of a program were checked, and what is wrong with them.

    Args:
        text: the program; kernels whose behaviour is undefined for random arguments are left out.
        name: what the program is called.
        target: name of the target.
        abi: "plain" or "packed".
        groups: number of groups.
        seed: what decides the order of the work-items, None if they run in step.
        native: whether the schedule is for the vector registers of this machine.
    """
    module = tt.Context().parse(text, name)
    try:
        stage = GpuStage(module, target=target, abi=abi, native=native)
    except tt.LoweringError:  # the target lacks a type or local memory
        return 0, []
    failures = []
    count = 0
    for kernel in stage.kernels:
        info = stage.info(kernel)
        make = functools.partial(sample_arguments, info, SampleOptions(groups))
        try:
            kernel_check.reference(module, info, groups)(args=make())
        except tt.errors.InterpreterError:
            continue
        count += 1
        found = stage.check(kernel, make(), groups, seed=seed)
        if found:
            head = f"{kernel} of {name} for {target}, {abi}:"
            failures.append("\n".join([head, *map(str, found)]))
    return count, failures
