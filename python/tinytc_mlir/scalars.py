"""The scalar types of the language on the host: NumPy dtypes, ranges and kernel argument values."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import math
import struct
from collections.abc import Callable, Sequence
from typing import Any, Protocol, SupportsFloat, TypeAlias, TypeGuard

import numpy as np

INT64_MAX = 2**63 - 1
_TEXTS = (str, bytes, bytearray)  # sequences to Python

# What a checked scalar becomes: a ctypes value, or its bytes if ctypes has no such type.
PackedScalar: TypeAlias = (
    ctypes.c_uint8
    | ctypes.c_int16
    | ctypes.c_uint16
    | ctypes.c_int32
    | ctypes.c_longlong
    | ctypes.c_float
    | ctypes.c_double
    | bytes
)
Packer: TypeAlias = Callable[[object], PackedScalar]


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


def describe(value: object) -> str:
    """Return a short description of a value that an error message can print.

    >>> describe(np.zeros((2, 3)))
    'an array of shape (2, 3)'
    >>> describe(1.5)
    '1.5 (float)'
    """
    if value is None:
        return "None"
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    name = type(value).__name__
    if hasattr(type(value), "__sycl_usm_array_interface__"):
        return f"an array of USM memory ({name})"
    try:
        text = repr(value)
    except Exception:  # a huge integer, or a class of the caller's
        return f"an object of type {name}"
    if len(text) > 60:
        text = text[:57] + "..."
    return f"{text} ({name})"


def is_integer(value: Any) -> bool:
    """Whether a value is an integer of Python or NumPy; neither a truth value nor a duration is."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.timedelta64))


def checked_integer(value: Any, what: str, low: int = 0, high: int = INT64_MAX) -> int:
    """Return an integer that the caller gave as Python's own.

    Args:
        value: what the caller gave.
        what: what the integer is for, the end of `expected an integer from 0 to 9 ...`.
        low: least value.
        high: greatest value.

    Raises:
        ValueError: `expected ..., got ...`.

    >>> checked_integer(np.int8(3), "as offset")
    3
    >>> checked_integer(True, "as number of groups", 1, 9)
    Traceback (most recent call last):
        ...
    ValueError: expected an integer from 1 to 9 as number of groups, got True (bool)
    """
    if is_integer(value):
        integer = int(value)
        if low <= integer <= high:
            return integer
    raise ValueError(f"expected an integer from {low} to {high} {what}, got {describe(value)}")


def checked_integers(
    values: Any, what: str, low: int = 0, high: int = INT64_MAX
) -> tuple[int, ...]:
    """Return integers that the caller gave, a sequence or a single one, as a tuple.

    Args:
        values: what the caller gave.
        what: what each integer is for.
        low: least value.
        high: greatest value.

    Raises:
        ValueError: `expected ..., got ...`.

    >>> checked_integers([16, np.int64(8)], "as size"), checked_integers(3, "as size")
    ((16, 8), (3,))
    """
    if isinstance(values, np.ndarray):
        is_sequence = values.ndim == 1
    else:
        is_sequence = isinstance(values, Sequence) and not isinstance(values, _TEXTS)
    members = values if is_sequence else (values,)
    return tuple(checked_integer(value, what, low, high) for value in members)


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
    def pack(value: object) -> PackedScalar:
        if not isinstance(value, (bool, np.bool_)):
            raise ValueError(f"expected True or False for bool, got {describe(value)}")
        return ctypes.c_uint8(bool(value))

    return pack


# dpctl rejects c_int8, so an i8 is passed as its bit pattern.
_INTEGERS: dict[int, Callable[[int], PackedScalar]] = {
    8: lambda value: ctypes.c_uint8(value & 0xFF),
    16: ctypes.c_int16,
    32: ctypes.c_int32,
    64: ctypes.c_longlong,
}


def _integer(scalar_type: ScalarType) -> Packer:
    low, high = -(1 << (scalar_type.bits - 1)), (1 << (scalar_type.bits - 1)) - 1
    what = f"for {scalar_type.name}"
    construct = _INTEGERS[scalar_type.bits]

    def pack(value: object) -> PackedScalar:
        if type(value) is not int or not low <= value <= high:
            value = checked_integer(value, what, low, high)
        return construct(value)

    return pack


class _Real(SupportsFloat, Protocol):
    """A real number of Python or NumPy."""

    @property
    def real(self) -> SupportsFloat: ...

    @property
    def imag(self) -> SupportsFloat: ...


def _is_real(value: object) -> TypeGuard[_Real]:
    if is_integer(value) or isinstance(value, (float, np.floating)):
        return True
    return isinstance(value, np.generic) and value.dtype in _bfloat16_dtypes()


def _float_value(value: SupportsFloat) -> float | None:
    """Return a real number as a double, None if it is out of range."""
    try:
        number = float(value)
    except OverflowError:
        return None
    is_too_large = math.isinf(number) and value != number  # of a longer type
    return None if is_too_large else number


def _real(scalar_type: ScalarType) -> Packer:
    name = scalar_type.name
    round_trip = _ROUNDERS[name]
    construct = _FLOATS[name]

    def pack(value: object) -> PackedScalar:
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

    def pack(value: object) -> PackedScalar:
        if not isinstance(value, (complex, np.complexfloating)) and not _is_real(value):
            raise ValueError(f"expected a number for {name}, got {describe(value)}")
        real, imaginary = _float_value(value.real), _float_value(value.imag)
        try:
            if real is not None and imaginary is not None:
                return struct.pack(format_, real, imaginary)
        except OverflowError:
            pass
        raise ValueError(f"expected a number in the range of {name}, got {describe(value)}")

    return pack
