# SPDX-License-Identifier: BSD-3-Clause
"""Remembers that arrays of a launch do not overlap, for launches with arrays that look alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..._arrays import Distances
from ..protocol import Pointer

Addresses: TypeAlias = npt.NDArray[np.int64]

# Pairs of tables, and tables, that are remembered.
_MOST_TABLES = 64


def signed_address(address: int) -> int:
    """Return an address as an integer of 64 bits with a sign; only distances count.

    >>> signed_address(2**64 - 8)
    -8
    """
    return address - 2**64 if address >= 2**63 else address


class KnownDistances:
    """At which distances the arrays of a launch do not overlap.

    Args:
        arrays: positions of two arguments, the distances between which their blocks may overlap,
            and one at which they do not.
        groups: positions and distances for members of groups, with the strides of arrays that are
            none.
    """

    def __init__(
        self,
        arrays: Sequence[tuple[int, int, int, int, int]],
        groups: Sequence[tuple[int, int, int, int, tuple[int | None, int | None]]],
    ) -> None:
        self._arrays, self._groups = Distances(arrays), groups
        self._members: dict[int, Addresses] = {}  # by the address of the table
        self._apart: set[tuple[int, int, int]] = set()  # pairs that have been compared
        #: Whether arrays certainly do not overlap, given the arguments in the order of the ABI.
        self.hold: Callable[[Sequence[Any]], bool] = self._hold if groups else self._arrays.hold

    def add_table(self, table: Pointer, members: Addresses) -> None:
        """Note where the members are that a new table points to."""
        if len(self._members) >= _MOST_TABLES:
            self._members.clear()
        self._members[table.address] = members
        self._apart.clear()

    def _hold(self, arguments: Sequence[Any]) -> bool:
        return self._arrays.hold(arguments) and self._members_hold(arguments)

    def _members_hold(self, arguments: Sequence[Any]) -> bool:
        for number, (written, read, low, high, strides) in enumerate(self._groups):
            addresses = arguments[written].address, arguments[read].address
            pair = (number, *addresses)
            if pair in self._apart:
                continue
            if not self._are_apart(addresses, strides, low, high):
                return False
            if len(self._apart) >= _MOST_TABLES:
                self._apart.clear()
            self._apart.add(pair)
        return True

    def _are_apart(
        self,
        addresses: tuple[int, int],
        strides: tuple[int | None, int | None],
        low: int,
        high: int,
    ) -> bool:
        tables = [self._members.get(address) for address in addresses]
        count = min((table.size for table in tables if table is not None), default=0)
        places = []
        for address, stride, table in zip(addresses, strides, tables, strict=True):
            if stride is not None:
                steps = np.arange(count, dtype=np.int64) * stride
                places.append(signed_address(address) + steps)
            elif table is None:
                return False  # of a table that has been forgotten
            else:
                places.append(table[:count])
        distances = places[1] - places[0]
        return not bool(((low < distances) & (distances < high)).any())
