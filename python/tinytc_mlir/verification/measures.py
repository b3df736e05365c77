# SPDX-License-Identifier: BSD-3-Clause
"""Bounds that a kernel computes of its own results: degrees, roundings, sizes of numbers.

A kernel runs on bounds in place of numbers. Each bound holds for whatever order of sums the
compiler chooses. Memory holds bounds as numbers of the type, rounded up.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..reference.arithmetic import Binary, Unary
from ..reference.rounding import Array
from ..reference.untyped import Value
from ..scalars import ScalarType
from .substitute import Substitute
from .unshown import Unshown

_SAME_BOUND = frozenset({"neg", "conj", "re", "im"})
_OF_SIGNS = frozenset({"abs", "sqrt", "rsqrt", "hypot", "copysign"})
_EXTREMA = frozenset({"min", "max", "minimum", "maximum"})


class Measure(Substitute):
    """Bounds in place of floating-point and complex numbers; integers stay as they are.

    A complex number has one bound, which is that of both parts.
    """

    zero: float
    """The bound of the number 0."""
    has_sizes = True
    """Whether a number and its absolute value have the same bound."""
    has_integers = False
    """Whether numbers are integers, so that casts to integers are exact."""

    def of_number(self, number: float) -> float:
        """Return the bound of a constant that is not 0."""
        raise NotImplementedError

    def of_parts(self, bounds: Sequence[float]) -> float:
        """Return the bound that holds for all parts of a number that are not 0."""
        return max(bounds, default=self.zero)

    def add(self, scalar_type: ScalarType, a: Array, b: Array) -> Array:
        """Return the bounds of sums and differences."""
        raise NotImplementedError

    def multiply(self, scalar_type: ScalarType, a: Array, b: Array) -> Array:
        """Return the bounds of products."""
        raise NotImplementedError

    def divide(self, scalar_type: ScalarType, a: Array, b: Array) -> Array:
        """Return the bounds of quotients."""
        raise NotImplementedError

    def function(self, word: str, scalar_type: ScalarType, *operands: Array) -> Array:
        """Return the bounds of other functions."""
        raise NotImplementedError

    def rounded(self, scalar_type: ScalarType, a: Array) -> Array:
        """Return the bounds of numbers that are rounded to a type."""
        return a

    def total(self, scalar_type: ScalarType, terms: Array, axis: int) -> Array:
        """Return the bounds of sums along a mode."""
        rows = np.moveaxis(terms, axis, 0)
        none = np.full(rows.shape[1:], self.zero)
        return functools.reduce(functools.partial(self.add, scalar_type), rows, none)

    # The interface of interpreters.

    def value_dtype(self, scalar_type: ScalarType) -> np.dtype[Any]:
        """Return float64 for bounds, complex128 for those of complex numbers."""
        if self.is_plain(scalar_type):
            return scalar_type.value_dtype
        return np.dtype(np.complex128 if scalar_type.kind == "complex" else np.float64)

    def constant(self, scalar_type: ScalarType, number: complex) -> Value:
        """Return the bound of a number; infinities and NaN have that of 0."""
        if self.is_plain(scalar_type):
            return super().constant(scalar_type, number)
        parts = [float(np.real(number)), float(np.imag(number))]
        bounds = [self.of_number(part) for part in parts if part and np.isfinite(part)]
        return _as_type(scalar_type, np.array(self.of_parts(bounds)))

    def is_zero(self, scalar_type: ScalarType, values: Value) -> Value:
        """Return which numbers are known to be 0."""
        if self.is_plain(scalar_type):
            return super().is_zero(scalar_type, values)
        return np.real(values) == self.zero

    def from_memory(self, scalar_type: ScalarType, stored: Value) -> Value:
        """Return the bounds that elements hold."""
        if self.is_plain(scalar_type):
            return super().from_memory(scalar_type, stored)
        values = np.asarray(scalar_type.from_memory(np.asarray(stored)))
        return values.astype(self.value_dtype(scalar_type))[()]

    def to_memory(self, scalar_type: ScalarType, values: Value) -> Value:
        """Return elements that hold bounds, which become larger where the type requires it."""
        if self.is_plain(scalar_type):
            return super().to_memory(scalar_type, values)
        bounds = np.asarray(values).real.astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            larger = bounds + bounds * scalar_type.epsilon
            held = np.asarray(scalar_type.real.to_memory(bounds.astype(_held(scalar_type))))
            is_less = np.abs(np.asarray(scalar_type.real.from_memory(held))) < np.abs(bounds)
            bounds = np.where(is_less, larger, bounds)
            part = np.asarray(scalar_type.real.to_memory(bounds.astype(_held(scalar_type))))
        if scalar_type.kind == "complex":
            return _doubled(part.astype(np.float64)).astype(scalar_type.dtype)[()]
        return part[()]

    def binary(self, word: str, scalar_type: ScalarType) -> Binary:
        """Return an operation of two numbers."""
        if self.is_plain(scalar_type):
            return super().binary(word, scalar_type)
        functions = {
            "add": self.add,
            "sub": self.add,
            "mul": self.multiply,
            "div": self.divide,
        }
        compute = functions.get(word) or functools.partial(self.function, word)
        return _on_bounds(scalar_type, functools.partial(compute, scalar_type))

    def unary(self, word: str, scalar_type: ScalarType) -> Unary:
        """Return a function of one number."""
        if self.is_plain(scalar_type):
            return super().unary(word, scalar_type)
        result = scalar_type.real if word in ("re", "im", "abs") else scalar_type
        is_size = word == "abs" and scalar_type.kind != "complex" and self.has_sizes
        if is_size or word in _SAME_BOUND:
            return _on_bounds(result, lambda a: a)
        word = word.removeprefix("native_")
        return _on_bounds(result, functools.partial(self.function, word, scalar_type))

    def of_several(self, word: str, scalar_type: ScalarType) -> Callable[..., Value]:
        """Return a function of several numbers."""
        if self.is_plain(scalar_type):
            return super().of_several(word, scalar_type)
        if word == "fma":
            return _on_bounds(
                scalar_type,
                lambda a, b, c: self.add(scalar_type, self.multiply(scalar_type, a, b), c),
            )
        return _on_bounds(scalar_type, functools.partial(self.function, word, scalar_type))

    def compare(self, word: str, scalar_type: ScalarType) -> Binary:
        """Return a comparison of integers."""
        if self.is_plain(scalar_type):
            return super().compare(word, scalar_type)
        raise Unshown("it compares numbers")

    def is_nan(self, values: Value) -> Value:
        """Return false: bounds are for numbers."""
        return np.zeros_like(np.real(values), bool)

    def cast(self, source: ScalarType, result: ScalarType) -> Unary:
        """Return a conversion."""
        if self.is_plain(result):
            if self.is_plain(source):
                return super().cast(source, result)
            if not self.has_integers:
                raise Unshown("it makes integers of computed numbers")
            return lambda a: np.zeros(np.shape(a), result.value_dtype)[()]
        if self.is_plain(source):
            bound = lambda a: self.of_number(float(a)) if a else self.zero  # noqa: E731
            one = np.vectorize(bound, otypes=[np.float64])
            return lambda a: _as_type(result, self.rounded(result, np.asarray(one(a), np.float64)))
        is_narrower = result.precision < source.precision
        change = functools.partial(self.rounded, result) if is_narrower else lambda a: a
        return _on_bounds(result, change)

    def round_to(self, scalar_type: ScalarType, values: Value) -> Value:
        """Return numbers that are rounded to a type."""
        if self.is_plain(scalar_type):
            return super().round_to(scalar_type, values)
        return _on_bounds(scalar_type, functools.partial(self.rounded, scalar_type))(values)

    def matmul(self, scalar_type: ScalarType, a: Value, b: Value) -> Value:
        """Return the product of matrices."""
        if self.is_plain(scalar_type):
            return super().matmul(scalar_type, a, b)
        if np.ndim(b) == 1:
            return self.matmul(scalar_type, a, b[:, None])[..., 0]
        factors = np.real(a)[..., :, :, None], np.real(b)[..., None, :, :]
        terms = self.multiply(scalar_type, *np.broadcast_arrays(*factors))
        return _as_type(scalar_type, self.total(scalar_type, terms, -2))

    def sum(self, scalar_type: ScalarType, a: Value, axis: int) -> Value:
        """Return the sums along a mode."""
        if self.is_plain(scalar_type):
            return super().sum(scalar_type, a, axis)
        return _as_type(scalar_type, self.total(scalar_type, np.real(a), axis))

    def sums(self, scalar_type: ScalarType, a: Value, axis: int) -> Value:
        """Return the running sums along a mode, each with the bound of the last one."""
        if self.is_plain(scalar_type):
            return super().sums(scalar_type, a, axis)
        last = np.expand_dims(self.total(scalar_type, np.real(a), axis), axis)
        return _as_type(scalar_type, np.broadcast_to(last, np.shape(a)).copy())


def _held(scalar_type: ScalarType) -> np.dtype[Any]:
    return scalar_type.real.value_dtype


def _as_type(scalar_type: ScalarType, bounds: Array) -> Value:
    bounds = np.asarray(bounds, np.float64)
    return _doubled(bounds)[()] if scalar_type.kind == "complex" else bounds[()]


def _doubled(bounds: Array) -> Array:
    """Return complex numbers with a bound, which may be infinite, in both parts."""
    return np.stack([bounds, bounds], axis=-1).view(np.complex128)[..., 0]


def _on_bounds(result: ScalarType, function: Callable[..., Array]) -> Callable[..., Value]:
    """Return a function of values, given one of arrays of bounds."""

    def on_values(*values: Value) -> Value:
        bounds = np.broadcast_arrays(*(np.asarray(np.real(each), np.float64) for each in values))
        return _as_type(result, function(*bounds))

    return on_values


_PASSED = 1.25
"""The degree of a scalar that a launch passes."""


class Degrees(Measure):
    """Degrees of polynomials in the arguments, negative where a divisor is no constant.

    Numerator and denominator of such a quotient have at most the degree -d. The result of a
    function is a new variable; `deepest` is the largest degree of an operand of one.

    >>> from tinytc_mlir.scalars import SCALAR_TYPES
    >>> float(Degrees().binary("mul", SCALAR_TYPES["f32"])(1.0, 2.0))
    3.0
    """

    zero, has_sizes = -0.5, False

    def __init__(self) -> None:
        self.deepest = 0.0

    def of_number(self, number: float) -> float:
        """Return 0."""
        return 0.0

    def argument(self, scalar_type: ScalarType, number: complex) -> Value:
        """Return a bit more than 1: scalars that are passed are variables, known as such."""
        if self.is_plain(scalar_type):
            return super().argument(scalar_type, number)
        return _as_type(scalar_type, np.array(_PASSED if number else self.zero))

    def compare(self, word: str, scalar_type: ScalarType) -> Binary:
        """Return a comparison of integers, or of a passed scalar or a constant with 0."""
        if self.is_plain(scalar_type) or word not in ("eq", "ne"):
            return super().compare(word, scalar_type)

        def compared(a: Value, b: Value) -> Value:
            if a is b:
                return np.full(np.shape(np.real(a)), word == "eq")
            values = np.broadcast_arrays(*(np.real(each) for each in (a, b)))
            is_known = np.all(np.isin(values, (self.zero, 0.0, _PASSED)))
            is_zero = [each == self.zero for each in values]
            if not is_known or not np.all(is_zero[0] | is_zero[1]):
                raise Unshown("it compares numbers")
            is_equal = is_zero[0] & is_zero[1]
            return is_equal if word == "eq" else ~is_equal

        return compared

    def add(self, scalar_type: ScalarType, a: Array, b: Array) -> Array:
        """Return the larger degree, or the sum for quotients."""
        is_quotient = (a < -0.5) | (b < -0.5)
        together = -(np.abs(self._degree(a)) + np.abs(self._degree(b)))
        found = np.where(is_quotient, together, np.maximum(a, b))
        return np.where(a == self.zero, b, np.where(b == self.zero, a, found))

    def multiply(self, scalar_type: ScalarType, a: Array, b: Array) -> Array:
        """Return the sum of the degrees."""
        together = np.abs(self._degree(a)) + np.abs(self._degree(b))
        found = np.where((a < -0.5) | (b < -0.5), -together, together)
        return np.where((a == self.zero) | (b == self.zero), self.zero, found)

    def divide(self, scalar_type: ScalarType, a: Array, b: Array) -> Array:
        """Return the sum of the degrees, negative if the divisor is no constant."""
        together = np.abs(self._degree(a)) + np.abs(self._degree(b))
        found = np.where((b == 0) & (a >= -0.5), a, -np.maximum(together, 1))
        return np.where(a == self.zero, self.zero, found)

    def function(self, word: str, scalar_type: ScalarType, *operands: Array) -> Array:
        """Return 1; a minimum or maximum may be either operand at a point."""
        if word in _EXTREMA:
            raise Unshown("it compares numbers")
        if word in _OF_SIGNS:
            raise Unshown(f"it computes {word}, which depends on a sign")
        degrees = [np.max(np.abs(self._degree(each)), initial=0) for each in operands]
        self.deepest = max(self.deepest, *(3 * float(each) for each in degrees))
        return np.ones_like(operands[0])

    def _degree(self, a: Array) -> Array:
        return np.where(a == self.zero, 0.0, a)


class Roundings(Measure):
    """Errors of results, relative to what the kernel computes of the sizes of its arguments.

    Of a sum it is the larger error of the terms, of a product the sum, and each operation adds the
    unit roundoff u of its type: (1 + e)(1 + u) - 1.
    Source: Higham, Accuracy and Stability of Numerical Algorithms, chapter 3.
    """

    zero = -1.0

    def of_number(self, number: float) -> float:
        """Return 0: constants are exact."""
        return 0.0

    def rounded(self, scalar_type: ScalarType, a: Array) -> Array:
        """Add a rounding to a type."""
        unit = scalar_type.epsilon / 2
        if scalar_type.kind == "complex":
            unit = 2 * unit + unit**2  # parts of products are sums of two products
        return np.where(a == self.zero, a, a + unit + a * unit)

    def add(self, scalar_type: ScalarType, a: Array, b: Array) -> Array:
        """Return the larger error, and that of a rounding unless a term is 0."""
        found = self.rounded(scalar_type, np.maximum(a, b))
        return np.where(a == self.zero, b, np.where(b == self.zero, a, found))

    def multiply(self, scalar_type: ScalarType, a: Array, b: Array) -> Array:
        """Return both errors and a rounding."""
        found = self.rounded(scalar_type, a + b + a * b)
        return np.where((a == self.zero) | (b == self.zero), self.zero, found)

    def divide(self, scalar_type: ScalarType, a: Array, b: Array) -> Array:
        """Return the error of the dividend and a rounding."""
        if (b > 0).any() or scalar_type.kind == "complex":
            raise Unshown("it divides by computed or complex numbers")
        return np.where(a == self.zero, a, self.rounded(scalar_type, a))

    def function(self, word: str, scalar_type: ScalarType, *operands: Array) -> Array:
        """Return the larger error of a minimum or maximum."""
        if word in _EXTREMA:
            return np.maximum(*operands)
        raise Unshown(f"it computes {word}")


class Sizes(Measure):
    """Sizes of numbers, and the largest one of each type.

    `largest` has the largest result of a type, whatever the order of sums.
    """

    zero, has_integers = 0.0, True

    def __init__(self) -> None:
        self.largest: dict[str, float] = {}

    def of_number(self, number: float) -> float:
        """Return the size of a constant."""
        return abs(number)

    def _noted(self, scalar_type: ScalarType, a: Array) -> Array:
        name = scalar_type.real.name
        self.largest[name] = max(self.largest.get(name, 0.0), float(np.max(a, initial=0)))
        return a

    def rounded(self, scalar_type: ScalarType, a: Array) -> Array:
        """Note the sizes."""
        return self._noted(scalar_type, a)

    def add(self, scalar_type: ScalarType, a: Array, b: Array) -> Array:
        """Return sums."""
        return self._noted(scalar_type, a + b)

    def multiply(self, scalar_type: ScalarType, a: Array, b: Array) -> Array:
        """Return products, twice as large for complex numbers."""
        factor = 2 if scalar_type.kind == "complex" else 1
        return self._noted(scalar_type, factor * a * b)

    def divide(self, scalar_type: ScalarType, a: Array, b: Array) -> Array:
        """Fail: quotients are not exact."""
        raise Unshown("it divides")

    def function(self, word: str, scalar_type: ScalarType, *operands: Array) -> Array:
        """Return the larger operand of a minimum or maximum."""
        if word in _EXTREMA:
            return np.maximum(*operands)
        raise Unshown(f"it computes {word}")


class Granules(Measure):
    """Powers of two that divide all numbers, and the smallest one of each type in `least`."""

    zero, has_integers = np.inf, True

    def __init__(self) -> None:
        self.least: dict[str, float] = {}

    def of_number(self, number: float) -> float:
        """Return the largest power of two that divides a constant."""
        numerator, denominator = number.as_integer_ratio()
        return (numerator & -numerator) / denominator

    def of_parts(self, bounds: Sequence[float]) -> float:
        """Return the smallest one."""
        return min(bounds, default=self.zero)

    def _noted(self, scalar_type: ScalarType, a: Array) -> Array:
        name = scalar_type.real.name
        self.least[name] = min(self.least.get(name, np.inf), float(np.min(a, initial=np.inf)))
        return a

    def rounded(self, scalar_type: ScalarType, a: Array) -> Array:
        """Note the granules."""
        return self._noted(scalar_type, a)

    def add(self, scalar_type: ScalarType, a: Array, b: Array) -> Array:
        """Return the smaller granule."""
        return self._noted(scalar_type, np.minimum(a, b))

    def multiply(self, scalar_type: ScalarType, a: Array, b: Array) -> Array:
        """Return products."""
        is_zero = np.isinf(a) | np.isinf(b)
        return self._noted(scalar_type, np.where(is_zero, np.inf, a * b))

    def divide(self, scalar_type: ScalarType, a: Array, b: Array) -> Array:
        """Fail: quotients are not exact."""
        raise Unshown("it divides")

    def function(self, word: str, scalar_type: ScalarType, *operands: Array) -> Array:
        """Return the smaller granule of a minimum or maximum."""
        if word in _EXTREMA:
            return np.minimum(*operands)
        raise Unshown(f"it computes {word}")
