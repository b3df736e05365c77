# SPDX-License-Identifier: BSD-3-Clause
"""Host memory that arguments of a launch point to, for the interpreters of all stages."""

from __future__ import annotations

import ctypes
import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from .._arrays import address_of
from ..shapes import extent
from .rounding import Array


@dataclasses.dataclass(frozen=True)
class Region:
    """Host memory that a pointer points to.

    Args:
        name: what a message calls it.
        address: what the pointer points to.
        itemsize: size of an element in bytes.
        shape: sizes of the modes.
        stride: strides in elements.
        offset: elements between the pointer and the first element.
        is_writable: whether the caller lets a kernel write.
        owner: keeps the memory alive.
    """

    name: str
    address: int
    itemsize: int
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int = 0
    is_writable: bool = True
    owner: Any = dataclasses.field(default=None, compare=False)

    @classmethod
    def of_array(cls, name: str, array: Array) -> Region:
        """Return the region of a NumPy array."""
        stride = tuple(step // array.itemsize for step in array.strides)
        writable = array.flags.writeable
        return cls(name, address_of(array), array.itemsize, array.shape, stride, 0, writable, array)

    @property
    def begin(self) -> int:
        """Address of the first element."""
        return self.address + self.offset * self.itemsize

    @property
    def end(self) -> int:
        """Address after the last element."""
        size = extent(self.shape, self.stride)
        return self.begin + size * self.itemsize if size else self.address

    def mark(self, used: Array) -> None:
        """Set the bytes of all elements in an array of bytes that begins at the pointer."""
        elements = used[: self.end - self.address].reshape(-1, self.itemsize)
        index = np.array(self.offset)
        for size, stride in zip(self.shape, self.stride, strict=True):
            index = index[..., None] + np.arange(size) * stride
        elements[index.reshape(-1)] = True


@dataclasses.dataclass(frozen=True)
class Cluster:
    """Regions that overlap, and so stay one memory.

    Args:
        regions: the regions.
        begin: address of the first byte.
        end: address after the last byte.
    """

    regions: tuple[Region, ...]
    begin: int
    end: int

    @property
    def name(self) -> str:
        """The name of the memory in messages."""
        return " and ".join(dict.fromkeys(region.name for region in self.regions))

    @property
    def is_writable(self) -> bool:
        """Whether the caller lets a kernel write."""
        return any(region.is_writable for region in self.regions)

    def host_bytes(self) -> Array:
        """Return the host memory as bytes; the regions keep it alive."""
        return host_bytes(self.begin, self.end)


def host_bytes(begin: int, end: int) -> Array:
    """Return the bytes between two addresses; the caller keeps the memory alive."""
    if begin == end:
        return np.empty(0, np.uint8)
    return np.asarray((ctypes.c_uint8 * (end - begin)).from_address(begin))


def clusters(regions: Iterable[Region]) -> Iterator[Cluster]:
    """Yield the connected components of regions that overlap."""
    members: list[Region] = []
    end = 0
    for region in sorted(dict.fromkeys(regions), key=lambda one: (one.address, one.end)):
        if members and region.address >= end:
            yield Cluster(tuple(members), members[0].address, end)
            members, end = [], 0
        members.append(region)
        end = max(end, region.end)
    if members:
        yield Cluster(tuple(members), members[0].address, end)
