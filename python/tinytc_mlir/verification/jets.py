# SPDX-License-Identifier: BSD-3-Clause
"""Numbers with derivatives: residues modulo the square of a prime p, where p v stands for dx.

Modulo p^2, f(x + p v) = f(x) + p f'(x) v, whatever f is made of: sums, products and quotients are
those of residues. So a run of a kernel on x + p v computes its derivative, modulo p.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..reference.rounding import Array
from ..reference.untyped import Value
from .residues import Residues
from .unshown import Unshown

PRIMES = (46327, 46307, 46279, 46271, 46219, 46199, 46187, 46183)
"""Primes that are 3 modulo 4 and whose squares are below 2^31."""


class Jets(Residues):
    """Residues modulo p^2.

    Args:
        prime: one of `PRIMES`.

    >>> from tinytc_mlir.scalars import SCALAR_TYPES
    >>> p = PRIMES[0]
    >>> x = np.int64(5 + 2 * p)  # 5, and a derivative of 2
    >>> divmod(int(Jets(p).binary("mul", SCALAR_TYPES["f32"])(x, x)), p)
    (20, 25)
    """

    def __init__(self, prime: int) -> None:
        super().__init__(prime)
        self._begin(prime, prime**2)

    def _finite_root(self, a: Array) -> Array:
        """Add to the root r the derivative (|a| - r^2) / (2 r)."""
        root = super()._finite_root(a)
        absolute = np.asarray(self.absolute(a))
        change = (absolute - root * root) % self.modulus
        half = self.inverse(2 * root % self.modulus)
        return np.where(root == 0, 0, (root + change * np.where(root == 0, 0, half)) % self.modulus)

    def drawn(self, word: str, *operands: Array) -> Value:
        """Return h(x) + p h'(x) v of a function whose values are drawn."""
        if len(operands) != 1 or word not in _SLOPES:
            raise Unshown(f"it computes {word}")
        (a,) = operands
        point = np.where(a < self.modulus, a % self.prime, a)
        value = np.asarray(super().drawn(word, point)) % self.prime
        slope = np.asarray(_SLOPES[word](self, point, value))
        found = (value + (a - point) % self.modulus * slope) % self.modulus
        return np.where(a < self.modulus, found, value)


def _of_inverse(denominator: Callable[[Residues, Array], Array]) -> Callable[..., Value]:
    """Return a derivative that is 1 / d(x)."""
    return lambda numbers, x, value: numbers.inverse(denominator(numbers, x) % numbers.modulus)


_SLOPES: dict[str, Callable[[Residues, Array, Array], Value]] = {
    "exp": lambda numbers, x, value: value,
    "expm1": lambda numbers, x, value: value + 1,
    "log": _of_inverse(lambda numbers, x: x),
    "log1p": _of_inverse(lambda numbers, x: 1 + x),
    "atan": _of_inverse(lambda numbers, x: 1 + x * x),
    "tanh": lambda numbers, x, value: (1 - value * value) % numbers.modulus,
    "sin": lambda numbers, x, value: Residues.drawn(numbers, "cos", x) % numbers.prime,
    "cos": lambda numbers, x, value: -Residues.drawn(numbers, "sin", x) % numbers.prime,
}
