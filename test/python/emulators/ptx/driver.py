"""A CUDA driver whose device is the emulator, for the CUDA runtime of the package.

Variants of kernels, geometry, packed parameters and shared memory are thus the runtime's choice.
"""

import ctypes
import dataclasses

from cuda.fake_driver import Driver
from emulators.findings import FINDINGS, Fault, TooLong, Unsupported
from emulators.memory import ARENA
from emulators.ptx.launch import Launch
from emulators.ptx.module import Entry, Module

#: CUDA C++ Programming Guide, "Compute Capabilities", "Features and Technical Specifications".
MAX_SHARED_BYTES = 227 * 1024
MAX_GRID = (2**31 - 1, 65535, 65535)
MAX_BLOCK = (1024, 1024, 64)


@dataclasses.dataclass
class Function:
    """A kernel, and the dynamic shared memory that it may be launched with."""

    entry: Entry
    name: str
    max_dynamic_bytes: int = 48 * 1024


class EmulatingDriver(Driver):
    """The driver; it runs what is on a stream when somebody waits for it.

    Args:
        capability: such as (9, 0).
    """

    def __init__(self, capability):
        super().__init__(module=None, manifest=None, capabilities=(capability,))
        self.failure = None

    def cuMemAlloc(self, size):
        address = ARENA.allocate(size)
        self.allocations[address] = (None, size, self._device())
        return address

    def cuMemFree(self, address):
        super().cuMemFree(address)
        ARENA.free(address)

    def cuMemcpyHtoDAsync(self, target, source, size, stream):
        self._push(stream, lambda: ARENA.write(target, ctypes.string_at(source, size)))

    def cuMemcpyDtoHAsync(self, target, source, size, stream):
        self._push(stream, lambda: ctypes.memmove(target, ARENA.read(source, size), size))

    def cuMemcpyDtoDAsync(self, target, source, size, stream):
        self._push(stream, lambda: ARENA.write(target, ARENA.read(source, size)))

    def cuMemcpyDtoH(self, target, source, size):
        ctypes.memmove(target, ARENA.read(source, size), size)

    def cuPointerGetAttribute(self, attribute, address):
        start, size = ARENA.allocation(address)
        if start is None:
            return (1, None)
        which = self.CUpointer_attribute
        values = {which.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: 0}
        values[which.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR] = start
        values[which.CU_POINTER_ATTRIBUTE_RANGE_SIZE] = size
        return (0, values[attribute])

    def cuModuleLoadDataEx(self, code, count, options, values):
        number = next(self._numbers)
        self.loaded[number] = self._device()
        self._sources[number] = Module(bytes(code).rstrip(b"\0").decode())
        return number

    def cuModuleGetFunction(self, number, name):
        return Function(self._sources[number].entries[name.decode()], name.decode())

    def cuFuncSetAttribute(self, function, attribute, value):
        assert value <= MAX_SHARED_BYTES
        function.max_dynamic_bytes = value

    def cuLaunchKernel(self, function, *rest):
        (*sizes, dynamic_bytes, stream, parameters, extra) = rest
        assert extra == 0
        entry, grid, block = function.entry, tuple(sizes[:3]), tuple(sizes[3:])
        addresses = (ctypes.c_void_p * max(len(entry.parameters), 1)).from_address(parameters)
        values = {
            name: ctypes.string_at(address, size)
            for (name, size), address in zip(entry.parameters, addresses, strict=False)
        }
        self.launches.append((function.name, grid, block, dynamic_bytes))
        for problem in _problems(function, grid, block, dynamic_bytes):
            FINDINGS.add("launch", problem)
            return (1,)
        self._push(stream, lambda: self._run(entry, grid, block, values, dynamic_bytes))
        return None

    def _run(self, *arguments):
        """Run a kernel; one that fails leaves the memory as it is then."""
        try:
            Launch(*arguments)
        except (Fault, TooLong, Unsupported) as error:
            FINDINGS.add(type(error).__name__, str(error))


def _problems(function, grid, block, dynamic_bytes):
    """Yield what is wrong with the shape of a launch."""
    entry = function.entry
    limits = (*zip(grid, MAX_GRID, strict=True), *zip(block, MAX_BLOCK, strict=True))
    if (
        any(not 0 < size <= limit for size, limit in limits)
        or block[0] * block[1] * block[2] > 1024
    ):
        yield f"grid {grid}, block {block}"
    if entry.block and entry.block != block:
        yield f"block {block}, .reqntid {entry.block}"
    if dynamic_bytes > function.max_dynamic_bytes:
        limit = function.max_dynamic_bytes
        yield f"{dynamic_bytes} bytes of dynamic shared memory, at most {limit}"
    if entry.module.shared_bytes + dynamic_bytes > MAX_SHARED_BYTES:
        yield f"{entry.module.shared_bytes} + {dynamic_bytes} bytes of shared memory"
    dynamic = entry.module.dynamic
    if dynamic and not dynamic_bytes and any(dynamic in text for text in entry.code):
        yield "no dynamic shared memory, which the kernel uses"
