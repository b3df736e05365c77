"""Kernels of the device tests on emulated GPUs, compared with the reference interpreter."""

import random

import numpy as np

import tinytc_mlir as tt
from cases import kernel_check
from cases.case import halves, parse
from cases.compiled_cases import fitting
from cases.memory import GUARD, Buffer, Memory
from cases.rounding_bounds import disagreement
from tinytc_mlir.compiler import ABIS
from tinytc_mlir.emulators.findings import FINDINGS


class DeviceArguments:
    """The arguments of one launch, on arrays of the emulated device.

    Memory ends where the elements of an array end.

    Args:
        memory: the arguments on the host, to which `finish` copies back.
        parameters: those of a case.
        shift: elements between an aligned address and the arrays.
        machine: makes the arrays.
    """

    def __init__(self, memory, parameters, shift, machine):
        self.values, self._arrays = {}, []
        for name, (_, value) in parameters.items():
            members = [
                _device_array(machine, buffer, data, shift)
                for buffer, data in zip(memory.buffers[name], memory.data[name], strict=True)
            ]
            self._arrays += members
            self.values[name] = value
            if isinstance(value, Buffer):
                (self.values[name],) = members
            elif members:
                self.values[name] = tt.Group(members, value[1], value[2])

    def finish(self):
        """Copy the arrays back, and free them."""
        for array in self._arrays:
            array.finish()


def _device_array(machine, buffer, data, shift):
    extent = 1 + sum((n - 1) * step for n, step in zip(buffer.shape, buffer.stride, strict=True))
    count = 0 if 0 in buffer.shape else extent
    elements = data[GUARD : GUARD + count]
    return machine.array(elements, buffer.shape, buffer.stride, shift * data.itemsize)


def run_cases(cases, machine, rng, batch=10, compile_=None):
    """Run cases, many kernels in a module; returns what is wrong, and the number of launches.

    Args:
        cases: the cases.
        machine: what runs them.
        rng: chooses the ABI of a module, and places of arrays.
        batch: number of kernels of a module.
        compile_: makes a program of a module and an ABI, instead of the compiler.
    """
    chosen = [case for case in (fitting(case, machine.target) for case in cases) if case]
    failures, launches = [], 0

    def build(some):
        module = parse(some)
        abi = rng.choice(ABIS)
        if compile_ is not None:
            return module, compile_(module, abi)
        return module, module.compile(machine.target, abi=abi)

    for first in range(0, len(chosen), batch):
        for some, (module, program) in halves(chosen[first : first + batch], build, failures):
            for number, case in enumerate(some):
                found, count = _run_case(case, module, program, f"k{number}", machine, rng)
                failures += found
                launches += count
    return failures, launches


def _run_case(case, module, program, name, machine, rng):
    info = program.kernels[name]
    run = kernel_check.reference(module, info, case.groups)
    expected = Memory(case.parameters, np.copy)
    try:
        run(args=expected.arguments)
    except tt.errors.InterpreterError:
        return [], 0  # a random kernel that leaves something undefined
    kernel, failures = program[name], []
    shifts = machine.shifts(info, rng)
    for shift in shifts:
        message = _launch(kernel, case, expected, shift, run, machine)
        if message:
            failures.append(f"{case.name} {case.attributes}, shift {shift}: {message}")
            failures.append(case.text("f"))
    return failures, len(shifts)


def _launch(kernel, case, expected, shift, run, machine):
    """Return what is wrong with one launch; empty if nothing is, or if it takes too long."""
    actual = Memory(case.parameters, np.copy)
    arguments = DeviceArguments(actual, case.parameters, shift, machine)
    FINDINGS.start()
    kernel(arguments.values, groups=case.groups)
    arguments.finish()
    if "TooLong" in FINDINGS.by_kind:
        FINDINGS.counts["too long"] += 1
        return ""
    message = disagreement(case, expected, actual, run)
    return "; ".join([*([message] if message else []), *FINDINGS.serious()])


def sample(cases, count, seed):
    """Return some of many cases, the same ones in every run."""
    cases = list(cases)
    return random.Random(seed).sample(cases, min(count, len(cases)))
