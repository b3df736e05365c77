"""What host arrays, and arrays that kernels use in place, look like to a kernel.

Nothing here needs a device: arrays of a library are recognised by its array protocol.
"""

from __future__ import annotations

import ctypes

import numpy as np

from ..errors import describe
from .array_view import Array, ArrayView
from .loaders import loader_of


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


def address_of(array: Array) -> int:
    """Return the address of the first element, at a quarter of the cost of `array.ctypes.data`.

    >>> array = np.zeros(3)
    >>> address_of(array[1:]) - address_of(array)
    8
    """
    capsule = array.__array_struct__  # must outlive the read
    return int(_struct_at(_capsule_pointer(capsule, None)).data or 0)


def memory_of(array: Array) -> object:
    """Return the native memory that a NumPy array lies in, None for plain host memory."""
    base = array.base
    while base is not None:
        if type(base) is not np.ndarray and loader_of(base) is not None:
            return base
        base = base.obj if isinstance(base, memoryview) else getattr(base, "base", None)
    return None


def view_of(value: object) -> ArrayView:
    """Return the view of a NumPy array or of an array that kernels use in place.

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
            memory_of(value),
        )
    loader = loader_of(value)
    if loader is None:
        raise ValueError(f"expected a NumPy or USM array, got {describe(value)}")
    return loader.view(value)
