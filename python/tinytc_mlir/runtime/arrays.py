"""What a host array or USM array looks like to a kernel: address, dtype, shape, strides.

Nothing here needs a device: USM arrays are recognised by `__sycl_usm_array_interface__`.
"""

from __future__ import annotations

import ctypes
import dataclasses
from typing import Any

import numpy as np

from ..scalars import INT64_MAX, checked_integer, checked_integers, describe
from .manifest import MemrefArgument

_USM_PROTOCOL = "__sycl_usm_array_interface__"


@dataclasses.dataclass(slots=True)
class ArrayView:
    """An array as a kernel sees it.

    Args:
        address: address of the first element.
        dtype: dtype of the elements.
        shape: size of every mode.
        strides_bytes: distance between neighbours along every mode.
        is_writable: whether the caller lets a kernel write the elements.
        array: the caller's object; it keeps the memory alive.
        memory: object with the USM protocol that owns the memory, None for plain host memory.
        argument: parameter that the array was checked against, None before that.
    """

    address: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    strides_bytes: tuple[int, ...]
    is_writable: bool
    array: Any
    memory: Any
    argument: MemrefArgument | None = None

    @property
    def is_written(self) -> bool:
        """Whether the kernel writes the elements."""
        return self.argument is not None and self.argument.is_written

    @property
    def extent_bytes(self) -> int:
        """Bytes from the first element to the end of the last one; strides must be positive."""
        if 0 in self.shape:
            return 0
        modes = zip(self.shape, self.strides_bytes, strict=True)
        return sum((size - 1) * stride for size, stride in modes) + self.dtype.itemsize


class _ArrayStruct(ctypes.Structure):
    """The head of PyArrayInterface, what `__array_struct__` points to."""

    _fields_ = (
        ("two", ctypes.c_int),
        ("order", ctypes.c_int),
        ("kind", ctypes.c_char),
        ("itemsize", ctypes.c_int),
        ("flags", ctypes.c_int),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("data", ctypes.c_void_p),
    )


_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype = ctypes.c_void_p
_capsule_pointer.argtypes = (ctypes.py_object, ctypes.c_char_p)
_struct_at = _ArrayStruct.from_address


def address_of(array: np.ndarray[Any, Any]) -> int:
    """Return the address of the first element, at a quarter of the cost of `array.ctypes.data`.

    >>> array = np.zeros(3)
    >>> address_of(array[1:]) - address_of(array)
    8
    """
    capsule = array.__array_struct__  # must outlive the read
    return int(_struct_at(_capsule_pointer(capsule, None)).data or 0)


def usm_memory_of(array: np.ndarray[Any, Any]) -> Any:
    """Return the USM memory that a NumPy array is in, None for plain host memory."""
    base = array.base
    while base is not None:
        if type(base) is not np.ndarray and hasattr(type(base), _USM_PROTOCOL):
            return base
        base = base.obj if isinstance(base, memoryview) else getattr(base, "base", None)
    return None


def view_of(value: Any) -> ArrayView:
    """Return the view of a NumPy array or of an object with the USM protocol.

    Raises:
        ValueError: `expected ..., got ...` for any other object.

    >>> view_of(np.zeros((2, 3), order="F")).strides_bytes
    (8, 16)
    """
    if isinstance(value, np.ndarray):
        return ArrayView(
            address_of(value),
            value.dtype,
            value.shape,
            value.strides,
            value.flags.writeable,
            value,
            usm_memory_of(value),
        )
    if hasattr(type(value), _USM_PROTOCOL):
        return _view_of_usm(value)
    raise ValueError(f"expected a NumPy or USM array, got {describe(value)}")


def _view_of_usm(value: Any) -> ArrayView:
    """Return the view of an object of another library, which may break the protocol."""
    try:
        interface = getattr(value, _USM_PROTOCOL)
        dtype = np.dtype(interface["typestr"])
        pointer, is_read_only = interface["data"]
        shape = checked_integers(interface["shape"], "as size")
        strides = interface.get("strides")
        if strides is None:
            strides = _c_order_strides(shape)
        strides = checked_integers(strides, "as stride", -INT64_MAX)
        if len(strides) != len(shape):
            raise ValueError(f"expected {len(shape)} strides, got {len(strides)}")
        address = checked_integer(pointer, "as address", high=2**64 - 1)
        offset = checked_integer(interface.get("offset") or 0, "as offset")
    except Exception as error:  # by code of the library
        raise ValueError(
            f"expected a readable {_USM_PROTOCOL}, got one of {type(value).__name__} "
            f"with an error: {type(error).__name__}: {error}"
        ) from error
    return ArrayView(
        address + offset * dtype.itemsize,
        dtype,
        shape,
        tuple(stride * dtype.itemsize for stride in strides),
        # dpctl's raw memory objects claim to be read-only although they are not.
        not is_read_only or hasattr(value, "copy_from_host"),
        value,
        value,
    )


def _c_order_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides: list[int] = []
    stride = 1
    for size in reversed(shape):
        strides.append(stride)
        stride *= size
    return tuple(reversed(strides))
