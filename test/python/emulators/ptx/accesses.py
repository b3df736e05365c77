"""Loads, stores and atomic updates of a launch, checked before they are done."""

import operator

import numpy as np

from emulators.findings import FINDINGS, SETTINGS, Fault
from emulators.memory import ARENA, WORD_BYTES
from emulators.numbers import DTYPES, UNSIGNED, from_bf16, to_bf16
from emulators.ptx.module import round_up

#: PTX ISA, "Parallel Synchronization and Communication Instructions: atom" and "... red".
UPDATES = {
    "add": np.add,
    "min": np.fmin,
    "max": np.fmax,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "inc": lambda old, limit: 0 if old >= limit else old + 1,
    "dec": lambda old, limit: limit if old == 0 or old > limit else old - 1,
}


#: Those of shared memory: CUDA C++ Programming Guide, "Compute Capability 5.x", "Shared Memory".
BANKS, BANK_BYTES = 32, 4


def new_value(what, type_, old, operands):
    """Return what an atomic update writes."""
    if what == "cas":
        return operands[1] if old == operands[0] else old
    if what == "exch":
        return operands[0]
    if type_ == "bf16":
        return to_bf16(UPDATES[what](from_bf16(old), from_bf16(operands[0])))
    return UPDATES[what](old, operands[0])


class Accesses:
    """The accesses of a launch, which says where each thread's memories are.

    Args:
        launch: has `threads`, `warp`, `spaces` and `limits`, the bytes that a thread sees of
            each space, and `starts`, where its part of them begins.
    """

    def __init__(self, launch):
        self._launch = launch

    def functions(self):
        """Return what generated code calls."""
        return {
            "load": self.load,
            "store": self.store,
            "update": self.update,
            "load_parameter": self.load_parameter,
            "part": lambda i, condition: self._threads(i)[
                np.broadcast_to(condition, self._threads(i).shape)
            ],
        }

    def _threads(self, i):
        return self._launch.threads[i]

    def load_parameter(self, name, offset, bits, count):
        """Return elements of a parameter of the kernel (PTX ISA, "Kernel Function Parameters")."""
        raw, size = self._launch.parameters[name], bits // 8
        if offset % (size * count) or offset + size * count > len(raw):
            FINDINGS.add("parameter", f"{name}+{offset}, {size * count} of {len(raw)} bytes")
        return [np.frombuffer(raw, UNSIGNED[bits], 1, offset + k * size) for k in range(count)]

    def load(self, space, addresses, i, bits, count, text, *, atomic, constant):
        """Return the elements that threads load, an array for each of a vector."""
        size = bits // 8 * count
        memory, offsets = self._locate(space, addresses, i, size, text, atomic=atomic)
        self._profile(space, offsets, size, i)
        written = memory.initialised[
            offsets[:, None] + np.arange(0, size, 1 if atomic else bits // 8)
        ]
        # Of a vector, one element may be nobody's.
        if not written.any(1).all():
            FINDINGS.add("uninitialised", f"{space}: {text}")
        if constant:
            self._note_constant(memory, offsets, size, text)
        if not atomic and space != "local":
            memory.compare(offsets, size, self._threads(i), self._launch, None, text)
        at = offsets // (bits // 8)
        return [memory.views[bits][at + k] for k in range(count)]

    def _note_constant(self, memory, offsets, size, text):
        """Expect memory that the kernel only reads.

        Source: PTX ISA, "Data Movement and Conversion Instructions: ld.global.nc".
        """
        base = self._launch.base
        if (memory.written_at[offsets] >= base).any():
            FINDINGS.add("constant loads", f"a kernel reads what it wrote as constant: {text}")
        memory.constant_at[(offsets[:, None] + np.arange(size)).ravel()] = base

    def store(self, space, addresses, i, bits, values, text, *, atomic):
        """Store the elements of threads."""
        size = bits // 8 * len(values)
        memory, offsets = self._locate(space, addresses, i, size, text)
        self._profile(space, offsets, size, i)
        values = [np.ascontiguousarray(np.broadcast_to(v, offsets.shape)) for v in values]
        if not atomic and space != "local":
            raw = [value.view(np.uint8).reshape(len(offsets), -1) for value in values]
            raw = np.ascontiguousarray(np.concatenate(raw, 1))
            memory.compare(offsets, size, self._threads(i), self._launch, raw, text)
        for k, value in enumerate(values):
            memory.views[bits][offsets // (bits // 8) + k] = value
        memory.initialised[(offsets[:, None] + np.arange(size)).ravel()] = True

    def update(self, space, addresses, i, what, type_, operands, text):
        """Update elements one after the other, and return what was there."""
        dtype = DTYPES[type_]
        size = np.dtype(dtype).itemsize
        memory, offsets = self._locate(space, addresses, i, size, text, atomic=True)
        if not memory.initialised[offsets[:, None] + np.arange(size)].any(1).all():
            FINDINGS.add("uninitialised", f"{space}: {text}")
        elements = memory.views[size * 8].view(dtype)
        operands = [np.broadcast_to(operand, offsets.shape) for operand in operands]
        old = np.empty(len(offsets), dtype)
        for k, at in enumerate(offsets // size):
            old[k] = elements[at]
            elements[at] = new_value(what, type_, old[k], [values[k] for values in operands])
        return old

    def _locate(self, space, addresses, i, size, text, *, atomic=False):
        """Return the memory of a space and where in it the accesses are, if they may be.

        Source: PTX ISA, "Addresses as Operands" (alignment).
        """
        addresses = np.broadcast_to(addresses, self._threads(i).shape)
        rest = addresses & np.uint64(size - 1)
        if rest.any():
            self._fail("misaligned", space, addresses, rest != 0, i, text)
        memory = self._launch.spaces[space]
        if space == "global":
            offsets, outside = ARENA.find(addresses, size, is_word=atomic)
        else:
            limit = self._launch.limits[space]
            outside = addresses + np.uint64(size) > np.uint64(round_up(limit, WORD_BYTES))
            offsets = addresses.astype(np.int64) + self._launch.starts[space][i]
        if outside.any():
            self._fail("out of bounds", space, addresses, outside, i, text)
        return memory, offsets

    def _fail(self, kind, space, addresses, wrong, i, text):
        first = int(np.argmax(wrong))
        address = int(addresses[first])
        place = f", {ARENA.describe(address)}" if space == "global" else ""
        thread = self._threads(i)[first]
        message = f"{int(wrong.sum())} threads, thread {thread} at {address:#x}{place}: {text}"
        FINDINGS.add(kind, f"{space}: {message}")
        raise Fault(kind)

    def _profile(self, space, offsets, size, i):
        """Count requests of warps, sectors of 32 bytes, and conflicts of banks."""
        counts = SETTINGS.profile
        if counts is None:
            return
        warps = self._launch.warp[i]
        for warp in np.unique(warps):
            mine = offsets[warps == warp]
            counts[space, "requests"] += 1
            counts[space, "bytes"] += len(mine) * size
            if space == "global":
                sectors = np.concatenate([mine // 32, (mine + size - 1) // 32])
                counts[space, "sectors"] += len(np.unique(sectors))
            elif space == "shared":
                lanes = self._launch.lane[i][warps == warp]
                self._profile_banks(mine, lanes, size)

    @staticmethod
    def _profile_banks(offsets, lanes, size):
        """Count the passes of a request over the banks: 32 lanes, or fewer of wide elements."""
        passes = lanes // (BANKS * BANK_BYTES // max(size, BANK_BYTES))
        for number in np.unique(passes):
            mine = offsets[passes == number, None] + np.arange(0, max(size, 4), BANK_BYTES)
            words = np.unique(mine // BANK_BYTES)
            SETTINGS.profile["shared", "passes"] += 1
            conflicts = int(np.bincount(words % BANKS).max()) - 1
            SETTINGS.profile["shared", "bank conflicts"] += conflicts
