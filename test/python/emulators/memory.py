"""Memories with shadows: what is allocated, initialised, read and written by whom."""

import mmap

import numpy as np

from emulators.findings import FINDINGS, Fault
from emulators.numbers import UNSIGNED
from tinytc_mlir.reference import shadow
from tinytc_mlir.reference.shadow import VERBS, AccessKind, checked_memory, problems_of

PROT_NONE = 0  # of <sys/mman.h>


class Space:
    """Bytes, and for each whether it is initialised, whose it is, and its last accesses.

    Args:
        size_bytes: its size.
        name: what findings call it.
        fill: what the bytes are.
    """

    def __init__(self, size_bytes, name, fill=0):
        size = (size_bytes + 63) // 16 * 16
        self.name, self.size = name, size
        self.bytes = np.full(size, fill, np.uint8)
        self.views = {bits: self.bytes.view(dtype) for bits, dtype in UNSIGNED.items()}
        self.initialised, self.owners = np.zeros(size, bool), np.zeros(size, np.int32)
        self._checked = checked_memory(
            self.bytes, 1, initialised=self.initialised, owners=self.owners
        )

    @classmethod
    def of_parts(cls, count, size_bytes, used_bytes, name):
        """Return a space of equal parts that begin with bytes of their own."""
        space = cls(size_bytes * count, name, 0xFF)
        parts = space.owners[: size_bytes * count].reshape(count, size_bytes)
        parts[:, :used_bytes] = np.arange(1, count + 1)[:, None]
        return space

    def access(self, kind, offsets, size_bytes, items, launch, text, values=None, **more):
        """Check accesses, and store their values if they have some; faults are findings.

        Args:
            kind: what they do; None if nobody can race with them.
            offsets: of the first byte of each.
            size_bytes: of each.
            items: the threads.
            launch: what orders them.
            text: of the instruction.
            values: (n, size_bytes) array of the bytes to be written.
            more: `expected` and `bases` of `CheckedMemory.access`.

        Raises:
            Fault: one is out of bounds.
        """
        found = self._checked.access(
            shadow.NOT_COMPARED if kind is None else kind,
            *(offsets, 1, size_bytes, items, launch.order),
            launch.sites.setdefault(text, len(launch.sites)),
            values,
            **more,
        )
        for problem in problems_of(found or ()):
            self._report(problem, kind, items[problem.place], launch, text)

    def _report(self, problem, kind, thread, launch, text):
        if problem.fault is shadow.Fault.OUT_OF_BOUNDS:
            where = self.describe(problem.byte)
            FINDINGS.add("out of bounds", f"{self.name}: thread {thread} at {where}: {text}")
            raise Fault("out of bounds")
        if problem.fault is shadow.Fault.UNINITIALISED:
            FINDINGS.add("uninitialised", f"{self.name}: thread {thread}: {text}")
            return
        what = "same value twice" if problem.fault is shadow.Fault.EQUAL_STORES else "race"
        if AccessKind.CONSTANT in (kind, problem.kind):
            what = "constant loads"
        word = "block" if problem.is_between_groups else "thread"
        other = f"another {word}" if problem.agent == shadow.MANY else f"{word} {problem.agent}"
        before = list(launch.sites)[problem.site]
        accesses = f"thread {thread} {VERBS[kind]} what {other} {VERBS[problem.kind]}"
        FINDINGS.add(what, f"{self.name}: {accesses}: {text}, and before it {before}")

    def describe(self, offset):
        """Return where a byte is, for findings."""
        return f"byte {offset}"


def round_up(size_bytes, alignment):
    """Return the multiple of an alignment that is not smaller."""
    return -(-size_bytes // alignment) * alignment


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
        self.sizes = {}
        self._top = self.GAP_BYTES

    def allocate(self, size_bytes):
        """Return the address of new memory, at a multiple of 256 bytes."""
        if not self.sizes:
            self._top = self.GAP_BYTES
        start = round_up(self._top, self.ALIGNMENT)
        if start + size_bytes + self.GAP_BYTES > self.size:
            raise MemoryError
        self._top = start + size_bytes + self.GAP_BYTES
        self.sizes[start] = size_bytes
        here = slice(start, start + size_bytes)
        self.owners[here], self.initialised[here], self.bytes[here] = 1, False, 0xFF
        return self.base + start

    def free(self, address):
        """Give memory back."""
        start = address - self.base
        self.owners[start : start + self.sizes.pop(start)] = 0

    def locate(self, address, size_bytes):
        """Return where bytes are that a copy reads or writes."""
        start = address - self.base
        if size_bytes and not self.owners[start : start + size_bytes].all():
            raise Fault(f"copy outside of allocations: {address:#x}, {size_bytes} bytes")
        return slice(start, start + size_bytes)

    def write(self, address, data):
        """Copy bytes into memory."""
        here = self.locate(address, len(data))
        self.bytes[here], self.initialised[here] = np.frombuffer(data, np.uint8), True

    def read(self, address, size_bytes):
        """Return bytes of memory."""
        return self.bytes[self.locate(address, size_bytes)].tobytes()

    def allocation(self, address):
        """Return address and size of the allocation of an address, None if there is none."""
        at = address - self.base
        for start, size in self.sizes.items():
            if start <= at < start + size:
                return self.base + start, size
        return None, 0

    def describe(self, at):
        """Return where a byte is relative to the nearest allocation."""
        if not self.sizes:
            return "no allocation"
        _, start, size = min(
            (min(abs(at - start), abs(at - start - size)), start, size)
            for start, size in self.sizes.items()
        )
        return f"{self.base + at:#x}, {at - start} bytes after the start of {size} bytes"


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
        ARENA.owners[start : start + shift_bytes] = 0
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
        ARENA.owners[start : start + ARENA.sizes[start]] = 1
        ARENA.free(self._whole)
