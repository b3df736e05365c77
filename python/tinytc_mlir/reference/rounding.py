# SPDX-License-Identifier: BSD-3-Clause
"""How the reference rounds: once, also to the types that NumPy computes in a wider one."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .._tinytc import fused_multiply_add
from ..scalars import SCALAR_TYPES, ScalarType
from .untyped import Value

Array = npt.NDArray[Any]


def round_to(scalar_type: ScalarType, values: Value) -> Value:
    """Return real or complex values rounded to a type, ties to even, as its `value_dtype`.

    >>> float(round_to(SCALAR_TYPES["f16"], 1 + 2.0**-11 + 2.0**-40))
    1.0009765625
    """
    if scalar_type.is_bits:
        bits = scalar_type.to_memory(_to_odd_float32(np.asarray(values)))
        return scalar_type.from_memory(bits)[()]
    return np.asarray(values).astype(scalar_type.value_dtype)[()]


def accumulator_of(scalar_type: ScalarType) -> ScalarType:
    """Return the type that collective instructions accumulate in when they update a type."""
    return SCALAR_TYPES[scalar_type.compute]


def fused(a: Value, b: Value, c: Value, dtype: npt.DTypeLike) -> Array:
    """Return ab + c with one rounding, for numbers of f32 or of f64.

    >>> float(fused(1 + 2.0**-30, 1 - 2.0**-30, -1, np.float64)) == -(2.0**-60)
    True
    """
    operands = [np.asarray(each, dtype) for each in (a, b, c)]
    shape = np.broadcast(*operands).shape
    for number, each in enumerate(operands):
        if each.shape not in ((), shape) or not each.flags.c_contiguous:
            operands[number] = np.ascontiguousarray(np.broadcast_to(each, shape))
    result = np.empty(shape, dtype)
    fused_multiply_add(operands[0], operands[1], operands[2], result)
    return result


def _to_odd_float32(values: Array) -> Array:
    """Return f32 values that are odd where inexact, so that a second rounding is harmless."""
    if values.dtype == np.float32:
        return values
    if values.dtype.kind in "iu":
        values = _to_odd_float64(values.astype(np.int64))
    wide = values.astype(np.float64)
    with np.errstate(over="ignore"):
        narrow = np.asarray(wide.astype(np.float32))
    toward_zero = np.where(
        np.abs(narrow) > np.abs(wide), np.nextafter(narrow, np.float32(0)), narrow
    )
    inexact = (toward_zero != wide) & ~np.isnan(wide) & ~np.isinf(wide)
    odd: Array = toward_zero.view(np.uint32) | inexact.astype(np.uint32)
    result: Array = odd.view(np.float32)
    return result


def _to_odd_float64(values: Array) -> Array:
    """Return integers as f64; those of more than 53 bits become odd in the bits that are kept."""
    low = values & 0x7FF
    odd = (values - low) | np.where(low != 0, 0x800, 0)
    return np.where(np.abs(values.astype(np.float64)) < 2.0**52, values, odd).astype(np.float64)
