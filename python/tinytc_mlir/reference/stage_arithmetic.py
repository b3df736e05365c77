# SPDX-License-Identifier: BSD-3-Clause
"""What operations of later stages compute that the language has not, on any numbers.

Integers may be unsigned, and those of one bit are computed modulo 2; comparisons say what they
make of NaN. `arithmetic` is what numbers are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..scalars import ScalarType
from .arithmetic import Arithmetic
from .untyped import Value

Function = Callable[..., Any]

_UNSIGNED: dict[str, Function] = {
    "div": np.floor_divide,
    "rem": np.mod,
    "min": np.minimum,
    "max": np.maximum,
    "shr": np.right_shift,
}
_OF_ONE_BIT = {"add": "xor", "sub": "xor", "mul": "and"}


def as_unsigned(values: Value) -> Value:
    """Return integers as the unsigned numbers with the same bits."""
    return values if values.dtype == np.bool_ else values.view(f"u{values.dtype.itemsize}")


def binary(
    arithmetic: Arithmetic, word: str, scalar_type: ScalarType, *, is_unsigned: bool = False
) -> Function:
    """Return an operation of two numbers."""
    if is_unsigned:
        compute = _UNSIGNED[word]
        return lambda a, b: compute(as_unsigned(a), as_unsigned(b)).view(a.dtype)
    if scalar_type.kind == "bool":
        word = _OF_ONE_BIT.get(word, word)
    return arithmetic.binary(word, scalar_type)


def cast(
    arithmetic: Arithmetic, source: ScalarType, result: ScalarType, *, is_unsigned: bool = False
) -> Function:
    """Return a conversion."""
    if source.value_dtype == result.value_dtype and source.kind == result.kind == "integer":
        return lambda a: a
    if result.kind == "bool":
        return lambda a: (a & 1).astype(np.bool_)
    convert = arithmetic.cast(source, result)
    if source.kind == "bool" and not is_unsigned:
        return lambda a: convert(-a.astype(np.int8))
    if source.kind == "integer" and is_unsigned:
        return lambda a: convert(as_unsigned(a))
    return convert


def compare(
    arithmetic: Arithmetic, word: str, scalar_type: ScalarType, *, is_unsigned: bool = False
) -> Function:
    """Return a comparison of integers."""
    test = arithmetic.compare(word, scalar_type)
    if is_unsigned:
        return lambda a, b: test(as_unsigned(a), as_unsigned(b))
    return test


def compare_floats(
    arithmetic: Arithmetic, word: str, scalar_type: ScalarType, *, is_unordered: bool
) -> Function:
    """Return a comparison that is false where an operand is NaN, or true if it is unordered."""
    test = arithmetic.compare(word, scalar_type)

    def result(a: Value, b: Value) -> Value:
        has_nan = arithmetic.is_nan(a) | arithmetic.is_nan(b)
        return test(a, b) | has_nan if is_unordered else test(a, b) & ~has_nan

    return result
