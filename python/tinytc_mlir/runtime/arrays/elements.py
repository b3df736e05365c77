# SPDX-License-Identifier: BSD-3-Clause
"""Whether arrays have common elements, by where these are in memory."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

# Where a range begins and ends, relative to an address.
Span: TypeAlias = tuple[int, int]

# Steps that NumPy may take to find out whether two arrays share an element.
_MAX_WORK = 10_000
# Only distances count: nobody reads there.
_ADDRESS = 2**62


class Elements(NamedTuple):
    """Where the elements of an array are.

    Args:
        address: of the first one.
        shape: size of every mode.
        strides_bytes: distance between neighbours along every mode.
        size_bytes: of an element.
    """

    address: int
    shape: tuple[int, ...]
    strides_bytes: tuple[int, ...]
    size_bytes: int

    @property
    def span(self) -> Span:
        """Where the range that holds them begins and ends, relative to the first one.

        >>> Elements(64, (2, 3), (4, -16), 4).span
        (-32, 8)
        """
        if 0 in self.shape:
            return 0, 0
        begin, end = 0, self.size_bytes
        for size, stride in zip(self.shape, self.strides_bytes, strict=True):
            distance = (size - 1) * stride
            begin, end = begin + min(distance, 0), end + max(distance, 0)
        return begin, end

    def is_same(self, other: Elements) -> bool:
        """Whether each element is the same one of both."""
        own = (self.address, self.size_bytes, self._layout)
        return own == (other.address, other.size_bytes, other._layout)

    @property
    def _layout(self) -> list[tuple[int, int]]:
        """Sizes and strides of the modes, without those of one index."""
        modes = zip(self.shape, self.strides_bytes, strict=True)
        return [(size, stride) for size, stride in modes if size != 1]


def ranges_meet(distance: int, first: Span, second: Span) -> bool:
    """Whether the ranges that hold two arrays have a common byte.

    Args:
        distance: from the address of the first array to that of the second, in bytes.
        first: span of the first array.
        second: the same of the second one.

    >>> ranges_meet(8, (0, 12), (0, 4)), ranges_meet(8, (0, 8), (0, 4))
    (True, False)
    """
    begin = max(first[0], second[0] + distance)
    return begin < min(first[1], second[1] + distance)


def share_elements(first: Elements, second: Elements) -> bool:
    """Whether two arrays certainly have a common byte; those that interleave have none.

    >>> evens, odds = Elements(0, (4,), (8,), 4), Elements(4, (4,), (8,), 4)
    >>> share_elements(evens, odds), share_elements(evens, evens)
    (False, True)
    """
    distance = second.address - first.address
    if not ranges_meet(distance, first.span, second.span):
        return False
    try:
        arrays = _array(0, first), _array(distance, second)
        return bool(np.shares_memory(*arrays, max_work=_MAX_WORK))  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return False


class _Place:
    """An array whose shape and strides NumPy may read, but not its elements."""

    def __init__(self, address: int, elements: Elements) -> None:
        self.__array_interface__ = {
            "version": 3,
            "data": (address, True),
            "typestr": f"|V{elements.size_bytes}",
            "shape": elements.shape,
            "strides": elements.strides_bytes,
        }


def _array(distance: int, elements: Elements) -> Any:  # noqa: ANN401 (an array of any kind)
    return np.asarray(_Place(_ADDRESS + distance, elements))
