# SPDX-License-Identifier: BSD-3-Clause
"""Emulated GPUs as an implementation of the runtime's protocol."""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import functools
import weakref
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt

from ..errors import DeviceError, LaunchError
from ..runtime import loaders
from ..runtime.arrays.array_view import Array, ArrayView, Dtype
from ..runtime.host_runtime import HostDevice, HostLaunchEvent, HostLoader, HostQueue
from ..runtime.kernel_info import PTX, SPIRV
from ..runtime.nvidia.cuda_code import array_positions, dynamic_local_bytes
from ..runtime.nvidia.cuda_device import CAPABILITIES, VECTOR_BYTES
from ..runtime.nvidia.cuda_kernel import CudaKernel
from ..runtime.protocol import (
    Arguments,
    Binary,
    Device,
    KernelArgument,
    Limits,
    Native,
    NativeEvent,
    Pointer,
    PreparedLaunch,
    Queue,
    Ranges,
)
from ..runtime.spirv.intel_gpus import INTEL_GPUS
from . import ptx, spirv
from .findings import FINDINGS, Fault, Modes, TooLong, Unsupported
from .memory import ARENA

_FEATURES = frozenset(
    {"f16", "f64", "i64_atomics", "f32_atomic_add", "f64_atomic_add", "f16_atomic_add"}
)
_WORK_ITEMS = 1024
_LOCAL_BYTES = 128 * 1024  # of Intel's GPUs
TARGETS = ("cpu", *INTEL_GPUS, *CAPABILITIES)
"""Names of the targets whose code is emulated."""
FORMATS = (SPIRV, PTX)


@dataclasses.dataclass(frozen=True, repr=False)
class EmulatedDevice(HostDevice):
    """A GPU that is not there, or a processor with SYCL that is not there.

    Args:
        target: name of the target.
    """

    target: str
    is_cpu: bool = False
    driver: str = "emulator"
    driver_version: str = "1"

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"an emulated device for {self.target}"

    @property
    def runs(self) -> tuple[str, ...]:
        """Its target."""
        return (self.target,)

    @property
    def subgroup_sizes(self) -> tuple[int, ...]:
        """Sizes that a subgroup may have."""
        if self.target == "cpu":
            return (1, 4, 8, 16, 32, 64)
        return (16, 32) if "pvc" in self.target else (8, 16, 32)

    @property
    def limits(self) -> Limits:
        """Its limits and features for kernels."""
        local_bytes = ptx.MAX_SHARED_BYTES if self.target in CAPABILITIES else _LOCAL_BYTES
        return Limits(_FEATURES, self.subgroup_sizes, _WORK_ITEMS, local_bytes)


def _allocated(size_bytes: int) -> int:
    try:
        return ARENA.allocate(max(size_bytes, 1))
    except MemoryError:
        raise DeviceError(
            f"expected {size_bytes} bytes of emulated memory, got at most {ARENA.size} for all"
        ) from None


class EmulatedMemory:
    """Memory of an emulated device, with a copy on the host.

    Args:
        size_bytes: size.
    """

    __tinytc_emulated_array_interface__ = None
    holds_vectors = True

    def __init__(self, size_bytes: int) -> None:
        self._size = max(size_bytes, 1)
        padded = self._size + -self._size % VECTOR_BYTES
        self.address = _allocated(padded)
        weakref.finalize(self, ARENA.free, self.address).atexit = False
        self.host: npt.NDArray[np.uint8] = np.zeros(self._size, np.uint8)

    @property
    def native(self) -> EmulatedMemory:
        """The memory itself."""
        return self

    def array(self, shape: Sequence[int], dtype: Dtype, order: Literal["C", "F"]) -> Array:
        """Return an array over the whole memory; it has NumPy's attributes, not its functions."""
        data: Array = np.ndarray(shape, dtype, self.host, order=order)
        return cast("Array", _MemoryArray(self, data))

    def upload(self) -> None:
        """Copy the host's bytes to the device."""
        ARENA.write(self.address, self.host.tobytes())

    def download(self) -> None:
        """Copy the device's bytes to the host."""
        self.host[:] = np.frombuffer(ARENA.read(self.address, self._size), np.uint8)


class _MemoryArray:
    """An array over the whole of a memory, which it keeps alive."""

    __tinytc_emulated_array_interface__ = None

    def __init__(self, memory: EmulatedMemory, data: Array) -> None:
        self.memory, self.address = memory, memory.address
        self.data, self.shape, self.strides = data, data.shape, data.strides


class EmulatedArray:
    """A copy of an array in memory of its own on an emulated device.

    What is before, between and after its elements belongs to nobody; but where the array begins at
    a multiple of vectors, these may be read as a whole if they hold an element.

    Args:
        data: the array on the host.
        shift_bytes: bytes between an aligned address and the first element.
    """

    __tinytc_emulated_array_interface__ = None
    holds_vectors = True

    def __init__(self, data: Array, shift_bytes: int = 0) -> None:
        self.data, self.shape, self.strides = data, data.shape, data.strides
        view = ArrayView(0, data.dtype, self.shape, self.strides, True, None, None)
        self._size = view.extent_bytes
        padded = self._size + -self._size % VECTOR_BYTES
        start = _allocated(padded + shift_bytes)
        weakref.finalize(self, ARENA.free, start).atexit = False
        self.address = start + shift_bytes
        ARENA.disown(start, shift_bytes)
        ARENA.write(self.address, ctypes.string_at(data.ctypes.data, self._size))
        self._is_beside = self._beside(padded)
        ARENA.forget(self.address, padded, self._is_beside)
        is_out = self._is_beside
        if self.address % VECTOR_BYTES == 0:
            is_out = np.repeat(is_out.reshape(-1, VECTOR_BYTES).all(axis=1), VECTOR_BYTES)
        ARENA.disown(self.address, padded, is_out)

    def _beside(self, count: int) -> npt.NDArray[np.bool_]:
        """Return which bytes from the first element on are in no element."""
        is_beside = np.ones(count, bool)
        if self._size:
            shape, strides = (*self.shape, self.data.itemsize), (*self.strides, 1)
            np.lib.stride_tricks.as_strided(is_beside, shape, strides)[...] = False
        return is_beside

    def fetch(self) -> None:
        """Copy the elements back to where they came from.

        Raises:
            LaunchError: something has been stored beside them.
        """
        here = self.address - ARENA.base
        is_stored = ARENA.initialised[here : here + len(self._is_beside)] & self._is_beside
        if is_stored.any():
            place = f"byte {int(np.argmax(is_stored))} from the first element of an array"
            raise LaunchError(f"out of bounds: {place} is stored, which is in no element")
        raw = ARENA.bytes[here : here + self._size]
        self.data[...] = np.ndarray(self.shape, self.data.dtype, raw, strides=self.strides)


class EmulatedLaunch:
    """A launch, which is run where it is started.

    Args:
        queue: where.
        run: runs blocks of threads: numbers of blocks, and of threads of each.
        arguments: arguments in the order of the ABI.
        ranges: numbers of work-items.
    """

    def __init__(
        self,
        queue: EmulatedQueue,
        run: Callable[[Arguments, Modes, Modes], object],
        arguments: Arguments,
        ranges: Ranges,
    ) -> None:
        self._queue, self._run = queue, run
        self.native_arguments: tuple[Native, ...] = tuple(arguments)
        self._arguments = arguments
        total, local = ranges
        self._grid = _modes(n // size for n, size in zip(total, local, strict=True))
        self._block = _modes(local)

    def start(self, depends: list[Any] | None) -> NativeEvent:
        """Run the kernel.

        Raises:
            DeviceError: the emulator does not know an instruction, or the launch takes too long.
            LaunchError: it did what the language or the hardware does not allow.
        """
        if self._queue.collects:
            self._collect()
            return HostLaunchEvent(1)
        FINDINGS.start()
        try:
            self._start()
        except Unsupported as error:
            raise DeviceError(f"the emulator does not know {error}") from error
        except TooLong as error:
            raise DeviceError(f"emulated, it takes {error}") from error
        except Fault as error:
            FINDINGS.add("fault", str(error))
        for kind, texts in FINDINGS.errors().items():
            raise LaunchError(f"{kind}: {texts[0]}")
        return HostLaunchEvent(1)

    def _start(self) -> None:
        if 0 not in self._grid:
            self._run(self._arguments, self._grid, self._block)

    def _collect(self) -> None:
        try:
            self._start()
        except (Fault, TooLong, Unsupported) as error:
            FINDINGS.add(type(error).__name__, str(error))


def _modes(sizes: Iterator[int] | Sequence[int]) -> Modes:
    x, y, z = sizes
    return x, y, z


class EmulatedQueue(HostQueue):
    """The queue of an emulated device.

    Args:
        device: the device.
        collects: whether `FINDINGS` keeps what launches do wrong, instead of errors.
    """

    def __init__(self, device: EmulatedDevice, *, collects: bool = False) -> None:
        self.device: Device = device
        self.loader = EmulatedLoader(self)
        self.collects = collects
        self.place: Hashable = ("emulated", device.target)

    def allocate(self, size_bytes: int) -> EmulatedMemory:
        """Return memory of the device."""
        return EmulatedMemory(size_bytes)

    def reach(self, view: ArrayView) -> None:
        """Do nothing: its arrays are all in one memory."""

    def origin(self, memory: Native) -> Native:
        """Return None: arrays are none of NumPy's."""
        return None

    def prepare(self, kernel: Native, arguments: Arguments, ranges: Ranges) -> PreparedLaunch:
        """Return a launch."""
        return EmulatedLaunch(self, cast("Any", kernel), arguments, ranges)


class EmulatedLoader(HostLoader):
    """Finds an emulated device, its arrays and its programs.

    Args:
        queue: the queue of the device.
    """

    is_asked_last, handles, formats = True, "an emulated device", FORMATS

    def __init__(self, queue: EmulatedQueue) -> None:
        self._queue = queue
        assert queue.device.target is not None
        self.targets: tuple[str, ...] = (queue.device.target,)

    def recognises(self, array: object) -> bool:
        """Whether an object is memory of an emulated device, or an array in it."""
        return hasattr(type(array), "__tinytc_emulated_array_interface__")

    def check(self, program: Binary, name: str) -> None:
        """Do nothing: other implementations have checked the code."""

    def devices(self) -> list[Device]:
        """Return the device."""
        return [self._queue.device]

    def queue(self, handle: object) -> Queue | None:
        """Return the queue for itself and its device."""
        return self._queue if handle in (self._queue, self._queue.device) else None

    def queue_of_memory(self, memory: Native) -> Queue:
        """Return the queue."""
        return self._queue

    def view(self, array: object) -> ArrayView:
        """Return what an array looks like to a kernel."""
        found: Any = array
        layout = found.address, found.data.dtype, found.shape, found.strides
        return ArrayView(*layout, True, array, array)

    def load(self, program: Binary, name: str, queue: Queue) -> Native:
        """Return what runs a kernel."""
        try:
            if program.manifest.format == SPIRV:
                module = _spirv_module(program.code)
                return functools.partial(_run_spirv, module, name)
            return functools.partial(_run_ptx, _ptx_kernel(program, name))
        except Unsupported as error:
            raise DeviceError(f"the emulator does not know {error}") from error


@functools.lru_cache(8)
def _spirv_module(code: bytes) -> spirv.Module:
    return spirv.Module(code)


@functools.lru_cache(8)
def _ptx_module(code: bytes) -> ptx.Module:
    return ptx.Module(code.decode())


def _ptx_kernel(program: Binary, name: str) -> CudaKernel:
    entries = _ptx_module(program.code).entries
    info = program.manifest.kernel(name)
    return CudaKernel(
        name,
        entries[name],
        dynamic_local_bytes(info),
        program,
        aligned=info.aligned_variant and entries[info.aligned_variant],
        arrays=array_positions(info),
        complex_parts=info.complex_parts,
        aligned_members=info.aligned_members_variant and entries[info.aligned_members_variant],
    )


def _run_spirv(
    module: spirv.Module, name: str, arguments: Arguments, grid: Modes, block: Modes
) -> None:
    spirv.Launch(module, name, grid, block, [_raw(argument) for argument in arguments])


def _run_ptx(kernel: CudaKernel, arguments: Arguments, grid: Modes, block: Modes) -> None:
    entry, raw = kernel.fitting(arguments), list(_parameters(arguments, kernel.complex_parts))
    most = max(kernel.local_bytes, ptx.STATIC_BYTES)
    for problem in ptx.launch_problems(entry, grid, block, kernel.local_bytes, most):
        FINDINGS.add("launch", problem)
        raise Fault(problem)
    parameters = {name: data for (name, _), data in zip(entry.parameters, raw, strict=True)}
    ptx.Launch(entry, grid, block, parameters, kernel.local_bytes)


def _parameters(arguments: Arguments, complex_parts: bool) -> Iterator[bytes]:
    """Yield the bytes of parameters; complex numbers may be two of them."""
    for argument in arguments:
        raw = _raw(argument)
        if complex_parts and isinstance(argument, bytes):
            yield raw[: len(raw) // 2]
            yield raw[len(raw) // 2 :]
        else:
            yield raw


def _raw(argument: KernelArgument) -> bytes:
    if isinstance(argument, Pointer):
        return int(argument.address).to_bytes(8, "little")
    return argument if isinstance(argument, bytes) else bytes(memoryview(argument))


@contextlib.contextmanager
def emulated(target: str) -> Iterator[EmulatedQueue]:
    """Yield the queue of an emulated device, which launches can name until the end of the block.

    Args:
        target: one of `TARGETS`.

    >>> import numpy as np, tinytc_mlir as tt
    >>> text = '''func @double(%X: memref<f32x4>) {
    ...   %two = constant 2.0 : f32
    ...   %zero = constant 0.0 : f32
    ...   axpby.n %two, %X, %zero, %X
    ... }'''
    >>> double = tt.Context().parse(text).compile("cuda:sm_90")["double"]
    >>> numbers = np.ones(4, np.float32)
    >>> with emulated("cuda:sm_90") as queue:
    ...     double(numbers, queue=queue)
    >>> numbers
    array([2., 2., 2., 2.], dtype=float32)
    """
    queue = EmulatedQueue(EmulatedDevice(target))
    loader: Any = queue.loader
    loaders.register(loader)
    try:
        yield queue
    finally:
        loaders.unregister(loader)
