# SPDX-License-Identifier: BSD-3-Clause
"""DLPack of arrays on NVIDIA devices and of the host, read and offered through ctypes.

Source: the header of DLPack 0.8, https://dmlc.github.io/dlpack/latest/c_api.html.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...scalars import SCALAR_TYPES
from .array_view import Array, ArrayView, Dtype

CUDA_DEVICE = 2
DEVICES = (CUDA_DEVICE, 13)  # memory of a device, and managed memory
LEGACY_STREAM = 1  # how arrays name the default stream
_NAME = b"dltensor"
_USED_NAME = b"used_dltensor"
# Names of dtypes that NumPy does not have, by code.
_EXTENSIONS = {
    each.extension_code: each.extension for each in SCALAR_TYPES.values() if each.is_bits
}
# Kinds of NumPy by code; those that it does not have are integers with their bits.
_KINDS = {0: "i", 1: "u", 2: "f", 5: "c", 6: "u", **dict.fromkeys(_EXTENSIONS, "u")}
_HOST_KINDS = {**_KINDS, 6: "b"}
_ORDER = "<" if sys.byteorder == "little" else ">"
# Whose arrays nothing may write; their capsules have no version, and so do not say it.
_IMMUTABLE = ("jax", "jaxlib")
_CODES = {"i": 0, "u": 1, "f": 2, "c": 5}


class _Tensor(ctypes.Structure):
    """DLTensor."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Managed(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = (("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter))


def _capsule_function(name: str, result: Any, *arguments: Any) -> Any:
    """Return a function of Python's interface for capsules, apart from other users of it."""
    prototype = ctypes.PYFUNCTYPE(result, *arguments)
    return prototype((name, ctypes.pythonapi))


_pointer_of = _capsule_function(
    "PyCapsule_GetPointer", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p
)
_is_valid = _capsule_function("PyCapsule_IsValid", ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)
_rename = _capsule_function("PyCapsule_SetName", ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)
_new = _capsule_function(
    "PyCapsule_New", ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
)

# Tensors that were handed out and are still in use, by address.
_offered: dict[int, object] = {}


class _Taken:
    """An array of another library, taken over from its capsule.

    Args:
        array: the array.
        capsule: what its `__dlpack__` returned, in the form without a version.

    Raises:
        ValueError: `expected ..., got ...`.
    """

    def __init__(self, array: object, capsule: object) -> None:
        if not is_unversioned(capsule):
            raise ValueError("expected an unused DLPack capsule, got another object")
        self._managed = _Managed.from_address(_pointer_of(id(capsule), _NAME))
        _rename(id(capsule), _USED_NAME)
        self.array = array

    @property
    def is_immutable(self) -> bool:
        """Whether the array is one of a library whose arrays do not change."""
        return type(self.array).__module__.partition(".")[0] in _IMMUTABLE

    def __del__(self) -> None:
        """Give the memory back to its library."""
        managed = getattr(self, "_managed", None)
        if managed is not None and managed.deleter:
            managed.deleter(ctypes.addressof(managed))

    @property
    def extension(self) -> str | None:
        """Name of the elements' dtype if NumPy does not have it."""
        return _EXTENSIONS.get(self._managed.tensor.code)

    def _interface(self, kinds: Mapping[int, str]) -> dict[str, Any]:
        """Return the array in the terms of NumPy's array interface.

        Args:
            kinds: kinds of NumPy by DLPack's codes.
        """
        tensor = self._managed.tensor
        if tensor.lanes != 1 or tensor.code not in kinds or tensor.bits % 8:
            raise ValueError(
                f"expected numbers of whole bytes, got DLPack type {tensor.code} of {tensor.bits} "
                f"bits with {tensor.lanes} lanes"
            )
        size = tensor.bits // 8
        shape = tuple(tensor.shape[: tensor.ndim])
        strides = None
        if tensor.strides:
            strides = tuple(step * size for step in tensor.strides[: tensor.ndim])
        return {
            "shape": shape,
            "typestr": f"{kinds[tensor.code]}{size}",
            "data": ((tensor.data or 0) + tensor.byte_offset, self.is_immutable),
            "strides": strides,
            "version": 3,
        }


class DlpackArray(_Taken):
    """An array of another library on an NVIDIA device.

    Args:
        array: the array; its library has ordered what it does before the legacy default stream.

    Raises:
        ValueError: `expected ..., got ...`.
    """

    def __init__(self, array: Any) -> None:
        super().__init__(array, array.__dlpack__(stream=LEGACY_STREAM))

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """The same array in the terms of CUDA's array interface."""
        return self._interface(_KINDS) | {"stream": LEGACY_STREAM}


class DlpackHostArray(_Taken):
    """An array of another library in the memory of the host.

    Capsules without a version do not say whether an array may be written, and the libraries that
    still make them hand out none that may not, except JAX. NumPy takes them as read-only.

    Raises:
        ValueError: `expected ..., got ...`.
    """

    @property
    def __array_interface__(self) -> dict[str, Any]:
        """The same array in the terms of NumPy's array interface."""
        interface = self._interface(_HOST_KINDS)
        return interface | {"typestr": f"{_ORDER}{interface['typestr']}"}


def dtype_text(view: ArrayView) -> str:
    """Return the name of an array's dtype, also where NumPy has the bits alone."""
    owner = getattr(view.array, "base", None)
    if isinstance(owner, _Taken) and owner.extension:
        return owner.extension
    if view.dtype.isnative:
        return str(view.dtype)
    return f"{view.dtype.newbyteorder('=')} of foreign byte order"


def is_unversioned(capsule: object) -> bool:
    """Whether an object is an unused DLPack capsule in the form of DLPack 0."""
    return bool(_is_valid(id(capsule), _NAME))


def host_view(array: Any) -> Array:
    """Return an array of another library, in the memory of the host, as one of NumPy.

    Numbers of a type that NumPy has not, such as bfloat16, are integers with their bits.

    Raises:
        ValueError: `expected ..., got ...`.
    """
    try:
        capsule = array.__dlpack__(max_version=(1, 0))
    except TypeError:  # no such argument
        capsule = array.__dlpack__()
    if is_unversioned(capsule):
        return np.asarray(DlpackHostArray(array, capsule))
    try:
        return np.from_dlpack(array)  # from another capsule, which says what may be written
    except RuntimeError:  # NumPy has no such type
        return np.asarray(DlpackHostArray(array, array.__dlpack__()))


def offer(
    owner: object,
    address: int,
    device: int,
    dtype: Dtype,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
) -> object:
    """Return a capsule that other libraries take an array from.

    Args:
        owner: what keeps the memory.
        address: address of the first element.
        device: number of the device.
        dtype: dtype of the elements.
        shape: size of every mode.
        strides: distances of neighbours in elements.
    """
    sizes = (ctypes.c_int64 * max(len(shape), 1))(*shape)
    steps = (ctypes.c_int64 * max(len(shape), 1))(*strides)
    tensor = _Tensor(
        address, CUDA_DEVICE, device, len(shape), _CODES[dtype.kind], 8 * dtype.itemsize, 1
    )
    tensor.shape = ctypes.cast(sizes, ctypes.POINTER(ctypes.c_int64))
    tensor.strides = ctypes.cast(steps, ctypes.POINTER(ctypes.c_int64))
    managed = _Managed(tensor, None, _FORGET)
    _offered[ctypes.addressof(managed)] = (managed, sizes, steps, owner)
    destroy = ctypes.cast(_DESTROY, ctypes.c_void_p)
    return _new(ctypes.addressof(managed), _NAME, destroy)


def _forget(address: int) -> None:
    """Forget what was handed out; the library that took it calls this."""
    _offered.pop(address, None)


def _destroy(capsule: int) -> None:
    """Forget what nobody took."""
    if _is_valid(capsule, _NAME):
        _offered.pop(_pointer_of(capsule, _NAME), None)


# Kept as long as the process, as other libraries call them.
_FORGET = _Deleter(_forget)
_DESTROY = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(_destroy)


def read_only_text(array: object) -> str:
    """Return what messages call an array that may not be written, and what to write in its place.

    >>> read_only_text(np.broadcast_to(0.0, 3))
    'a read-only one'
    """
    while array is not None:
        if isinstance(array, _Taken) and array.is_immutable:
            return (
                "an immutable one of JAX; pass a copy, numpy.array(x) or tinytc_mlir.asarray(x), "
                "or call tinytc_mlir.jax.op(kernel), which returns new arrays"
            )
        array = getattr(array, "base", None)
    return "a read-only one"


def is_on_device(array: object) -> bool:
    """Whether an object offers an array on an NVIDIA device by DLPack."""
    kind = type(array)
    if not (hasattr(kind, "__dlpack__") and hasattr(kind, "__dlpack_device__")):
        return False
    if isinstance(array, np.ndarray):
        return False
    asked: Any = array
    try:
        return int(asked.__dlpack_device__()[0]) in DEVICES
    except Exception:  # by code of the library; who reads the array says so
        return False
