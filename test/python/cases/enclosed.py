"""Numbers with a bound of the error that every right run of a kernel has: running error analysis.

A number has

    value      what the exact numbers give, but for rounding of f64;
    size       what they give if all terms of sums are positive;
    relative   the error that any order of sums may have, as a part of the size;
    granule    a power of two that divides all terms, or 0: sums of few are exact.

Source: Higham, Accuracy and Stability of Numerical Algorithms, sections 3.1, 3.3 and 3.6. Functions
have the errors that OpenCL C allows (The OpenCL C 3.0 Specification, section 7.4).
"""

from __future__ import annotations

import dataclasses
import functools

import numpy as np

from tinytc_mlir.reference import arithmetic
from tinytc_mlir.reference.rounding import Array
from tinytc_mlir.reference.untyped import Value
from tinytc_mlir.scalars import ScalarType

_NATIVE_UNITS = 2.0**13
_UNITS = {
    **dict.fromkeys(("exp", "exp2", "expm1", "log", "log2"), 3.0),
    **dict.fromkeys(("cos", "sin", "hypot"), 4.0),
    **dict.fromkeys(("log1p", "rsqrt"), 2.0),
    **dict.fromkeys(("atan", "tanh"), 5.0),
    "sqrt": 3.0,
    "pow": 16.0,
    "div": 2.5,
    **dict.fromkeys(("ceil", "floor", "rem", "copysign"), 0.0),
}
"""Errors of functions, in units in the last place."""

_LIPSCHITZ = frozenset({"cos", "sin", "hypot"})
_STEPS = frozenset({"ceil", "floor"})


@dataclasses.dataclass(frozen=True)
class Enclosed:
    """Numbers with bounds."""

    value: Array
    size: Array
    relative: Array
    granule: Array

    @property
    def error(self) -> Array:
        """The bounds of errors; 0 for what is surely infinite or no number."""
        is_exact = self.relative == 0
        with np.errstate(invalid="ignore"):
            found = np.where(is_exact, 0.0, self.size * self.relative)
        return np.where(np.isnan(found) | (~is_exact & ~np.isfinite(self.value)), np.inf, found)

    @property
    def ends(self) -> tuple[Array, Array]:
        """The least and the largest number that it may be."""
        return self.value - self.error, self.value + self.error

    @property
    def is_sure(self) -> Array:
        """Which numbers are surely negative, zero, positive, infinite or no number."""
        low, high = self.ends
        return (self.relative == 0) | (low > 0) | (high < 0)


def exact(value: Value) -> Enclosed:
    """Return numbers without an error."""
    value = np.asarray(value, np.float64)
    return Enclosed(value, np.abs(value), np.zeros(value.shape), _granules(value))


def _granules(value: Array) -> Array:
    """Return the largest powers of two that divide numbers."""
    fractions, exponents = np.frexp(np.where(np.isfinite(value), value, 0))
    bits = (fractions * 2.0**53).astype(np.int64)
    lowest = np.ldexp((bits & -bits).astype(np.float64), exponents - 53)
    return np.where(np.isfinite(value), np.where(bits == 0, np.inf, lowest), 0.0)


def _is_product(value: Array, a: Array, b: Array) -> Array:
    """Return where a number is the product of two, without rounding."""
    is_exact = np.abs(a * b) <= _granules(a) * _granules(b) * 2.0**53
    return is_exact & (a * b == value)


def rounded(
    type_: ScalarType, numbers: Enclosed, units: float = 0.5, *operands: Enclosed
) -> Enclosed:
    """Add the error of a result unless it is exact, and find what is infinite.

    Args:
        type_: of the result.
        numbers: the results before they are rounded.
        units: the error in units in the last place.
        operands: what the results were computed of.
    """
    limits = np.finfo(type_.real.value_dtype)
    most, least = float(limits.max), float(limits.smallest_normal)
    if type_.real.name == "bf16":
        most, least = 2.0**127, 2.0**-126
    fits = numbers.size <= numbers.granule * 2.0**type_.real.precision
    is_exact = fits & (numbers.relative == 0) & (numbers.granule >= least)
    unit = units * float(type_.real.epsilon)
    relative = numbers.relative + unit + numbers.relative * unit
    relative = np.where(is_exact, 0.0, relative)
    granule = np.where(is_exact, numbers.granule, 0.0)
    found = Enclosed(numbers.value, numbers.size, relative, granule)
    low, high = found.ends
    may_overflow = np.isfinite(found.value) & (np.maximum(-low, high) > most)
    is_special = ~np.isfinite(found.value)
    knows = functools.reduce(
        np.logical_and, (each.is_sure for each in operands), np.ones(found.value.shape, bool)
    )
    has_special = functools.reduce(
        np.logical_or,
        (~np.isfinite(each.value) | (each.value == 0) for each in operands),
        np.zeros(found.value.shape, bool),
    )
    relative = np.where(may_overflow, np.inf, relative)
    relative = np.where(is_special, np.where(knows & has_special, 0.0, np.inf), relative)
    return Enclosed(found.value, np.where(is_special, np.inf, found.size), relative, granule)


def add(type_: ScalarType, a: Enclosed, b: Enclosed, sign: int = 1) -> Enclosed:
    """Return sums or differences."""
    value, size = a.value + sign * b.value, a.size + b.size
    relative = np.maximum(a.relative, b.relative)
    sums = Enclosed(value, size, relative, np.minimum(a.granule, b.granule))
    found = rounded(type_, sums, 0.5, a, b)
    # Zero is no term.
    a_is_zero = (a.size == 0) & (a.relative == 0)
    other = dataclasses.replace(b, value=sign * b.value)
    return chosen(a_is_zero, other, chosen((b.size == 0) & (b.relative == 0), a, found))


def multiply(type_: ScalarType, a: Enclosed, b: Enclosed) -> Enclosed:
    """Return products."""
    relative = a.relative + b.relative + a.relative * b.relative
    granule = np.where(np.isinf(a.granule) | np.isinf(b.granule), np.inf, a.granule * b.granule)
    products = Enclosed(a.value * b.value, a.size * b.size, relative, granule)
    found = rounded(type_, products, 0.5, a, b)
    is_zero = np.isfinite(a.value) & np.isfinite(b.value)
    is_zero &= ((a.size == 0) & (a.relative == 0)) | ((b.size == 0) & (b.relative == 0))
    return chosen(is_zero, exact(products.value), found)


def divide(type_: ScalarType, a: Enclosed, b: Enclosed) -> Enclosed:
    """Return quotients."""
    value, divisor = a.value / b.value, np.abs(b.value)
    part = b.error / divisor
    relative = np.where(part < 1, (a.relative + part) / (1 - part), np.inf)
    size = a.size / divisor
    quotients = Enclosed(value, size, relative, np.zeros(value.shape))
    found = rounded(type_, quotients, _UNITS["div"], a, b)
    precision = np.frexp(value)[1] - type_.real.precision
    is_exact = (a.relative == 0) & (b.relative == 0) & _is_product(a.value, value, b.value)
    is_exact &= np.isfinite(value) & (_granules(value) >= np.ldexp(1.0, precision))
    return chosen(is_exact, exact(value), found)


def extreme(word: str, a: Enclosed, b: Enclosed) -> Enclosed:
    """Return the smaller or larger numbers; numbers rather than NaN."""
    value = np.fmin(a.value, b.value) if word == "min" else np.fmax(a.value, b.value)
    both = (a.size, b.size), (a.relative, b.relative), (a.granule, b.granule)
    sizes, relatives, granules = both
    found = Enclosed(value, np.maximum(*sizes), np.maximum(*relatives), np.minimum(*granules))
    (a_low, a_high), (b_low, b_high) = a.ends, b.ends
    is_a, is_b = (a_high < b_low), (b_high < a_low)
    if word == "max":
        is_a, is_b = is_b, is_a
    is_sure = (a.relative == 0) & (b.relative == 0)
    is_a |= is_sure & ((value == a.value) | np.isnan(b.value))
    is_b |= is_sure & ((value == b.value) | np.isnan(a.value))
    return chosen(is_a, a, chosen(is_b, b, found))


def function(word: str, type_: ScalarType, *operands: Enclosed) -> Enclosed:
    """Return values of a function that is monotone between the ends of its operands."""
    name = word.removeprefix("native_")
    compute = arithmetic.plain(name)
    assert compute is not None
    value = np.asarray(compute(*(each.value for each in operands)), np.float64)
    if name in _LIPSCHITZ:
        error = sum(each.error for each in operands)
    else:
        lower, upper = zip(*(each.ends for each in operands), strict=True)
        corners = [(lower[0],), (upper[0],)]
        for low, high in zip(lower[1:], upper[1:], strict=True):
            corners = [(*corner, end) for corner in corners for end in (low, high)]
        ends = [np.asarray(compute(*corner), np.float64) for corner in corners]
        error = np.max([np.abs(end - value) for end in ends], axis=0)
        if name == "rem":
            error = _remainder_error(*operands)
    is_exact = functools.reduce(np.logical_and, (each.relative == 0 for each in operands))
    error = np.where(is_exact, 0.0, np.where(np.isnan(error), np.inf, error))
    units = _NATIVE_UNITS if word.startswith("native_") else _UNITS[name]
    if name in _STEPS or (name == "rem"):
        is_exact &= np.isfinite(value)
        return chosen((error == 0) & is_exact, exact(value), with_error(value, error))
    found = rounded(type_, with_error(value, error), units, *operands)
    is_known = is_exact & (np.isin(value, (0.0, 1.0)) | ~np.isfinite(value))
    if name == "sqrt":
        is_known |= is_exact & _is_product(operands[0].value, value, value)
    return chosen(is_known | ((name == "copysign") & is_exact), exact(value), found)


def _remainder_error(a: Enclosed, b: Enclosed) -> Array:
    quotient = np.trunc(a.value / b.value)
    ends = [x / y for x in a.ends for y in b.ends]
    is_same = np.all([np.trunc(each) == quotient for each in ends], axis=0)
    return np.where(is_same & b.is_sure, a.error + np.abs(quotient) * b.error, np.inf)


def total(type_: ScalarType, terms: Enclosed, axis: int, *, runs: bool) -> Enclosed:
    """Return sums in any order, or running sums, along a mode."""
    count = np.sum((terms.size != 0) | (terms.relative != 0), axis=axis, keepdims=True)
    unit = float(type_.real.epsilon) / 2
    size = np.sum(terms.size, axis=axis, keepdims=True)
    granule = np.min(terms.granule, axis=axis, keepdims=True, initial=np.inf)
    relative = np.max(terms.relative, axis=axis, keepdims=True, initial=0.0)
    total = np.cumsum(terms.value, axis=axis)
    value = total if runs else np.sum(terms.value, axis=axis, keepdims=True)
    steps = np.maximum(count - 2, 0)  # and one more, below
    rest = np.expm1(steps * np.log1p(unit))
    later = np.where(count > 1, relative + rest + relative * rest, relative)
    is_exact = (relative == 0) & (size <= granule * 2.0**type_.real.precision)
    sums = Enclosed(*np.broadcast_arrays(value, size, np.where(is_exact, 0, later), granule))
    special = ~np.isfinite(terms.value)
    ends = Enclosed(
        *(
            np.broadcast_to(each, value.shape)
            for each in (
                np.where(special.any(axis, keepdims=True), np.inf, 1.0),
                np.ones(size.shape),
                np.where((special & (terms.relative != 0)).any(axis, keepdims=True), np.inf, 0),
                np.zeros(size.shape),
            )
        )
    )
    later_sums = rounded(type_, sums, 0.5, ends)
    found = chosen(np.broadcast_to(count < 2, value.shape), sums, later_sums)
    if runs:
        return found
    return Enclosed(*(np.squeeze(getattr(found, f.name), axis) for f in FIELDS))


FIELDS = dataclasses.fields(Enclosed)


def chosen(condition: Array, first: Enclosed, second: Enclosed) -> Enclosed:
    """Return numbers of the first or the second."""
    names = (field.name for field in FIELDS)
    return Enclosed(
        *(np.where(condition, getattr(first, name), getattr(second, name)) for name in names)
    )


def with_error(value: Array, error: Array) -> Enclosed:
    """Return numbers with bounds of their errors."""
    size = np.maximum(np.abs(value), error)
    relative = np.where(error == 0, 0.0, np.where(np.isfinite(size), error / size, np.inf))
    return Enclosed(value, size, relative, np.zeros(np.shape(value)))
