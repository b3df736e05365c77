"""Random kernels on the device and in the reference interpreter.

Their numbers are small, so that most sums are exact and device and reference agree bit for bit.
Where they do not, the reference runs again on numbers that are slightly off: what a device may
round differently is bounded by what that changes.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from unittest import mock

import numpy as np

import tinytc_mlir as tt
from cases.case import Case, halves, parse
from cases.kernel_instructions import CHOICES
from cases.kernel_maker import KernelMaker
from cases.memory import Memory, described, difference, is_same
from cases.rounding_bounds import certified_bounds
from interpreting import COMPLEX, INTEGERS
from tinytc_mlir.reference import arithmetic, interpret
from tinytc_mlir.reference.memory import Storage
from tinytc_mlir.runtime.kernel_info import KernelInfo
from tinytc_mlir.scalars import SCALAR_TYPES, ScalarType

Run = Callable[..., None]

_RUNS = 3
# The change of each number that is read, and the result's own roundings, in units of its type.
_CHANGE = 2
_ROUNDINGS = 4
# The errors of scalar instructions, in the same units; those of native ones are the
# implementation's.
_FUNCTIONS = ("cos", "exp", "exp2", "log", "log2", "sin")
_OTHER_FUNCTIONS = ("expm1", "hypot", "log1p", "pow", "rsqrt", "sqrt", "tanh")
_ERRORS = {
    **dict.fromkeys((*_FUNCTIONS, *_OTHER_FUNCTIONS), 2.0),
    "fma": 1.0,
    **{f"native_{word}": 2.0**13 for word in _FUNCTIONS},
    "div": 2.0,
    "abs": 2.0,
    "mul": 1.0,
}
# How much more a device may change than the runs have shown.
_MARGIN = 16


@dataclasses.dataclass
class Count:
    """What became of kernels.

    Args:
        equal: as in the reference, bit for bit or within the tolerance of a case.
        rounded: different by no more than rounding explains.
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
    message = difference(expected, actual, case.tolerance)
    if not message:
        count.equal += 1
    elif case.may_round:
        message = beyond_rounding(case, expected, actual, run)
        count.rounded += not message
    return message


def beyond_rounding(case: Case, expected: Memory, actual: Memory, run: Run) -> str:
    """Return where two runs differ by more than rounding explains; empty if nowhere.

    Args:
        case: the kernel.
        expected: arguments after the run of the reference.
        actual: arguments after the other run.
        run: runs the reference, given `args`.
    """
    allowed = bounds(case, expected, run)
    for (name, _, right), (_, _, left), bound in zip(
        expected.arrays(), actual.arrays(), allowed, strict=True
    ):
        with np.errstate(all="ignore"):
            # A bound that is not a number is that of an element that overflows.
            same = is_same(left, right) | ~(_distance(left, right) > bound)
        if not same.all():
            return f"%{name}: {described(left, right, same)}"
    return ""


def _distance(a: Any, b: Any) -> Any:
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    return np.abs(np.asarray(a, wide) - np.asarray(b, wide))


def bounds(case: Case, expected: Memory, run: Run) -> list[Any]:
    """Return by how much the elements of each array may differ: what is certified, if anything."""
    return certified_bounds(case, run) or _spread(case, expected, run)


def _spread(case: Case, expected: Memory, run: Run) -> list[Any]:
    """Return by how much the elements of each array may differ, from a few more runs."""
    arrays = list(expected.arrays())
    spread = [np.zeros(values.shape) for _, _, values in arrays]
    for seed in range(_RUNS):
        other = Memory(case.parameters, np.copy)
        with _changed_numbers(np.random.default_rng(seed)):
            try:
                run(args=other.arguments)
            except tt.errors.InterpreterError:
                # The change decides whether the kernel is defined.
                return [np.full(values.shape, np.inf) for _, _, values in arrays]
        with np.errstate(all="ignore"):
            for bound, (_, _, values), (_, _, others) in zip(
                spread, arrays, other.arrays(), strict=True
            ):
                np.maximum(bound, _distance(others, values), out=bound)
    with np.errstate(all="ignore"):
        return [
            _MARGIN * bound + _ROUNDINGS * _epsilon(type_) * np.abs(values.astype(complex))
            for bound, (_, type_, values) in zip(spread, arrays, strict=True)
        ]


def _epsilon(type_: str) -> float:
    scalar_type = SCALAR_TYPES[type_]
    return float(scalar_type.epsilon) if scalar_type.precision else 0.0


@contextlib.contextmanager
def _changed_numbers(rng: np.random.Generator) -> Iterator[None]:
    """Change every number with a fraction that a kernel reads from memory a little."""
    read = Storage.read

    def changed(storage: Storage, *args: Any, **options: Any) -> Any:
        values = read(storage, *args, **options)
        type_ = storage.scalar_type.name
        if type_ in INTEGERS:
            return values
        change = _CHANGE * _epsilon(type_) * rng.uniform(-1, 1, values.shape)
        if type_ in COMPLEX:
            change = change + 1j * _CHANGE * _epsilon(type_) * rng.uniform(-1, 1, values.shape)
        return (values * (1 + change)).astype(values.dtype)

    unary, binary = arithmetic.unary, arithmetic.binary
    with (
        mock.patch.object(Storage, "read", changed),
        mock.patch.object(arithmetic, "unary", lambda *a: _inexact(rng, *a, unary(*a))),
        mock.patch.object(arithmetic, "binary", lambda *a: _inexact(rng, *a, binary(*a))),
    ):
        yield


def _inexact(rng: np.random.Generator, word: str, scalar_type: ScalarType, exact: Any) -> Any:
    """Return a function with the error that a device may make."""
    if word not in _ERRORS or not scalar_type.precision:
        return exact
    error = _ERRORS[word] * _epsilon(scalar_type.name)

    def function(*operands: Any) -> Any:
        values = np.asarray(exact(*operands))
        return (values * (1 + rng.uniform(-error, error, values.shape))).astype(values.dtype)[()]

    return function
