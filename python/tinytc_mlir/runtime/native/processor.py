# SPDX-License-Identifier: BSD-3-Clause
"""The runtime for machine code of this processor, which needs no driver.

A kernel is a function that runs some of the work-groups of a launch. Launches run on the thread
that starts them and on threads that help it, and are over when it goes on; other threads run Python
meanwhile.
"""

from __future__ import annotations

import ctypes
import dataclasses
import math
import mmap
import platform
import threading
import weakref
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, NamedTuple

from ... import switches
from ..._arrays import NativeLaunch as Call
from ...errors import DeviceError, LaunchError, TinyTCError
from ..arrays.array_view import ArrayView
from ..host_runtime import HostDevice, HostLaunchEvent, HostLoader, HostMemory, HostQueue
from ..kernel_info import ELF, KernelInfo
from ..launches.integers import checked_integer
from ..protocol import (
    Arguments,
    Binary,
    Device,
    Limits,
    Loader,
    Native,
    NativeEvent,
    Pointer,
    PreparedLaunch,
    Queue,
    Ranges,
)
from . import host
from .elf import ObjectFile, kernel_symbol
from .image import LoadedObject

if TYPE_CHECKING:
    from .shared_library import SharedLibrary

    _Loaded = LoadedObject | SharedLibrary

_NATIVE = "native"
_ALIGNMENT_BYTES = 64
# Of a launch. Programs that give a number of threads run on machines with fewer processors, too.
_MOST_THREADS = 1024
_HUGE_PAGE_BYTES = 2 * 1024 * 1024
# Local memory up to here is on the stack of a kernel; more is its last parameter.
_STACK_LOCAL_BYTES = 32 * 1024
# What the compiler allows: local memory of programs, and in all what kernels keep in memory.
_LOCAL_BYTES = 256 * 1024
_MOST_KEPT_BYTES = 8 * 1024 * 1024
_FEATURES = frozenset({"f16", "f64", "i64_atomics"})
_SUBGROUP_SIZES = (4, 8, 16, 32, 64)
_LIMITS = Limits(_FEATURES, _SUBGROUP_SIZES, 1024, _LOCAL_BYTES, _MOST_KEPT_BYTES - _LOCAL_BYTES)


class NativeBytes(bytearray):
    """Memory for native kernels, known by the name of its only attribute."""

    __tinytc_native_array_interface__ = None


class NativeMapping(mmap.mmap):
    """Pages for native kernels, known in the same way."""

    __tinytc_native_array_interface__ = None


def _pages(size_bytes: int) -> NativeMapping:
    """Return pages of memory, in huge ones, with which the system fills only whole ones."""
    mapping = NativeMapping(-1, size_bytes, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):  # of Linux
        mapping.madvise(mmap.MADV_HUGEPAGE)
    return mapping


def _memory(size_bytes: int) -> HostMemory:
    """Return memory, in huge pages if the user wants them and they are not larger."""
    if size_bytes < _HUGE_PAGE_BYTES or not switches.HUGE_PAGES.is_on():
        return HostMemory(size_bytes, _ALIGNMENT_BYTES, NativeBytes)
    return HostMemory(size_bytes, _HUGE_PAGE_BYTES, _pages)


@dataclasses.dataclass(frozen=True, repr=False)
class NativeDevice(HostDevice):
    """The processor of this machine."""

    name: str
    runs: tuple[str, ...]
    target: str = _NATIVE
    is_cpu: bool = True
    driver: str = "none"
    driver_version: str = "0"
    limits: Limits = _LIMITS


class NativeKernel(NamedTuple):
    """A kernel of a program.

    Args:
        name: its name.
        address: where its function is.
        local_bytes: local memory that its last parameter points to, 0 if there is none.
        code: what has the function in memory.
    """

    name: str
    address: int
    local_bytes: int
    code: _Loaded


_REALS = (ctypes.c_float, ctypes.c_double)


def _c_arguments(arguments: Arguments) -> list[tuple[int, bool]]:
    """Return bits of arguments as C passes them, and whether they are real numbers."""
    values: list[tuple[int, bool]] = []
    argument: Any
    for argument in arguments:
        kind = type(argument)  # quicker than isinstance, which counts here
        if kind is Pointer:
            values.append((argument.address, False))
        elif kind is bytes:  # a complex number is two
            half = len(argument) // 2
            parts = (argument[:half], argument[half:])
            values += [(int.from_bytes(part, "little"), True) for part in parts]
        elif kind in _REALS:
            values.append((int.from_bytes(argument, "little"), True))
        else:
            values.append((argument.value & 0xFFFF_FFFF_FFFF_FFFF, False))
    return values


class NativeLaunch:
    """A launch, which runs where it is started and on threads that help.

    Args:
        kernel: the kernel.
        arguments: its arguments.
        ranges: global and local range in work-items.
        threads: the most threads that run it.
    """

    __slots__ = ("_arguments", "_call", "_kernel", "_sizes")

    def __init__(
        self, kernel: NativeKernel, arguments: Arguments, ranges: Ranges, threads: int
    ) -> None:
        (total_x, total_y, total_z), (size_x, size_y, size_z) = ranges
        sizes = total_x // size_x, total_y // size_y, total_z // size_z
        values = _c_arguments(arguments)
        try:
            self._call = Call(kernel.address, values, sizes, kernel.local_bytes, threads)
        except ValueError as error:
            raise LaunchError(f"{kernel.name}: {error}") from None
        self._kernel, self._arguments, self._sizes = kernel, arguments, sizes

    @property
    def work_groups(self) -> int:
        """Number of work-groups."""
        return math.prod(self._sizes)

    @property
    def native_arguments(self) -> tuple[Native, ...]:
        """Address of the function, its arguments, and the numbers of work-groups."""
        return self._kernel.address, _c_arguments(self._arguments), self._sizes

    def start(self, depends: list[Any] | None) -> NativeEvent:
        """Run the kernel."""
        for event in depends or ():
            event.wait()
        return HostLaunchEvent(self._call.start())

    def run_range(self, first: int, last: int) -> None:
        """Run some work-groups on this thread alone."""
        self._call.run(first, last)


def usual_threads() -> int:
    """Return how many threads a launch runs on, unless its queue says so."""
    text = switches.NUM_THREADS.text()
    if not text:
        return host.usable_processors()
    if not text.isdecimal() or not 1 <= int(text) <= _MOST_THREADS:
        name = switches.NUM_THREADS.name
        raise DeviceError(f"expected an integer from 1 to {_MOST_THREADS} for {name}, got {text!r}")
    return int(text)


def native_queue(*, threads: int | None = None) -> NativeQueue:
    """Return a queue for launches on the processor.

    Args:
        threads: the most threads that a launch runs on, the caller's among them; None takes what
            TINYTC_NUM_THREADS says, and without it all processors that the process may use.

    Raises:
        DeviceError: native kernels do not run here, or threads is no integer from 1 to 1024.

    >>> native_queue(threads=2).threads
    2
    """
    if threads is not None:
        try:
            threads = checked_integer(threads, "for threads", 1, _MOST_THREADS)
        except ValueError as error:
            raise DeviceError(str(error)) from None
    (device,) = LOADER.devices()
    assert isinstance(device, NativeDevice)
    return NativeQueue(device, threads)


class NativeQueue(HostQueue):
    """A place to start launches, in their order.

    Args:
        device: the device.
        threads: the most threads that a launch runs on, None for the usual number.
    """

    place: Hashable = _NATIVE

    def __init__(self, device: NativeDevice, threads: int | None = None) -> None:
        self.device: Device = device
        self.threads = threads

    @property
    def loader(self) -> Loader:
        """The implementation that the queue belongs to."""
        return LOADER

    def allocate(self, size_bytes: int) -> HostMemory:
        """Return memory of the host."""
        return _memory(size_bytes)

    def reach(self, view: ArrayView) -> None:
        """Do nothing: kernels use the memory of this process."""

    def uses_host_memory(self, *, waits: bool) -> bool:
        """Return true: launches are over when they return."""
        return True

    def origin(self, memory: Native) -> Native:
        """Return the type of memory of this module, and one key for all else of the host."""
        return type(memory) if isinstance(memory, (NativeBytes, NativeMapping)) else NativeQueue

    def prepare(self, kernel: Native, arguments: Arguments, ranges: Ranges) -> PreparedLaunch:
        """Return a launch."""
        assert isinstance(kernel, NativeKernel)
        threads = usual_threads() if self.threads is None else self.threads
        return NativeLaunch(kernel, arguments, ranges, threads)


class NativeLoader(HostLoader):
    """The front of this implementation."""

    targets = (
        *(_NATIVE, "x86-64-v4-amx", "x86-64-v4-bf16"),
        *("x86-64-v4", "x86-64-v3", "x86-64-v2"),
        *("aarch64-sve512", "aarch64-sve256", "aarch64-mmla", "aarch64"),
    )
    handles = "a native device or queue"
    formats = (ELF,)
    is_asked_last = True

    def __init__(self) -> None:
        self._device: NativeDevice | None = None
        self._queue: NativeQueue | None = None
        # By digest, as long as there are kernels of them.
        self._objects: weakref.WeakValueDictionary[str, _Loaded] = weakref.WeakValueDictionary()
        self._lock = threading.Lock()

    def recognises(self, array: object) -> bool:
        """Whether it is memory of this implementation."""
        return isinstance(array, (NativeBytes, NativeMapping))

    def check(self, program: Binary, name: str) -> None:
        """Check that a program is an object file with its kernels."""
        functions = ObjectFile(program.code, name).functions()
        for kernel in program.manifest.kernels:
            if kernel_symbol(kernel.name, functions) not in functions:
                raise TinyTCError(
                    f"{name}: expected the kernel {kernel.name} in the object file, got none"
                )

    def devices(self) -> list[Device]:
        """Return the processor."""
        if host.machine() is None:
            raise DeviceError(
                f"expected {host.EXPECTED} for native kernels, got {platform.system()} on "
                f"{platform.machine()}"
            )
        if self._device is None:
            self._device = NativeDevice(host.name(), (_NATIVE, *host.targets()))
        return [self._device]

    def queue(self, handle: object) -> Queue | None:
        """Return the queue of a device or queue of this module."""
        if isinstance(handle, NativeQueue):
            return handle
        if not isinstance(handle, NativeDevice):
            return None
        if self._queue is None:
            self._queue = NativeQueue(handle)
        return self._queue

    def queue_of_memory(self, memory: Native) -> Queue:
        """Return the queue of the processor."""
        queue = self.queue(self.devices()[0])
        assert queue is not None
        return queue

    def load(self, program: Binary, name: str, queue: Queue) -> Native:
        """Return a kernel; programs are loaded once."""
        with self._lock:
            loaded = self._objects.get(program.digest)
            if loaded is None:
                file = ObjectFile(program.code, "program")
                if file.machine != host.machine():
                    raise DeviceError(
                        f"expected code for {host.machine()}, got code for {file.machine}"
                    )
                loaded = self._objects[program.digest] = _load(file, program)
        return _kernel(program.manifest.kernel(name), loaded)


def _load(file: ObjectFile, program: Binary) -> _Loaded:
    if file.has_tiles() and (problem := host.problem_of_tiles()):
        raise DeviceError(f"expected tile registers (AMX), but {problem}")
    folder = switches.DEBUG_DIR.folder()
    if folder is None:
        return LoadedObject(file)
    from .shared_library import SharedLibrary

    name = f"{program.manifest.kernels[0].name}-{program.digest[:16]}.so"
    return SharedLibrary(file, program.code, folder / name)


def _kernel(info: KernelInfo, loaded: _Loaded) -> NativeKernel:
    bytes_ = info.local_memory_bytes
    local_bytes = bytes_ if bytes_ > _STACK_LOCAL_BYTES else 0
    address = loaded.addresses[kernel_symbol(info.name, loaded.addresses)]
    return NativeKernel(info.name, address, local_bytes, loaded)


LOADER = NativeLoader()
