# SPDX-License-Identifier: BSD-3-Clause
"""What the ABI of a kernel wants for the arguments of a launch.

A kernel of the gpu stage takes numbers, pointers, and pointers to pointers: here numbers,
regions of host memory, and lists of these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..reference.arguments import CheckedLaunch, check_launch, passed
from ..reference.arithmetic import Arithmetic
from ..reference.regions import Region
from ..runtime.kernel_info import KernelInfo, ScalarArgument
from ..runtime.launches.checks import entries_of
from ..scalars import SCALAR_TYPES

Value = Any
"""What a parameter of the ABI gets: a number, a Region, or a list of regions."""


_SIZES = "sizes of argument"


def are_sizes(value: Value) -> bool:
    """Return whether a value of the ABI points to sizes that a launch passes, not to data."""
    return isinstance(value, Region) and value.name.startswith(_SIZES)


def abi_values(
    info: KernelInfo,
    given: Sequence[Any] | Mapping[str, Any],
    groups: object,
    arithmetic: Arithmetic,
) -> tuple[list[Value], CheckedLaunch]:
    """Return what the ABI wants for arguments of the language, and the checked launch.

    Args:
        info: the kernel's signature.
        given: arguments by position or by name, as for a launch.
        groups: number of groups, as for a launch.
        arithmetic: what numbers are.

    Raises:
        ArgumentError: an argument is missing, surplus, or does not fit its parameter, or there are
            more groups than fit the arrays.
    """
    checked = check_launch(info, given, groups)
    values: list[Value] = []
    for each in passed(info, checked):
        if isinstance(each.argument, ScalarArgument):
            type_ = SCALAR_TYPES[each.argument.type]
            value = arithmetic.argument(type_, each.value)
            values.append(arithmetic.to_memory(type_, value))
            continue
        name = f"{_SIZES} '{each.argument.name}'"
        values += [0] * each.pointers if each.value is None else [each.value]
        values += [
            Region.of_array(name, np.ascontiguousarray(entry)) if np.ndim(entry) else entry
            for entry in each.dope
        ]
        values += each.tail
    return values + checked.extra, checked


def report_buffer() -> Region:
    """Return the last value of a debug build's ABI: memory for reports and prints."""
    return Region.of_array("reports", np.zeros(entries_of(True), np.int64))


def raw_values(given: Sequence[Any]) -> list[Value]:
    """Return what the ABI wants for numbers, arrays, and lists of arrays.

    >>> [type(value).__name__ for value in raw_values([2, np.zeros(3)])]
    ['int', 'Region']
    """
    return [_raw_value(f"argument {number}", each) for number, each in enumerate(given)]


def _raw_value(name: str, given: Any) -> Value:
    if isinstance(given, list):
        return [_raw_value(f"member {n} of {name}", each) for n, each in enumerate(given)]
    return Region.of_array(name, given) if np.ndim(given) else given
