"""A table of numbers with bounds, equal ones of which have one place."""

from __future__ import annotations

import numpy as np

from cases.enclosed import Enclosed, exact
from tinytc_mlir.reference.rounding import Array
from tinytc_mlir.reference.untyped import Value
from tinytc_mlir.verification.unshown import Unshown


class Table:
    """Numbers with bounds. The first one is 0."""

    def __init__(self) -> None:
        self._rows = bytearray()
        self._places: dict[bytes, int] = {}
        self._short = {0: 0}
        self.entered(exact(0.0))

    def entered(self, numbers: Enclosed) -> Value:
        """Return the places of numbers."""
        parts = (numbers.value, numbers.size, numbers.relative, numbers.granule)
        rows = np.stack(np.broadcast_arrays(*parts), axis=-1).astype(np.float64)
        data, found = rows.tobytes(), np.empty(rows.size // 4, np.int64)
        for place in range(len(found)):
            key = data[32 * place : 32 * place + 32]
            if key not in self._places:
                self._places[key] = len(self._places)
                self._rows += key
            found[place] = self._places[key]
        return found.reshape(rows.shape[:-1])[()]

    def rows(self, places: Value) -> Enclosed:
        """Return the numbers in places."""
        table = np.frombuffer(self._rows, np.float64).reshape(-1, 4)
        rows = table[np.asarray(places, np.int64)]
        return Enclosed(*np.moveaxis(rows, -1, 0))

    def shortened(self, places: Array) -> Array:
        """Return numbers of 16 bits for places."""
        short = self._short
        found = [short.setdefault(int(each), len(short)) for each in places.flat]
        if len(short) > 2**16:
            raise Unshown("it has more than 65,536 numbers of 16 bits")
        return np.array(found, np.int64).reshape(places.shape)

    def of_short(self, short: Array) -> Array:
        """Return the places that numbers of 16 bits are for."""
        return np.array(list(self._short), np.int64)[short]
