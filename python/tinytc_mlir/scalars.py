"""The scalar types of the language on the host: NumPy dtypes, ranges and kernel argument values."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

# What a checked scalar becomes: a ctypes value, or its bytes if ctypes has no such type.
PackedScalar = Any
Packer = Callable[[Any], PackedScalar]


@dataclasses.dataclass(frozen=True)
class ScalarType:
    """One scalar type of the language as the host sees it.

    Args:
        name: name in the language, `bool` included.
        kind: "bool", "integer", "float" or "complex".
        size_bytes: size of one value in memory.
        dtype: dtype that arrays of this type usually have.
        bits: width that determines the range of an integer.

    >>> SCALAR_TYPES["c32"].size_bytes
    8
    """

    name: str
    kind: str
    size_bytes: int
    dtype: np.dtype[Any]
    bits: int

    @property
    def dtypes(self) -> tuple[np.dtype[Any], ...]:
        """Return the dtypes that an array of this type may have, the usual one first."""
        if self.name != "bf16":
            return (self.dtype,)
        return (*_bfloat16_dtypes(), np.dtype(np.uint16), np.dtype(np.int16))


def _scalar_type(name: str, kind: str, dtype: str) -> ScalarType:
    numpy_dtype = np.dtype(dtype)
    size_bytes = numpy_dtype.itemsize
    return ScalarType(name, kind, size_bytes, numpy_dtype, 8 * size_bytes)


SCALAR_TYPES: dict[str, ScalarType] = {
    scalar_type.name: scalar_type
    for scalar_type in (
        _scalar_type("bool", "bool", "bool"),
        _scalar_type("i8", "integer", "int8"),
        _scalar_type("i16", "integer", "int16"),
        _scalar_type("i32", "integer", "int32"),
        _scalar_type("i64", "integer", "int64"),
        _scalar_type("index", "integer", "int64"),
        _scalar_type("bf16", "float", "uint16"),
        _scalar_type("f16", "float", "float16"),
        _scalar_type("f32", "float", "float32"),
        _scalar_type("f64", "float", "float64"),
        _scalar_type("c32", "complex", "complex64"),
        _scalar_type("c64", "complex", "complex128"),
    )
}


@functools.cache
def _bfloat16_dtypes() -> tuple[np.dtype[Any], ...]:
    """Return the bfloat16 dtype of ml_dtypes if that package is installed."""
    try:
        import ml_dtypes
    except ImportError:
        return ()
    return (np.dtype(ml_dtypes.bfloat16),)


def bfloat16_bits(values: Any) -> Any:
    """Return the bfloat16 bit patterns nearest to values, ties to even, as uint16.

    Args:
        values: array or scalar that converts to f32 exactly.

    >>> [hex(int(b)) for b in bfloat16_bits([1.0, -2.5, float("inf")])]
    ['0x3f80', '0xc020', '0x7f80']
    """
    bits = np.asarray(values, dtype=np.float32).view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> 16) & np.uint32(1))) >> 16
    is_nan = (bits & np.uint32(0x7FFFFFFF)) > np.uint32(0x7F800000)
    return np.where(is_nan, np.uint32(0x7FC0), rounded).astype(np.uint16)


def bfloat16_values(bits: Any) -> Any:
    """Return the f32 values of bfloat16 bit patterns.

    Args:
        bits: array of uint16, int16 or bfloat16.

    >>> float(bfloat16_values(np.uint16(0xC020)))
    -2.5
    """
    patterns = np.asarray(bits).view(np.uint16).astype(np.uint32)
    return (patterns << 16).view(np.float32)


def describe(value: Any) -> str:
    """Return a short description of a value that an error message can print.

    >>> describe(np.zeros((2, 3)))
    'an array of shape (2, 3)'
    >>> describe(1.5)
    '1.5 (float)'
    """
    if value is None:
        return "None"
    if isinstance(value, np.ndarray) or hasattr(type(value), "__sycl_usm_array_interface__"):
        return f"an array of shape {getattr(value, 'shape', '?')}"
    text = repr(value)
    if len(text) > 60:
        text = text[:57] + "..."
    return f"{text} ({type(value).__name__})"


def packer(type_name: str) -> Packer:
    """Return the function that checks and packs a host value for a scalar parameter.

    The function raises ValueError with `expected ..., got ...` if the value does not fit.

    Args:
        type_name: name of the scalar type in the language.

    >>> packer("i8")(-1)
    c_ubyte(255)
    >>> packer("i8")(300)
    Traceback (most recent call last):
        ...
    ValueError: expected an integer from -128 to 127 for i8, got 300 (int)
    """
    scalar_type = SCALAR_TYPES[type_name]
    makers = {"bool": _bool, "integer": _integer, "float": _real, "complex": _complex}
    return makers[scalar_type.kind](scalar_type)


def _bool(_: ScalarType) -> Packer:
    def pack(value: Any) -> PackedScalar:
        if not isinstance(value, (bool, np.bool_)):
            raise ValueError(f"expected True or False for bool, got {describe(value)}")
        return ctypes.c_uint8(bool(value))

    return pack


# dpctl rejects c_int8, so an i8 is passed as its bit pattern.
_INTEGERS: dict[int, Any] = {
    8: lambda value: ctypes.c_uint8(value & 0xFF),
    16: ctypes.c_int16,
    32: ctypes.c_int32,
    64: ctypes.c_longlong,
}


def _integer(scalar_type: ScalarType) -> Packer:
    low, high = -(1 << (scalar_type.bits - 1)), (1 << (scalar_type.bits - 1)) - 1
    rule = f"expected an integer from {low} to {high} for {scalar_type.name}"
    construct = _INTEGERS[scalar_type.bits]

    def pack(value: Any) -> PackedScalar:
        if type(value) is not int:
            if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
                raise ValueError(f"{rule}, got {describe(value)}")
            value = int(value)
        if not low <= value <= high:
            raise ValueError(f"{rule}, got {describe(value)}")
        return construct(value)

    return pack


def _is_real(value: Any) -> bool:
    if isinstance(value, bool):
        return False
    if isinstance(value, (int, float, np.integer, np.floating)):
        return True
    return isinstance(value, np.generic) and value.dtype in _bfloat16_dtypes()


def _float_value(value: Any) -> float | None:
    """Return a real number as a double, None if it is out of range."""
    try:
        return float(value)
    except OverflowError:
        return None


def _real(scalar_type: ScalarType) -> Packer:
    name = scalar_type.name
    round_trip = _ROUNDERS[name]
    construct = _FLOATS[name]

    def pack(value: Any) -> PackedScalar:
        if type(value) is not float and not _is_real(value):
            raise ValueError(f"expected a real number for {name}, got {describe(value)}")
        number = _float_value(value)
        if number is None or not round_trip(number):
            raise ValueError(
                f"expected a real number in the range of {name}, got {describe(value)}"
            )
        return construct(number)

    return pack


def _fits(format_: str, value: float) -> bool:
    try:
        struct.pack(format_, value)
    except OverflowError:
        return False
    return True


def _fits_bfloat16(value: float) -> bool:
    if not _fits("<f", value):
        return False
    return bool(np.isinf(value)) or int(bfloat16_bits(value)) & 0x7FFF != 0x7F80


_ROUNDERS: dict[str, Callable[[float], bool]] = {
    "bf16": _fits_bfloat16,
    "f16": functools.partial(_fits, "<e"),
    "f32": functools.partial(_fits, "<f"),
    "f64": lambda value: True,
}
_FLOATS: dict[str, Callable[[float], PackedScalar]] = {
    "bf16": lambda value: ctypes.c_uint16(int(bfloat16_bits(value))),
    "f16": lambda value: ctypes.c_uint16(int(np.float16(value).view(np.uint16))),
    "f32": ctypes.c_float,
    "f64": ctypes.c_double,
}


def _complex(scalar_type: ScalarType) -> Packer:
    name = scalar_type.name
    format_ = "<2f" if name == "c32" else "<2d"

    def pack(value: Any) -> PackedScalar:
        if not isinstance(value, (complex, np.complexfloating)) and not _is_real(value):
            raise ValueError(f"expected a number for {name}, got {describe(value)}")
        try:
            number = complex(value)
            return struct.pack(format_, number.real, number.imag)
        except OverflowError:
            raise ValueError(
                f"expected a number in the range of {name}, got {describe(value)}"
            ) from None

    return pack
