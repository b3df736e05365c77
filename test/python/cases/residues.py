"""Arithmetic modulo a prime in place of floating-point numbers.

Sums in any order, factored products and fused multiply-adds are equal then, and different
polynomials hardly ever. Memory holds the residues in the bits of the numbers.
"""

import fractions

import numpy as np

from tinytc_mlir.reference.arithmetic import Arithmetic
from tinytc_mlir.scalars import SCALAR_TYPES


class Residues(Arithmetic):
    """Residues in place of numbers of f32 and f64; integers stay as they are.

    Args:
        prime: below 2^31.
    """

    def __init__(self, prime):
        self.prime = prime

    def is_plain(self, scalar_type):
        return scalar_type.kind not in ("floating", "complex")

    def value_dtype(self, scalar_type):
        return scalar_type.value_dtype if self.is_plain(scalar_type) else self._known(scalar_type)

    def constant(self, scalar_type, number):
        if self.is_plain(scalar_type):
            return super().constant(scalar_type, number)
        exact = fractions.Fraction(float(number))
        inverse = pow(exact.denominator, -1, self.prime)
        return self._known(scalar_type).type(exact.numerator * inverse % self.prime)

    def from_memory(self, scalar_type, stored):
        if self.is_plain(scalar_type):
            return super().from_memory(scalar_type, stored)
        dtype = self._known(scalar_type)
        return np.asarray(stored).view(f"u{scalar_type.size_bytes}").astype(dtype)[()]

    def to_memory(self, scalar_type, values):
        if self.is_plain(scalar_type):
            return super().to_memory(scalar_type, values)
        stored = np.asarray(values).astype(f"u{scalar_type.size_bytes}")
        return stored.view(scalar_type.dtype)[()]

    def binary(self, word, scalar_type):
        if self.is_plain(scalar_type):
            return super().binary(word, scalar_type)
        operations = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": self._divide}
        return self._modulo(operations[word])

    def unary(self, word, scalar_type):
        if self.is_plain(scalar_type):
            return super().unary(word, scalar_type)
        return self._modulo({"neg": np.negative}[word])

    def of_several(self, word, scalar_type):
        assert word == "fma"
        return lambda a, b, c: (a * b % self.prime + c) % self.prime

    def cast(self, source, result):
        if self.is_plain(source) and self.is_plain(result):
            return super().cast(source, result)
        assert not self.is_plain(result), f"expected no integer of a residue, got {result.name}"
        return self._modulo(lambda a: np.asarray(a).astype(np.int64)[()])

    def round_to(self, scalar_type, values):
        return super().round_to(scalar_type, values) if self.is_plain(scalar_type) else values

    def matmul(self, scalar_type, a, b):
        if self.is_plain(scalar_type):
            return super().matmul(scalar_type, a, b)
        return self._modulo(np.matmul)(a.astype(object), b.astype(object)).astype(np.int64)

    def sum(self, scalar_type, a, axis):
        return self._modulo(super().sum)(scalar_type, a, axis)

    def _divide(self, a, b):
        return a * np.vectorize(lambda each: pow(int(each), -1, self.prime))(b)

    def _modulo(self, function):
        return lambda *operands: function(*operands) % self.prime

    @staticmethod
    def _known(scalar_type):
        expected = [SCALAR_TYPES[name] for name in ("f32", "f64")]
        assert scalar_type in expected, f"expected f32 or f64, got {scalar_type.name}"
        return np.dtype(np.int64)
