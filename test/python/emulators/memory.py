"""Memories with shadows: what is allocated, initialised, read and written by whom."""

import ctypes
import mmap

import numpy as np

from emulators.findings import FINDINGS, Fault
from emulators.native import Shadow, Threads, library, pointer
from emulators.numbers import UNSIGNED

WORD_BYTES = 4
PROT_NONE = 0  # of <sys/mman.h>

CONFLICTS = {
    1: ("race", "thread {0} accesses what thread {1} wrote"),
    2: ("race", "thread {2} writes what thread {3} read"),
    4: ("same store", "threads {4} and {5} write one byte at once"),
    8: ("constant loads", "a kernel writes what it reads as constant memory"),
    16: ("same value twice", "a thread writes the value that another one wrote"),
}


class Space:
    """Bytes, and for each whether it is initialised, and its last writer and reader."""

    def __init__(self, size_bytes, name, fill=0):
        size = (size_bytes + 63) // 16 * 16
        self.name, self.size = name, size
        self.bytes = np.full(size, fill, np.uint8)
        self.views = {bits: self.bytes.view(dtype) for bits, dtype in UNSIGNED.items()}
        self.initialised = np.zeros(size, bool)
        self.written_at, self.read_at = np.zeros(size, np.int64), np.zeros(size, np.int64)
        self.constant_at = np.zeros(size, np.int64)
        self._writer, self._reader = np.zeros(size, np.int32), np.zeros(size, np.int32)
        self._shadow = Shadow(
            *(
                array.ctypes.data
                for array in (
                    *(self._writer, self.written_at, self._reader, self.read_at),
                    *(self.constant_at, self.bytes),
                )
            )
        )

    def compare(self, offsets, size_bytes, items, launch, values, text):
        """Find races of some accesses; `values` are the bytes to be written, None for loads."""
        who = np.zeros(6, np.int64)
        offsets = np.ascontiguousarray(offsets, np.int64)
        items = np.ascontiguousarray(items, np.int64)
        threads = Threads(launch.epoch.ctypes.data, launch.domain.ctypes.data, launch.base)
        counts = ctypes.c_int64(len(offsets)), ctypes.c_int64(size_bytes)
        found = library().access(
            *counts,
            *(pointer(offsets), pointer(items)),
            *(ctypes.byref(self._shadow), ctypes.byref(threads)),
            *(pointer(values), pointer(who)),
        )
        for bit, (kind, message) in CONFLICTS.items():
            if found & bit:
                FINDINGS.add(kind, f"{self.name}: {message.format(*who)}, {text}")


def reserved(size_bytes):
    """Return an array of addresses that nothing else of this process has; an access is a fault."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    return np.frombuffer(mmap.mmap(-1, size_bytes, flags, prot=PROT_NONE), np.uint8)


class Arena(Space):
    """The memory of a device: allocations with gaps between them.

    Its addresses are reserved, its bytes are elsewhere: code of the host that takes such an address
    for one of its own faults. Memory that nobody wrote is NaN in every floating-point type.
    """

    GAP_BYTES, ALIGNMENT = 512, 256

    def __init__(self, size_bytes=1 << 25):
        super().__init__(size_bytes, "global")
        self._reserved = reserved(self.size)
        self.base = self._reserved.ctypes.data
        self.alive = np.zeros(self.size, bool)
        self.sizes = {}
        self._top = self.GAP_BYTES

    def allocate(self, size_bytes):
        """Return the address of new memory, at a multiple of 256 bytes."""
        if not self.sizes:
            self._top = self.GAP_BYTES
        start = -(-self._top // self.ALIGNMENT) * self.ALIGNMENT
        if start + size_bytes + self.GAP_BYTES > self.size:
            raise MemoryError
        self._top = start + size_bytes + self.GAP_BYTES
        self.sizes[start] = size_bytes
        here = slice(start, start + size_bytes)
        self.alive[here], self.initialised[here], self.bytes[here] = True, False, 0xFF
        return self.base + start

    def free(self, address):
        """Give memory back."""
        start = address - self.base
        self.alive[start : start + self.sizes.pop(start)] = False

    def locate(self, address, size_bytes):
        """Return where bytes are that a copy reads or writes."""
        start = address - self.base
        if size_bytes and not self.alive[start : start + size_bytes].all():
            raise Fault(f"copy outside of allocations: {address:#x}, {size_bytes} bytes")
        return slice(start, start + size_bytes)

    def write(self, address, data):
        """Copy bytes into memory."""
        here = self.locate(address, len(data))
        self.bytes[here], self.initialised[here] = np.frombuffer(data, np.uint8), True

    def read(self, address, size_bytes):
        """Return bytes of memory."""
        return self.bytes[self.locate(address, size_bytes)].tobytes()

    def find(self, addresses, size_bytes, *, is_word):
        """Return where accesses are in the memory, and which are outside of allocations.

        Args:
            addresses: of the first byte of each.
            size_bytes: of each.
            is_word: whether one byte of ours is enough: atomic updates of small elements are
                updates of the aligned word around them, of which allocations have all bytes.
        """
        offsets = addresses - np.uint64(self.base)
        outside = offsets >= np.uint64(self.size - 64)
        offsets = np.where(outside, 0, offsets).astype(np.int64)
        alive = self.alive[offsets[:, None] + np.arange(size_bytes)]
        is_word = is_word and size_bytes <= WORD_BYTES
        return offsets, outside | ~(alive.any(1) if is_word else alive.all(1))

    def allocation(self, address):
        """Return address and size of the allocation of an address, None if there is none."""
        at = address - self.base
        for start, size in self.sizes.items():
            if start <= at < start + size:
                return self.base + start, size
        return None, 0

    def describe(self, address):
        """Return where an address is relative to the nearest allocation."""
        at = address - self.base
        if not self.sizes:
            return "no allocation"
        _, start, size = min(
            (min(abs(at - start), abs(at - start - size)), start, size)
            for start, size in self.sizes.items()
        )
        return f"{at - start} bytes after the start of {size} bytes"


ARENA = Arena()


class DeviceArray:
    """An array on the device, by CUDA's array interface, at any address.

    Memory before and after its elements belongs to nobody.
    """

    def __init__(self, data, shape, strides, shift_bytes=0):
        self.data, self.shape = data, tuple(shape)
        self.strides = tuple(step * data.itemsize for step in strides)
        self._whole = ARENA.allocate(max(data.nbytes, 1) + shift_bytes)
        self.address = self._whole + shift_bytes
        start = self._whole - ARENA.base
        ARENA.alive[start : start + shift_bytes] = False
        ARENA.write(self.address, data.tobytes())

    @property
    def __cuda_array_interface__(self):
        pointer = (self.address, False)
        typestr = self.data.dtype.str
        values = {"shape": self.shape, "strides": self.strides, "typestr": typestr}
        return {**values, "data": pointer, "version": 3}

    def finish(self):
        """Copy the elements back to where they came from, and free the memory."""
        raw = ARENA.read(self.address, self.data.nbytes)
        self.data[...] = np.frombuffer(raw, self.data.dtype)
        start = self._whole - ARENA.base
        ARENA.alive[start : start + ARENA.sizes[start]] = True
        ARENA.free(self._whole)
