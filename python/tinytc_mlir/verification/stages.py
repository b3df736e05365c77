# SPDX-License-Identifier: BSD-3-Clause
"""Stages of the compiler compute the same polynomials: runs at random points of finite fields."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence

import numpy as np

from ..certificates import Claim, Outcome
from ..errors import InterpreterError, LoweringError
from ..gpu_stage import Finding, GpuStage, Kind, TooManyIterationsError, limited_iterations
from ..reference import interpret
from ..reference.arithmetic import NUMPY, Arithmetic
from ..reference.rounding import Array
from ..runtime.kernel_info import ScalarArgument
from ..scalars import ScalarType
from .data import (
    Arguments,
    changed,
    copy_nan,
    different,
    integers,
    is_number,
    spread,
    type_of,
)
from .dependence import depending_on_data
from .exactness import NO_SQUARES, Subject
from .residues import Residues
from .unshown import Unshown

ERROR = 1e-15
"""The probability of an error that verification allows."""

_NARROW = (65519, 65479, 65447, 65423, 65419, 65407, 65371, 65327, 65323, 65287, 65267, 65239)
_WIDE_BITS = 31
_FEW = 4
_INTEGER_RUNS, _LARGEST_INTEGER = 4, 9
PREPARED, GPU = "language, after the target's choices", "gpu stage"
LINALG = "linalg stage, as loops"
_MOST_FLOPS = 20000
"""Of a launch whose linalg stage is run, since all work-items compute all elements."""
_MOST_ITERATIONS = 10000
"""Of loops of the linalg stage; operations are not known where sizes of loops are not."""


@dataclasses.dataclass(frozen=True)
class Point:
    """A point of a field at which a kernel runs.

    Args:
        prime: the field.
        seed: of the arguments.
        zeros: parameters that are 0 there; arrays that are written have NaN in them then.
        has_equals: whether all numbers are among few, so that comparisons meet equal ones.
    """

    prime: int
    seed: int
    zeros: tuple[str, ...] = ()
    has_equals: bool = False


def primes(subject: Subject, degree: float, seed: int) -> tuple[int, ...]:
    """Return random primes, as many as the error requires; none if the degree is too high.

    Args:
        subject: the kernel.
        degree: of its results.
        seed: of the choice.
    """
    info = subject.info
    least = float(_NARROW[-1] if subject.is_narrow else 2 ** (_WIDE_BITS - 1))
    for argument in info.arguments:
        if isinstance(argument, ScalarArgument) and is_number(type_of(argument)):
            least = min(least, spread(type_of(argument)))
    count = runs_for(degree / least)
    if count > len(_NARROW):
        return ()
    rng = np.random.default_rng(seed)
    if subject.is_narrow:
        return tuple(int(each) for each in rng.permutation(_NARROW)[:count])
    found: list[int] = []
    while len(found) < count:
        candidate = int(rng.integers(2 ** (_WIDE_BITS - 1), 2**_WIDE_BITS - 8)) | 3
        if candidate not in found and _is_prime(candidate):
            found.append(candidate)
    return tuple(found)


def runs_for(share: float) -> int:
    """Return how many runs, of which each errs with a probability, err all with at most `ERROR`.

    >>> runs_for(3 / 2**30)
    2
    """
    return max(2, math.ceil(math.log(ERROR) / math.log(share))) if share < 0.9 else 10**6


def _is_prime(number: int) -> bool:
    """Test a number below 2^32 (Miller and Rabin, with the bases that suffice there)."""
    odd, power = number - 1, 0
    while odd % 2 == 0:
        odd, power = odd // 2, power + 1
    for base in (2, 7, 61):
        if base % number == 0:
            continue
        value = pow(base, odd, number)
        if value in (1, number - 1):
            continue
        for _ in range(power - 1):
            value = value * value % number
            if value == number - 1:
                break
        else:
            return False
    return True


class Comparison:
    """Runs a kernel as written and after stages of the compiler.

    Args:
        subject: the kernel and arguments.
        stage: what the compiler has made of it.
        seed: of the points.
    """

    def __init__(self, subject: Subject, stage: GpuStage, seed: int) -> None:
        self._subject, self._stage, self._seed = subject, stage, seed
        self.primes: tuple[int, ...] = ()
        self._findings: list[Finding] = []
        self._loops = self._linalg()
        self._different: dict[str, str] = {}
        self._unshown: dict[str, str] = {}

    def claims(self) -> Iterator[Claim]:
        """Compare, and say what holds."""
        try:
            claims = list(self._claims())
        except TooManyIterationsError:
            self._loops = None
            self._different, self._unshown, self._findings = {}, {}, []
            claims = list(self._claims())
        yield from claims

    def _claims(self) -> Iterator[Claim]:
        if self._subject.lacks_squares:
            yield from self._on_integers(NO_SQUARES)
            return
        is_proof = True
        try:
            runs = [None, self._run_stage, *([self._run_loops] if self._loops else [])]
            degree = max(map(self._subject.degree, runs))
            of = f"degree at most {math.floor(degree)}"
            self.primes = primes(self._subject, degree, self._seed)
        except Unshown as unshown:
            of = f"degree not known, because {unshown.reason}"
        if not self.primes:
            is_proof, self.primes = False, primes(self._subject, 1.0, self._seed)
        try:
            for point in self._points():
                self._run(point)
        except Unshown as unshown:
            yield from self._on_integers(unshown.reason)
            return
        how = f"equal at {len(self.primes)} random points of fields, {of}"
        if self._subject.integers:
            is_proof, how = False, f"{how}, for one value of {self._integers}"
        outcome = Outcome.SHOWN if is_proof else Outcome.TESTED
        prepared = [] if self._subject.info.checks else [PREPARED]
        for name in (*prepared, *([LINALG] if self._loops else []), GPU):
            if name in self._different and self._subject.folds:
                text = "it computes with constants, which the compiler rounds and fields do not"
                yield Claim("stages", name, Outcome.UNSHOWN, text)
            elif name in self._different:
                yield Claim("stages", name, Outcome.WRONG, self._different[name])
            elif name in self._unshown:
                yield Claim("stages", name, Outcome.UNSHOWN, self._unshown[name])
            else:
                yield Claim("stages", name, outcome, how)
        yield self._accesses()

    def _on_integers(self, reason: str) -> Iterator[Claim]:
        """Compare on small integers, where fields have no part, if these are exact."""
        yield Claim("stages", PREPARED, Outcome.UNSHOWN, reason)
        try:
            is_exact = self._subject.is_exact(_LARGEST_INTEGER)
        except Unshown:
            is_exact = False
        problem = ""
        for seed in range(self._seed, self._seed + _INTEGER_RUNS):
            texts = self._differences_on_integers(seed)
            if texts:
                problem = f"{' and '.join(texts)} differ for small integers, seed {seed}"
        if not is_exact:
            yield Claim("stages", GPU, Outcome.UNSHOWN, reason)
        elif problem:
            yield Claim("stages", GPU, Outcome.WRONG, problem)
        else:
            text = f"equal in {_INTEGER_RUNS} runs on small integers alone, because {reason}"
            yield Claim("stages", GPU, Outcome.TESTED, text)
        yield self._accesses()

    def _differences_on_integers(self, seed: int) -> list[str]:
        info, values = self._subject.info, self._subject.values
        expected, actual = (integers(info, values, seed, _LARGEST_INTEGER) for _ in range(2))
        self._subject.run(expected)
        self._run_stage(actual, NUMPY)
        return different(expected, actual, info)

    def _linalg(self) -> GpuStage | None:
        """Return the linalg stage in a form that runs; None if the gpu stage has to stand for it.

        It is what the gpu stage is made of, and tells which step of the compiler is wrong.
        """
        flops = self._subject.info.flops_per_group
        if flops is not None and flops * math.prod(self._subject.groups) > _MOST_FLOPS:
            return None
        try:
            found = self._stage.by_loops()
        except LoweringError:
            return None
        return None if isinstance(found, str) else found

    def _run_stage(self, values: Arguments, numbers: Arithmetic) -> None:
        """Run the gpu stage on arguments, in place."""
        stage = self._stage.using(numbers)
        self._findings += stage.check(self._subject.info.name, values, self._subject.groups)

    def _run_loops(self, values: Arguments, numbers: Arithmetic) -> None:
        """Run the linalg stage, in which all work-items compute all elements, on arguments."""
        assert self._loops is not None
        name, groups = self._subject.info.name, self._subject.groups
        with limited_iterations(_MOST_ITERATIONS):
            findings = self._loops.using(numbers).check(name, values, groups)
        self._findings += [each for each in findings if each.kind is Kind.BOUNDS]

    @property
    def _scalars(self) -> bool:
        """Whether the kernel gets integers or truth values."""
        return any(
            isinstance(each, ScalarArgument) and not is_number(type_of(each))
            for each in self._subject.info.arguments
        )

    @property
    def _integers(self) -> str:
        return ", ".join(self._subject.integers)

    def _points(self) -> Iterator[Point]:
        """Yield random points, and one with each scalar being 0."""
        for number, prime in enumerate(self.primes):
            yield Point(prime, self._seed + number)
        yield Point(self.primes[0], self._seed, has_equals=True)
        scalars: list[str] = []
        for argument in self._subject.info.arguments:
            if isinstance(argument, ScalarArgument) and is_number(type_of(argument)):
                scalars.append(argument.name)
        for name in scalars:
            yield Point(self.primes[0], self._seed, (name,))
        if len(scalars) > 1:
            yield Point(self.primes[0], self._seed, tuple(scalars))

    def arguments(self, point: Point) -> Arguments:
        """Return the arguments of a point."""
        info = self._subject.info
        limit = _FEW if point.has_equals else None
        values = self._subject.point(point.prime, point.seed, limit)
        if not point.zeros:
            return values
        rng, written = np.random.default_rng(point.seed), {e.name for e in self._subject.written}
        numbers = Residues(point.prime)

        def spoil(name: str, scalar_type: ScalarType, member: Array) -> None:
            nan = np.asarray(numbers.to_memory(scalar_type, numbers.constant(scalar_type, np.nan)))
            if name in written:
                member[...] = np.where(rng.random(member.shape) < 0.1, nan, member)

        return changed(
            info, values, spoil, lambda name, _: 0.0 if name in point.zeros else values[name]
        )

    def _run(self, point: Point) -> None:
        """Run all stages at a point, and note what differs."""
        numbers = Residues(point.prime)
        expected = self._subject.run(self.arguments(point), numbers)
        if not self._subject.info.checks:  # for debug builds, the gpu stage stands for it
            self._run_prepared(self.arguments(point), numbers, expected, point)
        if self._loops is not None:
            actual = self.arguments(point)
            self._run_loops(actual, numbers)
            self._compare(LINALG, expected, actual, point, numbers)
        actual = self.arguments(point)
        self._run_stage(actual, numbers)
        self._compare(GPU, expected, actual, point, numbers)

    def _run_prepared(
        self, actual: Arguments, numbers: Residues, expected: Arguments, point: Point
    ) -> None:
        """Run the program of the language that the compiler has changed."""
        info, counts = self._subject.info, list(self._subject.groups)
        if self._stage.takes_count(info.name):
            actual[f"arg{len(info.arguments)}"] = counts[0]
            counts[0] = -(-counts[0] // info.groups_per_work_group)
        try:
            interpret(self._stage.prepared, info.name, actual, counts, arithmetic=numbers)
        except InterpreterError as error:
            self._unshown[PREPARED] = f"the interpreter says: {error.diagnostics[0].message}"
            return
        self._compare(PREPARED, expected, actual, point, numbers)

    def _compare(
        self, name: str, expected: Arguments, actual: Arguments, point: Point, numbers: Residues
    ) -> None:
        """Note what differs, where the kernel as written has numbers."""
        if point.zeros or self._subject.needs_definite:
            copy_nan(self._subject.info, expected, actual, numbers)
        texts = different(expected, actual)
        if texts:
            zeros = "".join(f", {each} = 0" for each in point.zeros)
            place = f"modulo {point.prime}, seed {point.seed}{zeros}"
            self._different.setdefault(name, f"{' and '.join(texts)} differ {place}")

    def _accesses(self) -> Claim:
        """Say what runs show of bounds, races and memory that nobody wrote."""
        subject = "accesses and races"
        if self._findings:
            text = str(self._findings[0].diagnostic).splitlines()[0]
            return Claim("accesses", subject, Outcome.WRONG, text)
        name, values = self._subject.info.name, self._subject.values
        sizes = self._stage.pointers_to_sizes(name, values, self._subject.groups)
        found = depending_on_data(self._stage.function(name), sizes)
        if found:
            text = f"none for these data, but {_listed(found)} depends on data"
            return Claim("accesses", subject, Outcome.TESTED, text)
        these = f" and values of {self._integers}" if self._scalars else ""
        text = f"in bounds, without races, for all data of these sizes{these}"
        return Claim("accesses", subject, Outcome.SHOWN, text)


def _listed(found: Sequence[str]) -> str:
    more = len(found) - 1
    return found[0] + (f" (and {more} more)" if more else "")
