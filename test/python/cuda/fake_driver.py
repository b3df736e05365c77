"""A CUDA driver in Python, with the functions that the runtime calls.

What is started on a stream runs when somebody waits for it, streams in any order that their events
allow, so that a copy or a launch that nobody orders shows. Kernels run in the interpreter, on
arguments read from where the runtime packed them.
"""

import ctypes
import dataclasses
import enum
import threading
import types

import numpy as np

import tinytc_mlir as tt
from cuda.fake_streams import CUdevice, CUevent, CUstream, Streams
from tinytc_mlir.reference.interpreter import interpret_abi
from tinytc_mlir.runtime.protocol import Pointer

POISON = 0xCC


@dataclasses.dataclass(frozen=True)
class Function:
    """A kernel, and what it means."""

    name: str
    module: object
    manifest: object


def _enum(prefix, *names):
    return enum.IntEnum(prefix, [(f"{prefix}{name}", index) for index, name in enumerate(names)])


class Driver(Streams, types.ModuleType):
    """The driver.

    Args:
        modules: module of the interpreter by name of the kernel.
        manifest: description of the kernels.
        capabilities: compute capability of each device.
        memory_bytes: free memory of each device.
    """

    CUdevice, CUstream, CUevent = CUdevice, CUstream, CUevent
    CUevent_flags = types.SimpleNamespace(CU_EVENT_DEFAULT=0, CU_EVENT_DISABLE_TIMING=2)
    CUjit_option = _enum(
        "CU_JIT_", "ERROR_LOG_BUFFER", "ERROR_LOG_BUFFER_SIZE_BYTES", "INFO_LOG_BUFFER"
    )
    CUpointer_attribute = _enum(
        "CU_POINTER_ATTRIBUTE_", "CONTEXT", "DEVICE_ORDINAL", "RANGE_START_ADDR", "RANGE_SIZE"
    )
    CUfunction_attribute = _enum("CU_FUNC_ATTRIBUTE_", "MAX_DYNAMIC_SHARED_SIZE_BYTES")
    CUdevice_attribute = _enum(
        "CU_DEVICE_ATTRIBUTE_",
        *("COMPUTE_CAPABILITY_MAJOR", "COMPUTE_CAPABILITY_MINOR", "MAX_THREADS_PER_BLOCK"),
        "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN",
    )

    def __init__(self, module, manifest, capabilities=((9, 0),), memory_bytes=1 << 30):
        types.ModuleType.__init__(self, "cuda.bindings.driver")
        Streams.__init__(self)
        self.manifest, self.module = manifest, module
        self.capabilities, self.memory_bytes = capabilities, memory_bytes
        self.programs = {}  # by code: module and manifest, if they are not those above
        self.errors = {}  # by name of the function: the status that it returns once
        self.log = b""
        self._of_thread = threading.local()
        self.allocations = {}  # by address: buffer and device
        self.host_allocations = {}
        self.loaded = {}
        self._sources = {}
        self.attributes = []
        self.launches = []
        self._lock = threading.RLock()

    def __getattribute__(self, name):
        value = super().__getattribute__(name)
        if name.startswith("cu") and callable(value):
            return self._guarded(name, value)
        return value

    def _guarded(self, name, function):
        def call(*arguments):
            if name in self.errors:
                return (self.errors.pop(name), None)
            with self._lock:
                result = function(*arguments)
            if isinstance(result, tuple):  # with a status of its own
                return result
            return (0,) if result is None else (0, result)

        return call

    @property
    def contexts(self):
        """The stack of contexts, of which each thread has its own."""
        self._of_thread.__dict__.setdefault("contexts", [])
        return self._of_thread.contexts

    def cuGetErrorName(self, code):
        return f"CUDA_ERROR_{int(code)}".encode()

    def cuInit(self, flags):
        assert flags == 0

    def cuDeviceGetCount(self):
        return len(self.capabilities)

    def cuDeviceGet(self, ordinal):
        return CUdevice(ordinal)

    def cuDeviceGetName(self, length, device):
        return f"Fake {int(device)}".encode().ljust(length, b"\0")

    def cuDeviceGetAttribute(self, attribute, device):
        major, minor = self.capabilities[int(device)]
        return (major, minor, 1024, 227 * 1024)[attribute]

    def cuDriverGetVersion(self):
        return 13050

    def cuDevicePrimaryCtxRetain(self, device):
        return 100 + int(device)

    def cuCtxPushCurrent(self, context):
        self.contexts.append(context)

    def cuCtxPopCurrent(self):
        return self.contexts.pop()

    def cuCtxGetCurrent(self):
        return self.contexts[-1] if self.contexts else 0

    def cuCtxGetDevice(self):
        return CUdevice(self._device())

    def _device(self):
        return self.contexts[-1] - 100  # fails without a current context, as the driver does

    def cuMemAlloc(self, size):
        self._device()
        buffer = (ctypes.c_uint8 * (size + 256))()
        ctypes.memset(buffer, POISON, size + 256)
        address = -(-ctypes.addressof(buffer) // 256) * 256
        self.allocations[address] = (buffer, size, self._device())
        return address

    def cuMemFree(self, address):
        self._drain()
        del self.allocations[address]

    def cuMemHostAlloc(self, size, flags):
        assert flags == 0
        buffer = (ctypes.c_uint8 * size)()
        self.host_allocations[ctypes.addressof(buffer)] = buffer
        return ctypes.addressof(buffer)

    def cuMemFreeHost(self, address):
        self._drain()
        del self.host_allocations[address]

    def _checked(self, address, size):
        begin, (_, allocated, device) = self._allocation(address)
        assert address + size <= begin + allocated, "copy beyond the allocation"
        assert device == self._device()

    def _allocation(self, address):
        for begin, entry in self.allocations.items():
            if begin <= address < begin + entry[1]:
                return begin, entry
        raise AssertionError(f"no allocation at {address:#x}")

    def cuMemcpyHtoDAsync(self, target, source, size, stream):
        self._checked(target, size)
        self._push(stream, lambda: ctypes.memmove(target, source, size))

    def cuMemcpyDtoHAsync(self, target, source, size, stream):
        self._checked(source, size)
        self._push(stream, lambda: ctypes.memmove(target, source, size))

    def cuMemcpyDtoDAsync(self, target, source, size, stream):
        self._checked(source, size)
        self._checked(target, size)
        self._push(stream, lambda: ctypes.memmove(target, source, size))

    def cuCtxSynchronize(self):
        self._device()
        self._drain()

    def cuMemcpyDtoH(self, target, source, size):
        self._checked(source, size)
        ctypes.memmove(target, source, size)

    def cuPointerGetAttribute(self, attribute, address):
        begin, (_, size, device) = self._allocation(address)
        return (None, device, begin, size)[attribute]

    def cuModuleLoadDataEx(self, code, count, options, values):
        assert code.endswith(b"\0")
        assert count == len(options) == len(values)
        log = dict(zip(options, values, strict=True))[self.CUjit_option.CU_JIT_ERROR_LOG_BUFFER]
        log[: len(self.log)] = self.log
        self._device()
        if self.log:
            raise AssertionError("a log without an error")
        number = next(self._numbers)
        self.loaded[number] = self._device()
        self._sources[number] = self.programs.get(code[:-1], (self.module, self.manifest))
        return number

    def cuModuleUnload(self, number):
        self._drain()
        del self.loaded[number]

    def cuModuleGetFunction(self, number, name):
        assert number in self.loaded
        return Function(name.decode(), *self._sources[number])

    def cuFuncSetAttribute(self, function, attribute, value):
        self.attributes.append((function.name, attribute, value))

    def cuLaunchKernel(self, function, *rest):
        (*modes, local_bytes, stream, parameters, extra) = rest
        assert extra == 0
        self._device()
        name, module, manifest = function.name, function.module, function.manifest
        kernel = name.removesuffix("_members").removesuffix("__aligned")
        info = manifest.kernel(kernel)
        arguments = self._arguments(info, parameters)  # the driver copies them at once
        self.launches.append((name, tuple(modes[:3]), tuple(modes[3:]), local_bytes))

        counts = list(modes[:3])
        if info.groups_per_work_group > 1:
            launched, counts[0] = counts[0], arguments[-1].value
            assert launched == -(-counts[0] // info.groups_per_work_group)

        def run():
            interpret_abi(module, kernel, arguments, counts)

        self._push(stream, run)

    def _arguments(self, info, parameters):
        kinds = list(_kinds(info))
        count = len(kinds) + (kinds.count("c32") if info.complex_parts else 0)
        addresses = iter((ctypes.c_uint64 * max(count, 1)).from_address(parameters))
        read = []
        for kind in kinds:
            read.append(_read(kind, next(addresses)))
            if kind == "c32" and info.complex_parts:
                assert bytes(_read("f32", next(addresses))) == read[-1][4:]
        return read


def _kinds(info):
    """Yield what each parameter of a kernel is: "pointer", or the type of a scalar."""
    for argument in info.arguments:
        if isinstance(argument, tt.ScalarArgument):
            yield argument.type
            continue
        yield "pointer"
        dynamic = [size for size in (*argument.shape, *argument.stride) if size is None]
        is_group = isinstance(argument, tt.GroupArgument)
        yield from ["pointer" if is_group else "i64"] * len(dynamic)
        if is_group:
            yield from ["i64"] * ((argument.size is None) + (argument.offset is None))
    if info.groups_per_work_group > 1:
        yield "i64"


_SCALARS = {"i32": ctypes.c_int32, "f32": ctypes.c_float, "f64": ctypes.c_double}


def _read(kind, address):
    if kind == "pointer":
        return Pointer(None, ctypes.c_uint64.from_address(address).value)
    if kind == "c32":
        return bytes((ctypes.c_uint8 * 8).from_address(address))
    kind = _SCALARS.get(kind, ctypes.c_int64)
    return kind(kind.from_address(address).value)


def device_bytes(driver, address, size):
    """Return what is in the memory of a device, without waiting for anything."""
    begin, (_, allocated, _) = driver._allocation(address)
    assert address + size <= begin + allocated
    return np.frombuffer((ctypes.c_uint8 * size).from_address(address), np.uint8).copy()
