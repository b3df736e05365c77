# SPDX-License-Identifier: BSD-3-Clause
"""Private memory: arrays of which each work-item has its own."""

from __future__ import annotations

from ..errors import Diagnostic, InterpreterError
from ..reference.untyped import Value
from .lanes import Lanes, choose


class PrivateArray:
    """Arrays of the work-items of a team, which index them alike.

    Args:
        size: number of elements.

    >>> import numpy as np
    >>> array = PrivateArray(2)
    >>> lanes = Lanes(np.arange(3))
    >>> array.store(np.int64(1), lanes, np.array([5, 6, 7]))
    >>> array.load(np.int64(1)).tolist()
    [5, 6, 7]
    """

    def __init__(self, size: int) -> None:
        self._elements: list[Value] = [None] * size

    def load(self, index: Value) -> Value:
        """Return an element of each work-item."""
        value = self._elements[self._place(index)]
        if value is None:
            _fail(f"expected an element of private memory that is set, got element {index}")
        return value

    def store(self, index: Value, lanes: Lanes, value: Value) -> None:
        """Set an element of the active work-items."""
        place = self._place(index)
        old = self._elements[place]
        is_all = lanes.mask is None or old is None
        self._elements[place] = value if is_all else choose(lanes.mask, value, old)

    def _place(self, index: Value) -> int:
        if index.ndim != 0:
            _fail("expected all work-items to use the same element of private memory, got several")
        if not 0 <= index < len(self._elements):
            _fail(f"expected an index below {len(self._elements)}, got {index}")
        return int(index)


def _fail(message: str) -> None:
    raise InterpreterError([Diagnostic("error", message)])
