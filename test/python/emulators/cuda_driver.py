"""A CUDA driver whose device is the emulator, for the CUDA runtime of the package.

Variants of kernels, geometry, packed parameters and shared memory are thus the runtime's choice.
"""

import ctypes
import dataclasses

from cuda.fake_driver import Driver
from tinytc_mlir.emulators.findings import FINDINGS, Fault, TooLong, Unsupported
from tinytc_mlir.emulators.memory import ARENA
from tinytc_mlir.emulators.ptx import (
    MAX_SHARED_BYTES,
    STATIC_BYTES,
    Entry,
    Launch,
    Module,
    launch_problems,
)


@dataclasses.dataclass
class Function:
    """A kernel, and the dynamic shared memory that it may be launched with."""

    entry: Entry
    name: str
    max_dynamic_bytes: int = STATIC_BYTES


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
        for problem in launch_problems(
            entry, grid, block, dynamic_bytes, function.max_dynamic_bytes
        ):
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
