# SPDX-License-Identifier: BSD-3-Clause
"""Derivatives without tolerance: w (J v) = (J^T w) v in a field, and J v by jets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..certificates import Claim, Outcome
from ..errors import ArgumentError, InterpreterError, LoweringError
from ..measure.comparison import copied, members_of
from ..reference.arithmetic import Arithmetic
from ..reference.rounding import Array
from ..runtime.kernel_info import Argument, ScalarArgument
from ..scalars import ScalarType
from .data import Arguments, residues, type_of
from .exactness import NO_SQUARES, Subject
from .jets import PRIMES, Jets
from .residues import Residues
from .stages import primes, runs_for
from .unshown import Unshown

if TYPE_CHECKING:
    from ..compiler import Module
    from ..compiler.derivative import Derivative

_NONE = np.zeros(0, np.int64)  # of an empty group
_REVERSE, _FORWARD = "vjp against jvp", "jvp against jets"


class Derivatives:
    """The forward and the reverse derivative of a kernel.

    Args:
        module: the program.
        subject: the kernel and arguments.
        seed: of the random numbers.

    Raises:
        LoweringError: an instruction has no derivative.
    """

    def __init__(self, module: Module, subject: Subject, seed: int) -> None:
        name = subject.info.name
        self._subject, self._seed = subject, seed
        self._forward = module.jvp(name)
        self._reverse = module.vjp(name, atomic=True, buffers=False)
        self._arguments = {each.name: each for each in subject.info.arguments}

    def claims(self) -> Iterator[Claim]:
        """Compare, and say what holds."""
        for subject, check in ((_REVERSE, self._transposes), (_FORWARD, self._jets)):
            try:
                runs, difference, degree = check()
            except Unshown as unshown:
                yield Claim("derivatives", subject, Outcome.UNSHOWN, unshown.reason)
                continue
            if difference:
                outcome = Outcome.UNSHOWN if self._subject.folds else Outcome.WRONG
                yield Claim("derivatives", subject, outcome, difference)
                continue
            is_proof = runs and degree and not self._subject.integers
            text = f"equal at {runs} random points of fields"
            if subject == _FORWARD and self._scalars:
                text += f", along arrays, not along {', '.join(self._scalars)}"
            outcome = Outcome.SHOWN if is_proof else Outcome.TESTED
            yield Claim("derivatives", subject, outcome, text)

    @property
    def _scalars(self) -> list[str]:
        """The scalars that the kernel is differentiated by."""
        names = (parameter.of for parameter in self._forward.parameters)
        return [name for name in names if isinstance(self._arguments[name], ScalarArgument)]

    def _degree(self) -> float:
        """Return the degree of results and of their derivatives with directions."""
        return self._subject.degree() + 1

    def _transposes(self) -> tuple[int, str, bool]:
        found = self._primes()
        for number, prime in enumerate(found or primes(self._subject, 1.0, self._seed)):
            left, right = self._products(prime, self._seed + number)
            if left != right:
                self._check_numbers(prime, self._seed + number)
                text = f"w (J v) = {left}, (J^T w) v = {right} modulo {prime}"
                return number, f"{text}, seed {self._seed + number}", True
        return len(found) or 2, "", bool(found)

    def _check_numbers(self, prime: int, seed: int) -> None:
        """Fail at a point where the kernel takes roots of what is no square, or has no results.

        Rules of derivatives hold for roots whose squares are their operands.
        """
        numbers = Residues(prime)
        is_defined = self._subject.has_numbers(self._subject.point(prime, seed), numbers)
        if numbers.has_roots_of_negatives or not is_defined:
            raise Unshown(NO_SQUARES)

    def _primes(self) -> tuple[int, ...]:
        """Return primes for the degree of a product with both directions; none if not known."""
        try:
            return primes(self._subject, self._degree() + 1, self._seed)
        except Unshown:
            return ()

    def _products(self, prime: int, seed: int) -> tuple[int, int]:
        """Return w (J v) and (J^T w) v at a random point."""
        values = self._subject.point(prime, seed)
        v, w = (self._directions(self._forward, prime, seed + k) for k in (1000, 2000))
        numbers = Residues(prime)
        after = self._run(self._forward, values, v, numbers)
        before = self._run(self._reverse, values, w, numbers)
        left, right = 0, 0
        for parameter in self._forward.parameters:
            of = parameter.of
            left += self._dot(of, after[of], w[of], numbers)
            right += self._dot(of, before[of], v[of], numbers)
        return left % prime, right % prime

    def _jets(self) -> tuple[int, str, bool]:
        """Compare J v with the derivative of the kernel itself on jets."""
        if self._subject.is_narrow:
            raise Unshown("jets need types of 32 bits or more")
        try:
            count = runs_for(self._degree() / PRIMES[-1])
        except Unshown:
            count = len(PRIMES) + 1
        for number, prime in enumerate(PRIMES[:count]):
            difference = self._jets_at(prime, self._seed + number)
            if difference:
                self._check_numbers(prime, self._seed + number)
                return number, f"{difference} modulo {prime}, seed {self._seed + number}", True
        return min(count, len(PRIMES)), "", count <= len(PRIMES)

    def _jets_at(self, prime: int, seed: int) -> str:
        """Return what differs at a random point; scalars have a tangent of 0."""
        values = self._subject.point(prime, seed)
        v = self._directions(self._forward, prime, seed + 1000)
        arrays = [name for name in v if not isinstance(self._arguments[name], ScalarArgument)]
        v |= {name: 0.0 for name in v if name not in arrays}
        tangents = self._run(self._forward, values, v, Residues(prime))
        after, moved = (
            self._subject.run(self._raised(values, v, scale), Jets(prime)) for scale in (0, prime)
        )
        for name in arrays:
            base, end, expected = (
                np.concatenate(
                    [_NONE, *(self._parts(name, each) for each in members_of(found[name]))]
                )
                for found in (after, moved, tangents)
            )
            wrong = np.count_nonzero((end - base) // prime % prime != expected % prime)
            if wrong:
                return f"{wrong} elements of the tangent of {name} differ"
        return ""

    def _raised(self, values: Arguments, v: Mapping[str, Any], scale: int) -> Arguments:
        """Return x + p v, or x for a scale of 0."""
        result = {name: copied(value) for name, value in values.items()}
        for name, direction in v.items():
            argument = self._arguments[name]
            if isinstance(argument, ScalarArgument):
                continue
            for member, change in zip(members_of(result[name]), members_of(direction), strict=True):
                bits, slopes = (_bits(type_of(argument), each) for each in (member, change))
                total = bits.astype(np.int64) + scale * slopes.astype(np.int64)
                _set_bits(type_of(argument), member, total)
        return result

    def _directions(self, derivative: Derivative, prime: int, seed: int) -> dict[str, Any]:
        """Return random tangents or adjoints, by the kernel's parameters."""
        drawn = residues(self._subject.info, self._subject.values, seed, prime)
        return {parameter.of: drawn[parameter.of] for parameter in derivative.parameters}

    def _run(
        self,
        derivative: Derivative,
        values: Arguments,
        directions: Mapping[str, Any],
        numbers: Arithmetic,
    ) -> dict[str, Any]:
        """Run a derivative, and return the tangents or adjoints after it."""
        given = {name: copied(value) for name, value in values.items()}
        after = {}
        for parameter in derivative.parameters:
            value = copied(directions[parameter.of])
            argument = self._arguments[parameter.of]
            if isinstance(argument, ScalarArgument) and derivative is self._reverse:
                value = _array_of(argument, value, numbers)
            given[parameter.name] = after[parameter.of] = value
        module: Any = derivative.module
        self._subject.interpret(module, derivative.name, given, numbers)
        return after

    def _dot(self, name: str, a: Any, b: Any, numbers: Residues) -> int:  # noqa: ANN401
        """Return the sum of the products of numbers, of which complex ones have a real part."""
        total, scalar_type = 0, type_of(self._arguments[name])
        sign = -1 if scalar_type.kind == "complex" else 1
        for one, other in zip(members_of(a), members_of(b), strict=True):
            x, y = (self._values(self._arguments[name], each, numbers) for each in (one, other))
            products = x.astype(object) * y.astype(object)
            total += int(products[..., 0].sum())
            total += sign * int(products[..., 1].sum()) if products.shape[-1] == 2 else 0
        return total

    @staticmethod
    def _values(argument: Argument, value: Any, numbers: Residues) -> Array:  # noqa: ANN401
        """Return the residues of an array or number, with a last mode for the parts."""
        if isinstance(argument, ScalarArgument) and not isinstance(value, np.ndarray):
            value = _array_of(argument, value, numbers)
        return _bits(type_of(argument), value).astype(np.int64)

    def _parts(self, name: str, member: Array) -> Array:
        return _bits(type_of(self._arguments[name]), member).astype(np.int64).ravel()


def claims(module: Module, subject: Subject, seed: int) -> list[Claim]:
    """Return what holds of the derivatives of a kernel."""
    try:
        return list(Derivatives(module, subject, seed).claims())
    except (LoweringError, InterpreterError, ArgumentError) as error:
        text = str(error).splitlines()[0]
        return [Claim("derivatives", _REVERSE, Outcome.UNSHOWN, text)]


def _array_of(argument: Argument, value: Any, numbers: Arithmetic) -> Array:  # noqa: ANN401
    scalar_type = type_of(argument)
    stored = numbers.to_memory(scalar_type, numbers.constant(scalar_type, value))
    return np.array(stored, scalar_type.dtype)


def _bits(scalar_type: ScalarType, values: Array) -> Array:
    """Return the bits of numbers, with a last mode for the parts of complex ones."""
    values = np.ascontiguousarray(values)
    return values[..., None].view(f"u{scalar_type.real.size_bytes}")


def _set_bits(scalar_type: ScalarType, values: Array, bits: Array) -> None:
    stored = np.ascontiguousarray(bits.astype(f"u{scalar_type.real.size_bytes}"))
    values[...] = stored.view(values.dtype)[..., 0]
