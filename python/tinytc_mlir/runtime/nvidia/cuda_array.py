# SPDX-License-Identifier: BSD-3-Clause
"""Arrays on NVIDIA devices: CUDA's array interface, read and offered. Needs no CUDA."""

from __future__ import annotations

import math
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from ...errors import describe
from ...shapes import INT64_MAX
from ..arrays import dlpack
from ..arrays.array_view import Array, ArrayView, Dtype
from ..launches.integers import checked_integer, checked_integers

PROTOCOL = "__cuda_array_interface__"


class DeviceMemory(Protocol):
    """Memory of a device, with a copy on the host."""

    address: int

    @property
    def stream(self) -> int:
        """Number of the stream on which copies are ordered."""

    @property
    def ordinal(self) -> int:
        """Number of the device."""

    def order_before(self, stream: int) -> None:
        """Let what another stream does from now on wait for what has been started."""

    @property
    def host(self) -> npt.NDArray[np.uint8]:
        """The bytes on the host."""

    def upload(self) -> None:
        """Copy the host's bytes to the device."""

    def download(self) -> None:
        """Copy the device's bytes to the host."""


class CudaArray:
    """An array in the memory of an NVIDIA device.

    PyTorch, CuPy, Numba and JAX use it in place through `__cuda_array_interface__`. The host reads
    and writes copies: `get`, `set`, `numpy.asarray`.

    Args:
        memory: memory that the array fills.
        shape: size of every mode.
        dtype: dtype of the elements.
        order: "F" for column-major or "C" for row-major.
    """

    holds_vectors = True  # as its memory

    def __init__(
        self, memory: DeviceMemory, shape: tuple[int, ...], dtype: Dtype, order: Literal["C", "F"]
    ) -> None:
        self._memory = memory
        self._order: Literal["C", "F"] = order
        self.shape = shape
        self.dtype = dtype
        self.strides = _packed(shape, dtype.itemsize, order)

    @property
    def ndim(self) -> int:
        """Number of modes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.dtype.itemsize

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """The interface for other libraries, with the stream that they wait for."""
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self._memory.address, False),
            "strides": self.strides,
            "version": 3,
            "stream": self._memory.stream,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return kind and number of the device."""
        return dlpack.CUDA_DEVICE, self._memory.ordinal

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: object = None,
        dl_device: object = None,
        copy: bool | None = None,
    ) -> object:
        """Return a capsule for another library.

        Args:
            stream: stream that will use the array; None for the default one, -1 for no order.
            max_version: newest version of DLPack that is understood; this one is older.
            dl_device: where the array is to be, which must be where it is.
            copy: whether to copy, which is not done.
        """
        if copy or dl_device not in (None, self.__dlpack_device__()):
            raise BufferError("expected a request for the array itself, got one for a copy")
        if stream != -1:
            self._memory.order_before(dlpack.LEGACY_STREAM if stream is None else stream)
        steps = tuple(step // self.dtype.itemsize for step in self.strides)
        memory = self._memory
        return dlpack.offer(memory, memory.address, memory.ordinal, self.dtype, self.shape, steps)

    def get(self) -> Array:
        """Return a copy as a NumPy array of the same shape and order."""
        self._memory.download()
        copy: Array = self._host().copy(self._order)
        return copy

    def set(self, values: npt.ArrayLike) -> None:
        """Copy values into the array.

        Args:
            values: what NumPy can broadcast to the shape.
        """
        host = self._host()
        host[...] = values
        self._memory.upload()

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Array:
        """Return a copy for NumPy, which asks for it."""
        if copy is False:
            raise ValueError("expected a copy to be allowed, got copy=False: it is on a device")
        return self.get() if dtype is None else self.get().astype(dtype)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("expected at least 1 mode, got none")
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<CudaArray {self.shape} {self.dtype}>"

    def _host(self) -> Array:
        array: Array = np.ndarray(self.shape, self.dtype, self._memory.host, 0, self.strides)
        return array


def has_interface(array: object) -> bool:
    """Whether an array has the interface; PyTorch's types have it also for those that do not."""
    if not hasattr(type(array), PROTOCOL):
        return False
    try:
        return getattr(array, PROTOCOL) is not None
    except Exception:  # by code of the library: on the host, or of a type without a name
        return False


def view_of_interface(array: object) -> ArrayView:
    """Return what an array with the interface looks like to a kernel.

    Raises:
        ValueError: `expected ..., got ...`.
    """
    interface = getattr(array, PROTOCOL)
    if interface.get("mask") is not None:
        raise ValueError("expected an array without a mask, got one with a mask")
    dtype = np.dtype(interface["typestr"])
    pointer, is_read_only = interface["data"]
    shape = checked_integers(interface["shape"], "as size")
    strides = interface.get("strides")
    if strides is None:
        strides = _packed(shape, dtype.itemsize, "C")
    strides_bytes = checked_integers(strides, "as stride", -INT64_MAX)
    if len(strides_bytes) != len(shape):
        raise ValueError(f"expected {len(shape)} strides, got {len(strides_bytes)}")
    address = checked_integer(pointer, "as address", high=2**64 - 1)
    return ArrayView(address, dtype, shape, strides_bytes, not is_read_only, array, array)


def stream_of(interface: dict[str, Any]) -> int | None:
    """Return the stream on which an array with an interface may be written, None if there is none.

    Raises:
        ValueError: `expected ..., got ...`.
    """
    stream = interface.get("stream")
    if stream is None:
        return None
    if not isinstance(stream, int) or stream == 0:
        raise ValueError(f"expected a stream that is not 0, got {describe(stream)}")
    return stream


def _packed(shape: tuple[int, ...], itemsize: int, order: Literal["C", "F"]) -> tuple[int, ...]:
    """Return the strides in bytes of an array without gaps."""
    strides: list[int] = []
    step = itemsize
    for size in shape if order == "F" else reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(strides if order == "F" else reversed(strides))
