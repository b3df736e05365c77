# SPDX-License-Identifier: BSD-3-Clause
"""The runtime on NVIDIA devices, whose driver `cuda_driver` calls.

A device has its primary context, which other libraries of the process share, and one stream for
launches that name none. That stream waits for the legacy default stream and is waited for by it, so
that libraries that work there need no events. Memory is the device's own (`cuMemAlloc`), with a
pinned copy on the host where one is asked for.
"""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import threading
import weakref
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, cast

import numpy as np

from ...errors import DeviceError, LaunchError, describe
from ..arrays.array_view import Array, ArrayView
from ..arrays.dlpack import DlpackArray, is_on_device
from ..protocol import (
    Arguments,
    Binary,
    Device,
    KernelArgument,
    Native,
    Pointer,
    PointerOf,
    PreparedLaunch,
    Queue,
    Ranges,
)
from .cuda_array import PROTOCOL, has_interface, stream_of, view_of_interface
from .cuda_code import (
    FORMATS,
    array_positions,
    check_code,
    dynamic_local_bytes,
)
from .cuda_device import (
    CAPABILITIES,
    CudaDevice,
    CudaMemory,
    ordinal_of,
    release,
)
from .cuda_driver import CudaError, call, driver, is_native, result
from .cuda_kernel import CudaKernel
from .cuda_layout import pointers_like

_LOG_BYTES = 16 * 1024
_NOT_READY = 600


class CudaEvent:
    """The end of a launch.

    Args:
        queue: queue of the launch.
        name: name of the kernel.
        begin: event of the driver before the launch, None if the time is not measured.
    """

    __slots__ = ("_begin", "_name", "_queue", "native")

    def __init__(self, queue: CudaQueue, name: str, begin: Any = None) -> None:
        self._queue = queue
        self._name = name
        self._begin = begin
        self.native = queue.record()

    def __del__(self) -> None:
        """Give the events of the driver back to the queue."""
        if hasattr(self, "native"):
            self._queue.spare_events.append(self.native)
        if self._begin is not None:
            self._queue.spare_events.append(self._begin)

    def wait(self) -> None:
        """Return when the launch is over.

        Raises:
            LaunchError: the kernel failed.
        """
        try:
            call("cuEventSynchronize", self.native)
        except CudaError as error:
            raise LaunchError(f"{self._name}: the kernel failed: {error}") from error

    @property
    def is_complete(self) -> bool:
        """Whether the launch is over."""
        return int(driver().cuEventQuery(self.native)[0]) != _NOT_READY

    @property
    def time_ns(self) -> int | None:
        """Time that the launch took, None if it was not measured or is not over."""
        if self._begin is None or not self.is_complete:
            return None
        return int(call("cuEventElapsedTime", self._begin, self.native) * 1e6)


class CudaLaunch:
    """A launch as the driver takes it.

    Args:
        queue: queue.
        kernel: kernel of this module.
        arguments: arguments in the order of the ABI.
        ranges: global range and local range in work-items, first mode first.
    """

    def __init__(
        self, queue: CudaQueue, kernel: CudaKernel, arguments: Arguments, ranges: Ranges
    ) -> None:
        self._queue = queue
        self._kernel = kernel
        self._values = [_buffer(argument) for argument in arguments]
        addresses = list(_addresses(self._values, kernel.complex_parts))
        self._addresses = (ctypes.c_void_p * max(len(addresses), 1))(*addresses)
        grid = [size // local for size, local in zip(*ranges, strict=True)]
        modes = (*grid, *ranges[1])
        parameters = ctypes.addressof(self._addresses)
        self.native_arguments = (
            *(kernel.fitting(arguments), *modes, kernel.local_bytes),
            *(queue.native, parameters, 0),
        )

    def start(self, depends: list[Any] | None) -> CudaEvent:
        """Start the kernel and return its event."""
        queue, name = self._queue, self._kernel.name
        functions = driver()
        is_current = int(functions.cuCtxGetCurrent()[1]) == int(queue.device.context)
        try:
            with contextlib.nullcontext() if is_current else queue.device.current():
                for event in depends or ():
                    call("cuStreamWaitEvent", queue.native, _native_event(event), 0)
                begin = queue.record() if queue.is_timed else None
                if 0 not in self.native_arguments[1:4]:
                    result(functions, functions.cuLaunchKernel(*self.native_arguments))
                return CudaEvent(queue, name, begin)
        except CudaError as error:
            raise LaunchError(f"{name}: the driver rejected the launch: {error}") from error


def _buffer(argument: KernelArgument) -> Any:
    """Return an argument as a ctypes object in memory."""
    if isinstance(argument, Pointer):
        return ctypes.c_uint64(argument.address)
    if isinstance(argument, bytes):
        return (ctypes.c_uint8 * len(argument)).from_buffer_copy(argument)
    return argument


def _addresses(values: Sequence[Any], complex_parts: bool) -> Iterator[int]:
    """Yield where parameters are; those that are arrays of bytes are complex numbers."""
    for value in values:
        yield ctypes.addressof(value)
        if complex_parts and isinstance(value, ctypes.Array):
            yield ctypes.addressof(value) + ctypes.sizeof(value) // 2


def _native_event(event: object) -> Any:
    return event.native if isinstance(event, CudaEvent) else event


class CudaQueue:
    """A stream of a device.

    Args:
        device: the device.
        native: the stream of the driver.
        is_timed: whether events measure the time of launches, which makes these dearer.
    """

    is_in_order = True

    def __init__(self, device: CudaDevice, native: Any, *, is_timed: bool = False) -> None:
        self.device = device
        self.native = native
        self.is_timed = is_timed
        self.place: Hashable = ("cuda", device.ordinal)
        self.spare_events: list[Any] = []  # those of launches that nobody asks about any more

    @property
    def loader(self) -> CudaLoader:
        """The implementation that the queue belongs to."""
        return LOADER

    def allocate(self, size_bytes: int) -> CudaMemory:
        """Return new memory of the device."""
        return CudaMemory(size_bytes, self)

    def uses_host_memory(self, *, waits: bool) -> bool:
        """Return false: arrays of the host are copied."""
        return False

    def reach(self, view: ArrayView) -> None:
        """Check the device of an array's memory, and wait for its stream if it names one."""
        ordinal = ordinal_of(view.address)
        if ordinal != self.device.ordinal:
            raise ValueError(
                f"expected memory on device {self.device.ordinal}, {self.device.name}, "
                f"got memory on device {ordinal}"
            )
        stream = stream_of(getattr(view.array, PROTOCOL, {}))
        if stream is not None and stream != int(self.native):
            self.wait_for(stream)

    def wait_for(self, stream: int) -> None:
        """Let later launches wait for what another stream has been given."""
        with self.device.current():
            event = self._take_event()
            call("cuEventRecord", event, stream)
            call("cuStreamWaitEvent", self.native, event, 0)
        self.spare_events.append(event)

    def record(self) -> Any:
        """Return an event of the driver for what was started so far, in the current context."""
        event = self._take_event()
        functions = driver()
        result(functions, functions.cuEventRecord(event, self.native))
        return event

    def _take_event(self) -> Any:
        try:
            return self.spare_events.pop()
        except IndexError:
            return self._new_event()

    def _new_event(self) -> Any:
        flags = driver().CUevent_flags
        flag = flags.CU_EVENT_DEFAULT if self.is_timed else flags.CU_EVENT_DISABLE_TIMING
        return call("cuEventCreate", int(flag))

    def origin(self, memory: Native) -> Native:
        """Return None: arrays are none of NumPy's."""
        return None

    def pointers_like(self, array: object, view: ArrayView, divisor: int) -> PointerOf | None:
        """Return what points to arrays that look like one; None if it is known by DLPack only."""
        return pointers_like(array, view, divisor, self)

    def prepare(self, kernel: Native, arguments: Arguments, ranges: Ranges) -> PreparedLaunch:
        """Return a launch."""
        assert isinstance(kernel, CudaKernel)
        return CudaLaunch(self, kernel, arguments, ranges)

    def is_event(self, event: object) -> bool:
        """Whether an object is an event of this module or of the driver."""
        return isinstance(event, CudaEvent) or is_native(event, "CUevent")

    def is_complete(self, event: Any) -> bool:
        """Whether the launch of an event is over."""
        return bool(event.is_complete)

    def time_ns(self, event: Any) -> int | None:
        """Return the time that a launch took; None if it is not over."""
        if not self.is_timed:
            raise ValueError(
                "expected a queue that measures times, such as "
                "tinytc_mlir.runtime.nvidia.cuda.CudaQueue(device, stream, is_timed=True), "
                "got one that does not"
            )
        time: int | None = event.time_ns
        return time

    def wait(self) -> None:
        """Return when all launches are over."""
        try:
            with self.device.current():
                call("cuStreamSynchronize", self.native)
        except CudaError as error:
            raise LaunchError(f"{self.device.name}: a launch failed: {error}") from error


class CudaProgram:
    """A module of the driver that is unloaded with its last kernel."""

    def __init__(self, program: Binary, device: CudaDevice) -> None:
        self._manifest = program.manifest
        self._device = device
        options = driver().CUjit_option
        log = bytearray(_LOG_BYTES)
        settings = {
            options.CU_JIT_ERROR_LOG_BUFFER: log,
            options.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES: len(log),
        }
        code = program.code + b"\0"  # PTX ends with it
        with device.current():
            try:
                self._native = call(
                    "cuModuleLoadDataEx", code, len(settings), [*settings], [*settings.values()]
                )
            except CudaError as error:
                text = log.split(b"\0")[0].decode(errors="replace").strip()
                message = f"{device.name} cannot build the program: {error}"
                raise DeviceError(message, build_log=text or None) from error
        weakref.finalize(self, release, device, "cuModuleUnload", self._native).atexit = False

    def kernel(self, name: str) -> CudaKernel:
        """Return a kernel."""
        info = self._manifest.kernel(name)
        dynamic_bytes = dynamic_local_bytes(info)
        with self._device.current():
            function = self._function(name, dynamic_bytes)
            kernel = CudaKernel(
                name, function, dynamic_bytes, self, complex_parts=info.complex_parts
            )
            variants = [
                None if variant is None else self._function(variant, dynamic_bytes)
                for variant in (info.aligned_variant, info.aligned_members_variant)
            ]
        if variants == [None, None]:
            return kernel
        aligned, members = variants
        arrays = array_positions(info)
        return dataclasses.replace(kernel, aligned=aligned, aligned_members=members, arrays=arrays)

    def _function(self, name: str, dynamic_bytes: int) -> Any:
        function = call("cuModuleGetFunction", self._native, name.encode())
        if dynamic_bytes:
            attributes = driver().CUfunction_attribute
            which = attributes.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            call("cuFuncSetAttribute", function, which, dynamic_bytes)
        return function


class CudaLoader:
    """The front of this implementation."""

    targets = tuple(CAPABILITIES)
    handles = "a CUDA device or stream"
    formats = FORMATS
    is_asked_last = True

    def __init__(self) -> None:
        self._queues: dict[int, CudaQueue] = {}  # by number of the device
        # By device and digest, as long as there are kernels of them.
        self._programs: weakref.WeakValueDictionary[Hashable, CudaProgram] = (
            weakref.WeakValueDictionary()
        )
        self._lock = threading.Lock()

    def recognises(self, array: object) -> bool:
        """Whether an object has CUDA's array interface, or DLPack and is on an NVIDIA device."""
        return has_interface(array) or is_on_device(array)

    def check(self, program: Binary, name: str) -> None:
        """Check that a program is whole PTX or a whole cubin."""
        check_code(program.code, program.manifest, name)

    def advice(self) -> str:
        """Return nothing: the errors of the driver say what is missing."""
        return ""

    def devices(self) -> list[Device]:
        """Return the devices of the driver."""
        try:
            return [CudaDevice(ordinal) for ordinal in range(call("cuDeviceGetCount"))]
        except CudaError as error:
            raise DeviceError(f"expected an NVIDIA device, got none: {error}") from error

    def device(self, handle: object) -> Device | None:
        """Return the device of a device, stream or queue of the driver or of this module."""
        if isinstance(handle, CudaDevice):
            return handle
        queue = self.queue(handle)
        return None if queue is None else queue.device

    def queue(self, handle: object) -> Queue | None:
        """Return the queue of a device or stream, of the driver or of another library.

        Args:
            handle: a `CUdevice` or `CUstream`; an object with `__cuda_stream__`; one with the
                attribute `cuda_stream`, like the streams of PyTorch; or one of this module.
        """
        if isinstance(handle, CudaQueue):
            return handle
        if isinstance(handle, CudaDevice):
            return self._queue_of_device(handle.ordinal)
        if is_native(handle, "CUdevice"):
            return self._queue_of_device(int(cast("Any", handle)))
        stream = _stream(handle)
        if stream is None:
            return None
        if int(stream) in (0, 1, 2):  # the default streams, which are those of the current context
            ordinal = int(call("cuCtxGetDevice"))
        else:
            ordinal = int(call("cuStreamGetDevice", stream))
        return CudaQueue(CudaDevice(ordinal), stream)

    def _queue_of_device(self, ordinal: int) -> CudaQueue:
        with self._lock:
            queue = self._queues.get(ordinal)
            if queue is None:
                device = CudaDevice(ordinal)
                with device.current():
                    queue = CudaQueue(device, call("cuStreamCreate", 0))
                self._queues[ordinal] = queue
            return queue

    def queue_of_memory(self, memory: Native) -> Queue:
        """Return the queue of the device that memory is on."""
        return self._queue_of_device(ordinal_of(self.view(memory).address))

    def view(self, array: object) -> ArrayView:
        """Return what an array with CUDA's array interface looks like to a kernel."""
        try:
            if has_interface(array):
                return view_of_interface(array)
            taken = DlpackArray(array)
            return dataclasses.replace(view_of_interface(taken), memory=array)
        except Exception as error:  # by code of the library
            protocol = PROTOCOL if has_interface(array) else "DLPack capsule"
            raise ValueError(
                f"expected a readable {protocol}, got one of {describe(array)} "
                f"with an error: {type(error).__name__}: {error}"
            ) from error

    def host_copy(self, view: ArrayView) -> Array:
        """Return a copy of the elements."""
        queue = self._queue_of_device(ordinal_of(view.address))
        data = np.empty(max(view.extent_bytes, 1), np.uint8)
        with queue.device.current():
            call("cuMemcpyDtoH", data.ctypes.data, view.address, data.nbytes)
        copy: Array = np.ndarray(view.shape, view.dtype, data, 0, view.strides_bytes)
        return copy

    def load(self, program: Binary, name: str, queue: Queue) -> Native:
        """Return a kernel; programs are loaded once for each device."""
        device = queue.device
        assert isinstance(device, CudaDevice)
        check_code(program.code, program.manifest, "program")
        key = (device.ordinal, program.digest)
        with self._lock:
            loaded = self._programs.get(key)
            if loaded is None:
                loaded = self._programs[key] = CudaProgram(program, device)
            try:
                return loaded.kernel(name)
            except CudaError as error:
                message = f"{device.name} cannot load the kernel {name}: {error}"
                raise DeviceError(message) from error


def _stream(handle: object) -> Any:
    """Return the stream of an object of some library, None if it is no stream."""
    if is_native(handle, "CUstream"):
        return handle
    kind = type(handle)
    if hasattr(kind, "__cuda_stream__"):
        return driver().CUstream(cast("Any", handle).__cuda_stream__()[1])
    number = getattr(handle, "cuda_stream", None)
    return driver().CUstream(number) if isinstance(number, int) else None


LOADER = CudaLoader()
