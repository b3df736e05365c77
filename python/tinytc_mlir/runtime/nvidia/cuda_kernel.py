# SPDX-License-Identifier: BSD-3-Clause
"""Kernels for NVIDIA's devices, and which of their variants a launch takes."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

from ..arrays.array_view import ArrayView, Dtype
from ..protocol import KernelArgument, Pointer
from .cuda_code import ArrayPositions
from .cuda_device import VECTOR_BYTES, end_of_allocation

_MOST_ALLOCATIONS = 64  # that a launch asks the driver about
_NO_ARRAYS = ArrayPositions()


@dataclasses.dataclass(frozen=True)
class CudaKernel:
    """A loaded kernel.

    Args:
        name: its name.
        function: the function of the driver.
        local_bytes: dynamic local memory of a work-group.
        program: the program that it belongs to, which lives as long.
        aligned: the variant for arrays that begin at multiples of 16 bytes and of which those that
            are written do not overlap those that are only read; None if there is none.
        arrays: which arguments point to arrays, and which to tables of groups.
        complex_parts: whether a complex scalar is two parameters.
        aligned_members: the variant for the same arrays if members of groups begin at multiples of
            16 bytes, too; None if there is none.
    """

    name: str
    function: Any
    local_bytes: int
    program: object
    aligned: Any = None
    arrays: ArrayPositions = _NO_ARRAYS
    complex_parts: bool = False
    aligned_members: Any = None

    def fitting(self, arguments: Sequence[KernelArgument]) -> Any:
        """Return the function for some arguments, in the order of the ABI."""
        if self.aligned is None and self.aligned_members is None:
            return self.function
        ends = _Ends()
        if not self._arrays_fit(arguments, ends):
            return self.function
        if self.aligned_members is not None and self._members_fit(arguments, ends):
            return self.aligned_members
        return self.function if self.aligned is None else self.aligned

    def _arrays_fit(self, arguments: Sequence[KernelArgument], ends: _Ends) -> bool:
        for position in self.arrays.all:
            argument = arguments[position]
            if not isinstance(argument, Pointer):
                continue  # none, for an optional array
            if argument.address % VECTOR_BYTES or not ends.fits(argument):
                return False
        for position in self.arrays.strided:
            argument = arguments[position]
            if isinstance(argument, Pointer) and not _has_aligned_columns(argument):
                return False
        for position in self.arrays.written:
            written = arguments[position]
            for other in self.arrays.only_read:
                if _may_overlap(written, arguments[other]):
                    return False
        return True

    def _members_fit(self, arguments: Sequence[KernelArgument], ends: _Ends) -> bool:
        for position in self.arrays.tables:
            table = arguments[position]
            if not isinstance(table, Pointer):
                continue  # none, for an optional group
            if table.members_bits is None or table.members_bits % VECTOR_BYTES:
                return False
            if not all(map(ends.fits, table.members)):
                return False
        return True


class _Ends:
    """Finds out whether loads at the ends of arrays stay inside of the memory around them.

    Loads of the variants may read the 16 bytes around the last element.
    """

    def __init__(self) -> None:
        self._known: list[range] = []  # parts of allocations

    def fits(self, pointer: Pointer) -> bool:
        """Whether the 16 bytes around the last element are allocated."""
        view = pointer.view
        assert view is not None
        end = pointer.address + _extent_bytes(view.shape, view.strides_bytes, view.dtype)
        if end % VECTOR_BYTES == 0 or getattr(pointer.owner, "holds_vectors", False):
            return True
        last = end + -end % VECTOR_BYTES - 1
        if any(pointer.address in known and last in known for known in self._known):
            return True
        if len(self._known) == _MOST_ALLOCATIONS:
            return False
        self._known.append(range(pointer.address, end_of_allocation(pointer.address)))
        return last in self._known[-1]


def _has_aligned_columns(pointer: Pointer) -> bool:
    """Whether the modes after the first one lie at multiples of 16 bytes."""
    view = pointer.view
    assert view is not None
    modes = zip(view.shape[1:], view.strides_bytes[1:], strict=True)
    return all(size <= 1 or stride % VECTOR_BYTES == 0 for size, stride in modes)


def _may_overlap(first: KernelArgument, second: KernelArgument) -> bool:
    """Whether the ranges that hold two arrays meet."""
    if not isinstance(first, Pointer) or not isinstance(second, Pointer):
        return False  # None, for an optional array
    assert first.view is not None
    assert second.view is not None
    ends = [
        pointer.address + _extent_bytes(view.shape, view.strides_bytes, view.dtype)
        for pointer, view in ((first, first.view), (second, second.view))
    ]
    return max(first.address, second.address) < min(ends)


@functools.lru_cache(maxsize=256)
def _extent_bytes(shape: tuple[int, ...], strides_bytes: tuple[int, ...], dtype: Dtype) -> int:
    """Return `ArrayView.extent_bytes`, which takes longer than the rest of the check."""
    return ArrayView(0, dtype, shape, strides_bytes, False, None, None).extent_bytes
