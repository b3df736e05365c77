# SPDX-License-Identifier: BSD-3-Clause
"""Copies of the arguments of a launch in the memory of the checker, and pointers to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..errors import ArgumentError
from ..reference.arithmetic import Arithmetic
from ..reference.regions import Cluster, Region, clusters
from ..reference.rounding import Array
from ..reference.untyped import Ir
from ..scalars import scalar_type_named
from .arguments import Value
from .memory import Memory, MemoryObject
from .memory_ops import pointee


def _memory_object(cluster: Cluster) -> MemoryObject:
    """Return what the checker knows of the memory of regions."""
    used = np.zeros(cluster.end - cluster.begin, bool)
    for region in cluster.regions:
        region.mark(used[region.address - cluster.begin :])
    itemsize = cluster.regions[0].itemsize
    return MemoryObject(cluster.name, len(used), itemsize, None if used.all() else used)


class ArgumentMemory:
    """The arguments of a launch in memory.

    Args:
        types: types of the kernel's parameters.
        values: what the ABI wants for them.
        buffers: sizes of the buffers of local memory in bytes; they come last in memory.
        constants: the elements of the program's constants.
        arithmetic: what numbers are.

    Raises:
        ArgumentError: the number of values is not that of the parameters.
    """

    def __init__(
        self,
        types: Sequence[Any],
        values: Sequence[Value],
        buffers: Sequence[int],
        constants: Sequence[Array],
        arithmetic: Arithmetic,
    ) -> None:
        self._arithmetic = arithmetic
        if len(types) != len(values):
            raise ArgumentError(f"expected {len(types)} values of the ABI, got {len(values)}")
        memories = list(clusters([each for value in values for each in _regions(value)]))
        tables = [value for value in values if isinstance(value, list)]
        objects = [
            *(_memory_object(cluster) for cluster in memories),
            *(MemoryObject("a table of pointers", 8 * len(table), 8) for table in tables),
            *(MemoryObject("a constant", each.nbytes, each.itemsize) for each in constants),
            *(MemoryObject("local memory", size_bytes) for size_bytes in buffers),
        ]
        self.memory = Memory(objects)
        self.buffers = range(len(objects) - len(buffers), len(objects))
        first = len(memories) + len(tables)
        self.constants = range(first, first + len(constants))
        for number, each in zip(self.constants, constants, strict=True):
            self.memory.bytes_of(number)[:] = each.view(np.uint8)
        self._copies = [(each, self.memory.bytes_of(n)) for n, each in enumerate(memories)]
        self._places: dict[Region, int] = {}
        for number, (cluster, copy) in enumerate(self._copies):
            copy[:] = cluster.host_bytes()
            start = self.memory.starts[number]
            for region in cluster.regions:
                self._places[region] = start + region.address - cluster.begin
        tables_at = iter(range(len(memories), first))
        self.values = [
            self._value(type_, value, tables_at) for type_, value in zip(types, values, strict=True)
        ]

    def copy_back(self) -> None:
        """Copy what the kernel wrote to the host memory."""
        for cluster, copy in self._copies:
            if cluster.is_writable:
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
        if not isinstance(value, np.generic) or value.itemsize != dtype.itemsize:
            value = self._arithmetic.constant(scalar_type, value)
            value = self._arithmetic.to_memory(scalar_type, value)
        stored = np.asarray(value).view(dtype)
        return np.asarray(self._arithmetic.from_memory(scalar_type, stored))[()]


def _regions(value: Value) -> list[Region]:
    if isinstance(value, list):
        return value
    return [value] if isinstance(value, Region) else []
