"""Loads, stores and atomic updates of a launch, checked before they are done."""

import re

import numpy as np

from emulators.findings import FINDINGS, Fault
from emulators.memory import ARENA, WORD_BYTES
from emulators.spirv.arithmetic import SIGNED

#: SPIR-V, "Atomic Instructions", and SPV_EXT_shader_atomic_float_add and ..._min_max.
_UPDATES = {
    "Exchange": lambda old, new: new,
    "IAdd": np.add,
    "ISub": np.subtract,
    "Or": np.bitwise_or,
    "And": np.bitwise_and,
    "Xor": np.bitwise_xor,
    "SMax": np.maximum,
    "SMin": np.minimum,
    "UMax": np.maximum,
    "UMin": np.minimum,
    "FAddEXT": np.add,
    "FMinEXT": np.fmin,
    "FMaxEXT": np.fmax,
}


class Accesses:
    """The accesses of a launch, which says where each work-item's memories are.

    Args:
        launch: has `threads`, `epoch`, `domain` and `base`, and by storage class `spaces`, `starts`
            and `limits`, the bytes that a work-item sees.
    """

    def __init__(self, launch):
        self._launch = launch

    def functions(self):
        """Return what generated code calls."""
        return {
            "load": self.load,
            "store": self.store,
            "update": self.update,
            "special": self._special,
            "bitcast": self._bitcast,
            "pick": self._pick,
        }

    def _special(self, name, i):
        return self._launch.specials[name][i]

    def _bitcast(self, values, is_vector, result, i):
        count = len(self._launch.threads[i])
        shape = (count, np.shape(values)[-1]) if is_vector else (count,)
        values = np.ascontiguousarray(np.broadcast_to(values, shape))
        return values.reshape(count, -1).view(result.dtype).reshape(count, *result.shape[1:])

    def _pick(self, vectors, index, i):
        count = len(self._launch.threads[i])
        vectors = np.broadcast_to(vectors, (count, vectors.shape[-1]))
        return vectors[np.arange(count), np.broadcast_to(index, count).astype(np.int64)]

    def load(self, space, addresses, i, type_, flags):
        """Return the elements that work-items load."""
        size, element = type_.size_bytes, np.dtype(type_.dtype).itemsize
        # The first load of a loop around a compare-exchange is volatile.
        is_atomic = "Atomic" in flags or "Volatile" in flags
        alignment = _alignment(flags, type_)
        memory, offsets = self._locate(space, addresses, i, size, alignment, is_atomic)
        text = f"load of {type_.count} x {type_.dtype.__name__}"
        starts = offsets[:, None] + np.arange(0, size, 1 if is_atomic else element)
        if not memory.initialised[starts].any(1).all():
            FINDINGS.add("uninitialised", f"{memory.name}: {text}")
        if space != "Function" and not is_atomic:
            threads = self._launch.threads[i]
            memory.compare(offsets, size, threads, self._launch, None, text)
        raw = np.ascontiguousarray(memory.bytes[offsets[:, None] + np.arange(size)])
        values = raw != 0 if type_.kind == "bool" else raw.view(type_.dtype)
        return values[:, : type_.count] if type_.is_vector else values[:, 0]

    def store(self, space, addresses, i, values, type_, flags):
        """Store the elements of work-items."""
        size = type_.size_bytes
        memory, offsets = self._locate(space, addresses, i, size, _alignment(flags, type_))
        shape = (len(offsets), type_.count) if type_.is_vector else (len(offsets),)
        raw = np.ascontiguousarray(np.broadcast_to(values, shape)).view(np.uint8)
        raw = raw.reshape(len(offsets), -1)
        if space != "Function":
            text = f"store of {type_.count} x {type_.dtype.__name__}"
            threads = self._launch.threads[i]
            memory.compare(offsets, raw.shape[1], threads, self._launch, raw, text)
        at = offsets[:, None] + np.arange(raw.shape[1])
        memory.bytes[at], memory.initialised[at] = raw, True

    def update(self, space, addresses, i, name, type_, operands):
        """Update elements one after the other, and return what was there."""
        size, dtype = type_.size_bytes, type_.dtype
        memory, offsets = self._locate(space, addresses, i, size, size, is_atomic=True)
        if not memory.initialised[offsets[:, None] + np.arange(size)].any(1).all():
            FINDINGS.add("uninitialised", f"{memory.name}: atomic {name}")
        elements = memory.views[size * 8].view(SIGNED[size * 8] if name[0] == "S" else dtype)
        operands = [np.broadcast_to(v, offsets.shape).view(elements.dtype) for v in operands]
        old = np.empty(len(offsets), elements.dtype)
        for k, at in enumerate(offsets // size):
            old[k] = elements[at]
            if name == "Store":
                elements[at] = operands[0][k]
            elif name == "CompareExchange":
                elements[at] = operands[0][k] if old[k] == operands[1][k] else old[k]
            else:
                elements[at] = _UPDATES[name](old[k], operands[0][k])
        return old.view(dtype)

    def _locate(self, space, addresses, i, size, alignment, is_atomic=False):
        """Return the memory of a storage class, and where in it the accesses are."""
        threads = self._launch.threads[i]
        addresses = np.broadcast_to(addresses, threads.shape)
        if (addresses % np.uint64(alignment)).any():
            first = int(addresses[np.argmax(addresses % np.uint64(alignment) != 0)])
            FINDINGS.add("misaligned", f"{space}: {first:#x}, not a multiple of {alignment}")
        if space == "CrossWorkgroup":
            memory = ARENA
            offsets, outside = ARENA.find(addresses, size, is_word=is_atomic)
        else:
            memory = self._launch.spaces[space]
            limit = -(-self._launch.limits[space] // WORD_BYTES) * WORD_BYTES
            outside = addresses + np.uint64(size) > np.uint64(limit)
            offsets = addresses.astype(np.int64) + self._launch.starts[space][i]
        if outside.any():
            first = int(np.argmax(outside))
            address = int(addresses[first])
            place = f", {ARENA.describe(address)}" if space == "CrossWorkgroup" else ""
            where = f"work-item {threads[first]} at {address:#x}{place}, {size} bytes"
            FINDINGS.add("out of bounds", f"{space}: {int(outside.sum())} work-items, {where}")
            raise Fault("out of bounds")
        return memory, offsets


def _alignment(flags, type_):
    match = re.search(r"Aligned\S* (\d+)", flags)
    return int(match[1]) if match else type_.size_bytes
