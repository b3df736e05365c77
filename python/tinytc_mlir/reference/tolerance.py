# SPDX-License-Identifier: BSD-3-Clause
"""How far apart two correct implementations of an instruction may be."""

from __future__ import annotations

import numpy as np

from ..scalars import SCALAR_TYPES, ScalarType
from .rounding import Array, accumulator_of
from .untyped import Value

# Room for the products, for alpha and beta, and for the rounding of the result.
_EXTRA_ROUNDINGS = 4


def tolerance(result_type: str, magnitude: Value, *, terms: int = 1) -> Array:
    """Return the bound on |device - reference| for results of a type, element by element.

    A sum of n products in floating-point arithmetic of unit roundoff u = eps / 2 differs from
    the exact one by at most about n u times the sum of the absolute values of its terms, in any
    order and with or without fused multiply-add. Device and reference may both be that far off,
    so that they differ by at most

        (terms + 4) eps(accumulator) magnitude + eps(result) magnitude + underflow,

    twice as much for complex types, whose products have two terms. Types of 16 bits accumulate
    in f32. The last term is the smallest normal number of both types for every term, since a
    device may flush smaller numbers to zero. Integers must agree exactly.

    Args:
        result_type: name of the type in the language, such as "f16".
        magnitude: the same formula with absolute values: |alpha| |A| |B| + |beta| |C| for gemm.
        terms: number of terms of the sum, K for gemm.

    Returns:
        array of f64 with the shape of `magnitude`.

    Source: N. J. Higham, Accuracy and Stability of Numerical Algorithms, section 3.1.

    >>> float(tolerance("f32", 1.0, terms=12)) == 17 * 2.0**-23 + 16 * 2.0**-126 + 2.0**-126
    True
    >>> float(tolerance("i32", 100, terms=12))
    0.0
    """
    scalar_type = SCALAR_TYPES[result_type]
    size = np.asarray(np.abs(magnitude), np.float64)
    if not scalar_type.precision:
        return np.zeros_like(size)
    accumulator = accumulator_of(scalar_type)
    roundings = terms + _EXTRA_ROUNDINGS
    factor = 2 if scalar_type.kind == "complex" else 1
    relative = factor * (roundings * accumulator.epsilon + scalar_type.epsilon)
    underflow = roundings * _smallest_normal(accumulator) + _smallest_normal(scalar_type)
    return np.asarray(relative * size + factor * underflow)


def _smallest_normal(scalar_type: ScalarType) -> float:
    """Return the smallest positive value of full precision."""
    return float(np.finfo(scalar_type.value_dtype).smallest_normal)
