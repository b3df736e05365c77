# SPDX-License-Identifier: BSD-3-Clause
"""Finds host arrays of a launch that overlap, where one is copied with other strides."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .array_view import ArrayView

# Steps that NumPy may take to find out whether two arrays share an element.
_MAX_WORK = 10_000


class StagingError(ValueError):
    """An array cannot be copied next to one that it overlaps.

    Args:
        view: the array.
        message: `expected ..., got ...`.
    """

    def __init__(self, view: ArrayView, message: str) -> None:
        super().__init__(message)
        self.view = view


def identity(view: ArrayView) -> object:
    """Return what is equal for views of the same elements that are copied in the same way."""
    array = view.array
    assert isinstance(array, np.ndarray)
    return view.address, view.dtype, view.shape, array.strides, view.strides_bytes


def check_overlaps(views: Sequence[ArrayView]) -> None:
    """Check that arrays that are rearranged overlap no other, if the kernel writes one of both.

    Raises:
        StagingError: they do.
    """
    spans = sorted((*span(view), index) for index, view in enumerate(views))
    open_: list[tuple[int, int]] = []  # ends and indices of those that may overlap the next
    for begin, end, index in spans:
        open_ = [each for each in open_ if each[0] > begin]
        for _, other in open_:
            _check_pair(views[other], views[index])
        open_.append((end, index))


def span(view: ArrayView) -> tuple[int, int]:
    """Return the first address of the host array's elements and the one after the last."""
    array = view.array
    assert isinstance(array, np.ndarray)
    begin, end = view.address, view.address + view.dtype.itemsize
    if 0 in view.shape:
        return begin, begin
    for size, stride in zip(array.shape, array.strides, strict=True):
        begin += min(stride, 0) * (size - 1)
        end += max(stride, 0) * (size - 1)
    return begin, end


def _check_pair(first: ArrayView, second: ArrayView) -> None:
    if not (first.is_rearranged or second.is_rearranged):
        return
    if not (first.is_written or second.is_written) or identity(first) == identity(second):
        return
    view, other = (first, second) if first.is_rearranged else (second, first)
    assert isinstance(view.array, np.ndarray)
    assert isinstance(other.array, np.ndarray)
    try:
        share = np.shares_memory(view.array, other.array, max_work=_MAX_WORK)  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        share = True
    if share:
        name = "another one" if other.argument is None else repr(other.argument.name)
        raise StagingError(
            view,
            "expected an array that overlaps no other, because its strides make the launch copy "
            f"it in another order, got one that overlaps argument {name}",
        )
