# SPDX-License-Identifier: BSD-3-Clause
"""Checks scalars that callers give and packs them as kernels take them."""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Callable
from typing import Protocol, SupportsFloat, TypeAlias, TypeGuard

import numpy as np

from ...errors import describe
from ...scalars import SCALAR_TYPES, ScalarType, is_extension
from .integers import checked_integer, is_integer

# A checked scalar for a launch: a ctypes value, or its bytes if ctypes has no such type.
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
    >>> packer("i8")(np.array(3))
    c_ubyte(3)
    """
    scalar_type = SCALAR_TYPES[type_name]
    makers = {"bool": _bool, "integer": _integer, "floating": _real, "complex": _complex}
    pack = makers[scalar_type.kind](scalar_type)

    def pack_any(value: object) -> PackedScalar:
        try:
            return pack(value)
        except ValueError:
            if not _has_one_number(value):
                raise
        return pack(value.item())

    return pack_any


class _OneNumber(Protocol):
    """An array of order 0, of any library."""

    def item(self) -> object: ...


def _has_one_number(value: object) -> TypeGuard[_OneNumber]:
    """Whether an object is an array of order 0, of the host or not."""
    if isinstance(value, (np.generic, type)) or not hasattr(value, "item"):
        return False
    return tuple(getattr(value, "shape", (None,))) == ()


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
    return isinstance(value, np.generic) and is_extension(value.dtype)


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
    construct = _constructor(scalar_type)

    def pack(value: object) -> PackedScalar:
        if type(value) is not float and not _is_real(value):
            raise ValueError(f"expected a real number for {name}, got {describe(value)}")
        number = _float_value(value)
        try:
            if number is not None:
                return construct(number)
        except OverflowError:
            pass
        raise ValueError(f"expected a real number in the range of {name}, got {describe(value)}")

    return pack


def _float32(value: float) -> PackedScalar:
    struct.pack("<f", value)  # ctypes makes an infinity of what is too large
    return ctypes.c_float(value)


_FLOATS: dict[str, Callable[[float], PackedScalar]] = {"f32": _float32, "f64": ctypes.c_double}
# Of the bits of smaller types.
_PATTERNS: dict[int, Callable[[int], PackedScalar]] = {8: ctypes.c_uint8, 16: ctypes.c_uint16}


def _constructor(scalar_type: ScalarType) -> Callable[[float], PackedScalar]:
    """Return the function that packs a number of a floating type."""
    if scalar_type.bits >= 32:
        return _FLOATS[scalar_type.name]
    construct = _PATTERNS[scalar_type.bits]
    return lambda value: construct(scalar_type.pattern(value))


def _complex(scalar_type: ScalarType) -> Packer:
    name = scalar_type.name
    format_ = "<2f" if scalar_type.real.name == "f32" else "<2d"

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
