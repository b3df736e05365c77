# SPDX-License-Identifier: BSD-3-Clause
"""Maps the arguments of a kernel to the memory of the abstract machine.

The checks are those of a launch. Arrays that overlap in memory share one storage, so that
races between accesses through different arrays are found.
"""

from __future__ import annotations

import ctypes
import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from .._tinytc import describe_group_bounds
from ..dialects import tinytc
from ..errors import ArgumentError, describe
from ..runtime.arrays.array_view import ArrayView, NoArray
from ..runtime.arrays.overlaps import StagingError, check_overlaps
from ..runtime.arrays.staging import Staging
from ..runtime.bounds.launch_values import Counts
from ..runtime.interpreted import InterpretedMemory
from ..runtime.launches.arguments import Part, PointerTable, Signature
from ..runtime.manifest import (
    Argument,
    GroupArgument,
    KernelInfo,
    MemrefArgument,
    ScalarArgument,
    group_bounds_from_json,
)
from ..runtime.protocol import KernelArgument, Pointer
from ..scalars import SCALAR_TYPES, ScalarType, scalar_type_named
from ..shapes import extent
from .kernel import element_type
from .machine import Geometry
from .memory import GroupValue, MemrefValue, Storage
from .rounding import Array, round_to
from .untyped import Ir

_VIEWS = ("tinytc.expand", "tinytc.fuse", "tinytc.subview")


def kernel_info(func: Ir, geometry: Geometry) -> KernelInfo:
    """Return the signature of a kernel that no pass has changed.

    Args:
        func: the `tinytc.func`.
        geometry: the work-group's size.
    """
    block = func.body.blocks[0]
    arguments = tuple(_argument(n, argument) for n, argument in enumerate(block.arguments))
    return KernelInfo(
        func.sym_name.value,
        arguments,
        (*geometry.work_group_size, 1),
        geometry.subgroup_size,
        **group_bounds_from_json(describe_group_bounds(func.operation), arguments),
    )


class CheckedLaunch(NamedTuple):
    """What a launch has been checked to be.

    Args:
        given: the arguments in the order of the parameters.
        parts: the arguments in the order of the ABI, as `Signature.parts` returns them.
        counts: number of work-groups in three modes.
        extra: what the number of groups adds to the arguments.
        copies: copies of arrays in the order of the kernel, None if all have it.
    """

    given: list[Any]
    parts: list[Part]
    counts: Counts
    extra: list[int]
    copies: Staging | None

    def finish(self) -> None:
        """Copy what the kernel wrote to arrays of another order."""
        if self.copies is not None:
            self.copies.copy_back()


def check_launch(
    info: KernelInfo, values: Sequence[Any] | Mapping[str, Any], groups: object
) -> CheckedLaunch:
    """Check a launch as the runtime does.

    Args:
        info: the kernel's signature.
        values: arguments by position or by name, as for a launch.
        groups: number of groups, as for a launch.

    Raises:
        ArgumentError: an argument is missing, surplus, or does not fit its parameter, or there are
            more groups than fit the arrays.
    """
    if not isinstance(values, (Mapping, list, tuple)):
        raise ArgumentError(
            f"{info.name}: expected a list of arguments, or a mapping, got {describe(values)}"
        )
    signature = Signature(info, checks_sizes=False)
    given = signature.ordered([values] if isinstance(values, Mapping) else values, {})
    parts = signature.parts(given, {})
    counts, extra = work_groups(signature, groups, parts)
    return CheckedLaunch(given, parts, counts, extra, _arranged(info, parts))


def _arranged(info: KernelInfo, parts: Sequence[Part]) -> Staging | None:
    """Copy arrays in the order of the kernel where they have another; views show the copies."""
    tables = (part.views for part in parts if isinstance(part, PointerTable))
    views = [part for part in parts if isinstance(part, ArrayView)]
    views += [view for table in tables for view in table]
    for view in views:  # what a kernel writes is not known before it runs
        if view.argument is not None and view.is_writable:
            view.argument = dataclasses.replace(view.argument, access="read_write")
    rearranged = [view for view in views if view.is_rearranged]
    if not rearranged:
        return None
    try:
        check_overlaps([view for view in views if view.memory is None])
        copies = Staging(rearranged, InterpretedMemory)
    except StagingError as error:
        name = None if error.view.argument is None else error.view.argument.name
        message = f"{info.name}: argument {name!r}: {error}"
        raise ArgumentError(message, argument=name) from None
    for view, pointer in zip(rearranged, copies.pointers, strict=True):
        view.address = pointer.address
    return copies


def bind_arguments(
    info: KernelInfo, values: Sequence[Any] | Mapping[str, Any], groups: object
) -> tuple[list[Any], CheckedLaunch]:
    """Return the arguments as values of the abstract machine, and the checked launch.

    Args:
        info: the kernel's signature.
        values: arguments by position or by name, as for a launch.
        groups: number of groups, as for a launch.

    Raises:
        ArgumentError: an argument is missing, surplus, or does not fit its parameter, or there are
            more groups than fit the arrays.
    """
    checked = check_launch(info, values, groups)
    parts = iter(checked.parts)
    regions: list[_Region] = []
    bound = []
    for argument, value in zip(info.arguments, checked.given, strict=True):
        bound.append(_bind(argument, value, parts, regions))
    storages = _storages(regions)
    return [_resolve(value, storages) for value in bound], checked


def abi_values(info: KernelInfo, arguments: Sequence[KernelArgument]) -> list[Any]:
    """Return the arguments of a kernel's ABI as values of the abstract machine.

    Args:
        info: the kernel's signature.
        arguments: numbers, and pointers to memory of the host.
    """
    words = iter(arguments)
    regions: list[_Region] = []
    bound = [_bind_abi(argument, words, regions) for argument in info.arguments]
    storages = _storages(regions)
    return [_resolve(value, storages) for value in bound]


def _bind_abi(argument: Argument, words: Iterator[KernelArgument], regions: list[_Region]) -> Any:
    """Return a scalar, a region, or the list of a group's regions; note the regions."""
    first = next(words)
    if isinstance(argument, ScalarArgument):
        scalar_type = SCALAR_TYPES[argument.type]
        found = np.frombuffer(bytes(cast("Any", first)), scalar_type.dtype)
        return scalar_type.value_dtype.type(scalar_type.from_memory(found)[0])
    unknown = (*argument.shape, *argument.stride).count(None)
    if not isinstance(argument, GroupArgument):
        if not isinstance(first, Pointer):
            return _without_array(argument, words)
        region = _abi_region(argument, first.address, [_integer(words) for _ in range(unknown)])
        regions.append(region)
        return region
    tables = [next(words) for _ in range(unknown)]
    size = _integer(words) if argument.size is None else argument.size
    offset = _integer(words) if argument.offset is None else argument.offset
    if not isinstance(first, Pointer):
        return GroupValue((), is_associated=False)
    shift_bytes = offset * SCALAR_TYPES[argument.element_type].dtype.itemsize
    dope = [_table(table, size) for table in tables]
    members = []
    for number, pointer in enumerate(_table(first, size)):
        sizes = [int(entries[number]) for entries in dope]
        region = _abi_region(argument, int(pointer.view(np.uint64)) + shift_bytes, sizes)
        members.append(dataclasses.replace(region, name=f"member {number} of {region.name}"))
    regions += members
    return members


def _integer(words: Iterator[KernelArgument]) -> int:
    return int(cast("ctypes.c_longlong", next(words)).value)


def _table(pointer: KernelArgument, size: int) -> npt.NDArray[np.int64]:
    """Return the integers that a pointer points to."""
    assert isinstance(pointer, Pointer)
    return _bytes(pointer.address, pointer.address + 8 * size).view(np.int64)


def _abi_region(argument: MemrefArgument, address: int, dope: Sequence[int]) -> _Region:
    shape, stride = _layout_of(argument, dope)
    name = f"argument '{argument.name}'"
    # That the kernel writes no read-only array, the launch has checked.
    return _Region(name, SCALAR_TYPES[argument.element_type], address, shape, stride, True)


def work_groups(
    signature: Signature, groups: object, parts: Sequence[Part]
) -> tuple[Counts, list[int]]:
    """Return the number of work-groups in three modes, and what it adds to the arguments.

    Args:
        signature: the kernel's parameters.
        groups: number of groups, as for a launch.
        parts: the checked arguments.

    Raises:
        ArgumentError: a number of groups is not a positive integer, or there are more groups than
            fit the arrays.
    """
    total, local, extra = signature.ranges(groups, parts)
    x, y, z = (count // size for count, size in zip(total, local, strict=True))
    return (x, y, z), [cast("ctypes.c_longlong", each).value for each in extra]


@dataclasses.dataclass(frozen=True)
class _Region:
    """A memref argument, or member of a group, before it has a storage.

    Args:
        name: what a message calls the memory.
        scalar_type: element type.
        address: address of the first element.
        shape: sizes of the modes.
        stride: strides in elements.
        is_writable: whether the caller lets the kernel write.
    """

    name: str
    scalar_type: ScalarType
    address: int
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    is_writable: bool

    @property
    def end(self) -> int:
        """Address after the last element."""
        return self.address + extent(self.shape, self.stride) * self.scalar_type.dtype.itemsize


def _argument(number: int, argument: Ir) -> Argument:
    """Return what the manifest says about a parameter."""
    location, type_ = argument.location, argument.type
    name = location.name_str if location.is_a_name() else str(number)
    if isinstance(type_, tinytc.GroupType):
        memref = type_.memref_type
        found: MemrefArgument = GroupArgument(
            name, *_layout(memref), "read", size=type_.size, offset=type_.offset
        )
        return dataclasses.replace(found, optional=_is_optional(argument))
    if isinstance(type_, tinytc.MemrefType):
        found = MemrefArgument(name, *_layout(type_), "read")
        return dataclasses.replace(found, optional=_is_optional(argument))
    return ScalarArgument(name, scalar_type_named(str(type_)).name)


def _is_optional(value: Ir) -> bool:
    """Return whether a kernel asks if there is memory behind a parameter or its views."""
    users = [use.owner for use in value.uses]
    return any(
        user.name == "tinytc.associated" or (user.name in _VIEWS and _is_optional(user.results[0]))
        for user in users
    )


def _layout(memref: Ir) -> tuple[str, tuple[int | None, ...], tuple[int | None, ...]]:
    return element_type(memref).name, tuple(memref.shape), tuple(memref.stride)


def _bind(argument: Argument, value: Any, parts: Iterator[Any], regions: list[_Region]) -> Any:
    """Return a scalar, a region, or the list of a group's regions; note the regions."""
    part = next(parts)
    if isinstance(argument, ScalarArgument):
        scalar_type = SCALAR_TYPES[argument.type]
        return scalar_type.value_dtype.type(round_to(scalar_type, value))
    if isinstance(part, NoArray):
        return _without_array(argument, parts)
    if isinstance(argument, GroupArgument):
        if argument.size is None:
            next(parts)
        offset = next(parts).value if argument.offset is None else argument.offset
        members = list(_members(argument, part, offset))
        regions += members
        return members
    dope = [next(parts).value for entry in (*argument.shape, *argument.stride) if entry is None]
    region = _region(argument, part, part.address, dope)
    regions.append(region)
    return region


def _without_array(argument: MemrefArgument, parts: Iterator[Any]) -> Any:
    """Return a memref or a group without memory, for None."""
    if isinstance(argument, GroupArgument):
        for _ in range((argument.size, argument.offset).count(None)):
            next(parts)
        return GroupValue((), is_associated=False)
    dope = [next(parts).value for entry in (*argument.shape, *argument.stride) if entry is None]
    shape, stride = _layout_of(argument, dope)
    scalar_type = SCALAR_TYPES[argument.element_type]
    name = f"argument '{argument.name}'"
    storage = Storage(np.empty(0, scalar_type.dtype), scalar_type, "global", name)
    return MemrefValue(storage, 0, shape, stride, scalar_type, is_associated=False)


def _layout_of(
    argument: MemrefArgument, dope: Sequence[int]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return sizes and strides, given the values of the `?`."""
    values = iter(dope)
    shape = tuple(next(values) if size is None else size for size in argument.shape)
    return shape, tuple(next(values) if step is None else step for step in argument.stride)


def _members(argument: GroupArgument, table: PointerTable, offset: int) -> Iterator[_Region]:
    """Yield what a load from each member of a group returns."""
    shift_bytes = offset * SCALAR_TYPES[argument.element_type].dtype.itemsize
    pointers = table.pointers([view.address for view in table.views])
    for number, pointer in enumerate(pointers):
        view = table.views[number] if len(table.views) > 1 else table.views[0]
        dope = [int(entries[number]) for entries in table.dope]
        region = _region(argument, view, int(pointer) + shift_bytes, dope)
        yield dataclasses.replace(region, name=f"member {number} of {region.name}")


def _region(
    argument: MemrefArgument, view: ArrayView, address: int, dope: Sequence[int]
) -> _Region:
    """Return the memory of an argument, given the values of its `?`."""
    shape, stride = _layout_of(argument, dope)
    name = f"argument '{argument.name}'"
    if view.memory is not None:
        raise ArgumentError(
            f"{name}: expected an array in host memory, got one in USM", argument=argument.name
        )
    scalar_type = SCALAR_TYPES[argument.element_type]
    assert isinstance(view.array, np.ndarray)
    return _Region(name, scalar_type, address, shape, stride, view.array.flags.writeable)


def _storages(regions: Sequence[_Region]) -> dict[_Region, tuple[Storage, int]]:
    """Return storage and first element of every region; regions that overlap share one."""
    result: dict[_Region, tuple[Storage, int]] = {}
    for cluster in _clusters(regions):
        begin, end = cluster[0].address, max(region.end for region in cluster)
        scalar_type = cluster[0].scalar_type
        flat = _memory(begin, end, scalar_type)
        flat.flags.writeable = any(region.is_writable for region in cluster)
        name = " and ".join(dict.fromkeys(region.name for region in cluster))
        storage = Storage(flat, scalar_type, "global", name)
        for region in cluster:
            itemsize = scalar_type.dtype.itemsize
            result[region] = (storage, (region.address - begin) // itemsize)
    return result


def _clusters(regions: Sequence[_Region]) -> Iterator[list[_Region]]:
    """Yield the regions of one element type in connected components of overlapping ones."""
    cluster: list[_Region] = []
    end = 0
    for region in sorted(regions, key=lambda one: (one.scalar_type.name, one.address)):
        if cluster and (region.scalar_type is not cluster[0].scalar_type or region.address >= end):
            yield cluster
            cluster, end = [], 0
        cluster.append(region)
        end = max(end, region.end)
    if cluster:
        yield cluster


def _memory(begin: int, end: int, scalar_type: ScalarType) -> Array:
    """Return the elements between two addresses; the caller keeps the memory alive."""
    dtype = scalar_type.dtype
    if begin == end:
        return np.empty(0, dtype)
    return _bytes(begin, end).view(dtype)


def _bytes(begin: int, end: int) -> Array:
    """Return the bytes between two addresses; the caller keeps the memory alive."""
    memory: Array = np.asarray((ctypes.c_uint8 * (end - begin)).from_address(begin))
    return memory


def _resolve(value: Any, storages: Mapping[_Region, tuple[Storage, int]]) -> Any:
    """Return the value of the abstract machine for what `_bind` returned."""
    if isinstance(value, list):
        return GroupValue(tuple(_resolve(member, storages) for member in value))
    if not isinstance(value, _Region):
        return value
    storage, offset = storages[value]
    return MemrefValue(storage, offset, value.shape, value.stride, value.scalar_type)
