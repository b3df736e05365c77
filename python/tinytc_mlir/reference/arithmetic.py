# SPDX-License-Identifier: BSD-3-Clause
"""The meaning of the scalar instructions, on NumPy values of one scalar type.

Undefined cases are not found here but in `checks`: every function returns something.
Values are NumPy scalars or arrays of `ScalarType.value_dtype`; those of types that
NumPy has not are f32 numbers that the type can hold.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..scalars import ScalarType
from .complex_numbers import absolute, divide, exp2, multiply
from .rounding import fused, round_to
from .untyped import Value

Unary = Callable[[Any], Any]
Binary = Callable[[Any, Any], Any]


def binary(word: str, scalar_type: ScalarType) -> Binary:
    """Return the function of `arith.<word>` for a scalar or component type.

    >>> from tinytc_mlir.scalars import SCALAR_TYPES
    >>> int(binary("div", SCALAR_TYPES["i32"])(np.int32(-7), np.int32(2)))
    -3
    """
    if scalar_type.kind == "complex" and word in _COMPLEX_BINARY:
        return _COMPLEX_BINARY[word]
    if scalar_type.kind == "integer" and word in _INTEGER_BINARY:
        return _INTEGER_BINARY[word]
    return _rounded(_BINARY[word], scalar_type)


def unary(word: str, scalar_type: ScalarType) -> Unary:
    """Return the function of `arith.<word>`, or of a word of math, for the operand's type.

    >>> from tinytc_mlir.scalars import SCALAR_TYPES
    >>> float(unary("abs", SCALAR_TYPES["c64"])(np.complex128(3e300 + 4e300j)))
    5e+300
    """
    if scalar_type.kind == "complex" and word in _COMPLEX_UNARY:
        return _COMPLEX_UNARY[word]
    if word in _UNARY:
        return _UNARY[word]
    function = word.removeprefix("native_")
    if scalar_type.kind == "complex" and function in _COMPLEX_FUNCTIONS:
        return _in_double(_COMPLEX_FUNCTIONS[function], scalar_type)
    return _in_double(_FUNCTIONS[function], scalar_type)


def of_several(word: str, scalar_type: ScalarType) -> Callable[..., Any]:
    """Return the function of math with several operands, one of `OF_SEVERAL`.

    >>> from tinytc_mlir.scalars import SCALAR_TYPES
    >>> float(of_several("hypot", SCALAR_TYPES["f32"])(np.float32(3), np.float32(4)))
    5.0
    """
    if scalar_type.kind == "integer":  # minimum and maximum
        return OF_SEVERAL[word]
    if word == "fma" and scalar_type.name in ("f32", "f64"):
        return lambda a, b, c: fused(a, b, c, scalar_type.value_dtype)[()]
    function = _of_doubles(_fused_to_odd if word == "fma" else OF_SEVERAL[word])
    return lambda *operands: round_to(scalar_type, function(*operands))


def compare(word: str, scalar_type: ScalarType) -> Binary:
    """Return the function of `cmp.<word>`; only `ne` is true where an operand is NaN.

    >>> from tinytc_mlir.scalars import SCALAR_TYPES
    >>> bool(compare("lt", SCALAR_TYPES["f32"])(np.float32(1), np.float32("nan")))
    False
    """
    return _COMPARISONS[word]


def cast(source: ScalarType, result: ScalarType) -> Unary:
    """Return the function that converts values of one type to another.

    Integers wrap around, floating-point numbers become integers by dropping the fraction.

    >>> from tinytc_mlir.scalars import SCALAR_TYPES
    >>> int(cast(SCALAR_TYPES["f32"], SCALAR_TYPES["i8"])(np.float32(-2.9)))
    -2
    """
    if result.kind == "complex" and source.kind == "integer":
        real = result.real
        return lambda a: np.asarray(round_to(real, a)).astype(result.value_dtype)[()]
    return functools.partial(round_to, result)


def bitcast(source: ScalarType, result: ScalarType) -> Unary:
    """Return the function that reads the bits of values of one type as another of its size.

    >>> from tinytc_mlir.scalars import SCALAR_TYPES
    >>> hex(bitcast(SCALAR_TYPES["f32"], SCALAR_TYPES["i32"])(np.float32(1)))
    '0x3f800000'
    """

    def function(a: Value) -> Value:
        stored = np.asarray(source.to_memory(np.asarray(a)))
        return np.asarray(result.from_memory(stored.view(result.dtype)))[()]

    return function


def smallest(scalar_type: ScalarType) -> Value:
    """Return the identity of max: the smallest integer or minus infinity."""
    if scalar_type.kind == "integer":
        return scalar_type.value_dtype.type(np.iinfo(scalar_type.value_dtype).min)
    return scalar_type.value_dtype.type(-np.inf)


def largest(scalar_type: ScalarType) -> Value:
    """Return the identity of min: the largest integer or infinity."""
    if scalar_type.kind == "integer":
        return scalar_type.value_dtype.type(np.iinfo(scalar_type.value_dtype).max)
    return scalar_type.value_dtype.type(np.inf)


def plain(word: str) -> Callable[..., Any] | None:
    """Return the function of a word of arith, cmp or math on NumPy's values as they are.

    >>> float(plain("hypot")(3.0, 4.0))
    5.0
    """
    if word in ("minimum", "maximum"):  # of numbers of any type
        return OF_SEVERAL[word]
    if word in OF_SEVERAL:
        return _of_doubles(OF_SEVERAL[word])
    tables = _COMPARISONS, _INTEGER_BINARY, _BINARY, _UNARY, _COMPLEX_UNARY, _FUNCTIONS
    return next((table[word] for table in tables if word in table), None)


def _of_doubles(function: Callable[..., Any]) -> Callable[..., Any]:
    """Convert operands to f64 before they are passed on."""
    return lambda *operands: function(*(np.asarray(each, np.float64) for each in operands))


def _rounded(function: Binary, scalar_type: ScalarType) -> Binary:
    """Add the rounding needed by a type whose values are computed in a wider dtype."""
    if not scalar_type.is_bits:
        return function
    return lambda a, b: round_to(scalar_type, function(a, b))


def _in_double(function: Unary, scalar_type: ScalarType) -> Unary:
    """Compute in double precision, so that only the last rounding is left for the small types."""
    dtype = np.complex128 if scalar_type.kind == "complex" else np.float64
    return lambda a: round_to(scalar_type, function(np.asarray(a, dtype)))


def _integer_divide(a: Value, b: Value) -> Value:
    remainder = np.fmod(a, b)
    return (a - remainder) // b


def _shift_left(a: Value, b: Value) -> Value:
    return np.left_shift(a, _shift_distance(a, b))


def _shift_right(a: Value, b: Value) -> Value:
    return np.right_shift(a, _shift_distance(a, b))


def _shift_distance(a: Value, b: Value) -> Value:
    """Return the distance modulo the width of the type."""
    dtype = np.asarray(a).dtype
    return b & dtype.type(8 * dtype.itemsize - 1)


_BINARY: dict[str, Binary] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "rem": np.fmod,
    "min": np.fmin,
    "max": np.fmax,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}
_INTEGER_BINARY: dict[str, Binary] = {
    "div": _integer_divide,
    "shl": _shift_left,
    "shr": _shift_right,
}
_COMPLEX_BINARY: dict[str, Binary] = {"mul": multiply, "div": divide}

_UNARY: dict[str, Unary] = {"abs": np.abs, "neg": np.negative, "not": np.invert}
_COMPLEX_UNARY: dict[str, Unary] = {
    "abs": absolute,
    "conj": np.conjugate,
    "re": lambda a: np.real(a)[()],
    "im": lambda a: np.imag(a)[()],
}
# Those of math in double precision; NumPy's exp is right for complex numbers, too.
_FUNCTIONS: dict[str, Unary] = {
    "atan": np.arctan,
    "ceil": np.ceil,
    "cos": np.cos,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "floor": np.floor,
    "log": np.log,
    "log1p": np.log1p,
    "log2": np.log2,
    "rsqrt": lambda a: 1 / np.sqrt(a),
    "sin": np.sin,
    "sqrt": np.sqrt,
    "tanh": np.tanh,
}
_COMPLEX_FUNCTIONS: dict[str, Unary] = {"exp2": exp2}


def _extreme(find: Binary, is_least: bool) -> Binary:
    """Return np.minimum or np.maximum with an order of zeros, of which the negative one is less."""

    def found(a: Value, b: Value) -> Value:
        extreme: Any = find(a, b)
        if extreme.dtype.kind == "i":
            return extreme
        return np.where(a == b, np.where(np.signbit(a) == is_least, a, b), extreme)[()]

    return found


def _fused_to_odd(a: Value, b: Value, c: Value) -> Value:
    """Return ab + c of numbers of f32, odd where inexact: a second rounding is harmless."""
    product = np.asarray(a * b)  # exact
    total = np.asarray(product + c)
    part = total - product
    error = (product - (total - part)) + (c - part)
    is_changed = (error != 0) & np.isfinite(error) & (total.view(np.int64) & 1 == 0)
    towards = np.where(error > 0, np.inf, -np.inf)
    return np.where(is_changed, np.nextafter(total, towards), total)[()]


OF_SEVERAL: dict[str, Callable[..., Any]] = {
    "copysign": np.copysign,
    "fma": lambda a, b, c: fused(a, b, c, np.float64)[()],
    "hypot": np.hypot,
    "maximum": _extreme(np.maximum, is_least=False),
    "minimum": _extreme(np.minimum, is_least=True),
    "pow": np.power,
}
"""The functions of math with several operands, in double precision."""

_COMPARISONS: dict[str, Binary] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lt": np.less,
    "le": np.less_equal,
}


class Arithmetic:
    """What numbers are while a kernel runs: those of NumPy; a subclass computes with others.

    A subclass says of the types that it changes (`is_plain` is then false) how values are read
    from memory, and what each method returns for them.

    >>> from tinytc_mlir.scalars import SCALAR_TYPES
    >>> float(NUMPY.constant(SCALAR_TYPES["bf16"], 1.5))
    1.5
    """

    binary = staticmethod(binary)
    bitcast = staticmethod(bitcast)
    cast = staticmethod(cast)
    compare = staticmethod(compare)
    of_several = staticmethod(of_several)
    round_to = staticmethod(round_to)
    unary = staticmethod(unary)

    def is_plain(self, scalar_type: ScalarType) -> bool:
        """Return whether values are what memory holds, and computed by NumPy's operators."""
        return not scalar_type.is_bits

    def value_dtype(self, scalar_type: ScalarType) -> np.dtype[Any]:
        """Return the dtype of values."""
        return scalar_type.value_dtype

    def constant(self, scalar_type: ScalarType, number: complex) -> Value:
        """Return the value that a number stands for."""
        return scalar_type.value_dtype.type(number)

    def from_memory(self, scalar_type: ScalarType, stored: Value) -> Value:
        """Return the values of elements of memory."""
        return scalar_type.from_memory(stored)

    def to_memory(self, scalar_type: ScalarType, values: Value) -> Value:
        """Return values as memory holds them."""
        return scalar_type.to_memory(values)

    def argument(self, scalar_type: ScalarType, number: complex) -> Value:
        """Return the value of a scalar that a launch passes."""
        return self.constant(scalar_type, number)

    def is_zero(self, scalar_type: ScalarType, values: Value) -> Value:
        """Return which values are 0."""
        return values == 0

    def check_iterates(self, what: str) -> None:
        """Fail if values cannot be computed by iterations that converge."""

    def is_nan(self, values: Value) -> Value:
        """Return which floating-point values are NaN."""
        return np.isnan(values)

    def order(self, values: Value) -> Value:
        """Return real numbers of NumPy in the order of values."""
        return values

    def matmul(self, scalar_type: ScalarType, a: Value, b: Value) -> Value:
        """Return the product of matrices."""
        return np.matmul(a, b)

    def sums(self, scalar_type: ScalarType, a: Value, axis: int) -> Value:
        """Return the running sums along a mode."""
        return np.cumsum(a, axis=axis, dtype=a.dtype)

    def sum(self, scalar_type: ScalarType, a: Value, axis: int) -> Value:
        """Return the sums along a mode."""
        return np.sum(a, axis=axis, dtype=a.dtype)


NUMPY = Arithmetic()
"""Numbers of NumPy."""


def stored_constants(arithmetic: Arithmetic, scalar_type: ScalarType, elements: Value) -> Value:
    """Return the elements of a constant as an arithmetic has them in memory.

    Args:
        arithmetic: what numbers are.
        scalar_type: type of the elements.
        elements: (n,) array of them as programs have them in memory.

    >>> from tinytc_mlir.scalars import SCALAR_TYPES
    >>> stored_constants(NUMPY, SCALAR_TYPES["f32"], np.float32([1.5, 2.5]))
    array([1.5, 2.5], dtype=float32)
    """
    if arithmetic is NUMPY or scalar_type.kind == "integer":
        return np.array(elements)
    bits = elements.view(f"V{elements.itemsize}")
    _, first, places = np.unique(bits, return_index=True, return_inverse=True)
    known = [
        arithmetic.to_memory(scalar_type, np.asarray(arithmetic.constant(scalar_type, number)))
        for number in scalar_type.from_memory(elements[first]).tolist()
    ]
    return np.array(known, elements.dtype).reshape(-1)[places.reshape(-1)]
