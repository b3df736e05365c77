# SPDX-License-Identifier: BSD-3-Clause
"""What the ABI of a kernel wants for the arguments of a launch.

A kernel of the gpu stage takes numbers, pointers, and pointers to pointers: here numbers,
regions of host memory, and lists of these.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...runtime.arrays.array_view import NoArray
from ...runtime.arrays.host_arrays import address_of
from ...runtime.launches.arguments import PointerTable
from ...runtime.manifest import GroupArgument, KernelInfo, MemrefArgument, ScalarArgument
from ...scalars import SCALAR_TYPES
from ...shapes import extent
from ..arguments import CheckedLaunch, check_launch
from ..rounding import Array, round_to


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

    @property
    def end(self) -> int:
        """Address after the last element."""
        if 0 in self.shape:
            return self.address
        return self.address + (self.offset + extent(self.shape, self.stride)) * self.itemsize

    def mark(self, used: Array) -> None:
        """Set the bytes of all elements in an array of bytes that begins at the pointer."""
        elements = used[: self.end - self.address].reshape(-1, self.itemsize)
        index = np.array(self.offset)
        for size, stride in zip(self.shape, self.stride, strict=True):
            index = index[..., None] + np.arange(size) * stride
        elements[index.reshape(-1)] = True


Value = Any
"""What a parameter of the ABI gets: a number, a Region, or a list of regions."""


def abi_values(
    info: KernelInfo, given: Sequence[Any] | Mapping[str, Any], groups: object
) -> tuple[list[Value], CheckedLaunch]:
    """Return what the ABI wants for arguments of the language, and the checked launch.

    Args:
        info: the kernel's signature.
        given: arguments by position or by name, as for a launch.
        groups: number of groups, as for a launch.

    Raises:
        ArgumentError: an argument is missing, surplus, or does not fit its parameter, or there are
            more groups than fit the arrays.
    """
    checked = check_launch(info, given, groups)
    parts: Iterator[Any] = iter(checked.parts)
    values: list[Value] = []
    for argument, given_value in zip(info.arguments, checked.given, strict=True):
        part = next(parts)
        if isinstance(argument, ScalarArgument):
            scalar_type = SCALAR_TYPES[argument.type]
            values.append(scalar_type.to_memory(round_to(scalar_type, given_value)))
        elif isinstance(part, NoArray):
            zeros = len(_tail(argument))
            values += [0] * part.pointers + [next(parts).value for _ in range(zeros)]
        elif isinstance(argument, GroupArgument):
            values += _group_values(argument, part, parts)
        else:
            dope = [next(parts).value for _ in _unknown(argument)]
            values += [_region(argument, part, part.address, dope), *dope]
    return values + checked.extra, checked


def raw_values(given: Sequence[Any]) -> list[Value]:
    """Return what the ABI wants for numbers, arrays, and lists of arrays.

    >>> [type(value).__name__ for value in raw_values([2, np.zeros(3)])]
    ['int', 'Region']
    """
    return [_raw_value(f"argument {number}", each) for number, each in enumerate(given)]


def _raw_value(name: str, given: Any) -> Value:
    if isinstance(given, list):
        return [_raw_value(f"member {n} of {name}", each) for n, each in enumerate(given)]
    return _region_of_array(name, given) if np.ndim(given) else given


def _region_of_array(name: str, array: Array) -> Region:
    stride = tuple(step // array.itemsize for step in array.strides)
    is_writable = array.flags.writeable
    return Region(
        name, address_of(array), array.itemsize, array.shape, stride, 0, is_writable, array
    )


def _unknown(argument: MemrefArgument) -> list[None]:
    """Return one entry for each `?` of the shape and the strides."""
    return [entry for entry in (*argument.shape, *argument.stride) if entry is None]


def _tail(argument: MemrefArgument) -> list[None]:
    """Return one entry for each number after the pointers."""
    if not isinstance(argument, GroupArgument):
        return _unknown(argument)
    return [entry for entry in (argument.size, argument.offset) if entry is None]


def _region(
    argument: MemrefArgument, view: Any, address: int, dope: Sequence[int], offset: int = 0
) -> Region:
    """Return the memory of an argument, given the values of its `?`."""
    known = iter(dope)
    shape = tuple(next(known) if size is None else size for size in argument.shape)
    stride = tuple(next(known) if step is None else step for step in argument.stride)
    itemsize = SCALAR_TYPES[argument.element_type].size_bytes
    name = f"argument '{argument.name}'"
    return Region(name, address, itemsize, shape, stride, offset, view.is_writable, view.array)


def _group_values(
    argument: GroupArgument, table: PointerTable, parts: Iterator[Any]
) -> Iterator[Value]:
    """Yield the pointers, the tables of sizes, the number of members and the offset."""
    tail = [next(parts).value for entry in (argument.size, argument.offset) if entry is None]
    offset = tail[-1] if argument.offset is None else argument.offset
    pointers = table.pointers([view.address for view in table.views])
    members = []
    for number, pointer in enumerate(pointers):
        view = table.views[number] if len(table.views) > 1 else table.views[0]
        dope = [int(entries[number]) for entries in table.dope]
        region = _region(argument, view, int(pointer), dope, offset)
        members.append(dataclasses.replace(region, name=f"member {number} of {region.name}"))
    yield members
    for entries in table.dope:
        sizes = np.ascontiguousarray(entries)
        yield _region_of_array(f"sizes of argument '{argument.name}'", sizes)
    yield from tail
