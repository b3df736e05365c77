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
from ..runtime.kernel_info import (
    Argument,
    GroupArgument,
    KernelInfo,
    MemrefArgument,
    ScalarArgument,
)
from ..runtime.launches.arguments import Part, PointerTable, Signature
from ..runtime.manifest_reader import group_bounds_from_json
from ..runtime.protocol import KernelArgument, Pointer
from ..scalars import SCALAR_TYPES, scalar_type_named
from .arithmetic import NUMPY, Arithmetic
from .kernel import element_type
from .machine import Geometry
from .memory import GroupValue, MemrefValue, Storage
from .regions import Region, clusters, host_bytes
from .rounding import round_to
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
    """A checked launch.

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


def _views(parts: Sequence[Part]) -> list[ArrayView]:
    """Return the arrays among the arguments of a launch, and in their groups."""
    tables = (part.views for part in parts if isinstance(part, PointerTable))
    views = [part for part in parts if isinstance(part, ArrayView)]
    return views + [view for table in tables for view in table]


def _arranged(info: KernelInfo, parts: Sequence[Part]) -> Staging | None:
    """Copy arrays in the order of the kernel where they have another; views show the copies."""
    views = _views(parts)
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


@dataclasses.dataclass(frozen=True)
class Passed:
    """The values that a launch passes for one argument.

    Args:
        argument: the parameter.
        value: a number; a region; those of the members of a group; None without an array.
        pointers: number of null pointers in place of an array, and of the tables of a group.
        dope: sizes and strides that the parameter leaves open; tables of them for a group.
        tail: size and offset of a group, where the parameter leaves them open.
    """

    argument: Argument
    value: Any
    pointers: int = 0
    dope: Sequence[Any] = ()
    tail: Sequence[int] = ()


def passed(info: KernelInfo, checked: CheckedLaunch) -> Iterator[Passed]:
    """Yield what a checked launch passes for each argument."""
    parts: Iterator[Any] = iter(checked.parts)
    for argument, given in zip(info.arguments, checked.given, strict=True):
        part = next(parts)
        if isinstance(argument, ScalarArgument):
            yield Passed(argument, round_to(SCALAR_TYPES[argument.type], given))
            continue
        pointers = part.pointers if isinstance(part, NoArray) else 0
        if isinstance(argument, GroupArgument):
            tail = [next(parts).value for _ in range((argument.size, argument.offset).count(None))]
            if pointers:
                yield Passed(argument, None, pointers, tail=tail)
            else:
                offset = tail[-1] if argument.offset is None else argument.offset
                yield Passed(argument, _members(argument, part, offset), 0, part.dope, tail)
        else:
            dope = [next(parts).value for _ in range(_unknown(argument))]
            value = None if pointers else _region(argument, part, part.address, dope)
            yield Passed(argument, value, pointers, dope)


def bind_arguments(
    info: KernelInfo,
    values: Sequence[Any] | Mapping[str, Any],
    groups: object,
    arithmetic: Arithmetic = NUMPY,
) -> tuple[list[Any], CheckedLaunch]:
    """Return the arguments as values of the abstract machine, and the checked launch.

    Args:
        info: the kernel's signature.
        values: arguments by position or by name, as for a launch.
        groups: number of groups, as for a launch.
        arithmetic: what numbers are.

    Raises:
        ArgumentError: an argument is missing, surplus, or does not fit its parameter, or there are
            more groups than fit the arrays.
    """
    checked = check_launch(info, values, groups)
    for view in _views(checked.parts):
        if view.memory is not None:
            name = None if view.argument is None else view.argument.name
            message = f"argument '{name}': expected an array in host memory, got one in USM"
            raise ArgumentError(message, argument=name)
    return _values(list(passed(info, checked)), arithmetic), checked


def abi_values(info: KernelInfo, arguments: Sequence[KernelArgument]) -> list[Any]:
    """Return the arguments of a kernel's ABI as values of the abstract machine.

    Args:
        info: the kernel's signature.
        arguments: numbers, and pointers to memory of the host.
    """
    words = iter(arguments)
    return _values([_passed_in_abi(argument, words) for argument in info.arguments])


def _passed_in_abi(argument: Argument, words: Iterator[KernelArgument]) -> Passed:
    """Return what the words of the ABI pass for an argument."""
    first = next(words)
    if isinstance(argument, ScalarArgument):
        scalar_type = SCALAR_TYPES[argument.type]
        found = np.frombuffer(bytes(cast("Any", first)), scalar_type.dtype)
        return Passed(argument, scalar_type.from_memory(found)[0])
    if not isinstance(argument, GroupArgument):
        dope = [_integer(words) for _ in range(_unknown(argument))]
        if not isinstance(first, Pointer):
            return Passed(argument, None, 1, dope)
        return Passed(argument, _region_at(argument, first.address, dope), 0, dope)
    tables = [next(words) for _ in range(_unknown(argument))]
    size = _integer(words) if argument.size is None else argument.size
    offset = _integer(words) if argument.offset is None else argument.offset
    if not isinstance(first, Pointer):
        return Passed(argument, None, 1 + len(tables))
    entries = [_table(table, size) for table in tables]
    members = []
    for number, pointer in enumerate(_table(first, size)):
        sizes = [int(table[number]) for table in entries]
        region = _region_at(argument, int(pointer.view(np.uint64)), sizes, offset)
        members.append(dataclasses.replace(region, name=f"member {number} of {region.name}"))
    return Passed(argument, members)


def _integer(words: Iterator[KernelArgument]) -> int:
    return int(cast("ctypes.c_longlong", next(words)).value)


def _table(pointer: KernelArgument, size: int) -> npt.NDArray[np.int64]:
    """Return the integers that a pointer points to."""
    assert isinstance(pointer, Pointer)
    return host_bytes(pointer.address, pointer.address + 8 * size).view(np.int64)


def work_groups(
    signature: Signature, groups: object, parts: Sequence[Part]
) -> tuple[Counts, list[int]]:
    """Return the number of work-groups in three modes, and what it adds to the arguments.

    Args:
        signature: the kernel's parameters.
        groups: number of groups, as for a launch.
        parts: the checked arguments.

    Raises:
        ArgumentError: a number of groups is not a natural number, or there are more groups than
            fit the arrays.
    """
    total, local, extra = signature.ranges(groups, parts)
    x, y, z = (count // size for count, size in zip(total, local, strict=True))
    return (x, y, z), [cast("ctypes.c_longlong", each).value for each in extra]


def _argument(number: int, argument: Ir) -> Argument:
    """Return what the manifest says about a parameter."""
    location, type_ = argument.location, argument.type
    name = location.name_str if location.is_a_name() else f"arg{number}"
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


def _unknown(argument: MemrefArgument) -> int:
    """Return the number of `?` of the shape and the strides."""
    return (*argument.shape, *argument.stride).count(None)


def _layout_of(
    argument: MemrefArgument, dope: Sequence[int]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return sizes and strides, given the values of the `?`."""
    values = iter(dope)
    shape = tuple(next(values) if size is None else size for size in argument.shape)
    return shape, tuple(next(values) if step is None else step for step in argument.stride)


def _members(argument: GroupArgument, table: PointerTable, offset: int) -> list[Region]:
    """Return the memory of the members of a group."""
    pointers = table.pointers([view.address for view in table.views])
    members = []
    for number, pointer in enumerate(pointers):
        view = table.views[number] if len(table.views) > 1 else table.views[0]
        dope = [int(entries[number]) for entries in table.dope]
        region = _region(argument, view, int(pointer), dope, offset)
        members.append(dataclasses.replace(region, name=f"member {number} of {region.name}"))
    return members


def _region(
    argument: MemrefArgument, view: ArrayView, address: int, dope: Sequence[int], offset: int = 0
) -> Region:
    """Return the memory of an argument, given the values of its `?`."""
    region = _region_at(argument, address, dope, offset)
    array = view.array  # asked itself: a view of an array that is only read says nothing of this
    writable = array.flags.writeable if isinstance(array, np.ndarray) else view.is_writable
    return dataclasses.replace(region, is_writable=writable, owner=array)


def _region_at(
    argument: MemrefArgument, address: int, dope: Sequence[int], offset: int = 0
) -> Region:
    itemsize = SCALAR_TYPES[argument.element_type].size_bytes
    name = f"argument '{argument.name}'"
    return Region(name, address, itemsize, *_layout_of(argument, dope), offset)


def _values(found: Sequence[Passed], arithmetic: Arithmetic = NUMPY) -> list[Any]:
    """Return what is passed as values of the abstract machine."""
    places = _places(found)
    return [_value(each, places, arithmetic) for each in found]


def _places(found: Sequence[Passed]) -> dict[Region, tuple[Storage, int]]:
    """Return storage and first element of every region; those of one type that overlap share it."""
    by_type: dict[str, list[Region]] = {}
    for each in found:
        if isinstance(each.argument, MemrefArgument):
            by_type.setdefault(each.argument.element_type, []).extend(_regions(each.value))
    result: dict[Region, tuple[Storage, int]] = {}
    for name, regions in by_type.items():
        scalar_type = SCALAR_TYPES[name]
        moved = {dataclasses.replace(each, address=each.begin, offset=0): each for each in regions}
        for cluster in clusters(moved):
            flat = cluster.host_bytes().view(scalar_type.dtype)
            flat.flags.writeable = cluster.is_writable
            storage = Storage(flat, scalar_type, "global", cluster.name)
            for region in cluster.regions:
                first = (region.address - cluster.begin) // region.itemsize
                result[moved[region]] = (storage, first)
    return result


def _regions(value: Any) -> list[Region]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _value(
    passed: Passed, places: Mapping[Region, tuple[Storage, int]], arithmetic: Arithmetic
) -> Any:
    argument, value = passed.argument, passed.value
    if isinstance(argument, ScalarArgument):
        return arithmetic.argument(SCALAR_TYPES[argument.type], value)
    scalar_type = SCALAR_TYPES[argument.element_type]

    def memref(region: Region) -> MemrefValue:
        return MemrefValue(*places[region], region.shape, region.stride, scalar_type)

    if isinstance(argument, GroupArgument):
        return GroupValue(tuple(map(memref, value or ())), is_associated=value is not None)
    if value is not None:
        return memref(value)
    name = f"argument '{argument.name}'"
    storage = Storage(np.empty(0, scalar_type.dtype), scalar_type, "global", name)
    layout = _layout_of(argument, passed.dope)
    return MemrefValue(storage, 0, *layout, scalar_type, is_associated=False)
