# SPDX-License-Identifier: BSD-3-Clause
"""Loads, stores and atomic updates of a launch, checked before they are done."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...reference.untyped import Value
from ..accesses import MachineAccesses, stored_bytes
from .arithmetic import SIGNED
from .module import Type

#: SPIR-V, "Atomic Instructions", and SPV_EXT_shader_atomic_float_add and ..._min_max.
_UPDATES: dict[str, Callable[..., Value]] = {
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


class Accesses(MachineAccesses):
    """The accesses of a launch.

    Args:
        launch: also has `specials`.
    """

    private = ("Function",)

    def functions(self) -> dict[str, Any]:
        """Return what generated code calls."""
        return {
            "load": self.load_elements,
            "store": self.store_elements,
            "update": self.update,
            "special": self._special,
            "bitcast": self._bitcast,
            "pick": self._pick,
        }

    def _special(self, name: str, i: Value) -> Value:
        return self._launch.specials[name][i]

    def _bitcast(self, values: Value, is_vector: bool, result: Value, i: Value) -> Value:
        count = len(self.threads(i))
        shape = (count, np.shape(values)[-1]) if is_vector else (count,)
        values = np.ascontiguousarray(np.broadcast_to(values, shape))
        return values.reshape(count, -1).view(result.dtype).reshape(count, *result.shape[1:])

    def _pick(self, vectors: Value, index: Value, i: Value) -> Value:
        count = len(self.threads(i))
        vectors = np.broadcast_to(vectors, (count, vectors.shape[-1]))
        return vectors[np.arange(count), np.broadcast_to(index, count).astype(np.int64)]

    def load_elements(
        self, space: str, addresses: Value, i: Value, type_: Type, flags: str
    ) -> Value:
        """Return the elements that work-items load."""
        # The first load of a loop around a compare-exchange is volatile.
        is_atomic = "Atomic" in flags or "Volatile" in flags
        text, size = f"load of {type_.count} x {type_.dtype.__name__}", type_.size_bytes
        alignment = _alignment(flags, type_)
        memory, offsets = self.load(space, addresses, i, size, text, alignment, atomic=is_atomic)
        raw = np.ascontiguousarray(memory.bytes[offsets[:, None] + np.arange(size)])
        values = raw != 0 if type_.kind == "bool" else raw.view(type_.dtype)
        return values[:, : type_.count] if type_.is_vector else values[:, 0]

    def store_elements(
        self, space: str, addresses: Value, i: Value, values: Value, type_: Type, flags: str
    ) -> None:
        """Store the elements of work-items."""
        count = len(self.threads(i))
        shape = (count, type_.count) if type_.is_vector else (count,)
        raw, text = (
            stored_bytes([values], shape),
            f"store of {type_.count} x {type_.dtype.__name__}",
        )
        self.store(space, addresses, i, raw, text, _alignment(flags, type_), atomic=False)

    def update(
        self,
        space: str,
        addresses: Value,
        i: Value,
        name: str,
        type_: Type,
        operands: Sequence[Value],
    ) -> Value:
        """Update elements one after the other, and return what was there."""
        size, dtype = type_.size_bytes, type_.dtype
        text = f"atomic {name}"
        memory, offsets = self.load(space, addresses, i, size, text, size, atomic=True)
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


def _alignment(flags: str, type_: Type) -> int:
    match = re.search(r"Aligned\S* (\d+)", flags)
    return int(match[1]) if match else type_.size_bytes
