# SPDX-License-Identifier: BSD-3-Clause
"""The runtime on SYCL devices, by dpctl."""

from __future__ import annotations

import os
import sys
import threading
import weakref
from collections.abc import Hashable
from typing import Any

import numpy as np

from ...errors import LaunchError
from ..arrays.array_view import Array, ArrayView
from ..kernel_info import SPIRV
from ..protocol import (
    Arguments,
    Binary,
    Device,
    Native,
    NativeEvent,
    PreparedLaunch,
    Queue,
    Ranges,
)
from . import driver
from .code import check_spirv
from .intel_gpus import INTEL_GPUS
from .split_module import part_of
from .sycl_devices import CPU_TARGET, SyclDevice, names_of_dpctl
from .sycl_memory import PROTOCOL, SyclMemory, dpctl_argument, usm_memory, view_of
from .sycl_programs import SyclKernel, SyclProgram, built_program

_BACKENDS = ("opencl", "level_zero")  # those that take SPIR-V


class SyclLaunch:
    """A launch as dpctl takes it.

    Args:
        queue: dpctl queue.
        kernel: kernel of this module.
        arguments: arguments as dpctl takes them.
        ranges: global range and local range in work-items, first mode first.
    """

    __slots__ = ("_error", "_submit", "_submit_nothing", "native_arguments")

    def __init__(
        self, queue: Any, kernel: SyclKernel, arguments: list[Any], ranges: Ranges
    ) -> None:
        # SYCL counts the modes from the other end.
        self.native_arguments = (kernel.native, arguments, ranges[0][::-1], ranges[1][::-1])
        self._submit = queue.submit_async
        self._submit_nothing = queue.submit_barrier if 0 in ranges[0] else None
        self._error = names_of_dpctl().SubmitError

    def start(self, depends: list[Any] | None) -> NativeEvent:
        """Start the kernel and return the event of dpctl."""
        if self._submit_nothing is not None:
            barrier: NativeEvent = self._submit_nothing(depends or [])
            return barrier
        try:
            event: NativeEvent = (
                self._submit(*self.native_arguments)
                if depends is None
                else self._submit(*self.native_arguments, depends)
            )
        except self._error as error:
            name = self.native_arguments[0].get_function_name()
            raise LaunchError(f"{name}: the driver rejected the launch: {error}") from error
        return event


class SyclQueue:
    """A queue of dpctl."""

    def __init__(self, native: Any) -> None:
        self.native = native
        device = native.sycl_device
        self._reaches_host: bool = (
            names_of_dpctl().asks_for_pointers
            and device.is_cpu
            and device.has_aspect_usm_system_allocations
        )
        self.is_in_order: bool = native.is_in_order
        self.place: tuple[Any, Any] = (native.sycl_context, native.sycl_device)

    @property
    def loader(self) -> SyclLoader:
        """The implementation that the queue belongs to."""
        return LOADER

    @property
    def device(self) -> SyclDevice:
        """The device that runs the launches."""
        return SyclDevice(self.native.sycl_device)

    def uses_host_memory(self, *, waits: bool) -> bool:
        """Whether it is a CPU that the caller waits for: arrays do not change before it ends."""
        return waits and self._reaches_host

    def allocate(self, size_bytes: int) -> SyclMemory:
        """Return new USM shared memory."""
        return SyclMemory(size_bytes, self.native)

    def reach(self, view: ArrayView) -> None:
        """Check the context of an array's memory, and wait for the queue of another library."""
        memory: Any = view.memory
        if memory is view.array:  # of another library, which may still be at work on it
            memory = usm_memory(memory)
            if memory.sycl_queue != self.native:
                memory.sycl_queue.wait()
        if memory.sycl_context != self.place[0]:
            raise ValueError(
                f"expected memory in the context of the queue on {self.device.name}, "
                f"got memory in a context on {memory.sycl_device.name.strip()}"
            )

    def origin(self, memory: Any) -> Native:
        """Return the queue of memory of dpctl."""
        return memory.sycl_queue if isinstance(memory, names_of_dpctl().Memory) else None

    def prepare(self, kernel: Native, arguments: Arguments, ranges: Ranges) -> PreparedLaunch:
        """Return a launch."""
        assert isinstance(kernel, SyclKernel)
        return SyclLaunch(self.native, kernel, list(map(dpctl_argument, arguments)), ranges)

    def is_event(self, event: object) -> bool:
        """Whether an object is an event of dpctl."""
        return isinstance(event, names_of_dpctl().Event)

    def is_complete(self, event: Any) -> bool:
        """Whether the launch of an event is over."""
        return bool(event.execution_status == names_of_dpctl().complete)

    def time_ns(self, event: Any) -> int | None:
        """Return the time that a launch took; None if it is not over."""
        if not self.native.has_enable_profiling:
            raise ValueError(
                "expected a queue that measures times, such as dpctl.SyclQueue(device, "
                "property=['in_order', 'enable_profiling']), got one that does not"
            )
        start, end = event.profiling_info_start, event.profiling_info_end
        return int(end - start) if self.is_complete(event) and end else None

    def wait(self) -> None:
        """Return when all launches are over."""
        self.native.wait()


class SyclLoader:
    """The front of this implementation."""

    targets = (CPU_TARGET, *INTEL_GPUS)
    handles = "a dpctl queue or device"
    is_asked_last = False
    formats = (SPIRV,)

    def __init__(self) -> None:
        self._queues: dict[Any, SyclQueue] = {}  # by dpctl device
        # By context and digest, as long as there are kernels of them.
        self._programs: weakref.WeakValueDictionary[Hashable, SyclProgram] = (
            weakref.WeakValueDictionary()
        )
        self._lock = threading.Lock()
        self._building: dict[Hashable, threading.Lock] = {}

    def recognises(self, array: object) -> bool:
        """Whether the type of an object has the USM protocol."""
        return hasattr(type(array), PROTOCOL)

    def check(self, program: Binary, name: str) -> None:
        """Check that a program is a whole SPIR-V module."""
        check_spirv(program.code, program.manifest, name)

    def advice(self) -> str:
        """Return what may have hidden a device."""
        selector = os.environ.get("ONEAPI_DEVICE_SELECTOR")
        if selector:
            return f"ONEAPI_DEVICE_SELECTOR is {selector!r}"
        if driver.driver_path() is None:
            return ""
        when = "before the first use of dpctl and before MPI is initialised"
        return f"import tinytc_mlir {when}, or run `tinytc doctor`"

    def devices(self) -> list[Device]:
        """Return the devices with USM shared memory and subgroups."""
        return [
            SyclDevice(native)
            for native in names_of_dpctl().get_devices()
            if native.backend.name in _BACKENDS
            and native.has_aspect_usm_shared_allocations
            and max(native.sub_group_sizes) > 1
        ]

    def device(self, handle: object) -> Device | None:
        """Return the device of a device or queue of dpctl or of this module."""
        if isinstance(handle, SyclDevice):
            return handle
        native = _native(handle, "SyclDevice")
        if native is not None:
            return SyclDevice(native)
        queue = self.queue(handle)
        return None if queue is None else queue.device

    def queue(self, handle: object) -> Queue | None:
        """Return the queue of a device or queue of dpctl or of this module."""
        if isinstance(handle, SyclQueue):
            return handle
        native = _native(handle, "SyclQueue")
        if native is not None:
            return SyclQueue(native)
        device = handle.native if isinstance(handle, SyclDevice) else _native(handle, "SyclDevice")
        return None if device is None else self._queue_of_device(device)

    def _queue_of_device(self, device: Any) -> SyclQueue:
        queue = self._queues.get(device)
        if queue is None:
            queue = SyclQueue(names_of_dpctl().Queue(device, property=["in_order"]))
            self._queues[device] = queue
        return queue

    def queue_of_memory(self, memory: Native) -> Queue:
        """Return the queue of the memory's device if it has the same context, else its own."""
        usm = usm_memory(memory)
        queue = self._queue_of_device(usm.sycl_device)
        return queue if queue.place[0] == usm.sycl_context else SyclQueue(usm.sycl_queue)

    def view(self, array: object) -> ArrayView:
        """Return what an array with the USM protocol looks like to a kernel."""
        try:
            return view_of(array)
        except Exception as error:  # by code of the library
            raise ValueError(
                f"expected a readable {PROTOCOL}, got one of {type(array).__name__} "
                f"with an error: {type(error).__name__}: {error}"
            ) from error

    def host_copy(self, view: ArrayView) -> Array:
        """Return a copy of the elements of a USM array, of any kind of memory."""
        memory = usm_memory(view.memory)
        data = np.asarray(memory.copy_to_host()).view(np.uint8)
        offset = view.address - memory._pointer
        copy: Array = np.ndarray(view.shape, view.dtype, data, offset, view.strides_bytes)
        return copy

    def load(self, program: Binary, name: str, queue: Queue) -> Native:
        """Return a kernel of dpctl; programs are built once for each context.

        Those for CPUs are built kernel by kernel. Threads build different programs at the same
        time, as far as the driver does.
        """
        native: Any = queue.native
        if SyclDevice(native.sycl_device).is_cpu:
            program = part_of(program, name)
        # The same code may be built for another number of registers.
        key = (native.sycl_context, program.digest, program.manifest.registers)
        with self._lock:
            building = self._building.setdefault(key, threading.Lock())
        with building:
            built = self._programs.get(key)
            if built is None:
                built = self._programs[key] = built_program(program, native)
            with self._lock:
                self._building.pop(key, None)  # whoever waits for it finds the program
        with built.lock:
            return built.kernel(name)


def _native(handle: object, class_name: str) -> Any:
    """Return the object if it is of a class of dpctl, else None; imports nothing."""
    dpctl = sys.modules.get("dpctl")
    return handle if dpctl is not None and isinstance(handle, getattr(dpctl, class_name)) else None


LOADER = SyclLoader()
