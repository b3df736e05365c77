# SPDX-License-Identifier: BSD-3-Clause
"""Complex arithmetic that neither overflows nor underflows where the result does not.

c32 is computed in double precision and rounded once. c64 scales its operands by powers of
two. Infinities follow annex G of the C standard.
"""

from __future__ import annotations

import numpy as np

from .rounding import Array
from .untyped import Value


def multiply(a: Value, b: Value) -> Value:
    """Return the products of complex numbers.

    >>> complex(multiply(np.complex128(1e200 + 1e200j), np.complex128(1e-200j)))
    (-1+1j)
    """
    dtype = np.result_type(a, b)
    a_scaled, a_exponent = _scale(a)
    b_scaled, b_exponent = _scale(b)
    real = a_scaled.real * b_scaled.real - a_scaled.imag * b_scaled.imag
    imag = a_scaled.real * b_scaled.imag + a_scaled.imag * b_scaled.real
    return _unscale(real, imag, a_exponent + b_exponent).astype(dtype)[()]


def divide(a: Value, b: Value) -> Value:
    """Return the quotients of complex numbers.

    >>> complex(divide(np.complex128(1e300 + 1e300j), np.complex128(1e300 + 1e300j)))
    (1+0j)
    """
    dtype = np.result_type(a, b)
    a_scaled, a_exponent = _scale(a)
    b_scaled, b_exponent = _scale(b)
    norm = b_scaled.real**2 + b_scaled.imag**2
    real, imag = _times_conjugate(a_scaled, b_scaled)
    quotient = _unscale(real / norm, imag / norm, a_exponent - b_exponent)
    return _recover_infinities(quotient, np.asarray(a), np.asarray(b)).astype(dtype)[()]


def exp2(a: Value) -> Value:
    """Return 2 to the power of complex numbers.

    >>> complex(exp2(np.complex128(3)))
    (8+0j)
    """
    # The phase in more bits: its rounding error grows with the imaginary part.
    phase = np.asarray(np.imag(a), np.longdouble) * np.log(np.longdouble(2))
    magnitude = np.exp2(np.asarray(np.real(a), np.longdouble))
    return _compose(magnitude * np.cos(phase), magnitude * np.sin(phase))[()]


def absolute(a: Value) -> Value:
    """Return the absolute values of complex numbers.

    >>> float(absolute(np.complex128(3 - 4j)))
    5.0
    """
    return np.hypot(np.real(a), np.imag(a))


def _scale(values: Value) -> tuple[Array, Array]:
    """Return numbers of magnitude about 1 and the exponents of the powers of two taken out."""
    wide = np.asarray(values).astype(np.complex128)
    largest = np.maximum(np.abs(wide.real), np.abs(wide.imag))
    exponent = np.where(np.isfinite(largest), np.frexp(largest)[1], 0)
    return _compose(np.ldexp(wide.real, -exponent), np.ldexp(wide.imag, -exponent)), exponent


def _unscale(real: Array, imag: Array, exponent: Array) -> Array:
    return _compose(np.ldexp(real, exponent), np.ldexp(imag, exponent))


def _compose(real: Array, imag: Array) -> Array:
    """Return real + i imag without arithmetic that would turn infinities into NaN."""
    result = np.empty(np.broadcast_shapes(np.shape(real), np.shape(imag)), np.complex128)
    result.real = real
    result.imag = imag
    return result


def _recover_infinities(quotient: Array, a: Array, b: Array) -> Array:
    """Replace NaN + i NaN where annex G has an infinity or a zero."""
    lost = np.isnan(quotient.real) & np.isnan(quotient.imag)
    if not lost.any():
        return quotient
    sign = np.copysign(1.0, b.real)
    infinity = _compose(_infinite(a.real * sign), _infinite(a.imag * sign))
    by_zero = (b == 0) & ~(np.isnan(a.real) & np.isnan(a.imag))
    real, imag = _times_conjugate(_box(a), b)
    of_infinity = np.isinf(a) & np.isfinite(b)
    by_infinity = np.isfinite(a) & np.isinf(b)
    zero = _times_conjugate(a, _box(b))
    cases = [
        (lost & by_infinity, _compose(0.0 * zero[0], 0.0 * zero[1])),
        (lost & of_infinity, _compose(_infinite(real), _infinite(imag))),
        (lost & by_zero, infinity),
    ]
    for applies, value in cases:
        quotient = np.where(applies, value, quotient)
    return quotient


def _times_conjugate(a: Array, b: Array) -> tuple[Array, Array]:
    """Return real and imaginary parts of a times the conjugate of b."""
    return a.real * b.real + a.imag * b.imag, a.imag * b.real - a.real * b.imag


def _infinite(values: Array) -> Array:
    """Return infinity times values: NaN for zero."""
    return np.asarray(np.inf * values)


def _box(values: Array) -> Array:
    """Return numbers whose infinite components are 1 and whose finite ones are 0, signed."""
    return _compose(
        np.copysign(np.isinf(values.real).astype(float), values.real),
        np.copysign(np.isinf(values.imag).astype(float), values.imag),
    )
