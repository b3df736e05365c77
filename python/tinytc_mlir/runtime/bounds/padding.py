# SPDX-License-Identifier: BSD-3-Clause
"""Loads of blocks that leave an array, but not the memory that it lies in.

Where the columns of a matrix are farther apart than its rows need, a block may reach into the
padding between and after them: docs/decisions/group-bounds.md.
"""

from __future__ import annotations

import operator

import numpy as np

from ..._arrays import address_of
from ..arrays.array_view import Array, ArrayView

_NOTHING = -(2**62)


def memory_bytes(view: object) -> int:
    """Return how many bytes loads may read from the first element of an array on."""
    if not isinstance(view, ArrayView) or not isinstance(view.array, np.ndarray):
        return _NOTHING
    if view.is_rearranged:  # whose copy has all the padding
        return max(map(operator.mul, view.strides_bytes, view.shape), default=0)
    return bytes_after(view.array) if view.shape == view.array.shape else _NOTHING


def bytes_after(array: Array) -> int:
    """Return how many bytes there are from the first element to the end of the memory.

    >>> array = np.zeros((4, 4), np.float32, order="F")
    >>> bytes_after(array), bytes_after(array[:3, :2]), bytes_after(array[1:, 1:])
    (64, 64, 44)
    """
    owner = array
    while type(owner.base) is np.ndarray:
        owner = owner.base
    end = address_of(owner) + owner.itemsize
    for size, stride in zip(owner.shape, owner.strides, strict=True):
        end += (size - 1) * max(stride, 0)
    return end - address_of(array) if owner.size else 0
