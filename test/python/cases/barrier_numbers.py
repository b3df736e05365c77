"""The numbers of random programs with barriers: which of them a type holds, and their functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from interpreting import COMPLEX, DTYPES
from tinytc_mlir.scalars import bfloat16_bits, bfloat16_values

Array = Any
Environment = dict[str, Array]

FLOATS = ("bf16", "f16", "f32", "f64")
INTEGERS = ("i8", "i16", "i32", "i64")
TYPES = FLOATS + INTEGERS + COMPLEX
COMPARISONS = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
BINARY = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "min": np.minimum,
    "max": np.maximum,
}
UNARY = {"neg": np.negative, "abs": np.abs, "conj": np.conj}


class Inexact(Exception):
    """A type does not hold a number exactly."""


def held(type_: str, values: Array) -> Array:
    """Return numbers as they are, if a type holds all of them exactly and none is large."""
    values = np.asarray(values)
    if type_ == "bool":
        return values
    if not np.all(np.isfinite(values)) or np.any(np.abs(values) > 2**20):
        raise Inexact
    if not np.all(stored(type_, values, check=True) == values):
        raise Inexact
    # NumPy computes in these types, and rounds quotients as they do.
    if type_ in ("f64", "c64") and np.any(np.round(values * 2**20) != values * 2**20):
        raise Inexact
    return values


def stored(type_: str, values: Array, *, check: bool = False) -> Array:
    """Return numbers as arrays hold them, or their values there."""
    if type_ == "bf16":
        bits = bfloat16_bits(values.astype(np.float32))
        return bfloat16_values(bits) if check else bits
    with np.errstate(all="ignore"):
        return values.astype(DTYPES[type_])
