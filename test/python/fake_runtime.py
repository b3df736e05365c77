"""A second implementation of the runtime, in pure Python: kernels run in the interpreter.

Its memory has a host side and a device side, like that of most accelerators, and it is known to
the package only through `loaders.register`.
"""

import contextlib
import ctypes

import numpy as np

import tinytc_mlir as tt
from tinytc_mlir.reference.interpreter import interpret_abi
from tinytc_mlir.runtime import loaders
from tinytc_mlir.runtime.protocol import Limits

# Launches with arrays, groups and a complex number, for the tests of every implementation.
PROGRAM = """
func @scale(%alpha: f32, %X: memref<f32x?x?,strided<1,?>>) {
  %g = builtin.group_id : index
  %rows = size %X[0] : index
  %c0 = constant 0 : index
  %x = subview %X[%c0:%rows, %g] : memref<f32x?>
  %zero = constant 0.0 : f32
  axpby.n %alpha, %x, %zero, %x
}

func @gather(%z: c32, %A: group<memref<f64x?>x?, offset: ?>, %Y: memref<f64x2x?>) {
  %g = builtin.group_id : index
  %a = load %A[%g] : memref<f64x?>
  %y = subview %Y[0:2, %g] : memref<f64x2>
  %b = subview %a[0:2] : memref<f64x2>
  %one = constant 1.0 : f64
  axpby.n %one, %b, %one, %y
}
"""


class FakeDevice:
    """A device of this implementation; its native device is a pair."""

    driver, driver_version = "fake", "1.0"
    limits = Limits(frozenset({"f64"}), (8, 16), 64, 1024)

    def __init__(self, name, target):
        self.name, self.target = name, target
        self.is_cpu = target == "cpu"
        self.runs = () if target is None else (target,)
        self.native = ("device", name)


def device_bytes(size):
    """Return bytes of which arrays in them know that they are on the device."""
    fields = {"_type_": ctypes.c_uint8, "_length_": size, "__fake_array_interface__": None}
    return type("FakeBytes", (ctypes.Array,), fields)()


class FakeMemory:
    """Bytes on the device, with a copy on the host that is brought there and back."""

    def __init__(self, size_bytes):
        self.native = device_bytes(size_bytes)
        self.address = ctypes.addressof(self.native)
        self.host = np.full(size_bytes, 0xCC, np.uint8)

    def array(self, shape, dtype, order):
        return np.ndarray(shape, dtype, self.native, order=order)

    def upload(self):
        ctypes.memmove(self.native, self.host.ctypes.data, self.host.size)

    def download(self):
        ctypes.memmove(self.host.ctypes.data, self.native, self.host.size)


class FakeEvent:
    """An event; kernels are over before it is made."""

    def wait(self):
        return None


class FakeQueue:
    """Runs launches at once."""

    is_in_order = True

    def __init__(self, loader, device):
        self.loader, self.device = loader, device
        self.native = self.place = ("queue", device.name)
        self.launches = []
        self.forbidden = set()

    def uses_host_memory(self, *, waits):
        return False

    def allocate(self, size_bytes):
        return FakeMemory(size_bytes)

    def reach(self, view):
        if ctypes.addressof(view.memory) in self.forbidden:
            raise ValueError("expected memory that is not forbidden, got other memory")

    def origin(self, memory):
        return None

    def prepare(self, kernel, arguments, ranges):
        return FakeLaunch(self, kernel, arguments, ranges)

    def is_event(self, event):
        return isinstance(event, FakeEvent)

    def is_complete(self, event):
        return True

    def time_ns(self, event):
        return 1

    def wait(self):
        return None


class FakeLaunch:
    """A launch: decodes the arguments as a device would and interprets the kernel."""

    def __init__(self, queue, kernel, arguments, ranges):
        self.native_arguments = (kernel, *arguments)
        self._queue = queue
        self._ranges = ranges

    def start(self, depends):
        (module, info), *arguments = self.native_arguments
        groups = [n // size for n, size in zip(*self._ranges, strict=True)]
        self._queue.launches.append((info.name, groups, depends))
        interpret_abi(module, info.name, arguments, groups)
        return FakeEvent()


class FakeLoader:
    """The front of the implementation; `modules` has what binaries were compiled from."""

    targets = ("cpu", "fake")
    handles = "a fake queue or device"
    is_asked_last = False
    formats = ("spirv", "fake code")

    def recognises(self, array):
        return hasattr(type(array), "__fake_array_interface__")

    def check(self, program, name):
        if not program.code:
            raise tt.TinyTCError(f"{name}: expected fake code, got none")

    def advice(self):
        return ""

    def __init__(self, *devices):
        self.modules = {}
        self._queues = {device.name: FakeQueue(self, device) for device in devices}

    def devices(self):
        return [queue.device for queue in self._queues.values()]

    def device(self, handle):
        queue = self.queue(handle)
        return None if queue is None else queue.device

    def queue(self, handle):
        for queue in self._queues.values():
            if handle in (queue, queue.native, queue.device, queue.device.native):
                return queue
        return None

    def queue_of_memory(self, memory):
        return next(iter(self._queues.values()))

    def view(self, array):
        raise AssertionError("every array of this implementation is a NumPy array")

    def host_copy(self, view):
        raise AssertionError("every array of this implementation is a NumPy array")

    def load(self, program, name, queue):
        info = program.manifest.kernel(name)
        return self.modules[program.digest], info

    def compile(self, module, handle):
        """Return the program of a module, compiled and known to this implementation."""
        program = module.compile(handle, abi="plain", vector_bytes=64)
        self.modules[program.digest] = module
        return program


@contextlib.contextmanager
def registered(*devices):
    """Register a loader with these devices for the duration of a block."""
    loader = FakeLoader(*devices)
    loaders.register(loader)
    try:
        yield loader
    finally:
        loaders.unregister(loader)
