# SPDX-License-Identifier: BSD-3-Clause
"""Views of host arrays, and of arrays that kernels use in place.

Nothing here needs a device: arrays of a library are recognised by its array protocol.
"""

from __future__ import annotations

import numpy as np

from ..._arrays import address_of
from ...errors import describe
from ..loaders import loader_of
from .allocations import owner_of
from .array_view import Array, ArrayView

# DLPack's numbers of memory that the host reaches: its own, and pinned for CUDA and ROCm.
_DLPACK_HOSTS = (1, 3, 11)


def memory_of(array: Array) -> object:
    """Return the native memory that a NumPy array lies in, None for plain host memory.

    An array of another library over such memory does not name it: the address does.
    """
    base = array.base
    while base is not None:
        if type(base) is not np.ndarray and loader_of(base) is not None:
            return base
        base = base.obj if isinstance(base, memoryview) else getattr(base, "base", None)
    return owner_of(address_of(array))


def view_of(value: object) -> ArrayView:
    """Return the view of an array of the host, or of one that kernels use in place.

    Arrays of the host are NumPy's and what `host_array` takes.

    Raises:
        ValueError: `expected ..., got ...` for any other object.

    >>> view_of(np.zeros((2, 3), order="F")).strides_bytes
    (8, 16)
    """
    if isinstance(value, np.ndarray):
        return _view(value)
    loader = loader_of(value)
    if loader is not None:
        return loader.view(value)
    array = host_array(value)
    if array is None:
        raise ValueError(f"expected a NumPy or USM array, got {describe(value)}")
    return _view(array)


def check_distinct(view: ArrayView) -> None:
    """Check that an array that a kernel writes has a place of its own for every element.

    Raises:
        ValueError: `expected ..., got ...`, elements share memory.
    """
    if not view.is_written or 0 in view.shape:
        return
    end = view.dtype.itemsize
    modes = zip(view.strides_bytes, view.shape, strict=True)
    for stride, size in sorted((abs(stride), size) for stride, size in modes if size > 1):
        if stride < end:
            raise ValueError(
                "expected an array whose elements do not share memory because the kernel writes "
                f"it, got strides {view.strides_bytes} in bytes for shape {view.shape}"
            )
        end += (size - 1) * stride


def _view(array: Array) -> ArrayView:
    return ArrayView(
        address_of(array),
        array.dtype,
        array.shape,
        array.strides,
        array.flags.writeable,
        array,
        memory_of(array),
    )


def host_array(value: object) -> Array | None:
    """Return a NumPy array over the memory of another library's array of the host.

    Libraries hand out their memory by DLPack, NumPy's array interface or Python's buffer protocol.

    Args:
        value: any object; the result is None for one that does none of this.

    Raises:
        ValueError: `expected ..., got ...`, the memory is not the host's, or the library fails.

    >>> import array
    >>> host_array(memoryview(array.array("f", [1.0, 2.0])))
    array([1., 2.], dtype=float32)
    """
    if isinstance(value, np.generic):
        return None
    from . import dlpack

    try:
        if hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__"):
            kind, number = value.__dlpack_device__()
            if int(kind) not in _DLPACK_HOSTS:
                raise ValueError(
                    "expected memory of the host, or an array with the protocol of a runtime, "
                    f"got DLPack device ({int(kind)}, {number})"
                )
            return dlpack.host_view(value)
        if hasattr(value, "__array_interface__") or hasattr(value, "__array_struct__"):
            return np.asarray(value)
    except ValueError:
        raise
    except Exception as error:  # by code of the library
        raise ValueError(
            f"expected an array that NumPy can read, got {type(value).__name__} "
            f"with an error: {type(error).__name__}: {error}"
        ) from error
    try:
        buffer = memoryview(value)  # type: ignore[arg-type]
    except (TypeError, BufferError):
        return None
    return np.asarray(buffer)
