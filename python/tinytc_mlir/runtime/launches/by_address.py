# SPDX-License-Identifier: BSD-3-Clause
"""Launches of native code that are checked once for arrays that differ only in where they are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast

import numpy.typing as npt

from ..._arrays import PlannedLaunch
from ...scalars import SCALAR_TYPES
from ..kernel_info import MemrefArgument
from ..native.processor import NativeKernel, usual_threads
from .handles import KernelHandle
from .launch import Prepared, prepare
from .launch_cache import positions_of

CONSTANT, GIVEN, CONTENTS = range(3)  # sources of arguments


def divisor_of(argument: MemrefArgument) -> int:
    """Return what the address of an array is a multiple of."""
    return math.lcm(SCALAR_TYPES[argument.element_type].dtype.itemsize, argument.alignment or 1)


def words_of(prepared: Prepared) -> tuple[int, list[tuple[int, bool]], tuple[int, int, int]]:
    """Return the address of a native kernel's function, bits of its arguments, and its sizes."""
    found: Any = prepared.launch.native_arguments
    return found  # type: ignore[no-any-return]


def launch_by_addresses(
    kernel: KernelHandle, arrays: Sequence[npt.NDArray[Any]], groups: object
) -> PlannedLaunch | None:
    """Return the launch of a kernel whose parameters are all arrays.

    Args:
        kernel: the kernel.
        arrays: arrays of the kind of later ones.
        groups: number of groups.

    Returns:
        None if a launch takes more than addresses: on devices, for copies, in debug builds.

    Raises:
        ArgumentError: an argument or the number of groups is wrong.
    """
    prepared = prepare(kernel, kernel.signature.parts(arrays, {}), groups, None, waits=True)
    if prepared.staging or kernel.info.checks or not isinstance(prepared.kernel, NativeKernel):
        return None
    address, words, sizes = words_of(prepared)
    slots = [(CONSTANT, bits, 0, 0, is_real) for bits, is_real in words]
    for number, position in enumerate(positions_of(kernel.info).values()):
        slots[position] = (GIVEN, number, 0, 0, False)
    divisors = [divisor_of(cast("MemrefArgument", each)) for each in kernel.info.arguments]
    local_bytes, threads = prepared.kernel.local_bytes, usual_threads()
    return PlannedLaunch(
        *(address, slots, sizes, local_bytes, threads, divisors, [], [], _unchecked),
        prepared.kernel,
    )


def _unchecked(_: list[int]) -> str | None:
    return None
