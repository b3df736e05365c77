# SPDX-License-Identifier: BSD-3-Clause
"""Numbers modulo a prime in place of floating-point numbers.

Sums in any order, factored products and fused multiply-adds are equal then, and two different
polynomials hardly ever have equal values at a random point (Schwartz 1980, Zippel 1979).

The prime is 3 modulo 4. Then -1 is no square, one of x and -x is, and squares can be called
positive: `|x|` is the square of the two and `sqrt(x)` the positive root of `|x|`, so that
`|x y| = |x| |y|`, `sqrt(x y) = sqrt(x) sqrt(y)` and `sqrt(x x) = |x|`, as for real numbers.
Numbers are ordered, negative ones below 0 and positive ones above, with `x < y` where `-y < -x`.
Functions such as `exp` return a number that is drawn by a hash of their operand.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from ..reference import arithmetic
from ..reference.arithmetic import Binary, Unary
from ..reference.rounding import Array
from ..reference.untyped import Value
from ..scalars import ScalarType
from .substitute import Substitute
from .unshown import Unshown

_LARGEST = 2**31
_COMPLEX_PARTS = ("re", "im", "abs", "conj", "neg")


class Residues(Substitute):
    """Residues in place of floating-point and complex numbers; integers stay as they are.

    Memory holds a residue in the bits of a number, and three values that are none: infinity, its
    negative, and NaN for all other bits.

    Args:
        prime: 3 modulo 4, at most 2^31, and for kernels with types of 16 bits at most 2^16 - 3.

    >>> from tinytc_mlir.scalars import SCALAR_TYPES
    >>> numbers = Residues(1019)
    >>> third = numbers.binary("div", SCALAR_TYPES["f32"])(np.int64(1), np.int64(3))
    >>> int(third), int(third * 3 % 1019)
    (340, 1)
    """

    def __init__(self, prime: int) -> None:
        self._begin(prime, prime)

    def _begin(self, prime: int, modulus: int) -> None:
        """Set what all else depends on; the modulus is the prime or its square."""
        if prime % 4 != 3 or modulus > _LARGEST:
            raise ValueError(f"expected a prime that is 3 modulo 4, at most 2^31, got {prime}")
        self.prime, self.modulus = prime, modulus
        self.has_roots_of_negatives = False
        """Whether roots were taken of numbers that are no squares: r r = -x then."""
        self.infinity, self.minus_infinity, self.nan = modulus, modulus + 1, modulus + 2
        self._binary: dict[str, Binary] = {
            "add": self._add,
            "sub": lambda a, b: self._add(a, self._negative(b)),
            "mul": self._multiply,
            "div": lambda a, b: self._multiply(a, self.inverse(b)),
            "min": functools.partial(self._extreme, np.less, False),
            "max": functools.partial(self._extreme, np.greater, False),
            "rem": functools.partial(self.drawn, "rem"),
        }
        self._unary: dict[str, Unary] = {
            "neg": self._negative,
            "abs": self.absolute,
            "sqrt": self.root,
            "rsqrt": lambda a: self.inverse(self.root(a)),
            "exp": functools.partial(self._exponential, "exp"),
            "exp2": functools.partial(self._exponential, "exp2"),
        }
        self._several: dict[str, Callable[..., Value]] = {
            "fma": lambda a, b, c: self._add(self._multiply(a, b), c),
            "hypot": lambda a, b: self.root(self._add(self._multiply(a, a), self._multiply(b, b))),
            "minimum": functools.partial(self._extreme, np.less, True),
            "maximum": functools.partial(self._extreme, np.greater, True),
            "copysign": lambda a, b: self._multiply(self.absolute(a), self._sign(b)),
            "pow": functools.partial(self.drawn, "pow"),
        }

    # What numbers are in memory and in computations.

    def value_dtype(self, scalar_type: ScalarType) -> np.dtype[Any]:
        """Return int64 for residues, complex128 for pairs of them, which it holds exactly."""
        if self.is_plain(scalar_type):
            return scalar_type.value_dtype
        return np.dtype(np.complex128 if scalar_type.kind == "complex" else np.int64)

    def constant(self, scalar_type: ScalarType, number: complex) -> Value:
        """Return the residue of a number, which is a fraction."""
        if self.is_plain(scalar_type):
            return super().constant(scalar_type, number)
        if scalar_type.kind == "complex":
            number = complex(number)
            return np.complex128(complex(self._residue(number.real), self._residue(number.imag)))
        return np.int64(self._residue(float(np.real(number))))

    def _residue(self, number: float) -> int:
        if np.isnan(number):
            return self.nan
        if np.isinf(number):
            return self.infinity if number > 0 else self.minus_infinity
        exact = Fraction(number)
        return exact.numerator * pow(exact.denominator, -1, self.modulus) % self.modulus

    def from_memory(self, scalar_type: ScalarType, stored: Value) -> Value:
        """Return the residues in the bits of elements."""
        if self.is_plain(scalar_type):
            return super().from_memory(scalar_type, stored)
        part = self._part(scalar_type)
        bits = np.ascontiguousarray(stored).view(f"u{part.size_bytes}").astype(np.uint64)
        values = np.minimum(bits, np.uint64(self.nan)).astype(np.int64)
        if scalar_type.kind == "complex":
            values = values.astype(np.float64).view(np.complex128)
        return values.reshape(np.shape(stored))[()]

    def to_memory(self, scalar_type: ScalarType, values: Value) -> Value:
        """Return elements whose bits are residues."""
        if self.is_plain(scalar_type):
            return super().to_memory(scalar_type, values)
        part, values = self._part(scalar_type), np.asarray(values)
        if scalar_type.kind == "complex":
            parts = np.stack(self._parts(values), axis=-1)
            bits = np.ascontiguousarray(parts.astype(f"u{part.size_bytes}"))
            return bits.view(scalar_type.dtype)[..., 0][()]
        return values.astype(f"u{part.size_bytes}").view(scalar_type.dtype)[()]

    def _part(self, scalar_type: ScalarType) -> ScalarType:
        """Return the type of real numbers, which has bits for all residues."""
        part = scalar_type.real
        if self.nan >= 2**part.bits:
            raise ValueError(f"expected a prime below 2^{part.bits} - 2 for {part.name}")
        return part

    # Operations by type.

    def binary(self, word: str, scalar_type: ScalarType) -> Binary:
        """Return an operation of two numbers."""
        if self.is_plain(scalar_type):
            return super().binary(word, scalar_type)
        if scalar_type.kind == "complex":
            function = self._complex(word)
            return lambda a, b: _joined(*function(*self._parts(a), *self._parts(b)))
        return _of_integers(self._binary[word])

    def unary(self, word: str, scalar_type: ScalarType) -> Unary:
        """Return a function of one number."""
        if self.is_plain(scalar_type):
            return super().unary(word, scalar_type)
        if scalar_type.kind == "complex":
            return self._complex_unary(word)
        word = word.removeprefix("native_")
        return _of_integers(self._unary.get(word, functools.partial(self.drawn, word)))

    def of_several(self, word: str, scalar_type: ScalarType) -> Callable[..., Value]:
        """Return a function of several numbers."""
        if self.is_plain(scalar_type):
            return super().of_several(word, scalar_type)
        return _of_integers(self._several[word])

    def compare(self, word: str, scalar_type: ScalarType) -> Binary:
        """Return a comparison by the order of residues."""
        if self.is_plain(scalar_type):
            return super().compare(word, scalar_type)
        if scalar_type.kind == "complex":
            return arithmetic.compare(word, scalar_type)
        test = arithmetic.compare(word, scalar_type)

        def compared(a: Value, b: Value) -> Value:
            is_nan = (np.asarray(a) == self.nan) | (np.asarray(b) == self.nan)
            return np.where(is_nan, word == "ne", test(self.order(a), self.order(b)))[()]

        return compared

    def is_nan(self, values: Value) -> Value:
        """Return which numbers are NaN."""
        values = np.asarray(values)
        return values == self.nan if values.dtype == np.int64 else np.isnan(values)

    def cast(self, source: ScalarType, result: ScalarType) -> Unary:
        """Return a conversion, which does not round."""
        if self.is_plain(source) and self.is_plain(result):
            return super().cast(source, result)
        if self.is_plain(result):
            raise Unshown("it makes integers of computed numbers")

        def converted(values: Value) -> Value:
            values = np.asarray(values)
            if self.is_plain(source):
                values = values.astype(np.int64) % self.modulus
            return values.astype(self.value_dtype(result))[()]

        return converted

    def round_to(self, scalar_type: ScalarType, values: Value) -> Value:
        """Return numbers as they are."""
        if self.is_plain(scalar_type):
            return super().round_to(scalar_type, values)
        return values

    # Sums and products of matrices.

    def matmul(self, scalar_type: ScalarType, a: Value, b: Value) -> Value:
        """Return the product of matrices."""
        if self.is_plain(scalar_type):
            return super().matmul(scalar_type, a, b)
        if scalar_type.kind != "complex":
            return self._product(np.asarray(a, np.int64), np.asarray(b, np.int64))
        (ar, ai), (br, bi) = self._parts(a), self._parts(b)
        real = self._add(self._product(ar, br), self._negative(self._product(ai, bi)))
        imaginary = self._add(self._product(ar, bi), self._product(ai, br))
        return _joined(real, imaginary)

    def _product(self, a: Array, b: Array) -> Array:
        """Multiply matrices by halves of the first one, so that sums of 2^16 terms are exact."""
        if (a >= self.modulus).any() or (b >= self.modulus).any():
            return self._product_of_any(a, b)
        high, low = a >> 16, a & 0xFFFF
        product: Array = ((high @ b % self.modulus << 16) + low @ b) % self.modulus
        return product

    def _product_of_any(self, a: Array, b: Array) -> Array:
        if b.ndim == 1:
            return self._product_of_any(a, b[:, None])[..., 0]
        terms = self._multiply(a[..., :, :, None], b[..., None, :, :])
        return np.asarray(self._total(terms, -2))

    def sum(self, scalar_type: ScalarType, a: Value, axis: int) -> Value:
        """Return the sums along a mode."""
        if self.is_plain(scalar_type):
            return super().sum(scalar_type, a, axis)
        if scalar_type.kind == "complex":
            return _joined(*(self._total(part, axis) for part in self._parts(a)))
        return self._total(np.asarray(a), axis)

    def _total(self, a: Array, axis: int) -> Value:
        if not (a >= self.modulus).any():
            return np.sum(a, axis=axis) % self.modulus
        rows = np.moveaxis(a, axis, 0)
        return functools.reduce(self._add, rows, np.zeros(rows.shape[1:], np.int64))

    def sums(self, scalar_type: ScalarType, a: Value, axis: int) -> Value:
        """Return the running sums along a mode."""
        if self.is_plain(scalar_type):
            return super().sums(scalar_type, a, axis)
        if scalar_type.kind == "complex":
            return _joined(*(self._totals(part, axis) for part in self._parts(a)))
        return self._totals(np.asarray(a), axis)

    def _totals(self, a: Array, axis: int) -> Array:
        result = np.moveaxis(np.array(a), axis, 0)
        for number in range(1, len(result)):
            result[number] = self._add(result[number - 1], result[number])
        return np.moveaxis(result, 0, axis)

    # Real numbers.

    def _is_special(self, *operands: Array) -> bool:
        return any((each >= self.modulus).any() for each in operands)

    def _add(self, a: Array, b: Array) -> Array:
        if not self._is_special(a, b):
            return (a + b) % self.modulus
        is_nan = (a == self.nan) | (b == self.nan)
        is_nan |= (a >= self.modulus) & (b >= self.modulus) & (a != b)
        infinite = np.where(a >= self.modulus, a, b)
        is_special = (a >= self.modulus) | (b >= self.modulus)
        found = np.where(is_special, infinite, (a + b) % self.modulus)
        return np.where(is_nan, self.nan, found)

    def _negative(self, a: Array) -> Value:
        found = -a % self.modulus
        if not self._is_special(a):
            return found
        found = np.where(a == self.infinity, self.minus_infinity, found)
        found = np.where(a == self.minus_infinity, self.infinity, found)
        return np.where(a == self.nan, self.nan, found)

    def _multiply(self, a: Array, b: Array) -> Value:
        if not self._is_special(a, b):
            return a * b % self.modulus
        signs = self._sign_of_any(a) * self._sign_of_any(b)
        infinite = np.where(signs > 0, self.infinity, self.minus_infinity)
        is_nan = (a == self.nan) | (b == self.nan) | (signs == 0)
        special = np.where(is_nan, self.nan, infinite)
        finite_a, finite_b = (np.where(each < self.modulus, each, 0) for each in (a, b))
        is_special = (a >= self.modulus) | (b >= self.modulus)
        return np.where(is_special, special, finite_a * finite_b % self.modulus)

    def inverse(self, a: Array) -> Value:
        """Return 1 / a: NaN of 0, and 0 of infinities."""
        finite = np.where(a < self.modulus, a, 0)
        exponent = self.modulus - self.modulus // self.prime - 1  # Euler's theorem
        found = self.power(finite, exponent, self.modulus)
        found = np.where((finite % self.prime == 0) | (a == self.nan), self.nan, found)
        return np.where((a == self.infinity) | (a == self.minus_infinity), 0, found)

    @staticmethod
    def power(base: Array, exponent: int, modulus: int) -> Array:
        """Return a power of finite numbers."""
        result, base = np.ones_like(base), base % modulus
        while exponent:
            if exponent & 1:
                result = result * base % modulus
            base, exponent = base * base % modulus, exponent >> 1
        return result

    def _sign(self, a: Array) -> Array:
        """Return the residue 1 of squares, -1 of the others, and 0 of 0."""
        found = self.power(a, (self.prime - 1) // 2, self.prime)
        return np.where(found == self.prime - 1, self.modulus - 1, found)

    def _sign_of_any(self, a: Array) -> Array:
        """Return 1, -1 or 0 as integers; 0 of NaN."""
        finite = self._sign(np.where(a < self.modulus, a, 0))
        found = np.where(finite == self.modulus - 1, -1, finite)
        found = np.where(a == self.infinity, 1, found)
        return np.asarray(np.where(a == self.minus_infinity, -1, found))

    def order(self, values: Value) -> Value:
        """Return integers in the order of numbers; NaN is the largest."""
        a = np.asarray(values, np.int64)
        rest = np.where(a < self.modulus, a % self.prime, 0)
        found = self._sign_of_any(a) * (1 + np.minimum(rest, self.prime - rest))
        for special, place in (
            (self.infinity, self.modulus),
            (self.minus_infinity, -self.modulus),
            (self.nan, self.modulus + 1),
        ):
            found = np.where(a == special, place, found)
        return found

    def absolute(self, a: Array) -> Value:
        """Return the positive one of a and -a."""
        return np.where(self._sign_of_any(a) < 0, self._negative(a), a)

    def root(self, a: Array) -> Value:
        """Return the positive root of |a|."""
        self.has_roots_of_negatives |= bool((self._sign_of_any(a) < 0).any())
        found = self._finite_root(np.where(a < self.modulus, a, 0))
        found = np.where(a == self.infinity, self.infinity, found)
        return np.where((a == self.nan) | (a == self.minus_infinity), self.nan, found)

    def _finite_root(self, a: Array) -> Array:
        return self.power(a, (self.prime + 1) // 4, self.prime)

    def _extreme(self, is_first: Binary, spreads_nan: bool, a: Array, b: Array) -> Value:
        """Return the smaller or larger number; of NaN and a number the latter, or NaN."""
        found = np.where(is_first(self.order(a), self.order(b)), a, b)
        if spreads_nan:
            return np.where((a == self.nan) | (b == self.nan), self.nan, found)
        return np.where(a == self.nan, b, np.where(b == self.nan, a, found))

    def _exponential(self, word: str, a: Array) -> Value:
        found = np.where(a == self.minus_infinity, 0, self.drawn(word, a))
        return np.where(a == 0, 1, np.where(a == self.infinity, self.infinity, found))

    def drawn(self, word: str, *operands: Array) -> Value:
        """Return numbers that depend on a word and operands as if they were random."""
        bits = np.uint64(int.from_bytes(word.encode(), "little") % 2**64)
        mixed = np.asarray(bits)
        for each in np.broadcast_arrays(*operands):
            mixed = _mixed(mixed ^ _mixed(np.asarray(each).astype(np.uint64)))
        return (mixed % np.uint64(self.modulus)).astype(np.int64)

    # Complex numbers.

    def _parts(self, values: Value) -> tuple[Array, Array]:
        """Return real and imaginary parts; that of a conjugate may be a negative number."""
        values = np.asarray(values)
        imaginary = values.imag.astype(np.int64)
        if (imaginary < 0).any():
            imaginary = np.where(imaginary < 0, self._negative(-imaginary), imaginary)
        return values.real.astype(np.int64), imaginary

    def _complex(self, word: str) -> Callable[..., tuple[Value, Value]]:
        def add(a: Array, b: Array, c: Array, d: Array) -> tuple[Value, Value]:
            return self._add(a, c), self._add(b, d)

        def subtract(a: Array, b: Array, c: Array, d: Array) -> tuple[Value, Value]:
            return add(a, b, self._negative(c), self._negative(d))

        def multiply(a: Array, b: Array, c: Array, d: Array) -> tuple[Value, Value]:
            product = self._multiply
            real = self._add(product(a, c), self._negative(product(b, d)))
            return real, self._add(product(a, d), product(b, c))

        def divide(a: Array, b: Array, c: Array, d: Array) -> tuple[Value, Value]:
            squares = self._add(self._multiply(c, c), self._multiply(d, d))
            factor = self.inverse(squares)
            real, imaginary = multiply(a, b, c, self._negative(d))
            return self._multiply(real, factor), self._multiply(imaginary, factor)

        return {"add": add, "sub": subtract, "mul": multiply, "div": divide}[word]

    def _complex_unary(self, word: str) -> Unary:
        def function(values: Value) -> Value:
            real, imaginary = self._parts(values)
            if word in ("re", "im"):
                return (real if word == "re" else imaginary)[()]
            if word == "abs":
                return np.asarray(self._several["hypot"](real, imaginary))[()]
            if word == "conj":
                return _joined(real, self._negative(imaginary))
            if word == "neg":
                return _joined(self._negative(real), self._negative(imaginary))
            size = self._exponential(word, real)
            parts = (self.drawn(part, imaginary) for part in ("cos", "sin"))
            return _joined(*(self._multiply(size, part) for part in parts))

        if word.removeprefix("native_") not in (*_COMPLEX_PARTS, "exp"):
            raise Unshown(f"it computes {word} of complex numbers")
        word = word.removeprefix("native_")
        return function


def _mixed(bits: Array) -> Array:
    """Return numbers of 64 bits all of whose bits depend on all bits (splitmix64)."""
    with np.errstate(over="ignore"):
        bits = bits + np.uint64(0x9E3779B97F4A7C15)
        bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(bits ^ (bits >> np.uint64(31)))


def _joined(real: Value, imaginary: Value) -> Value:
    result = np.empty(np.broadcast_shapes(np.shape(real), np.shape(imaginary)), np.complex128)
    result.real, result.imag = real, imaginary
    return result[()]


def _of_integers(function: Callable[..., Value]) -> Callable[..., Value]:
    """Convert operands, which may be numbers, to arrays of int64."""
    return lambda *operands: np.asarray(
        function(*(np.asarray(each, np.int64) for each in operands))
    )[()]
