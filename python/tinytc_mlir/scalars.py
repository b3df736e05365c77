# SPDX-License-Identifier: BSD-3-Clause
"""The language's scalar types: their names, widths, precision and NumPy dtypes.

The table is that of dialect/Scalars.td, of which the build makes a module. Importing this one does
not import NumPy, which the front-end does without.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import struct
from typing import TYPE_CHECKING, Any, TypeAlias

from ._scalars_gen import SCALARS

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import numpy.typing as npt

    Dtype: TypeAlias = np.dtype[Any]


@dataclasses.dataclass(frozen=True)
class ScalarType:
    """One scalar type of the language.

    Args:
        name: name in the language, `bool` included.
        kind: "bool", "integer", "floating" or "complex".
        bits: bits of a value in memory.
        mlir: name in MLIR's assembly.
        numpy: name of the dtype that arrays of this type usually have.
        extension: name of the dtype of ml_dtypes, jax and torch if NumPy has none, else empty.
        extension_code: DLPack's code for that dtype.
        precision: significant bits of a floating type or of the components of a complex one, 0 for
            the others.
        storage: name of the type of elements in memory; that of components for a complex type.
        parameter: name of the type of a kernel's parameter.
        compute: name of the type in which instructions compute before they round.
        promotable: names of the other types that the type may be promoted to.

    >>> SCALAR_TYPES["c32"].size_bytes, SCALAR_TYPES["bf16"].epsilon
    (8, 0.0078125)
    """

    name: str
    kind: str
    bits: int
    mlir: str
    numpy: str
    extension: str
    extension_code: int
    precision: int
    storage: str
    parameter: str
    compute: str
    promotable: tuple[str, ...]

    @property
    def size_bytes(self) -> int:
        """Size of a value in memory."""
        return self.bits // 8

    @property
    def is_bits(self) -> bool:
        """Whether memory holds the bits of a floating type that NumPy does not have."""
        return self.kind == "floating" and self.storage != self.name

    @property
    def epsilon(self) -> float:
        """Distance from 1 to the next larger value, 0 for types that are exact."""
        return math.ldexp(1.0, 1 - self.precision) if self.precision else 0.0

    @property
    def real(self) -> ScalarType:
        """Type of the components of a complex type, else the type itself."""
        return SCALAR_TYPES[f"f{self.name[1:]}"] if self.kind == "complex" else self

    @functools.cached_property
    def dtype(self) -> Dtype:
        """Dtype that arrays of this type usually have, for bf16 that of its bits."""
        import numpy as np

        return np.dtype(self.numpy)

    @functools.cached_property
    def value_dtype(self) -> Dtype:
        """Dtype of values that NumPy computes with; those that are held as bits are f32."""
        return SCALAR_TYPES[self.compute].dtype if self.is_bits else self.dtype

    @functools.cached_property
    def array_dtype(self) -> Dtype:
        """Dtype of arrays whose elements have the values of this type, for bf16 of ml_dtypes.

        >>> str(SCALAR_TYPES["bf16"].array_dtype), str(SCALAR_TYPES["f16"].array_dtype)
        ('bfloat16', 'float16')
        """
        if not self.is_bits:
            return self.dtype
        import ml_dtypes
        import numpy as np

        found: Dtype = np.dtype(getattr(ml_dtypes, self.extension))
        return found

    def dtype_names(self) -> list[str]:
        """Return the names of the dtypes that an array of this type may have."""
        if not self.is_bits:
            return [str(self.dtype)]
        return [self.extension, self.numpy, SCALAR_TYPES[self.storage].numpy]

    def fits(self, dtype: Dtype) -> bool:
        """Return whether an array of this type may have a dtype, which may be that of its bits."""
        if dtype == self.dtype:
            return True
        return self.is_bits and (dtype == SCALAR_TYPES[self.storage].dtype or self.names(dtype))

    def names(self, dtype: Dtype) -> bool:
        """Return whether a dtype means this type, and not only its bits.

        ml_dtypes is not imported for that: programs that are loaded and launched do without it.
        """
        if self.is_bits:
            return dtype.name == self.extension and dtype.isnative
        return dtype == self.dtype

    def from_memory(self, stored: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the values of an array's elements, as `value_dtype`."""
        return _ENCODINGS[self.name].values(stored) if self.is_bits else stored

    def to_memory(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return values of this type as elements of an array have them, as `dtype`."""
        return _ENCODINGS[self.name].bits(values) if self.is_bits else values

    def round(self, value: float) -> float:
        """Return a number rounded to a floating type, ties to even; infinite if it is too large.

        >>> SCALAR_TYPES["f32"].round(1e39), SCALAR_TYPES["bf16"].round(1 + 2**-8 + 2**-40)
        (inf, 1.0078125)
        """
        if not math.isfinite(value):
            return value
        if self.is_bits:
            return _ENCODINGS[self.name].round(value)
        try:
            return float(
                struct.unpack(_FORMATS[self.name], struct.pack(_FORMATS[self.name], value))[0]
            )
        except OverflowError:
            return math.copysign(math.inf, value)

    def pattern(self, value: float) -> int:
        """Return the bits of a number rounded to a floating type of less than 32 bits.

        Raises:
            OverflowError: the number is too large.

        >>> hex(SCALAR_TYPES["bf16"].pattern(-2.5)), hex(SCALAR_TYPES["f16"].pattern(-2.5))
        ('0xc020', '0xc100')
        """
        if not self.is_bits:
            return int.from_bytes(struct.pack(_FORMATS[self.name], value), "little")
        rounded = self.round(value)
        if math.isinf(rounded) and not math.isinf(value):
            raise OverflowError
        return _ENCODINGS[self.name].pattern(rounded)


@dataclasses.dataclass(frozen=True)
class _Encoding:
    """How numbers of a type that NumPy does not have are bits.

    Args:
        round: a finite number, rounded to the type; infinite if it is too large.
        pattern: the bits of a number of the type.
        bits: the bits of the nearest numbers of the type, for an array of f32.
        values: the numbers of an array of bits, as f32.
    """

    round: Callable[[float], float]
    pattern: Callable[[float], int]
    bits: Callable[[npt.ArrayLike], npt.NDArray[Any]]
    values: Callable[[npt.ArrayLike], npt.NDArray[np.float32]]


SCALAR_TYPES: dict[str, ScalarType] = {row[0]: ScalarType(*row) for row in SCALARS}
_NAMES = {name: each for each in SCALAR_TYPES.values() for name in (each.mlir, each.name)}
_FORMATS = {"f16": "<e", "f32": "<f", "f64": "<d"}
_EXTENSIONS = {each.extension for each in SCALAR_TYPES.values() if each.is_bits}
_BFLOAT16_LIMIT = (2 - 2**-8) * 2.0**127
_BFLOAT16_LEAST = -133  # exponent of the smallest number


def names_of(kind: str) -> tuple[str, ...]:
    """Return the names of the scalar types of a kind.

    >>> names_of("complex")
    ('c32', 'c64')
    """
    return tuple(each.name for each in SCALAR_TYPES.values() if each.kind == kind)


def scalar_type_named(name: str) -> ScalarType:
    """Return the scalar type with a name of the language or of MLIR's assembly.

    >>> scalar_type_named("complex<f32>").name
    'c32'
    """
    return _NAMES[name]


def _round_bfloat16(value: float) -> float:
    if abs(value) >= _BFLOAT16_LIMIT:
        return math.copysign(math.inf, value)
    precision = SCALAR_TYPES["bf16"].precision
    exponent = max(math.frexp(value)[1] - precision, _BFLOAT16_LEAST)
    rounded = math.ldexp(round(math.ldexp(value, -exponent)), exponent)
    return math.copysign(rounded, value)  # also of zero


def _bfloat16_pattern(value: float) -> int:
    return int.from_bytes(struct.pack("<f", value)[2:], "little")


def is_extension(dtype: Dtype) -> bool:
    """Return whether a dtype is of ml_dtypes and stands for a type of the language."""
    return dtype.name in _EXTENSIONS


def bfloat16_bits(values: npt.ArrayLike) -> npt.NDArray[np.uint16]:
    """Return the bfloat16 bit patterns nearest to values, ties to even, as uint16.

    Args:
        values: array or scalar that converts to f32 exactly.

    >>> [hex(int(b)) for b in bfloat16_bits([1.0, -2.5, float("inf")])]
    ['0x3f80', '0xc020', '0x7f80']
    """
    import numpy as np

    bits = np.asarray(values, dtype=np.float32).view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> 16) & np.uint32(1))) >> 16
    is_nan = (bits & np.uint32(0x7FFFFFFF)) > np.uint32(0x7F800000)
    result: npt.NDArray[np.uint16] = np.where(is_nan, np.uint32(0x7FC0), rounded).astype(np.uint16)
    return result


def bfloat16_values(bits: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """Return the f32 values of bfloat16 bit patterns.

    Args:
        bits: array of uint16, int16 or bfloat16.

    >>> import numpy as np
    >>> float(bfloat16_values(np.uint16(0xC020)))
    -2.5
    """
    import numpy as np

    patterns = np.asarray(bits).view(np.uint16).astype(np.uint32)
    return (patterns << 16).view(np.float32)


_ENCODINGS = {
    "bf16": _Encoding(_round_bfloat16, _bfloat16_pattern, bfloat16_bits, bfloat16_values),
}
