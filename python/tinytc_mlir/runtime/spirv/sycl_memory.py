# SPDX-License-Identifier: BSD-3-Clause
"""USM memory of dpctl and of libraries with its protocol."""

from __future__ import annotations

import contextlib
import functools
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import DeviceError, describe
from ...shapes import INT64_MAX
from ..arrays.allocations import remember
from ..arrays.array_view import ArrayView
from ..host_runtime import UnifiedMemory
from ..launches.integers import checked_integer, checked_integers
from ..protocol import KernelArgument, Pointer
from .sycl_devices import names_of_dpctl

PROTOCOL = "__sycl_usm_array_interface__"
_ALIGNMENT_BYTES = 64


class SyclMemory(UnifiedMemory):
    """USM shared memory, which host and device use in place."""

    def __init__(self, size_bytes: int, queue: Any) -> None:
        native = _allocated(size_bytes, queue)
        super().__init__(native)
        self.address: int = native._pointer
        remember(native, self.address, size_bytes)

    @functools.cached_property
    def host(self) -> npt.NDArray[np.uint8]:
        """The bytes."""
        array: npt.NDArray[np.uint8] = np.ndarray(self.native.nbytes, np.uint8, self.native)
        return array


def _allocated(size_bytes: int, queue: Any) -> Any:
    dpctl = names_of_dpctl()
    if size_bytes <= INT64_MAX:  # what dpctl and NumPy can count
        with contextlib.suppress(dpctl.USMAllocationError):
            size = max(size_bytes, 1)
            return dpctl.SharedMemory(size, alignment=_ALIGNMENT_BYTES, queue=queue)
    raise DeviceError(f"expected {size_bytes} bytes of USM memory, got none")


def usm_memory(memory: object) -> Any:
    """Return the dpctl memory of an object with the USM protocol.

    Raises:
        ValueError: the object of another library has the protocol, but no such memory.
    """
    dpctl = names_of_dpctl()
    if isinstance(memory, dpctl.Memory):
        return memory
    try:
        return dpctl.as_usm_memory(memory)
    except Exception as error:  # by dpctl, or by code of the library
        raise ValueError(
            f"expected an array in USM memory, got {describe(memory)}: {error}"
        ) from error


def view_of(array: object) -> ArrayView:
    """Return what an object with the USM protocol says of itself."""
    interface = getattr(array, PROTOCOL)
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
    return ArrayView(
        address + offset * dtype.itemsize,
        dtype,
        shape,
        tuple(stride * dtype.itemsize for stride in strides),
        # dpctl's raw memory objects claim to be read-only although they are not.
        not is_read_only or hasattr(array, "copy_from_host"),
        array,
        array,
    )


def dpctl_argument(argument: KernelArgument) -> Any:
    """Return an argument as dpctl takes it."""
    if type(argument) is Pointer:
        if isinstance(argument.owner, np.ndarray):  # of the host
            return names_of_dpctl().HostMemory(argument.address)
        return _memory_at(argument.owner, argument.address)
    return names_of_dpctl().RawKernelArg(argument) if type(argument) is bytes else argument


def _memory_at(owner: Any, address: int) -> Any:
    """Return the dpctl memory that begins at an address inside of an owner's memory."""
    memory = usm_memory(owner)
    if memory._pointer == address:
        return memory
    return names_of_dpctl().as_usm_memory(_Slice(memory, address))


class _Slice:
    """Memory from an address onwards, as the USM protocol describes it."""

    def __init__(self, memory: Any, address: int) -> None:
        interface = dict(getattr(memory, PROTOCOL))
        start = int(interface["data"][0])
        size_bytes = max(memory.nbytes - (address - start), 1)
        interface.update(data=(address, False), shape=(size_bytes,), strides=None, typestr="|u1")
        interface.pop("offset", None)
        setattr(self, PROTOCOL, interface)
        self.memory = memory  # dpctl keeps this object, and so the memory


def _c_order_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides: list[int] = []
    stride = 1
    for size in reversed(shape):
        strides.append(stride)
        stride *= size
    return tuple(reversed(strides))
