# SPDX-License-Identifier: BSD-3-Clause
"""The common part of implementations of the runtime whose kernels run in this process."""

from __future__ import annotations

import mmap
from collections.abc import Callable, Sequence
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt

from ..errors import DeviceError, describe
from ..shapes import INT64_MAX
from .arrays.array_view import Array, ArrayView, Dtype
from .protocol import Device, Native, NativeEvent, Queue, shown_device


class UnifiedMemory:
    """Memory that the host and kernels use in place.

    Args:
        native: the memory in its library.
        start: bytes before its first aligned one.
    """

    def __init__(self, native: Native, start: int = 0) -> None:
        self.native: Any = native
        self._start = start

    def array(self, shape: Sequence[int], dtype: Dtype, order: Literal["C", "F"]) -> Array:
        """Return a NumPy array in this memory."""
        array: Array = np.ndarray(shape, dtype, self.native, self._start, order=order)
        return array

    def upload(self) -> None:
        """Do nothing: there is one memory only."""

    def download(self) -> None:
        """Do nothing: there is one memory only."""


class HostMemory(UnifiedMemory):
    """Bytes of the host.

    Args:
        size_bytes: bytes that are needed.
        alignment_bytes: what the address is a multiple of.
        allocate: returns so many bytes.
    """

    def __init__(
        self,
        size_bytes: int,
        alignment_bytes: int,
        allocate: Callable[[int], bytearray | mmap.mmap],
    ) -> None:
        size_bytes = max(size_bytes, 1)
        try:
            if size_bytes > INT64_MAX - alignment_bytes:
                raise MemoryError
            native = allocate(size_bytes + alignment_bytes)
        except (MemoryError, OSError):
            raise DeviceError(f"expected {size_bytes} bytes of memory, got none") from None
        everything = np.frombuffer(native, np.uint8)
        super().__init__(native, -everything.ctypes.data % alignment_bytes)
        self.address: int = everything.ctypes.data + self._start
        self.host: npt.NDArray[np.uint8] = everything[self._start : self._start + size_bytes]


class HostLaunchEvent:
    """A launch, which is over before its event is made.

    Args:
        duration_ns: time that it took.
    """

    __slots__ = ("duration_ns",)

    def __init__(self, duration_ns: int) -> None:
        self.duration_ns = duration_ns

    def wait(self) -> None:
        """Do nothing."""


class HostDevice:
    """A device that is an object of this package alone."""

    @property
    def native(self) -> Native:
        """The device itself."""
        return self

    def __repr__(self) -> str:
        return shown_device(cast("Device", self))


class HostQueue:
    """A queue whose launches are over when they return."""

    is_in_order = True

    @property
    def native(self) -> Native:
        """The queue itself."""
        return self

    def uses_host_memory(self, *, waits: bool) -> bool:
        """Return false: arrays of the host are copied."""
        return False

    def is_event(self, event: object) -> bool:
        """Whether it is an event of a launch on the host."""
        return isinstance(event, HostLaunchEvent)

    def is_complete(self, event: object) -> bool:
        """Return true: launches are over at once."""
        return True

    def time_ns(self, event: NativeEvent) -> int | None:
        """Return the time that the launch took."""
        assert isinstance(event, HostLaunchEvent)
        return event.duration_ns

    def wait(self) -> None:
        """Do nothing: launches are over at once."""


class HostLoader:
    """The front of an implementation whose arrays are those of NumPy."""

    arrays = "a NumPy array"  # what messages call the arrays that it takes

    def advice(self) -> str:
        """Return nothing: a device is never missing."""
        return ""

    def queue(self, handle: object) -> Queue | None:
        """Return the queue that an object names."""
        raise NotImplementedError

    def device(self, handle: object) -> Device | None:
        """Return the device of the queue that an object names."""
        queue = self.queue(handle)
        return None if queue is None else queue.device

    def view(self, array: object) -> ArrayView:
        """Refuse memory itself; arrays in it are NumPy's."""
        raise ValueError(f"expected {self.arrays}, got {describe(array)}")

    def host_copy(self, view: ArrayView) -> Array:
        """Refuse memory itself; arrays in it are NumPy's."""
        raise ValueError(f"expected {self.arrays}, got {describe(view.array)}")
