# SPDX-License-Identifier: BSD-3-Clause
"""Checks the arguments of a launch against the manifest and puts them in ABI order.

`Signature` is what launches call. Memory is only described here (`ArrayView`, `PointerTable`); the
runtime turns descriptions into device pointers. Nothing here needs a device.
"""

from __future__ import annotations

import ctypes
import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, SupportsIndex, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from ...errors import ArgumentError, describe
from ...shapes import INT64_MAX
from ..arrays.array_view import ArrayView, NoArray
from ..arrays.host_arrays import check_distinct, view_of
from ..arrays.layouts import MemrefChecker
from ..bounds.group_check import GroupCheck
from ..bounds.launch_values import ONE_GROUP, Counts
from ..bounds.overlap_check import OverlapCheck
from ..bounds.plan import LaunchPlan
from ..bounds.size_check import SizeCheck
from ..bounds.unchecked import UncheckedUses
from ..kernel_info import GroupArgument, KernelInfo, MemrefArgument, ScalarArgument
from .integers import checked_integer, checked_integers
from .keywords import LAUNCH_OPTIONS, keyword_hint
from .packing import PackedScalar, packer

# A scalar, an array, or the members of a group.
Part: TypeAlias = "PackedScalar | ArrayView | PointerTable | NoArray"
# Number of groups of a launch, in up to three modes; None is the number that fits the arrays.
Groups: TypeAlias = SupportsIndex | Sequence[SupportsIndex] | None
# Devices count work-groups in 32 bits.
MAX_GROUPS = 2**31 - 1

PartsOf: TypeAlias = Callable[[object], Sequence[Part]]


def checked_counts(groups: object, least: int = 0) -> Counts:
    """Return the number of groups of a launch in x, y and z.

    Args:
        groups: what the caller gave, a natural number or one to three of them.
        least: the least number in each mode.

    Raises:
        ValueError: `expected ..., got ...`.

    >>> checked_counts(4), checked_counts((4, 2))
    ((4, 1, 1), (4, 2, 1))
    """
    counts = checked_integers(groups, "as number of groups", least, MAX_GROUPS)
    if not 1 <= len(counts) <= 3:
        raise ValueError(f"expected 1 to 3 numbers of groups, got {describe(groups)}")
    x, y, z = (*counts, 1, 1)[:3]
    return x, y, z


class Group(NamedTuple):
    """Arrays for a parameter of group type, with the values that a plain list cannot say.

    Args:
        members: one array for every element of the group; with an offset or shape, members may
            also be plain buffers, arrays of one mode.
        offset: elements between the start of each member and what a load returns; must be the
            group type's offset if that is a constant.
        shape: shape of what a load returns, needed if the offset is not 0 and modes are dynamic.

    >>> group = Group([np.zeros((20, 8), np.float32, order="F")], offset=4, shape=(16, 8))
    >>> len(group.members)
    1
    """

    members: Sequence[object]
    offset: int = 0
    shape: Sequence[int] | None = None


@dataclasses.dataclass(slots=True)
class PointerTable:
    """The pointers of a group and the tables of its dynamic sizes and strides.

    Args:
        views: memory that the pointers point into: a view per member, or one for all.
        offsets_bytes: offset of every pointer from its view's address; array of u64,
            (members,) or ().
        size: number of members.
        dope: for every `?` of the memref's shape and stride, a (members,) array of i64.
        offset_bytes: from where a pointer points to the member that begins there.
    """

    views: list[ArrayView]
    offsets_bytes: npt.NDArray[np.uint64] | np.uint64
    size: int
    dope: list[npt.NDArray[np.int64]]
    offset_bytes: int = 0

    def pointers(self, addresses: Sequence[int] | npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
        """Return the (members,) array of pointers as i64, given the views' addresses there."""
        result = np.empty(self.size, np.uint64)
        # GPUs have addresses of 2^63 and above.
        np.add(np.asarray(addresses, np.uint64), self.offsets_bytes, out=result)
        return result.view(np.int64)

    def member_bits(self, pointers: npt.NDArray[np.int64]) -> int:
        """Return all bits that are set in the address of any member."""
        begins = pointers + np.int64(self.offset_bytes) if self.offset_bytes else pointers
        return int(np.bitwise_or.reduce(begins))


class Signature:
    """The parameters of a kernel, ready to check launches quickly.

    Args:
        info: the kernel's entry of the manifest.
        checks_sizes: whether sizes must agree, and accessed elements exist. A debug build and the
            reference interpreter say more about them: where they are accessed. They find every
            access outside of arrays, and so does not warn of any.

    >>> info = KernelInfo("axpy", (ScalarArgument("alpha", "f32"),), (16, 1, 1), 16)
    >>> Signature(info).parts((2.0,), {})
    [c_float(2.0)]
    >>> Signature(info).parts((), {"alhpa": 2.0})
    Traceback (most recent call last):
        ...
    tinytc_mlir.errors.ArgumentError: axpy: unexpected argument 'alhpa'; did you mean 'alpha'?
    """

    def __init__(self, info: KernelInfo, *, checks_sizes: bool = True) -> None:
        self.info = info
        self._names = tuple(argument.name for argument in info.arguments)
        # A launch allocates them if they are not given.
        self._buffers = dict.fromkeys(
            a.name for a in info.arguments if isinstance(a, MemrefArgument) and a.buffer is not None
        )
        if self._buffers:  # whose sizes are those that the compiler's accesses need
            others = tuple(u for u in info.unchecked_uses if u.argument not in self._buffers)
            info = dataclasses.replace(info, unchecked_uses=others)
        self._checkers = tuple(parts_of(argument) for argument in info.arguments)
        self._work_group_size = math.prod(info.local_size)
        self._unchecked = unchecked = UncheckedUses(info.name) if checks_sizes else None
        plan = LaunchPlan(info)
        self._group_check = GroupCheck(info, plan, unchecked)
        self.overlap_check = None
        if checks_sizes and info.disjoint_blocks:
            self.overlap_check = OverlapCheck(info)
        self._size_check = None
        if unchecked is not None and not info.checks:
            self._size_check = SizeCheck(info, unchecked, plan)
        self.alignment_bytes = max(
            (a.alignment or 1 for a in info.arguments if isinstance(a, MemrefArgument)), default=1
        )

    def accept_unchecked(self) -> None:
        """Do not warn of accesses that launches cannot check, as the caller has checked them."""
        if self._unchecked is not None:
            self._unchecked.are_known = True

    def parts(self, values: Sequence[object], named: Mapping[str, object]) -> list[Part]:
        """Return what the kernel's ABI requires for these arguments, in its order.

        Args:
            values: arguments by position; the last may be a mapping with arguments by name.
            named: further arguments by name.

        Raises:
            ArgumentError: an argument is missing, surplus, or does not fit its parameter.
        """
        values = self.positional(values, named)
        result: list[Part] = []
        position = 0
        try:
            for position, checker in enumerate(self._checkers):
                result.extend(checker(values[position]))
        except ValueError as error:
            name = self._names[position]
            raise ArgumentError(
                f"{self.info.name}: argument {name!r}: {error}", argument=name
            ) from None
        if self._size_check is not None:
            self._size_check.check(result)
        return result

    def positional(self, values: Sequence[object], named: Mapping[str, object]) -> Sequence[object]:
        """Return the arguments in the order of the parameters, quickly if they have it already."""
        if not values and tuple(named) == self._names:
            return tuple(named.values())
        last = values[-1] if values else None
        if isinstance(last, Mapping):
            if len(values) == 1 and not named and tuple(last) == self._names:
                return tuple(last.values())
            return self.ordered(values, named)
        if named or len(values) != len(self._names):
            return self.ordered(values, named)
        return values

    def ranges(
        self, groups: object, parts: Sequence[Part]
    ) -> tuple[list[int], list[int], list[Part]]:
        """Return the global and the local range in work-items, and the parts that they add.

        Args:
            groups: number of groups, an integer or up to three of them; None is the number that
                fits the arrays.
            parts: what `parts` returned for the arguments.

        Raises:
            ArgumentError: a number of groups is not a natural number, there are too many, or more
                than fit the arrays; or arrays overlap.
        """
        counts = self.counts(groups, parts)
        if self.overlap_check is not None:
            self.overlap_check.check(parts, counts[0])
        local = list(self.info.local_size)
        packed = self.info.groups_per_work_group
        extra: list[Part] = [] if packed == 1 else [ctypes.c_longlong(counts[0])]
        work_groups = (-(-counts[0] // packed), *counts[1:])
        return [n * size for n, size in zip(work_groups, local, strict=True)], local, extra

    def counts(self, groups: object, parts: Sequence[Part]) -> Counts:
        """Return the number of groups in three modes; the arguments are those of `ranges`."""
        try:
            rules = self._group_check.rules(parts)
            if groups is None:
                groups = self._group_check.fitting(rules, parts)
            counts = ONE_GROUP if groups is ONE_GROUP else self._group_counts(groups)
            # A debug build reports the place of the access.
            if rules is not None and not (self.info.checks or 0 in counts):
                self._group_check.check(counts, rules)
        except ValueError as error:
            raise self._error(str(error), "groups") from None
        return counts

    def _group_counts(self, groups: object) -> Counts:
        if type(groups) is int and 0 <= groups <= MAX_GROUPS:  # the usual case, quickly
            return groups, 1, 1
        x, y, z = checked_counts(groups)
        work_items = x * y * z * self._work_group_size
        if work_items > INT64_MAX:
            raise ValueError(f"expected at most {INT64_MAX} work-items, got {work_items}")
        return x, y, z

    def ordered(self, values: Sequence[object], named: Mapping[str, object]) -> list[object]:
        """Return the arguments in the order of the parameters.

        Args:
            values: arguments by position; the last may be a mapping with arguments by name.
            named: further arguments by name.

        Raises:
            ArgumentError: an argument is missing, surplus, or given twice.
        """
        last = values[-1] if values else None
        if isinstance(last, Mapping):
            values, named = values[:-1], self._merged(last, named)
        for name in named:
            if name not in self._names:
                raise self._error(
                    f"unexpected argument {name!r}{keyword_hint(name, self._names)}", name
                )
            if name in self._names[: len(values)]:
                raise self._error(f"argument {name!r} is given by position and by name", name)
        given = {
            **self._buffers,
            **dict(zip(self._names, values, strict=False)),
            **named,
        }
        missing = [name for name in self._names if name not in given]
        if missing or len(values) > len(self._names):
            count = len(values) + len(named)
            what = f"; missing: {', '.join(missing)}" if missing else ""
            hidden = next((name for name in missing if name in LAUNCH_OPTIONS), None)
            if hidden is not None:  # a keyword of this name says how to launch
                what += f"; pass {hidden!r} by position, or as {{{hidden!r}: ...}}"
            raise self._error(
                f"expected {len(self._names)} arguments ({', '.join(self._names)}), "
                f"got {count}{what}",
                missing[0] if missing else None,
            )
        return [given[name] for name in self._names]

    def _merged(
        self, mapped: Mapping[object, object], named: Mapping[str, object]
    ) -> dict[str, object]:
        """Return the arguments of a mapping and of keywords."""
        merged = dict(named)
        for name, value in mapped.items():
            if not isinstance(name, str):
                raise self._error(f"expected names of parameters, got {describe(name)}", None)
            if name in named:
                raise self._error(f"argument {name!r} is given twice by name", name)
            merged[name] = value
        return merged

    def _error(self, message: str, name: str | None) -> ArgumentError:
        return ArgumentError(f"{self.info.name}: {message}", argument=name)


def parts_of(argument: ScalarArgument | MemrefArgument) -> PartsOf:
    """Return what checks a value for a parameter and returns its parts; it raises ValueError."""
    if isinstance(argument, ScalarArgument):
        return _scalar_parts(argument)
    parts: PartsOf
    if isinstance(argument, GroupArgument):
        parts = _GroupChecker(argument).parts
    else:
        parts = _memref_parts(argument)
    return _or_none(argument, parts) if argument.optional else parts


def _or_none(argument: MemrefArgument, parts_of: PartsOf) -> PartsOf:
    """Return what also takes None, whose sizes and strides are 0."""
    unknown = (*argument.shape, *argument.stride).count(None)
    null, zeros = NoArray((0,) * len(argument.shape)), unknown
    if isinstance(argument, GroupArgument):
        null = dataclasses.replace(null, pointers=1 + unknown)
        zeros = (argument.size, argument.offset).count(None)
    without: Sequence[Part] = (null, *[ctypes.c_longlong(0)] * zeros)
    return lambda value: without if value is None else parts_of(value)


def _scalar_parts(argument: ScalarArgument) -> PartsOf:
    pack = packer(argument.type)
    return lambda value: (pack(value),)


def _memref_parts(argument: MemrefArgument) -> PartsOf:
    check = MemrefChecker(argument).check

    def parts(value: object) -> Sequence[Part]:
        view, dope = check(value)
        if not dope:
            return (view,)
        return (view, *map(ctypes.c_longlong, dope))

    return parts


class _GroupChecker:
    """Checks the argument for a parameter of group type."""

    def __init__(self, argument: GroupArgument) -> None:
        self._argument = argument
        self._memref = MemrefChecker(argument)

    def parts(self, value: object) -> Sequence[Part]:
        """Return the pointer table, and the number of members and the offset where dynamic."""
        group = self._group(value)
        table = self._table(group)
        table.offset_bytes = group.offset * self._memref.itemsize
        expected = self._argument.size
        if expected is not None and table.size != expected:
            raise ValueError(f"expected {expected} members, got {table.size}")
        result: list[Part] = [table]
        if expected is None:
            result.append(ctypes.c_longlong(table.size))
        if self._argument.offset is None:
            result.append(ctypes.c_longlong(group.offset))
        return result

    def _group(self, value: object) -> Group:
        fixed = self._argument.offset
        if not isinstance(value, Group):
            members = cast("Sequence[object]", value)  # what it is, `_table` finds out
            return Group(members, offset=fixed or 0)
        offset = checked_integer(value.offset, "as offset")
        if fixed is not None and offset != fixed:
            raise ValueError(f"expected offset {fixed}, got {offset}")
        if value.shape is None:
            return Group(value.members, offset)
        shape = checked_integers(value.shape, "as size in the group's shape")
        order = len(self._argument.shape)
        if len(shape) != order:
            raise ValueError(f"expected {order} sizes in the group's shape, got {len(shape)}")
        return Group(value.members, offset, shape)

    def _table(self, group: Group) -> PointerTable:
        members = group.members
        if isinstance(members, (list, tuple)):
            return self._table_of_list(members, group)
        order = len(self._argument.shape)
        view = view_of(members) if members is not None else None
        if view is None or len(view.shape) != order + 1:
            raise ValueError(
                f"expected a list of arrays, or one array of {order + 1} modes whose last mode "
                f"counts the members, got {describe(members)}"
            )
        return self._table_of_stack(view, group)

    def _table_of_list(self, members: Sequence[object], group: Group) -> PointerTable:
        views: list[ArrayView] = []
        dopes: list[tuple[int, ...]] = []
        for index, member in enumerate(members):
            try:
                view, dope = self._check_member(member, group)
            except ValueError as error:
                raise ValueError(f"member {index}: {error}") from None
            views.append(view)
            dopes.append(dope)
        unknown = (*self._argument.shape, *self._argument.stride).count(None)
        tables = np.array(dopes, np.int64).reshape(len(members), unknown).T
        return PointerTable(views, np.uint64(0), len(members), list(tables))

    def _table_of_stack(self, view: ArrayView, group: Group) -> PointerTable:
        size, stride = view.shape[-1], view.strides_bytes[-1]
        member = dataclasses.replace(
            view, shape=view.shape[:-1], strides_bytes=view.strides_bytes[:-1]
        )
        if size == 0:  # such arrays have any strides
            self._memref.check_elements(member)
            return self._table_of_list((), group)
        divisor = self._argument.alignment or self._memref.itemsize
        fits = stride >= 0 and (size == 1 or stride % divisor == 0)
        is_copied = view.memory is None
        if stride < 0 and not is_copied:
            raise ValueError(f"expected a last stride of at least 0 bytes, got {stride}")
        if not fits and not is_copied:
            raise ValueError(
                f"expected members at distances that are multiples of {divisor} bytes, got {stride}"
            )
        member, dope = self._check_view(member, group)
        view.argument = self._argument
        is_rearranged = member.is_rearranged or not fits
        if is_rearranged:
            check_distinct(view)
            stride = member.extent_bytes + -member.extent_bytes % divisor
        strides_bytes = (*member.strides_bytes, stride)
        view = dataclasses.replace(view, strides_bytes=strides_bytes, is_rearranged=is_rearranged)
        offsets_bytes = np.arange(size, dtype=np.uint64) * np.uint64(stride)
        return PointerTable([view], offsets_bytes, size, [np.full(size, d, np.int64) for d in dope])

    def _check_member(self, member: object, group: Group) -> tuple[ArrayView, tuple[int, ...]]:
        if group.offset == 0 and group.shape is None:
            return self._memref.check(member)
        return self._check_view(view_of(member), group)

    def _check_view(self, view: ArrayView, group: Group) -> tuple[ArrayView, tuple[int, ...]]:
        """Check the part of a member that a load returns; return its dynamic sizes and strides."""
        memref = self._memref
        available = view.extent_bytes // memref.itemsize
        view.argument = self._argument
        buffer, view = view, self._with_modes(view, group)
        is_buffer = view is not buffer
        memref.check_elements(view)
        shape = self._loaded_shape(view, group)
        memref.check_shape(shape)
        if group.offset == 0 and shape == view.shape:
            view, strides = memref.fitting(view)
            available = max(available, view.extent_bytes // memref.itemsize)
        else:  # what lies before and after the elements is the kernel's to use
            strides = memref.check_strides(view, shape)
        memref.check_alignment(view, group.offset * memref.itemsize)
        if 0 not in shape:
            modes = zip(shape, strides, strict=True)
            end = group.offset + 1 + sum((size - 1) * stride for size, stride in modes)
            if end > available:
                raise ValueError(
                    f"expected at least {end} elements from the member's start "
                    f"(offset {group.offset}, shape {tuple(shape)}), got {available}"
                )
        return buffer if is_buffer else view, memref.dope(shape, strides)

    def _with_modes(self, view: ArrayView, group: Group) -> ArrayView:
        """Return a view of a plain buffer, an array of one mode, with the modes of the memref.

        Other views are returned themselves.
        """
        itemsize = self._memref.itemsize
        shape = self._argument.shape if group.shape is None else group.shape
        is_buffer = len(view.shape) == 1 and view.strides_bytes == (itemsize,)
        if len(self._argument.shape) == 1 or not is_buffer:
            return view
        known = tuple(size for size in shape if size is not None)
        if len(known) != len(self._argument.shape):
            raise ValueError(
                "expected the shape of the matrices in buffers, got none; pass "
                "Group(members, shape=...)"
            )
        strides_bytes = tuple(stride * itemsize for stride in self._memref.packed(known))
        return dataclasses.replace(view, shape=known, strides_bytes=strides_bytes)

    def _loaded_shape(self, view: ArrayView, group: Group) -> tuple[int, ...]:
        if group.shape is not None:
            return tuple(group.shape)
        if group.offset == 0:
            return view.shape
        expected = self._argument.shape
        return tuple(
            size if want is None else want for want, size in zip(expected, view.shape, strict=True)
        )
