"""Copies of plain host arrays in device-visible memory, for the duration of a launch.

The memory itself is allocated by the caller, so that nothing here needs a device.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .arrays import ArrayView, address_of

# Returns device-visible memory of at least this many bytes as a (bytes,) array of uint8.
Allocate = Callable[[int], "np.ndarray[Any, Any]"]

_ALIGNMENT_BYTES = 64


class Staging:
    """Device-visible copies of host arrays; arrays that overlap also overlap in the copy.

    Args:
        views: views of the host arrays, with strides that are not negative.
        allocate: allocates the memory that holds all copies.
        alignment_bytes: alignment that every copy needs at least.

    >>> source = np.arange(6, dtype=np.float32)
    >>> from tinytc_mlir.runtime.arrays import view_of
    >>> views = [view_of(source[:4]), view_of(source[2:])]
    >>> staging = Staging(views, lambda size_bytes: np.zeros(size_bytes, np.uint8))
    >>> staging.addresses[1] - staging.addresses[0]
    8
    """

    def __init__(
        self,
        views: Sequence[ArrayView],
        allocate: Allocate,
        alignment_bytes: int = _ALIGNMENT_BYTES,
    ) -> None:
        alignment_bytes = max(alignment_bytes, _ALIGNMENT_BYTES)
        offsets, size_bytes = _place(views, alignment_bytes)
        buffer = allocate(size_bytes + alignment_bytes)
        start = -address_of(buffer) % alignment_bytes
        self.buffer = buffer
        self.addresses = [address_of(buffer) + start + offset for offset in offsets]
        self._copies = [
            (view, _copy_at(buffer, start + offset, view))
            for view, offset in zip(views, offsets, strict=True)
        ]
        for view, copy in self._copies:
            np.copyto(copy, view.array)

    def copy_back(self) -> None:
        """Copy what the kernel wrote to the host arrays."""
        for view, copy in self._copies:
            if view.is_written:
                np.copyto(view.array, copy)


def _copy_at(buffer: np.ndarray[Any, Any], offset: int, view: ArrayView) -> np.ndarray[Any, Any]:
    """Return the array of the view's shape and strides at an offset of the buffer."""
    strides = view.strides_bytes
    if view.extent_bytes == 0 or min(strides, default=0) < 0:  # of modes of size 0 or 1 only
        return np.ndarray(view.shape, view.dtype, buffer, offset, order="F")
    return np.ndarray(view.shape, view.dtype, buffer, offset, strides)


def _place(views: Sequence[ArrayView], alignment_bytes: int) -> tuple[list[int], int]:
    """Return where each copy begins and how many bytes all of them take.

    A copy begins at an aligned offset; overlapping arrays keep their distances and the host
    address of the first modulo the alignment.
    """
    extents = [view.extent_bytes for view in views]
    offsets = [0] * len(views)
    end = 0  # of the copies placed so far
    region_address = region_offset = region_end = 0  # of the last run of overlapping arrays
    for index in sorted(range(len(views)), key=lambda i: views[i].address):
        address, extent = views[index].address, extents[index]
        if address >= region_end:
            region_address = address
            region_offset = end + -end % alignment_bytes
            region_end = address
        offsets[index] = region_offset + address - region_address
        region_end = max(region_end, address + extent)
        end = max(end, offsets[index] + extent)
    return offsets, end
