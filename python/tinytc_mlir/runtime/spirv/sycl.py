# SPDX-License-Identifier: BSD-3-Clause
"""The runtime on SYCL devices, by dpctl: the only module that imports it, on first use."""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import functools
import importlib
import os
import pathlib
import sys
import threading
import weakref
from collections.abc import Callable, Hashable, Mapping, Sequence
from types import MappingProxyType, SimpleNamespace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ... import cache
from ...errors import DeviceError, LaunchError, describe
from ...shapes import INT64_MAX
from ..arrays.allocations import remember
from ..arrays.array_view import Array, ArrayView
from ..launches.integers import checked_integer, checked_integers
from ..manifest import SPIRV
from ..on_host import UnifiedMemory
from ..protocol import (
    Binary,
    Device,
    KernelArgument,
    Limits,
    Native,
    NativeEvent,
    Pointer,
    PreparedLaunch,
    Queue,
)
from . import driver
from .build_log import build_log, built_code, log_of, opencl
from .code import check_spirv, with_inlined_calls
from .intel_gpus import INTEL_GPUS, build_options, target_of_gpu
from .split_module import part_of
from .sycl_binaries import program_of_binary
from .sycl_symbols import KERNEL, sycl_functions
from .vectors import lost_lanes, problem

_T = TypeVar("_T")
_PROTOCOL = "__sycl_usm_array_interface__"
_CPU_TARGET = "cpu"
_BACKENDS = ("opencl", "level_zero")  # those that take SPIR-V
_ALIGNMENT_BYTES = 64
# Numbers of OpenCL's queries.
_KERNEL_REFERENCES = 0x1192
_KERNEL_PROGRAM = 0x1194
_PROGRAM_REFERENCES = 0x1160
# Aspects of dpctl devices by the manifest's name of the requirement.
_ASPECTS = {
    "f64": "has_aspect_fp64",
    "f16": "has_aspect_fp16",
    "i64_atomics": "has_aspect_atomic64",
}


@functools.cache
def _dpctl() -> Any:
    """Return the names from dpctl that are used here; later releases moved some of them."""
    try:
        import dpctl
        import dpctl.memory
        import dpctl.utils
    except ImportError as error:
        raise DeviceError(
            f"expected the packages dpctl and {driver.PACKAGE}, got an import error: {error}"
        ) from error
    try:
        import dpctl.program as build
    except ImportError:
        build = importlib.import_module("dpctl.compiler")
    return SimpleNamespace(
        get_devices=dpctl.get_devices,
        Queue=dpctl.SyclQueue,
        Device=dpctl.SyclDevice,
        Event=dpctl.SyclEvent,
        RawKernelArg=dpctl.RawKernelArg,
        complete=dpctl.event_status_type.complete,
        SubmitError=dpctl.SyclKernelSubmitError,
        Memory=(
            dpctl.memory.MemoryUSMShared,
            dpctl.memory.MemoryUSMDevice,
            dpctl.memory.MemoryUSMHost,
        ),
        # A class of Python, to which there are weak references.
        SharedMemory=type("MemoryUSMShared", (dpctl.memory.MemoryUSMShared,), {}),
        USMAllocationError=dpctl.memory.USMAllocationError,
        as_usm_memory=dpctl.memory.as_usm_memory,
        create_program=build.create_program_from_spirv,
        BuildError=build.SyclProgramCompilationError,
        programs=build,
        takes_binaries=dpctl.__version__.startswith("0.22."),
        leaks_programs=dpctl.__version__.startswith("0.22."),
        folder=pathlib.Path(dpctl.__file__).parent,
        intel_device_info=dpctl.utils.intel_device_info,
    )


@dataclasses.dataclass(frozen=True)
class SyclDevice:
    """A device of dpctl."""

    native: Any

    @property
    def name(self) -> str:
        """Name of the product."""
        return str(self.native.name).strip()

    @functools.cached_property
    def target(self) -> str | None:
        """Name of the compiler's target for this device, None if there is none."""
        if self.is_cpu:
            return _CPU_TARGET
        if not self.native.has_aspect_gpu:
            return None
        device_id = _dpctl().intel_device_info(self.native).get("device_id")
        return target_of_gpu(self.native.vendor, self.name, device_id)

    @property
    def runs(self) -> tuple[str, ...]:
        """Names of the targets whose programs it runs."""
        return () if self.target is None else (self.target,)

    @property
    def is_cpu(self) -> bool:
        """Whether it is the host's processor."""
        return bool(self.native.has_aspect_cpu)

    @property
    def driver(self) -> str:
        """Name of the driver's interface: "opencl" or "level_zero"."""
        return str(self.native.backend.name)

    @property
    def driver_version(self) -> str:
        """Version of the driver."""
        return str(self.native.driver_version)

    @functools.cached_property
    def limits(self) -> Limits:
        """What it has to offer to a kernel."""
        native = self.native
        return Limits(
            frozenset(name for name, aspect in _ASPECTS.items() if getattr(native, aspect)),
            tuple(native.sub_group_sizes),
            native.max_work_group_size,
            native.local_mem_size,
        )


class SyclMemory(UnifiedMemory):
    """USM shared memory, which host and device use in place.

    Args:
        size_bytes: size.
        queue: dpctl queue.
    """

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


class SyclProgram:
    """A program of dpctl that is freed with its last kernel.

    Args:
        native: the program.
        leaks: whether dpctl forgets to release what it makes the program's kernels of.
        leaks_itself: whether it forgets that for the program, too.
        spirv: what the CPU driver has just built it from, nothing if it did so before.
        path: where to keep the driver's code, if anywhere.
        note: what the cache notes about it.
    """

    def __init__(
        self,
        native: Any,
        leaks: bool,
        *,
        leaks_itself: bool,
        spirv: bytes = b"",
        path: pathlib.Path | None = None,
        note: Mapping[str, object] = MappingProxyType({}),
    ) -> None:
        self._native = native
        self._leaks, self._leaks_itself = leaks, leaks_itself
        self._spirv, self._path, self._note = spirv, path, note
        self.lock = threading.Lock()

    def kernel(self, name: str) -> SyclKernel:
        """Return a kernel; one thread at a time may ask, which holds the lock."""
        kernel = self._native.get_sycl_kernel(name)
        if self._leaks:
            _release_leaked(kernel, with_program=self._leaks_itself)
            self._leaks_itself = False
        if self._spirv:
            self._check_vectors(kernel)
        if self._path is not None:
            code = _asked_of_program(kernel, built_code) or b""
            if code:
                cache.keep(self._path, code, self._note)
            self._path = None
        return SyclKernel(kernel, self)

    def _check_vectors(self, kernel: Any) -> None:
        """Check that the driver computes with all lanes; each launch is refused if not."""
        lost = lost_lanes(self._spirv, _asked_of_program(kernel, log_of) or "")
        if lost is not None:
            raise DeviceError(problem(lost))
        self._spirv = b""


@dataclasses.dataclass(frozen=True)
class SyclKernel:
    """A kernel of dpctl, which keeps its program.

    Args:
        native: the kernel.
        program: the program that it belongs to.
    """

    native: Any
    program: SyclProgram


class SyclLaunch:
    """A launch as dpctl takes it.

    Args:
        queue: dpctl queue.
        kernel: kernel of this module.
        arguments: arguments as dpctl takes them.
        ranges: global range and local range in work-items, first mode first.
    """

    __slots__ = ("_error", "_submit", "native_arguments")

    def __init__(
        self,
        queue: Any,
        kernel: SyclKernel,
        arguments: list[Any],
        ranges: tuple[Sequence[int], Sequence[int]],
    ) -> None:
        # SYCL counts the modes from the other end.
        self.native_arguments = (kernel.native, arguments, ranges[0][::-1], ranges[1][::-1])
        self._submit = queue.submit_async
        self._error = _dpctl().SubmitError

    def start(self, depends: list[Any] | None) -> NativeEvent:
        """Start the kernel and return the event of dpctl."""
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
    """A queue of dpctl.

    Args:
        native: the queue.
    """

    uses_host_memory = False

    def __init__(self, native: Any) -> None:
        self.native = native
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

    def allocate(self, size_bytes: int) -> SyclMemory:
        """Return new USM shared memory."""
        return SyclMemory(size_bytes, self.native)

    def reach(self, view: ArrayView) -> None:
        """Check the context of an array's memory, and wait for the queue of another library."""
        memory: Any = view.memory
        if memory is view.array:  # of another library, which may still be at work on it
            memory = _usm_memory(memory)
            if memory.sycl_queue != self.native:
                memory.sycl_queue.wait()
        if memory.sycl_context != self.place[0]:
            raise ValueError(
                f"expected memory in the context of the queue on {self.device.name}, "
                f"got memory in a context on {memory.sycl_device.name.strip()}"
            )

    def origin(self, memory: Any) -> Native:
        """Return the queue of memory of dpctl."""
        return memory.sycl_queue if isinstance(memory, _dpctl().Memory) else None

    def prepare(
        self,
        kernel: Native,
        arguments: Sequence[KernelArgument],
        ranges: tuple[Sequence[int], Sequence[int]],
    ) -> PreparedLaunch:
        """Return a launch."""
        assert isinstance(kernel, SyclKernel)
        return SyclLaunch(self.native, kernel, list(map(_dpctl_argument, arguments)), ranges)

    def is_event(self, event: object) -> bool:
        """Whether an object is an event of dpctl."""
        return isinstance(event, _dpctl().Event)

    def is_complete(self, event: Any) -> bool:
        """Whether the launch of an event is over."""
        return bool(event.execution_status == _dpctl().complete)

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

    targets = (_CPU_TARGET, *INTEL_GPUS)
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
        return hasattr(type(array), _PROTOCOL)

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
            for native in _dpctl().get_devices()
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
            queue = SyclQueue(_dpctl().Queue(device, property=["in_order"]))
            self._queues[device] = queue
        return queue

    def queue_of_memory(self, memory: Native) -> Queue:
        """Return the queue of the memory's device if it has the same context, else its own."""
        usm = _usm_memory(memory)
        queue = self._queue_of_device(usm.sycl_device)
        return queue if queue.place[0] == usm.sycl_context else SyclQueue(usm.sycl_queue)

    def view(self, array: object) -> ArrayView:
        """Return what an array with the USM protocol looks like to a kernel."""
        try:
            return _view(array)
        except Exception as error:  # by code of the library
            raise ValueError(
                f"expected a readable {_PROTOCOL}, got one of {type(array).__name__} "
                f"with an error: {type(error).__name__}: {error}"
            ) from error

    def host_copy(self, view: ArrayView) -> Array:
        """Return a copy of the elements of a USM array, of any kind of memory."""
        memory = _usm_memory(view.memory)
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
                built = self._programs[key] = _built(program, native)
            with self._lock:
                self._building.pop(key, None)  # whoever waits for it finds the program
        with built.lock:
            return built.kernel(name)


def _built(program: Binary, queue: Any) -> SyclProgram:
    from . import binaries  # which needs a package that other implementations do not

    check_spirv(program.code, program.manifest, "program")
    device = SyclDevice(queue.sycl_device)
    is_opencl = device.driver == "opencl"
    if not device.is_cpu:
        options = build_options(program.manifest.registers, device.target, device.driver)
        native = _created(program, program.code, queue, options)
        leaks = is_opencl and _dpctl().leaks_programs
        return SyclProgram(native, leaks, leaks_itself=leaks)
    keeps = is_opencl and _dpctl().takes_binaries
    path = binaries.path_of(program.digest, device) if keeps else None
    native = _program_of(cache.load(path), queue)
    if native:
        return SyclProgram(native, _dpctl().leaks_programs, leaks_itself=False)
    return _built_for_cpu(program, queue, device, path)


def _built_for_cpu(
    program: Binary, queue: Any, device: SyclDevice, path: pathlib.Path | None
) -> SyclProgram:
    """Return a program that the cache does not have."""
    from . import binaries, fatal_builds

    vendor, leaks, code = device.native.vendor, _dpctl().leaks_programs, program.code
    if not driver.is_intel(vendor):
        code = with_inlined_calls(code)
    native = _program_of(fatal_builds.build_apart(program, code, device, path), queue)
    if native:
        return SyclProgram(native, leaks, leaks_itself=False)
    with fatal_builds.announced(program, device, path):
        native = _created(program, code, queue, driver.cpu_build_options(vendor))
    note = binaries.note_of(program.manifest)
    return SyclProgram(native, leaks, leaks_itself=leaks, spirv=code, path=path, note=note)


def _created(program: Binary, code: bytes, queue: Any, options: str) -> Any:
    """Return the program of dpctl for the SPIR-V of a program for this driver."""
    from . import binaries

    dpctl = _dpctl()
    try:
        return dpctl.create_program(queue, code, options)
    except dpctl.BuildError as error:
        name = SyclDevice(queue.sycl_device).name
        log = build_log(code, name, options)
        kernels = binaries.names_of(program.manifest)
        raise DeviceError(f"{name} cannot build {kernels}", build_log=log) from error


def _program_of(code: bytes | None, queue: Any) -> Any:
    """Return the program of dpctl for what the driver has built, None if that cannot be done."""
    dpctl = _dpctl()
    if code is None or not dpctl.takes_binaries:
        return None
    return program_of_binary(code, queue, dpctl.folder, dpctl.programs)


def _asked_of_program(kernel: Any, ask: Callable[[Any, ctypes.c_void_p], _T]) -> _T | None:
    """Return what OpenCL says of a kernel's program, None if it does not tell.

    Args:
        kernel: dpctl kernel.
        ask: is given the loader and the program.
    """
    library, native_of = opencl(), sycl_functions(_dpctl().folder).get(KERNEL)
    if library is None or native_of is None:
        return None
    handle = ctypes.c_void_p(native_of(kernel.addressof_ref()))  # with a reference of ours
    program = ctypes.c_void_p()
    library.clGetKernelInfo(handle, _KERNEL_PROGRAM, *_room(program))
    answer = ask(library, program)
    library.clReleaseKernel(handle)
    return answer


def _release_leaked(kernel: Any, *, with_program: bool) -> None:
    """Release the OpenCL objects that dpctl forgets when it makes a kernel.

    SYCL retains the program and the kernel that it is given, and what it gives; the caller is to
    release these references. dpctl 0.22 does not: it leaves one to the program that it makes, and
    for each kernel one to the program that it asks SYCL for and one to the kernel that it makes. A
    reference is released only if there is another, that of SYCL.

    Args:
        kernel: dpctl kernel that was just made.
        with_program: whether it is the first of its program.
    """
    library, native_of = opencl(), sycl_functions(_dpctl().folder).get(KERNEL)
    if library is None or native_of is None:
        return
    handle = ctypes.c_void_p(native_of(kernel.addressof_ref()))  # with a reference of ours
    program = ctypes.c_void_p()
    library.clGetKernelInfo(handle, _KERNEL_PROGRAM, *_room(program))
    for _ in range(2 if with_program else 1):
        if _references(library.clGetProgramInfo, program, _PROGRAM_REFERENCES) > 1:
            library.clReleaseProgram(program)
    if _references(library.clGetKernelInfo, handle, _KERNEL_REFERENCES) > 2:
        library.clReleaseKernel(handle)
    library.clReleaseKernel(handle)


def _references(query: Any, handle: ctypes.c_void_p, what: int) -> int:
    """Return the number of references to an OpenCL object, 0 if the driver does not tell."""
    count = ctypes.c_uint(0)
    return 0 if query(handle, what, *_room(count)) else count.value


def _room(value: Any) -> tuple[Any, ...]:
    """Return the arguments of an OpenCL query that say where its answer goes."""
    return ctypes.c_size_t(ctypes.sizeof(value)), ctypes.byref(value), None


def _native(handle: object, class_name: str) -> Any:
    """Return the object if it is of a class of dpctl, else None; imports nothing."""
    dpctl = sys.modules.get("dpctl")
    return handle if dpctl is not None and isinstance(handle, getattr(dpctl, class_name)) else None


def _allocated(size_bytes: int, queue: Any) -> Any:
    dpctl = _dpctl()
    if size_bytes <= INT64_MAX:  # what dpctl and NumPy can count
        with contextlib.suppress(dpctl.USMAllocationError):
            size = max(size_bytes, 1)
            return dpctl.SharedMemory(size, alignment=_ALIGNMENT_BYTES, queue=queue)
    raise DeviceError(f"expected {size_bytes} bytes of USM memory, got none")


def _usm_memory(memory: object) -> Any:
    """Return the dpctl memory of an object with the USM protocol.

    Raises:
        ValueError: the object of another library has the protocol, but no such memory.
    """
    dpctl = _dpctl()
    if isinstance(memory, dpctl.Memory):
        return memory
    try:
        return dpctl.as_usm_memory(memory)
    except Exception as error:  # by dpctl, or by code of the library
        raise ValueError(
            f"expected an array in USM memory, got {describe(memory)}: {error}"
        ) from error


def _view(array: object) -> ArrayView:
    interface = getattr(array, _PROTOCOL)
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


def _dpctl_argument(argument: KernelArgument) -> Any:
    """Return an argument as dpctl takes it."""
    if type(argument) is Pointer:
        return _memory_at(argument.owner, argument.address)
    return _dpctl().RawKernelArg(argument) if type(argument) is bytes else argument


def _memory_at(owner: Any, address: int) -> Any:
    """Return the dpctl memory that begins at an address inside of an owner's memory."""
    memory = _usm_memory(owner)
    if memory._pointer == address:
        return memory
    return _dpctl().as_usm_memory(_Slice(memory, address))


class _Slice:
    """Memory from an address onwards, as the USM protocol describes it."""

    def __init__(self, memory: Any, address: int) -> None:
        interface = dict(getattr(memory, _PROTOCOL))
        start = int(interface["data"][0])
        size_bytes = max(memory.nbytes - (address - start), 1)
        interface.update(data=(address, False), shape=(size_bytes,), strides=None, typestr="|u1")
        interface.pop("offset", None)
        setattr(self, _PROTOCOL, interface)
        self.memory = memory  # dpctl keeps this object, and so the memory


def _c_order_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides: list[int] = []
    stride = 1
    for size in reversed(shape):
        strides.append(stride)
        stride *= size
    return tuple(reversed(strides))


LOADER = SyclLoader()
