# SPDX-License-Identifier: BSD-3-Clause
"""Copies of the arguments of a launch in the memory of the checker, and pointers to them."""

from __future__ import annotations

import ctypes
import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...errors import ArgumentError
from ...scalars import scalar_type_named
from ..rounding import Array
from ..untyped import Ir
from .arguments import Region, Value
from .memory import Memory, MemoryObject
from .memory_ops import pointee


@dataclasses.dataclass(frozen=True)
class _Cluster:
    """Regions that overlap, and so stay one memory.

    Args:
        regions: the regions.
        begin: address of the first byte.
        end: address after the last byte.
    """

    regions: tuple[Region, ...]
    begin: int
    end: int

    def host_bytes(self) -> Array:
        """Return the host memory as bytes; the regions keep it alive."""
        if self.begin == self.end:
            return np.empty(0, np.uint8)
        size = self.end - self.begin
        return np.asarray((ctypes.c_uint8 * size).from_address(self.begin))

    def memory_object(self) -> MemoryObject:
        """Return what the checker knows of the memory."""
        used = np.zeros(self.end - self.begin, bool)
        for region in self.regions:
            region.mark(used[region.address - self.begin :])
        name = " and ".join(dict.fromkeys(region.name for region in self.regions))
        itemsize = self.regions[0].itemsize
        return MemoryObject(name, len(used), itemsize, None if used.all() else used)


class Placed:
    """The arguments of a launch in memory.

    Args:
        types: types of the kernel's parameters.
        values: what the ABI wants for them.
        buffers: sizes of the buffers of local memory in bytes; they come last in memory.

    Raises:
        ArgumentError: the number of values is not that of the parameters.
    """

    def __init__(
        self, types: Sequence[Any], values: Sequence[Value], buffers: Sequence[int]
    ) -> None:
        if len(types) != len(values):
            raise ArgumentError(f"expected {len(types)} values of the ABI, got {len(values)}")
        clusters = list(_clusters([each for value in values for each in _regions(value)]))
        tables = [value for value in values if isinstance(value, list)]
        objects = [
            *(cluster.memory_object() for cluster in clusters),
            *(MemoryObject("a table of pointers", 8 * len(table), 8) for table in tables),
            *(MemoryObject("local memory", size_bytes) for size_bytes in buffers),
        ]
        self.memory = Memory(objects)
        self.buffers = range(len(objects) - len(buffers), len(objects))
        self._copies = [(each, self.memory.bytes_of(n)) for n, each in enumerate(clusters)]
        self._places: dict[Region, int] = {}
        for number, (cluster, copy) in enumerate(self._copies):
            copy[:] = cluster.host_bytes()
            start = self.memory.starts[number]
            for region in cluster.regions:
                self._places[region] = start + region.address - cluster.begin
        tables_at = iter(range(len(clusters), len(objects)))
        self.values = [
            self._value(type_, value, tables_at) for type_, value in zip(types, values, strict=True)
        ]

    def copy_back(self) -> None:
        """Copy what the kernel wrote to the host memory."""
        for cluster, copy in self._copies:
            if any(region.is_writable for region in cluster.regions):
                cluster.host_bytes()[:] = copy

    def _value(self, type_: Ir, value: Value, tables: Iterator[int]) -> Value:
        """Return the argument that translated code takes."""
        if isinstance(value, Region):
            return np.int64(self._places[value] // pointee(type_).width)
        if isinstance(value, list):
            number = next(tables)
            pointers = [self._places[region] for region in value]
            self.memory.bytes_of(number).view(np.int64)[:] = pointers
            return np.int64(self.memory.starts[number] // 8)
        if str(type_).startswith("memref"):  # a null pointer
            return np.int64(value)
        # What is passed as an integer may be the bits of another type.
        scalar_type = scalar_type_named(str(type_))
        dtype = scalar_type.dtype
        is_same_size = isinstance(value, np.generic) and value.itemsize == dtype.itemsize
        stored = np.asarray(value).view(dtype) if is_same_size else np.asarray(value, dtype)
        return scalar_type.from_memory(stored)[()]


def _regions(value: Value) -> list[Region]:
    if isinstance(value, list):
        return value
    return [value] if isinstance(value, Region) else []


def _clusters(regions: Sequence[Region]) -> Iterator[_Cluster]:
    """Yield the connected components of regions that overlap."""
    members: list[Region] = []
    end = 0
    for region in sorted(set(regions), key=lambda one: (one.address, one.end)):
        if members and region.address >= end:
            yield _Cluster(tuple(members), members[0].address, end)
            members, end = [], 0
        members.append(region)
        end = max(end, region.end)
    if members:
        yield _Cluster(tuple(members), members[0].address, end)
