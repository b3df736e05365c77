# SPDX-License-Identifier: BSD-3-Clause
"""Launches of native code that are checked once for arrays that differ only in where they are."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from ..._arrays import PlannedLaunch
from ...scalars import SCALAR_TYPES
from ..kernel_info import KernelInfo, MemrefArgument, ScalarArgument
from ..native.processor import NativeKernel, usual_threads
from .handles import KernelHandle
from .launch import prepare
from .queues import views_of

CONSTANT, GIVEN, CONTENTS = range(3)  # sources of arguments
# Returns what is wrong with scalars, by their names; None if nothing.
Fault: TypeAlias = Callable[[Mapping[str, object]], "str | None"]


def planned_launch(  # noqa: PLR0913 (by keyword)
    kernel: KernelHandle,
    values: Sequence[object],
    groups: object,
    passed: Sequence[str],
    *,
    integers: Collection[str] = (),
    zeros: Sequence[tuple[int, int]] = (),
    checked: Collection[str] = (),
    fault: Fault | None = None,
) -> PlannedLaunch | None:
    """Return a launch that takes addresses.

    Args:
        kernel: the kernel.
        values: arguments of the kind of later ones; those that are not passed stay as they are.
        groups: number of groups.
        passed: the parameters that are passed, in that order. If one is there twice, the kernel
            takes the last.
        integers: those of them that are passed themselves, rather than their addresses.
        zeros: numbers and bytes of passed arrays that are 0 before.
        checked: passed scalars that a call gives to `fault`.
        fault: checks them.

    Returns:
        None if a launch takes more than that: on devices, for copies, in debug builds.

    Raises:
        ArgumentError: an argument or the number of groups is wrong.
    """
    info = kernel.info
    parts = kernel.signature.parts(values, {})
    prepared = prepare(kernel, parts, groups, None, waits=True)
    numbers = {name: number for number, name in enumerate(passed)}
    in_place, fixed = True, []
    for view in views_of(parts):
        if view.argument is not None and view.argument.name not in numbers:
            fixed.append(view)
        elif view.is_rearranged or view.bytes_read > view.extent_bytes:
            in_place = False
    if info.checks or not in_place or not isinstance(prepared.kernel, NativeKernel):
        return None
    found: Any = prepared.launch.native_arguments
    address, words, sizes = found
    slots = [(CONSTANT, bits, 0, 0, is_real) for bits, is_real in words]
    divisors = [1] * len(passed)
    read: dict[str, int] = {}  # where scalars are that are checked
    position = 0
    for argument in info.arguments:
        name, number = argument.name, numbers.get(argument.name)
        if isinstance(argument, MemrefArgument):
            if number is not None:
                slots[position] = (GIVEN, number, 0, 0, False)
                itemsize = SCALAR_TYPES[argument.element_type].dtype.itemsize
                divisors[number] = math.lcm(itemsize, argument.alignment or 1)
            position += 1 + (*argument.shape, *argument.stride).count(None)
            continue
        type_ = SCALAR_TYPES[argument.type]
        count = 1 + (type_.kind == "complex")
        if number is not None:
            size = type_.array_dtype.itemsize // count
            source = GIVEN if name in integers else CONTENTS
            for part in range(count):
                is_real = slots[position + part][-1]
                slots[position + part] = (source, number, part * size, size, is_real)
            if name in checked:
                read[name] = position
        position += count
    return PlannedLaunch(
        address,
        slots,
        sizes,
        prepared.kernel.local_bytes,
        usual_threads(),
        divisors,
        zeros,
        list(read.values()),
        _check_of(info, list(read), fault),
        (prepared.kernel, fixed and prepared.staging, fixed),
    )


def _check_of(
    info: KernelInfo, names: Sequence[str], fault: Fault | None
) -> Callable[[list[int]], str | None]:
    """Return what checks scalars, given their bits."""
    if fault is None:
        return lambda _: None
    scalars = {each.name: each for each in info.arguments if isinstance(each, ScalarArgument)}
    dtypes = [SCALAR_TYPES[scalars[name].type].array_dtype for name in names]

    def check(bits: list[int]) -> str | None:
        values = (
            np.frombuffer(each.to_bytes(8, "little"), dtype, 1)[0]
            for each, dtype in zip(bits, dtypes, strict=True)
        )
        return fault(dict(zip(names, values, strict=True)))

    return check
