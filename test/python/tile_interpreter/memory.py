"""Memory of the host that pointers of a program on tiles point to."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tinytc_mlir.errors import InterpreterError
from tinytc_mlir.reference.regions import Region, clusters
from tinytc_mlir.reference.rounding import Array
from tinytc_mlir.reference.untyped import Value
from tinytc_mlir.scalars import ScalarType


class TileMemory:
    """Reads and writes at addresses.

    Args:
        regions: the memory that may be accessed.
    """

    def __init__(self, regions: Iterable[Region]) -> None:
        found = [each for each in clusters(regions) if each.begin < each.end]
        self._begins, self._ends = np.array([(each.begin, each.end) for each in found]).T
        self.sizes = [each.end - each.begin for each in found]
        self._bytes = [each.host_bytes() for each in found]

    def load(self, addresses: Array, mask: Value, element: ScalarType, padding: Value) -> Array:
        """Return the elements where the mask is true, and the padding elsewhere."""
        stored = np.zeros(addresses.shape, element.dtype)
        for places, where, elements in self._parts(addresses, mask, element):
            stored[where] = elements[places]
        values = element.from_memory(stored).astype(element.value_dtype)
        return np.where(mask, values, padding)

    def store(self, addresses: Array, mask: Value, element: ScalarType, values: Value) -> None:
        """Write the elements where the mask is true."""
        stored = np.asarray(element.to_memory(np.broadcast_to(values, addresses.shape)))
        for places, where, elements in self._parts(addresses, mask, element):
            elements[places] = stored[where]

    def places(self, addresses: Array, mask: Value) -> Iterable[tuple[int, Array]]:
        """Yield ranges, by their numbers, and the bytes of each at which elements begin."""
        mask = np.broadcast_to(mask, addresses.shape)
        number = np.searchsorted(self._begins, addresses, "right") - 1
        for each in np.unique(number[mask]):
            yield int(each), addresses[mask & (number == each)] - self._begins[each]

    def _parts(
        self, addresses: Array, mask: Value, element: ScalarType
    ) -> Iterable[tuple[Array, Array, Array]]:
        """Yield places in a range, where they are in the tile, and the elements of the range."""
        mask = np.broadcast_to(mask, addresses.shape)
        number = np.searchsorted(self._begins, addresses, "right") - 1
        inside = (number >= 0) & (addresses + element.size_bytes <= self._ends[number])
        if not (inside | ~mask).all():
            outside = int(addresses[mask & ~inside].flat[0])
            message = f"expected an access within an argument, got address {outside:#x}"
            raise InterpreterError(message)
        for each in np.unique(number[mask]):
            where = mask & (number == each)
            distance = addresses[where] - self._begins[each]
            size = element.size_bytes
            raw = self._bytes[each]
            elements = raw[: raw.size // size * size].view(element.dtype)
            yield distance // size, where, elements
