"""Complex numbers with bounds: pairs of real numbers, each with the error of its part."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

from cases import enclosed
from cases.enclosed import Enclosed
from tinytc_mlir.reference import arithmetic
from tinytc_mlir.reference.rounding import Array
from tinytc_mlir.scalars import ScalarType
from tinytc_mlir.verification.unshown import Unshown

Parts = tuple[Enclosed, Enclosed]

_UNITS = 16.0
"""Errors of quotients and exponentials, in units in the last place of their sizes.

Those of quotients are at most sqrt(2) gamma_7: Higham, section 3.6.
"""


def binary(word: str, type_: ScalarType) -> Callable[[Parts, Parts], Parts]:
    """Return sums, differences, products or quotients."""
    real = type_.real

    def added(x: Parts, y: Parts) -> Parts:
        sign = -1 if word == "sub" else 1
        return enclosed.add(real, x[0], y[0], sign), enclosed.add(real, x[1], y[1], sign)

    def product(x: Parts, y: Parts) -> Parts:
        (a, b), (c, d) = x, y
        ac, bd, ad, bc = (enclosed.multiply(real, *e) for e in ((a, c), (b, d), (a, d), (b, c)))
        return enclosed.add(real, ac, bd, -1), enclosed.add(real, ad, bc)

    def quotient(x: Parts, y: Parts) -> Parts:
        dividends, divisors = map(_values, (x, y))
        found = np.asarray(arithmetic.binary("div", type_)(dividends, divisors))
        (dividend_error, divisor_error), size = map(_error, (x, y)), np.abs(divisors)
        rest = size - divisor_error
        error = (dividend_error + np.abs(found) * divisor_error) / rest
        most = np.hypot(x[0].size, x[1].size) / size
        return _with_error(type_, found, np.where(rest > 0, error, np.inf), most)

    return {"mul": product, "div": quotient}.get(word, added)


def unary(word: str, type_: ScalarType) -> Callable[[Parts], Parts]:
    """Return negative numbers, conjugates or exponentials."""
    name = word.removeprefix("native_")

    def negative(x: Enclosed) -> Enclosed:
        return dataclasses.replace(x, value=-x.value)

    def exponential(x: Parts) -> Parts:
        found = np.asarray(arithmetic.unary(name, type_)(_values(x)), np.complex128)
        return _with_error(type_, found, np.abs(found) * np.expm1(_error(x)), np.abs(found))

    if name == "neg":
        return lambda x: (negative(x[0]), negative(x[1]))
    if name == "conj":
        return lambda x: (x[0], negative(x[1]))
    if name not in ("exp", "exp2"):
        raise Unshown(f"it computes {name} of complex numbers")
    return exponential


def _values(x: Parts) -> Array:
    return np.asarray(x[0].value + 1j * x[1].value)


def _error(x: Parts) -> Array:
    return np.asarray(np.hypot(x[0].error, x[1].error))


def _with_error(type_: ScalarType, values: Array, error: Array, size: Array) -> Parts:
    """Return numbers, whose parts have the error of the whole."""
    size = np.maximum(size, np.abs(values))
    unit = _UNITS * float(type_.epsilon)
    relative = error / size + unit + error / size * unit
    relative = np.where(np.isfinite(values) & (size > 0), relative, np.inf)
    relative = np.where((values == 0) & (error == 0), 0, relative)
    none = np.zeros(size.shape)
    return (
        Enclosed(values.real, size, relative, none),
        Enclosed(values.imag, size, relative, none),
    )
