"""Intel's GPUs, emulated, as an implementation of the runtime's protocol."""

import contextlib
import dataclasses
from unittest import mock

import numpy as np

from emulators.findings import FINDINGS, Fault, TooLong, Unsupported
from emulators.memory import ARENA, DeviceArray
from emulators.spirv.launch import Launch
from emulators.spirv.module import Module
from tinytc_mlir.runtime import devices, loaders
from tinytc_mlir.runtime.arrays.array_view import ArrayView
from tinytc_mlir.runtime.kernel_info import SPIRV
from tinytc_mlir.runtime.on_host import HostDevice, HostLaunchEvent, HostLoader, HostQueue
from tinytc_mlir.runtime.protocol import Limits, Pointer

ASPECTS = ("f16", "f64", "i64_atomics", "f32_atomic_add", "f64_atomic_add", "f16_atomic_add")


class EmulatedArray(DeviceArray):
    """An array that the runtime takes for one of this device."""

    __cuda_array_interface__ = property()  # it is no array of CUDA


class Memory:
    """Memory of the device, with a copy on the host."""

    __emulated__ = True

    def __init__(self, size_bytes):
        self._size = max(size_bytes, 1)
        self.address = ARENA.allocate(self._size)
        self.host = np.zeros(self._size, np.uint8)
        self.native = self

    def __del__(self):
        ARENA.free(self.address)

    def array(self, shape, dtype, order):
        return MemoryArray(self, np.ndarray(shape, dtype, self.host, order=order))

    def upload(self):
        ARENA.write(self.address, self.host.tobytes())

    def download(self):
        self.host[:] = np.frombuffer(ARENA.read(self.address, self._size), np.uint8)


class MemoryArray:
    """An array over the whole of a memory, which it keeps alive."""

    __emulated__ = True

    def __init__(self, memory, data):
        self.memory, self.address = memory, memory.address
        self.data, self.shape, self.strides = data, data.shape, data.strides


@dataclasses.dataclass
class Prepared:
    """A launch with its arguments."""

    module: Module
    name: str
    native_arguments: list
    ranges: tuple

    def start(self, depends):
        total, local = self.ranges
        groups = tuple(n // size for n, size in zip(total, local, strict=True))
        raw = [_raw(argument) for argument in self.native_arguments]
        try:
            Launch(self.module, self.name, groups, tuple(local), raw)
        except (Fault, TooLong, Unsupported) as error:
            FINDINGS.add(type(error).__name__, str(error))
        return HostLaunchEvent(1)


def _raw(argument):
    if isinstance(argument, Pointer):
        return int(argument.address).to_bytes(8, "little")
    return argument if isinstance(argument, bytes) else bytes(memoryview(argument))


@dataclasses.dataclass
class Device(HostDevice):
    """The device."""

    target: str
    limits: Limits
    name: str = "an emulated Intel GPU"
    driver: str = "emulator"
    driver_version: str = "1"
    is_cpu: bool = False

    @property
    def runs(self):
        return (self.target,)


class Queue(HostQueue):
    """The queue of the device."""

    place = ("emulated",)

    def __init__(self, loader, device):
        self.loader, self.device = loader, device

    def allocate(self, size_bytes):
        return Memory(size_bytes)

    def reach(self, *arguments):
        return None

    origin = reach

    def prepare(self, kernel, arguments, ranges):
        module, name = kernel
        return Prepared(module, name, arguments, ranges)


class Loader(HostLoader):
    """Finds the device, its arrays and its programs."""

    is_asked_last, handles, formats = False, "an emulated device", (SPIRV,)

    def __init__(self, device):
        self.targets, self._device, self._queue = device.runs, device, Queue(self, device)
        self._modules = {}

    def recognises(self, array):
        return isinstance(array, EmulatedArray) or hasattr(array, "__emulated__")

    def check(self, program, name):
        return None

    def devices(self):
        return [self._device]

    def queue(self, handle):
        if isinstance(handle, Queue):
            return handle
        return self._queue if handle is self._device else None

    def queue_of_memory(self, memory):
        return self._queue

    def view(self, array):
        layout = array.address, array.data.dtype, array.shape, array.strides
        return ArrayView(*layout, True, array, array)

    def load(self, program, name, queue):
        if program.digest not in self._modules:
            self._modules[program.digest] = Module(bytes(program.code))
        return self._modules[program.digest], name


class SpirvMachine:
    """A GPU that runs programs for `target`, such as "intel-gpu:pvc", while it is installed.

    Attributes:
        subgroup_sizes: those that kernels may ask for.
        array: the class of its arrays.
    """

    array = EmulatedArray

    def __init__(self, target):
        self.target = target
        self.subgroup_sizes = (8, 16, 32) if "dg2" in target else (16, 32)

    @contextlib.contextmanager
    def installed(self):
        """Have the runtime see this GPU before others, and forget it afterwards."""
        limits = Limits(frozenset(ASPECTS), self.subgroup_sizes, 1024, 128 * 1024)
        loader = Loader(Device(self.target, limits))
        with (
            mock.patch.object(loaders, "_LOADERS", [loader, *loaders._LOADERS]),
            mock.patch.object(devices, "_queues", {}),
        ):
            yield self

    def shifts(self, info, rng):
        """Return how far arrays are from aligned addresses, in elements: a launch for each."""
        return [0, rng.choice((1, 3))]
