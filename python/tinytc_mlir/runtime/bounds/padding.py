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
from .group_bounds import GroupBound, Place
from .launch_values import Counts, LaunchValues, Parts


def stays_in_memory(bound: GroupBound, counts: Counts, values: LaunchValues, parts: Parts) -> bool:
    """Return whether loads of blocks by all groups are inside the memory of their array.

    The array's view notes how much of its memory that is, for copies and later launches.

    Args:
        bound: a bound of the accesses.
        counts: number of groups in three dimensions.
        values: the values of the launch.
        parts: the checked arguments.
    """
    reach = None if bound.block is None else bound.block.reach
    if reach is None:
        return False
    view = values.part(bound.argument, parts)
    if not isinstance(view, ArrayView) or not isinstance(view.array, np.ndarray):
        return False
    if view.is_rearranged:  # whose copy has all the padding
        available = max(map(operator.mul, view.strides_bytes, view.shape), default=0)
    elif view.shape == view.array.shape:
        available = bytes_after(view.array)
    else:
        return False
    first, last = (_place(place, counts, values, parts) for place in reach)
    bytes_read = (max(last) + 1) * view.dtype.itemsize
    if min(first) < 0 or bytes_read > available:
        return False
    view.bytes_read = max(view.bytes_read, bytes_read)
    return True


def _place(place: Place, counts: Counts, values: LaunchValues, parts: Parts) -> tuple[int, int]:
    """Return the smallest and the largest value of a place for all groups."""
    low = high = values.sum(place.start, parts)
    for terms, count in zip(place.slopes, counts, strict=True):
        way = values.sum(terms, parts) * (count - 1)
        low, high = low + min(way, 0), high + max(way, 0)
    return low, high


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
