# SPDX-License-Identifier: BSD-3-Clause
"""Arithmetic of GPU instructions on NumPy arrays, rounded once in the type of the result.

A number of bf16 is an array of uint16 with its bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import float16 as f16
from numpy import float32 as f32
from numpy import float64 as f64
from numpy import int8 as s8
from numpy import int16 as s16
from numpy import int32 as s32
from numpy import int64 as s64
from numpy import uint8 as u8
from numpy import uint16 as u16
from numpy import uint32 as u32
from numpy import uint64 as u64

from ..reference.rounding import fused
from ..reference.untyped import Value
from .findings import FINDINGS

DTYPES: dict[str, Any] = {
    "u8": u8,
    "u16": u16,
    "u32": u32,
    "u64": u64,
    "b8": u8,
    "b16": u16,
    "b32": u32,
    "b64": u64,
    "s8": s8,
    "s16": s16,
    "s32": s32,
    "s64": s64,
    "f16": f16,
    "f32": f32,
    "f64": f64,
    "bf16": u16,
}
FLOATS = ("f16", "bf16", "f32", "f64")
UNSIGNED = {8: u8, 16: u16, 32: u32, 64: u64}
ROUNDINGS = {"rzi": np.trunc, "rni": np.rint, "rmi": np.floor, "rpi": np.ceil}


def from_bf16(bits: Value) -> Value:
    """Return the numbers of f32 with the upper halves `bits`."""
    return (np.asarray(bits).astype(u32) << u32(16)).view(f32)


def to_bf16(values: Value) -> Value:
    """Round f32 or f64 to nearest even, NaN to 0x7FFF."""
    values = np.asarray(values)
    bits = (round_to_odd(values) if values.dtype == f64 else values.astype(f32)).view(u32)
    carry = u64(0x7FFF) + ((bits >> u32(16)) & u32(1))
    rounded = ((bits.astype(u64) + carry) >> u64(16)).astype(u16)
    return np.where(np.isnan(values), u16(0x7FFF), rounded)


def round_to_odd(values: Value) -> Value:
    """Round f64 to f32 so that another rounding, to fewer bits, is right."""
    nearest = values.astype(f32)
    wide = nearest.astype(f64)
    inexact = (wide != values) & np.isfinite(nearest) & np.isfinite(values)
    away = inexact & (np.abs(wide) > np.abs(values))
    bits = np.where(away, nearest.view(u32) - u32(1), nearest.view(u32))
    return np.where(inexact, bits | u32(1), bits).astype(u32).view(f32)


def fma(a: Value, b: Value, c: Value, type_: str) -> Value:
    """Return a * b + c in a floating-point type, rounded once."""
    if type_ == "bf16":
        a, b, c = from_bf16(a), from_bf16(b), from_bf16(c)
    if type_ in ("f32", "f64"):
        return fused(a, b, c, DTYPES[type_])
    # Products of f16 and bf16 are exact in f64, and their sums with a third number nearly so.
    return round_float(np.asarray(a, f64) * np.asarray(b, f64) + np.asarray(c, f64), type_)


def binary(operation: Callable[..., Value], a: Value, b: Value, type_: str) -> Value:
    """Return a sum, difference or product in a floating-point type."""
    if type_ == "bf16":
        a, b = from_bf16(a).astype(f64), from_bf16(b).astype(f64)
        return to_bf16(operation(a, b))
    return operation(a, b)


def min_max(
    operation: Callable[..., Value], a: Value, b: Value, type_: str, spreads_nan: bool
) -> Value:
    """Return np.fmin or np.fmax, or NaN where an operand is NaN if `spreads_nan`."""
    if type_ == "bf16":
        a, b = from_bf16(a), from_bf16(b)
    result = operation(a, b)
    if spreads_nan:
        result = np.where(np.isnan(a) | np.isnan(b), result.dtype.type(np.nan), result)
    return to_bf16(result) if type_ == "bf16" else result


def divide(a: Value, b: Value, *, remainder: bool) -> Value:
    """Divide integers as C does. A division by zero is a finding."""
    a, b = np.broadcast_arrays(a, b)
    is_zero = b == 0
    if is_zero.any():
        FINDINGS.add("division by zero", f"{int(is_zero.sum())} threads")
    one = b.dtype.type(1)
    if a.dtype.kind == "u":
        divisor = np.where(is_zero, one, b)
        result = a % divisor if remainder else a // divisor
        return np.where(is_zero, ~b.dtype.type(0), result)
    negates = b == -1
    divisor = np.where(is_zero | negates, one, b)
    quotient = a // divisor
    quotient = quotient + ((a - quotient * divisor != 0) & ((a < 0) != (divisor < 0)))
    if remainder:
        result = np.where(negates, 0, a - quotient * divisor)
    else:
        result = np.where(negates, -a, quotient)
    return np.where(is_zero, b.dtype.type(-1), result).astype(a.dtype)


def multiply_high(a: Value, b: Value) -> Value:
    """Return the upper half of the product of integers."""
    a, b = np.broadcast_arrays(np.atleast_1d(a), np.atleast_1d(b))
    bits = a.dtype.itemsize * 8
    if bits < 64:
        wide = s64 if a.dtype.kind == "i" else u64
        return ((a.astype(wide) * b.astype(wide)) >> wide(bits)).astype(a.dtype)
    exact = [(int(x) * int(y)) >> 64 for x, y in zip(a.ravel(), b.ravel(), strict=True)]
    return np.array(exact, object).astype(a.dtype).reshape(a.shape)


def shift(a: Value, count: Value, *, left: bool) -> Value:
    """Shift integers; by the width of the type or more, no bits are left but signs."""
    bits = a.dtype.itemsize * 8
    count = np.asarray(count).astype(u32)
    if not left and a.dtype.kind == "i":
        return a >> np.minimum(count, u32(bits - 1)).astype(a.dtype)
    inside = np.where(count < bits, count, u32(0)).astype(a.dtype)
    return np.where(count < bits, a << inside if left else a >> inside, a.dtype.type(0))


def funnel_shift(low: Value, high: Value, count: Value, *, left: bool, wraps: bool) -> Value:
    """Shift the 64 bits of two words, and return the upper (left) or lower half."""
    count = (count & u32(31) if wraps else np.minimum(count, u32(32))).astype(u64)
    both = np.asarray(low).astype(u64) | np.asarray(high).astype(u64) << u64(32)
    return ((both << count) >> u64(32) if left else both >> count).astype(u32)


def _each(function: Callable[..., int], *arrays: Value) -> list[int]:
    arrays = np.broadcast_arrays(*map(np.atleast_1d, arrays))
    return [
        function(*map(int, values)) for values in zip(*(a.ravel() for a in arrays), strict=True)
    ]


def extract_bits(a: Value, position: Value, length: Value) -> Value:
    """Return bit fields, as `bfe` does: signed ones are extended by their sign."""
    bits, signed = a.dtype.itemsize * 8, a.dtype.kind == "i"

    def extract(value: int, start: int, count: int) -> int:
        start, count = start & 255, count & 255
        sign = value >> min(start + count - 1, bits - 1) & 1 if signed and count else 0
        have = min(count, max(bits - start, 0))
        field = (value & (1 << bits) - 1) >> start & (1 << have) - 1
        if sign:
            field |= (1 << bits) - 1 ^ (1 << have) - 1
        return int(field - (1 << bits)) if signed and field >> bits - 1 else int(field)

    return np.array(_each(extract, a, position, length), a.dtype)


def permute_bytes(a: Value, b: Value, selector: Value) -> Value:
    """Pick four bytes of two words, as `prmt` does."""
    both = np.asarray(a).astype(u64) | np.asarray(b).astype(u64) << u64(32)
    selector = np.asarray(selector).astype(u64)
    result: Value = u64(0)
    for k in range(4):
        choice = (selector >> u64(4 * k)) & u64(15)
        byte = (both >> ((choice & u64(7)) * u64(8))) & u64(255)
        sign = np.where(byte & u64(128) != 0, u64(255), u64(0))
        result = result | np.where(choice & u64(8) != 0, sign, byte) << u64(8 * k)
    return np.asarray(result).astype(u32)


def count_bits(x: Value) -> Value:
    """Return the number of bits that are set."""
    return np.array(_each(int.bit_count, x), u32)


def count_leading_zeros(x: Value) -> Value:
    """Return the number of zeros before the first bit that is set."""
    bits = x.dtype.itemsize * 8
    return np.array(_each(lambda value: bits - value.bit_length(), x), u32)


def reverse_bits(x: Value) -> Value:
    """Return the bits in opposite order."""
    bits = x.dtype.itemsize * 8
    return np.array(_each(lambda value: int(f"{value:0{bits}b}"[::-1], 2), x), x.dtype)


def round_float(values: Value, type_: str) -> Value:
    """Round to a floating-point type."""
    values = np.asarray(values)
    if type_ == "bf16":
        return to_bf16(values.astype(f64) if values.dtype.kind in "iu" else values)
    if type_ == "f16" and values.dtype.kind in "iu":
        values = values.astype(f64)  # exact up to 2^53, far above the largest f16
    return values.astype(DTYPES[type_])


def to_integer(values: Value, dtype: Any, rounding: str) -> Value:
    """Round to integers; numbers outside of the type become its nearest one, NaN becomes 0."""
    values = ROUNDINGS[rounding](np.asarray(values, f64))
    info = np.iinfo(dtype)
    values = np.where(np.isnan(values), 0.0, values)
    low, high = values <= float(info.min), values >= float(info.max)
    inside = np.where(low | high, 0, values).astype(dtype)
    return np.where(low, dtype(info.min), np.where(high, dtype(info.max), inside))


def convert(x: Value, to: str, source: str, rounding: str | None) -> Value:
    """Convert numbers as `cvt.rounding.to.source` does, if to integral ones by a rounding."""
    values = from_bf16(x) if source == "bf16" else np.asarray(x)
    if to in FLOATS:
        return round_float(ROUNDINGS[rounding](values) if rounding else values, to)
    if rounding is None:
        return values.astype(DTYPES[to])
    return to_integer(values, DTYPES[to], rounding)


_APPROXIMATIONS: dict[str, Callable[..., Value]] = {
    "ex2": np.exp2,
    "lg2": np.log2,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "rcp": np.reciprocal,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
}


def approximate(name: str, x: Value) -> Value:
    """Return what an approximate function of f32 is closest to."""
    return _APPROXIMATIONS[name](np.asarray(x, f64)).astype(f32)
