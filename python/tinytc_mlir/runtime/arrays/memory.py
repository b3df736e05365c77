# SPDX-License-Identifier: BSD-3-Clause
"""Arrays in memory that kernels use in place."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ...errors import ArgumentError, describe
from ...scalars import SCALAR_TYPES
from ...shapes import INT64_MAX
from ..devices import check_reach, queue_of
from ..launches.integers import checked_integers
from ..loaders import loader_of
from ..protocol import Memory
from .array_view import Array, Dtype
from .host_arrays import host_array, view_of

_MAX_MODES = 32  # of NumPy 1


def empty(
    shape: int | Sequence[int],
    dtype: npt.DTypeLike = np.float32,
    *,
    order: str = "F",
    queue: object = None,
    device: object = None,
) -> Array:
    """Return a NumPy array with undefined contents that kernels use in place.

    Args:
        shape: size of every mode.
        dtype: NumPy dtype of a scalar type of the language.
        order: "F" for column-major, the order of the language, or "C".
        queue: dpctl queue, device or name of a target that will use the array.
        device: another name of `queue`.

    Returns:
        An array of that shape in USM shared memory, a `CudaArray` on an NVIDIA device, or an
        array of NumPy for native code.

    Raises:
        ArgumentError: the shape, dtype or order is not valid.
        DeviceError: there is no device or not enough memory.

    >>> import tinytc_mlir as tt
    >>> tt.empty((16, 8), np.float64).strides
    (8, 128)
    """
    memory, sizes, type_, layout = _allocated("empty", shape, dtype, order, queue, device)
    return memory.array(sizes, type_, layout)


def zeros(
    shape: int | Sequence[int],
    dtype: npt.DTypeLike = np.float32,
    *,
    order: str = "F",
    queue: object = None,
    device: object = None,
) -> Array:
    """Return an array of zeros that kernels use in place; arguments and errors as for `empty`.

    >>> import tinytc_mlir as tt
    >>> tt.zeros((2, 3), np.int32).sum()
    np.int64(0)
    """
    return _filled("zeros", 0, shape, dtype, order, queue, device)


def ones(
    shape: int | Sequence[int],
    dtype: npt.DTypeLike = np.float32,
    *,
    order: str = "F",
    queue: object = None,
    device: object = None,
) -> Array:
    """Return an array of ones that kernels use in place; arguments and errors as for `empty`.

    >>> import tinytc_mlir as tt
    >>> tt.ones((2, 3), np.int32).sum()
    np.int64(6)
    """
    return _filled("ones", 1, shape, dtype, order, queue, device)


def _filled(function: str, value: int, *arguments: Any) -> Array:  # noqa: ANN401 (of `empty`)
    memory, sizes, type_, layout = _allocated(function, *arguments)
    np.ndarray(sizes, type_, memory.host, order=layout)[...] = value
    memory.upload()
    return memory.array(sizes, type_, layout)


def _allocated(
    function: str,
    shape: int | Sequence[int],
    dtype: npt.DTypeLike,
    order: str,
    queue: object,
    device: object,
) -> tuple[Memory, tuple[int, ...], Dtype, Literal["C", "F"]]:
    """Return memory for an array, and its checked sizes, dtype and order."""
    queue = _place(function, queue, device)
    type_ = _checked_dtype(function, dtype)
    layout = _checked_order(function, order)
    try:
        sizes = checked_integers(shape, "as size")
    except ValueError as error:
        raise _argument_error(function, "shape", str(error)) from None
    if len(sizes) > _MAX_MODES:
        message = f"expected at most {_MAX_MODES} modes, got {len(sizes)}"
        raise _argument_error(function, "shape", message)
    if 0 in sizes and math.prod(filter(None, sizes)) * type_.itemsize > INT64_MAX:
        message = f"expected at most {INT64_MAX} bytes without the modes of size 0, got {sizes}"
        raise _argument_error(function, "shape", message)
    return queue_of(queue).allocate(math.prod(sizes) * type_.itemsize), sizes, type_, layout


def asarray(
    array: npt.ArrayLike,
    dtype: npt.DTypeLike | None = None,
    *,
    order: str = "F",
    queue: object = None,
    device: object = None,
) -> Array:
    """Return an array that kernels use in place, with the contents of another.

    Args:
        array: anything that NumPy can convert to an array; returned unchanged if it already fits.
        dtype: NumPy dtype of a scalar type of the language, None for that of the array.
        order: "F" for column-major, the order of the language, or "C".
        queue: dpctl queue, device or name of a target that will use the array.
        device: another name of `queue`.

    Returns:
        An array of the same shape in USM shared memory, a `CudaArray` on an NVIDIA device, or
        an array of NumPy for native code.

    Raises:
        ArgumentError: NumPy cannot convert it to an array, or the dtype or order is not valid.
        DeviceError: there is no device or not enough memory.

    >>> import tinytc_mlir as tt
    >>> tt.asarray([[1.0, 2.0], [3.0, 4.0]]).flags.f_contiguous
    True
    """
    queue = _place("asarray", queue, device)
    layout = _checked_order("asarray", order)
    if dtype is not None:
        dtype = _checked_dtype("asarray", dtype)
    try:
        if isinstance(array, np.ndarray) or loader_of(array) is not None:
            source = np.asarray(array, dtype)
        else:
            found = host_array(array)
            source = np.asarray(array if found is None else found, dtype)
    except Exception as error:  # by NumPy, or by methods of the object
        message = (
            f"expected something that NumPy can convert to an array, got {describe(array)}: {error}"
        )
        raise _argument_error("asarray", "array", message) from error
    _checked_dtype("asarray", source.dtype)
    contiguous = source.flags.c_contiguous if layout == "C" else source.flags.f_contiguous
    if contiguous and _is_in_place(source, queue):
        return source
    memory = queue_of(queue).allocate(source.nbytes)
    np.copyto(np.ndarray(source.shape, source.dtype, memory.host, order=layout), source)
    memory.upload()
    return memory.array(source.shape, source.dtype, layout)


def _is_in_place(array: Array, queue: object) -> bool:
    """Whether kernels on a queue, None for any, can use an array as it is."""
    view = view_of(array)
    if view.memory is None or queue is None:
        return view.memory is not None
    try:
        check_reach(queue_of(queue), view)
    except ValueError:
        return False
    return True


def _place(function: str, queue: object, device: object) -> object:
    """Return where an array is to be, which may be given by either name."""
    if queue is not None and device is not None:
        message = f"expected no device beside a queue, got {describe(device)}"
        raise _argument_error(function, "device", message)
    return device if queue is None else queue


def _checked_dtype(function: str, dtype: npt.DTypeLike) -> Dtype:
    """Return the dtype of a scalar type of the language; others may hold references."""
    try:
        found: Dtype = np.dtype(dtype)
    except Exception as error:  # by NumPy, or by an attribute of the object
        message = f"expected a NumPy dtype, got {describe(dtype)}"
        raise _argument_error(function, "dtype", message) from error
    types = SCALAR_TYPES.values()
    if not any(type_.fits(found) for type_ in types):
        known = dict.fromkeys(name for type_ in types for name in type_.dtype_names())
        message = f"expected one of the dtypes {', '.join(known)}, got {found}"
        raise _argument_error(function, "dtype", message)
    return found


def _checked_order(function: str, order: object) -> Literal["C", "F"]:
    if isinstance(order, str) and order in ("C", "F"):
        return "C" if order == "C" else "F"
    raise _argument_error(function, "order", f"expected 'C' or 'F', got {describe(order)}")


def _argument_error(function: str, name: str, message: str) -> ArgumentError:
    return ArgumentError(f"{function}: argument {name!r}: {message}", argument=name)
