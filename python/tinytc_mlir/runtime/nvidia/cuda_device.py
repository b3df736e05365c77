# SPDX-License-Identifier: BSD-3-Clause
"""NVIDIA devices and their memory, which is their own, with a pinned copy on the host."""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import functools
import weakref
from collections.abc import Iterator, Sequence
from typing import Any, Literal, Protocol, cast

import numpy as np
import numpy.typing as npt

from ...errors import DeviceError
from ..arrays.array_view import Array, Dtype
from ..arrays.dlpack import LEGACY_STREAM
from ..protocol import Limits, shown_device
from .cuda_array import CudaArray
from .cuda_driver import CudaError, call, driver

# Compute capabilities of the compiler's targets, the newest first. Code for one runs on it and on
# all later ones.
CAPABILITIES = {"cuda:sm_100": (10, 0), "cuda:sm_90": (9, 0), "cuda:sm_80": (8, 0)}
VECTOR_BYTES = 16  # what a load reads at most; it begins at a multiple of that
_SUBGROUP_SIZES = (8, 16, 32)
_FEATURES = frozenset({"f16", "f64", "i64_atomics"})


@dataclasses.dataclass(frozen=True, repr=False)
class CudaDevice:
    """A device of the driver."""

    ordinal: int

    is_cpu = False
    driver = "cuda"

    def __repr__(self) -> str:
        return shown_device(self)

    @property
    def native(self) -> Any:
        """The device in the driver."""
        return call("cuDeviceGet", self.ordinal)

    @functools.cached_property
    def name(self) -> str:
        """Name of the product."""
        name: bytes = call("cuDeviceGetName", 256, self.native)
        return name.split(b"\0")[0].decode()

    @functools.cached_property
    def capability(self) -> tuple[int, int]:
        """Compute capability: major and minor number."""
        names = ("COMPUTE_CAPABILITY_MAJOR", "COMPUTE_CAPABILITY_MINOR")
        major, minor = (self._attribute(name) for name in names)
        return major, minor

    @functools.cached_property
    def target(self) -> str | None:
        """Name of the newest target whose code it runs, None if it is too old for all."""
        return next(iter(self.runs), None)

    @property
    def runs(self) -> tuple[str, ...]:
        """Names of the targets whose code it runs, the newest first."""
        return tuple(name for name, need in CAPABILITIES.items() if need <= self.capability)

    @functools.cached_property
    def driver_version(self) -> str:
        """Version of CUDA that the driver has."""
        version = call("cuDriverGetVersion")
        return f"{version // 1000}.{version % 1000 // 10}"

    @functools.cached_property
    def limits(self) -> Limits:
        """Its limits and features for kernels."""
        return Limits(
            _FEATURES,
            _SUBGROUP_SIZES,
            self._attribute("MAX_THREADS_PER_BLOCK"),
            self._attribute("MAX_SHARED_MEMORY_PER_BLOCK_OPTIN"),
        )

    @functools.cached_property
    def context(self) -> Any:
        """The primary context, kept until the process ends."""
        return call("cuDevicePrimaryCtxRetain", self.native)

    @contextlib.contextmanager
    def current(self) -> Iterator[None]:
        """Make the device's context the thread's current one within a block."""
        call("cuCtxPushCurrent", self.context)
        try:
            yield
        finally:
            call("cuCtxPopCurrent")

    def _attribute(self, name: str) -> int:
        attributes = driver().CUdevice_attribute
        which = getattr(attributes, f"CU_DEVICE_ATTRIBUTE_{name}")
        return int(call("cuDeviceGetAttribute", which, self.native))


class _Stream(Protocol):
    """The part of a queue that memory needs."""

    device: CudaDevice
    native: Any
    spare_events: list[Any]

    def record(self) -> Any:
        """Return an event of the driver for what was started so far."""


class CudaMemory:
    """Memory of a device, with a pinned copy on the host once that is asked for.

    Args:
        size_bytes: size.
        queue: queue on which copies are ordered.
    """

    holds_vectors = True
    """Whether all of the bytes around its last element that a load may read are allocated."""

    def __init__(self, size_bytes: int, queue: _Stream) -> None:
        self._queue = queue
        self._size_bytes = max(size_bytes, 1)
        # A load of the last elements may read all of the 16 bytes around them.
        allocated_bytes = self._size_bytes + -self._size_bytes % VECTOR_BYTES
        with queue.device.current():
            try:
                self.address = int(call("cuMemAlloc", allocated_bytes))
            except CudaError as error:
                message = f"expected {size_bytes} bytes on {queue.device.name}, got none: {error}"
                raise DeviceError(message) from error
        self._free = weakref.finalize(self, release, queue.device, "cuMemFree", self.address)
        self._free.atexit = False  # the driver frees what is left

    @property
    def native(self) -> CudaMemory:
        """The memory itself, which keeps it alive."""
        return self

    @property
    def stream(self) -> int:
        """Number of the stream on which copies are ordered."""
        return int(self._queue.native) or LEGACY_STREAM

    @property
    def ordinal(self) -> int:
        """Number of the device."""
        return self._queue.device.ordinal

    def order_before(self, stream: int) -> None:
        """Let what another stream does from now on wait for what this one has been given."""
        if stream != self.stream:
            with self._queue.device.current():
                event = self._queue.record()
                call("cuStreamWaitEvent", stream, event, 0)
            self._queue.spare_events.append(event)

    @functools.cached_property
    def host(self) -> npt.NDArray[np.uint8]:
        """The bytes on the host; `upload` and `download` copy them."""
        device = self._queue.device
        with device.current():
            address = int(call("cuMemHostAlloc", self._size_bytes, 0))
        free = weakref.finalize(self, release, device, "cuMemFreeHost", address)
        free.atexit = False
        buffer = (ctypes.c_uint8 * self._size_bytes).from_address(address)
        array: npt.NDArray[np.uint8] = np.ndarray(self._size_bytes, np.uint8, memoryview(buffer))
        return array

    def array(self, shape: Sequence[int], dtype: Dtype, order: Literal["C", "F"]) -> Array:
        """Return an array in this memory; it has NumPy's attributes, but not its functions."""
        return cast("Array", CudaArray(self, tuple(shape), dtype, order))

    def upload(self) -> None:
        """Copy the host's bytes to the device, before later launches on the queue."""
        with self._queue.device.current():
            host = self.host.ctypes.data
            call("cuMemcpyHtoDAsync", self.address, host, self._size_bytes, self._queue.native)

    def download(self) -> None:
        """Copy the device's bytes to the host."""
        with self._queue.device.current():
            host = self.host.ctypes.data
            call("cuMemcpyDtoHAsync", host, self.address, self._size_bytes, self._queue.native)
            call("cuStreamSynchronize", self._queue.native)


def release(device: CudaDevice, function: str, address: int) -> None:
    """Free memory; nothing can be done about errors, which an earlier launch has caused."""
    with contextlib.suppress(CudaError, DeviceError), device.current():
        call(function, address)


def end_of_allocation(address: int) -> int:
    """Return where the allocation around an address ends; 0 if the driver does not know it."""
    attributes = driver().CUpointer_attribute
    begin, size = (
        getattr(attributes, f"CU_POINTER_ATTRIBUTE_RANGE_{name}") for name in ("START_ADDR", "SIZE")
    )
    try:
        return int(call("cuPointerGetAttribute", begin, address)) + int(
            call("cuPointerGetAttribute", size, address)
        )
    except CudaError:
        return 0


def ordinal_of(address: int) -> int:
    """Return the number of the device that memory is on.

    Raises:
        ValueError: the driver does not know the memory.
    """
    which = driver().CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
    try:
        return int(call("cuPointerGetAttribute", which, address))
    except CudaError as error:
        message = f"expected memory of an NVIDIA device, got address {address:#x}: {error}"
        raise ValueError(message) from error
