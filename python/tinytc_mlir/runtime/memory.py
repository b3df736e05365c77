"""Arrays in memory that kernels use in place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import DeviceError
from .arrays import usm_memory_of
from .devices import dpctl_names, queue_of


def empty(
    shape: int | Sequence[int], dtype: Any = np.float32, *, order: str = "F", queue: Any = None
) -> np.ndarray[Any, Any]:
    """Return a NumPy array with undefined contents that kernels use in place.

    Args:
        shape: size of every mode.
        dtype: NumPy dtype of the elements.
        order: "F" for column-major, the order of the language, or "C".
        queue: dpctl queue, device or name of a target that will use the array.

    Returns:
        An array of that shape in USM shared memory.

    Raises:
        DeviceError: there is no device or not enough memory.

    >>> import tinytc_mlir as tt
    >>> tt.empty((16, 8), np.float64).strides
    (8, 128)
    """
    dpctl = dpctl_names()
    dtype = np.dtype(dtype)
    size_bytes = max(int(np.prod(shape, dtype=np.int64)) * dtype.itemsize, 1)
    try:
        memory = dpctl.MemoryUSMShared(size_bytes, alignment=64, queue=queue_of(queue))
    except dpctl.USMAllocationError:
        raise DeviceError(f"expected {size_bytes} bytes of USM memory, got none") from None
    return np.ndarray(shape, dtype, memory, order="C" if order == "C" else "F")


def asarray(
    array: Any, dtype: Any = None, *, order: str = "F", queue: Any = None
) -> np.ndarray[Any, Any]:
    """Return an array that kernels use in place, with the contents of another.

    Args:
        array: anything that NumPy can make an array of; returned unchanged if it already fits.
        dtype: NumPy dtype of the result, None for that of the array.
        order: "F" for column-major, the order of the language, or "C".
        queue: dpctl queue, device or name of a target that will use the array.

    Returns:
        An array of the same shape in USM shared memory.

    >>> import tinytc_mlir as tt
    >>> tt.asarray([[1.0, 2.0], [3.0, 4.0]]).flags.f_contiguous
    True
    """
    source = np.asarray(array, dtype)
    contiguous = source.flags.c_contiguous if order == "C" else source.flags.f_contiguous
    memory = usm_memory_of(source)
    if (
        contiguous
        and memory is not None
        and (queue is None or memory.sycl_context == queue_of(queue).sycl_context)
    ):
        return source
    result = empty(source.shape, source.dtype, order=order, queue=queue)
    np.copyto(result, source)
    return result
