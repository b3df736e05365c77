# SPDX-License-Identifier: BSD-3-Clause
"""All memory of a launch in one array of bytes, so that pointers are plain numbers.

Objects lie apart from each other: what leaves one of them hits bytes that nobody owns. A
pointer counts in elements of the type that it points to.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .._tinytc import CheckedMemory
from ..reference.arithmetic import Arithmetic
from ..reference.rounding import Array
from ..reference.shadow import checked_memory
from ..reference.untyped import Value
from ..scalars import ScalarType
from .lanes import Lanes

_GUARD_BYTES = 4096
_ALIGNMENT_BYTES = 128
_POISON = 0xFF  # NaN, and -1


@dataclasses.dataclass(frozen=True)
class MemoryObject:
    """What a pointer may point into: an argument, a table of pointers, a buffer.

    Args:
        name: what a message calls it.
        size_bytes: size with all gaps.
        itemsize: size of an element in bytes, for messages.
        used: (size_bytes,) bool array, which bytes belong to an element; None for all.
    """

    name: str
    size_bytes: int
    itemsize: int = 1
    used: Array | None = None


class Memory:
    """The bytes of all objects and who owns them.

    >>> memory = Memory([MemoryObject("A", 12, 4), MemoryObject("B", 8, 4)])
    >>> memory.name_element(memory.starts[1] + 4)
    'element 1 of B'
    """

    def __init__(self, objects: Sequence[MemoryObject]) -> None:
        self.objects = list(objects)
        self.starts: list[int] = []
        end = _GUARD_BYTES
        for each in self.objects:
            self.starts.append(end)
            end += each.size_bytes + _GUARD_BYTES
            end += -end % _ALIGNMENT_BYTES
        self._words = np.zeros(end // 8, np.int64)
        self.data: Array = self._words.view(np.uint8)
        # The number of the object, starting at 1; negative where there is no element.
        self._owners = np.zeros(end, np.int32)
        for number, (each, start) in enumerate(zip(self.objects, self.starts, strict=True), 1):
            owners = self._owners[start : start + each.size_bytes]
            owners[:] = number if each.used is None else np.where(each.used, number, -number)
            if not each.size_bytes:  # a pointer to it still tells whose it is
                self._owners[start] = -number

    def bytes_of(self, number: int) -> Array:
        """Return the bytes of an object."""
        start = self.starts[number]
        return self.data[start : start + self.objects[number].size_bytes]

    def view(self, dtype: npt.DTypeLike) -> Array:
        """Return all memory as elements of a type."""
        return self._words.view(dtype)

    def poison(self, number: int) -> None:
        """Fill an object with what no kernel should read, and forget that it was stored to."""
        self.bytes_of(number)[:] = _POISON
        end = self.starts[number] + self.objects[number].size_bytes
        cells = slice(self.starts[number] // self._cell_bytes, -(-end // self._cell_bytes))
        self._initialised[cells] = False

    def forget(self, address: Value, width: int) -> None:
        """Forget that elements of some bytes were stored to."""
        count = width // self._cell_bytes
        self._initialised[np.asarray(address)[..., None] * count + np.arange(count)] = False

    def checked(self, cell_bytes: int) -> CheckedMemory:
        """Return what checks accesses, of which the smallest are of some bytes."""
        self._initialised = np.ones(len(self.data) // cell_bytes, bool)
        self._cell_bytes = cell_bytes
        return checked_memory(
            self.data, cell_bytes, initialised=self._initialised, owners=self._owners
        )

    def name_element(self, address: int, base: int | None = None) -> str:
        """Return what a message calls an element.

        Args:
            address: its first byte.
            base: where the pointer points to, whose object is meant.
        """
        number = abs(int(self._owners.take(address if base is None else base, mode="clip")))
        if number == 0:
            return f"byte {address} of no object"
        each = self.objects[number - 1]
        return f"element {(address - self.starts[number - 1]) // each.itemsize} of {each.name}"


def access(
    view: Array,
    address: Value,
    lanes: Lanes,
    value: Value | None,
    function: Callable[[Any, Any], Any],
    numbers: tuple[Arithmetic, ScalarType],
) -> Array:
    """Access elements atomically, a work-item at a time; return the elements before.

    Args:
        view: memory as elements of the type that it holds.
        address: the elements.
        lanes: the work-items.
        value: what the function combines with the element, None for a load.
        function: returns the new element.
        numbers: what numbers are, and the type of the values, whose bits are in memory.
    """
    arithmetic, scalar_type = numbers
    result = np.zeros(len(lanes.numbers), arithmetic.value_dtype(scalar_type))
    places = np.flatnonzero(lanes.spread_mask())
    values = places if value is None else lanes.spread(value)
    for lane, place, one in zip(places, lanes.spread(address), values, strict=True):
        before = view.take(place, mode="clip").view(scalar_type.dtype)
        result[lane] = arithmetic.from_memory(scalar_type, before)
        if value is not None:
            after = arithmetic.to_memory(scalar_type, function(result[lane], one))
            view.put(place, np.asarray(after, scalar_type.dtype).view(view.dtype), mode="clip")
    return result
