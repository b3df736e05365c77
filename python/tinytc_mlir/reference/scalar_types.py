"""The scalar types of the language as NumPy holds them: in memory and in computations."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import numpy as np
import numpy.typing as npt

from ..scalars import bfloat16_bits, bfloat16_values

Array = npt.NDArray[Any]


@dataclasses.dataclass(frozen=True)
class ScalarType:
    """One scalar type of the language.

    Args:
        name: name in the language, `bool` included.
        kind: "bool", "integer", "float" or "complex".
        stored_dtype: dtype of an element in memory; bf16 is stored as its bit pattern.
        dtype: dtype of a value in computations; bf16 computes in f32 and rounds every result.
        precision: significant bits of a floating-point (component) type, 0 for the others.

    >>> SCALAR_TYPES["bf16"].epsilon
    0.0078125
    """

    name: str
    kind: str
    stored_dtype: np.dtype[Any]
    dtype: np.dtype[Any]
    precision: int = 0

    @property
    def bits(self) -> int:
        """Number of bits of one element in memory."""
        return 8 * self.stored_dtype.itemsize

    @property
    def epsilon(self) -> float:
        """Distance from 1 to the next larger value, 0 for types that are exact."""
        return float(2.0 ** (1 - self.precision)) if self.precision else 0.0

    @property
    def smallest_normal(self) -> float:
        """Smallest positive value of full precision, 0 for types that are exact."""
        if not self.precision:
            return 0.0
        return float(np.finfo(self.dtype).smallest_normal)

    @property
    def accumulator(self) -> ScalarType:
        """Type that collective instructions accumulate in when they update this type."""
        return SCALAR_TYPES["f32"] if self.name in ("bf16", "f16") else self

    @property
    def real(self) -> ScalarType:
        """Component type of a complex type, else the type itself."""
        return SCALAR_TYPES[f"f{self.name[1:]}"] if self.kind == "complex" else self

    def round(self, values: Any) -> Any:
        """Return real or complex values rounded to this type, ties to even, as `dtype`."""
        if self.name == "bf16":
            return bfloat16_values(bfloat16_bits(_to_odd_float32(np.asarray(values))))[()]
        return np.asarray(values).astype(self.dtype)[()]

    def from_memory(self, stored: Array) -> Array:
        """Return the values of elements in memory."""
        return bfloat16_values(stored) if self.name == "bf16" else stored

    def to_memory(self, values: Any) -> Any:
        """Return what values of this type look like in memory."""
        return bfloat16_bits(values) if self.name == "bf16" else values


def _scalar_type(name: str, kind: str, dtype: str, precision: int = 0) -> ScalarType:
    return ScalarType(name, kind, np.dtype(dtype), np.dtype(dtype), precision)


SCALAR_TYPES: dict[str, ScalarType] = {
    scalar_type.name: scalar_type
    for scalar_type in (
        _scalar_type("bool", "bool", "bool"),
        _scalar_type("i8", "integer", "int8"),
        _scalar_type("i16", "integer", "int16"),
        _scalar_type("i32", "integer", "int32"),
        _scalar_type("i64", "integer", "int64"),
        _scalar_type("index", "integer", "int64"),
        ScalarType("bf16", "float", np.dtype("uint16"), np.dtype("float32"), 8),
        _scalar_type("f16", "float", "float16", 11),
        _scalar_type("f32", "float", "float32", 24),
        _scalar_type("f64", "float", "float64", 53),
        _scalar_type("c32", "complex", "complex64", 24),
        _scalar_type("c64", "complex", "complex128", 53),
    )
}

_NAMES_IN_MLIR = {"i1": "bool", "complex<f32>": "c32", "complex<f64>": "c64"}


@functools.cache
def scalar_type_named(name: str) -> ScalarType:
    """Return the scalar type with a name of the language or of MLIR's assembly.

    >>> scalar_type_named("complex<f32>").name
    'c32'
    """
    return SCALAR_TYPES[_NAMES_IN_MLIR.get(name, name)]


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
