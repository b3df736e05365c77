# SPDX-License-Identifier: BSD-3-Clause
"""Copies of plain host arrays in device-visible memory, for the duration of a launch.

The memory itself is allocated by the caller, so that nothing here needs a device.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ..._arrays import copy_elements
from ..protocol import Memory, Pointer
from .array_view import Array, ArrayView
from .overlaps import StagingError, check_overlaps, identity, span

# Returns memory of at least this many bytes that kernels reach.
Allocate: TypeAlias = Callable[[int], Memory]

_ALIGNMENT_BYTES = 64


class Staging:
    """Device-visible copies of host arrays; arrays that overlap also overlap in the copy.

    Arrays that are rearranged, copied with other strides than they have, have copies of their own,
    so they may overlap another array only if the kernel writes neither, or if both are the same.

    Args:
        views: views of the host arrays, with strides that are not negative.
        allocate: allocates the memory that holds all copies.
        alignment_bytes: alignment that every copy needs at least.

    Raises:
        StagingError: arrays overlap at a distance that leaves no copy of both aligned, or one of
            them is rearranged.
    """

    def __init__(
        self,
        views: Sequence[ArrayView],
        allocate: Allocate,
        alignment_bytes: int = _ALIGNMENT_BYTES,
    ) -> None:
        alignment_bytes = max(alignment_bytes, _ALIGNMENT_BYTES)
        offsets, size_bytes = _place(views, alignment_bytes)
        for view, offset in zip(views, offsets, strict=True):
            size = view.dtype.itemsize
            if view.extent_bytes and offset % size:
                raise StagingError(
                    view,
                    f"expected an array that begins whole elements of {size} bytes away from the "
                    f"one that it overlaps, got address {view.address:#x}",
                )
        memory = self.memory = allocate(size_bytes + alignment_bytes)
        start = -memory.address % alignment_bytes
        owner, address = memory.native, memory.address + start
        self.pointers = [
            Pointer(owner, address + offset, view)
            for view, offset in zip(views, offsets, strict=True)
        ]
        self._copies = [
            (_host_array(view), _copy_at(memory.host, start + offset, view), view.is_written)
            for view, offset in zip(views, offsets, strict=True)
        ]
        for view, offset in zip(views, offsets, strict=True):
            if view.bytes_read:
                place = start + offset
                padding = 0 if view.is_rearranged else _bytes_of(view)
                memory.host[place : place + view.bytes_read] = padding
        # Bytes of arrays that are copied with other strides, and seconds that this took.
        self.rearranged_bytes = sum(view.extent_bytes for view in views if view.is_rearranged)
        self.rearranging_s = 0.0
        self._copy((copy, source) for source, copy, _ in self._copies)
        memory.upload()

    def copy_back(self) -> None:
        """Copy what the kernel wrote to the host arrays."""
        self.memory.download()
        self._copy((target, copy) for target, copy, is_written in self._copies if is_written)

    def _copy(self, pairs: Iterable[tuple[Array, Array]]) -> None:
        if not self.rearranged_bytes:
            for target, source in pairs:
                np.copyto(target, source)
            return
        from ..native.processor import usual_threads

        start = time.perf_counter()
        threads = usual_threads()
        for target, source in pairs:
            copy_elements(target, source, target.itemsize, threads)
        self.rearranging_s += time.perf_counter() - start


def in_place(views: Sequence[ArrayView], alignment_bytes: int) -> Sequence[ArrayView]:
    """Return the host arrays that kernels of the processor use where they are.

    The others are to be copied: those of other strides, those that are not aligned or have padding,
    and all that may overlap one of these.

    Args:
        views: views of host arrays.
        alignment_bytes: alignment that kernels need besides that of elements.
    """
    fits = [
        not (view.is_rearranged or view.bytes_read)
        and view.address % max(view.dtype.itemsize, alignment_bytes) == 0
        for view in views
    ]
    copied = [span(view) for view, is_fit in zip(views, fits, strict=True) if not is_fit]
    if not copied:
        return views
    first, last = min(begin for begin, _ in copied), max(end for _, end in copied)
    return [
        view
        for view, is_fit in zip(views, fits, strict=True)
        if is_fit and (span(view)[1] <= first or span(view)[0] >= last)
    ]


def _host_array(view: ArrayView) -> Array:
    assert isinstance(view.array, np.ndarray)
    return view.array


def _bytes_of(view: ArrayView) -> npt.NDArray[np.uint8]:
    """Return the memory that is read, padding included."""
    data = (ctypes.c_uint8 * view.bytes_read).from_address(view.address)
    memory: npt.NDArray[np.uint8] = np.asarray(data)
    return memory


def _copy_at(buffer: npt.NDArray[np.uint8], offset: int, view: ArrayView) -> Array:
    """Return the array of the view's shape and strides at an offset of the buffer."""
    copy: Array = np.ndarray(view.shape, view.dtype, buffer, offset, view.strides_bytes)
    return copy


def _place(views: Sequence[ArrayView], alignment_bytes: int) -> tuple[list[int], int]:
    """Return where each copy begins and how many bytes all of them take.

    A copy begins at an aligned offset; overlapping arrays keep their distances, and the same array
    twice has one copy.
    """
    extents = [max(view.extent_bytes, view.bytes_read) for view in views]
    offsets = [0] * len(views)
    end = 0  # of the copies placed so far
    rearranged: dict[object, int] = {}  # where copies with other strides begin
    for index, view in enumerate(views):
        if view.is_rearranged:
            place = end + -end % alignment_bytes
            offsets[index] = rearranged.setdefault(identity(view), place)
            end = max(end, offsets[index] + extents[index])
    if rearranged:
        check_overlaps(views)
    region_address = region_offset = region_end = 0  # of the last run of overlapping arrays
    others = (index for index, view in enumerate(views) if not view.is_rearranged)
    for index in sorted(others, key=lambda i: views[i].address):
        address, extent = views[index].address, extents[index]
        if address >= region_end:
            region_address = address
            region_offset = end + -end % alignment_bytes
            region_end = address
        offsets[index] = region_offset + address - region_address
        region_end = max(region_end, address + extent)
        end = max(end, offsets[index] + extent)
    return offsets, end
