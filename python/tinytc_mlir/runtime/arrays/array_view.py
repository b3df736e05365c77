# SPDX-License-Identifier: BSD-3-Clause
"""Arrays as kernels see them."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..kernel_info import MemrefArgument

# An array of some dtype and shape, as users get it and pass it on.
Array: TypeAlias = npt.NDArray[Any]
Dtype: TypeAlias = np.dtype[np.generic]


@dataclasses.dataclass(slots=True)
class ArrayView:
    """An array as a kernel sees it.

    Args:
        address: address of the first element.
        dtype: dtype of the elements.
        shape: size of every mode.
        strides_bytes: distance between neighbours along every mode.
        is_writable: whether the caller lets a kernel write the elements.
        array: the caller's object; it keeps the memory alive.
        memory: native memory that the elements lie in, the array itself if it is of another
            library; None for plain host memory.
        argument: parameter that the array was checked against, None before that.
        bytes_read: if blocks reach into the padding after the last element, how many bytes of the
            memory they may read.
        is_rearranged: whether the kernel sees a copy of a host array, whose strides these are.
    """

    address: int
    dtype: Dtype
    shape: tuple[int, ...]
    strides_bytes: tuple[int, ...]
    is_writable: bool
    array: object
    memory: object
    argument: MemrefArgument | None = None
    bytes_read: int = 0
    is_rearranged: bool = False

    @property
    def is_written(self) -> bool:
        """Whether the kernel writes the elements."""
        return self.argument is not None and self.argument.is_written

    @property
    def extent_bytes(self) -> int:
        """Bytes from the first element to the end of the last one; strides must be positive."""
        if 0 in self.shape:
            return 0
        modes = zip(self.shape, self.strides_bytes, strict=True)
        return sum((size - 1) * stride for size, stride in modes) + self.dtype.itemsize


@dataclasses.dataclass(frozen=True, slots=True)
class NoArray:
    """Null pointers, for None where a parameter is optional.

    Args:
        shape: zeros, one for each mode.
        pointers: number of pointers, more than one for the tables of a group.
        size: number of members.
    """

    shape: tuple[int, ...]
    pointers: int = 1
    size: int = 0
