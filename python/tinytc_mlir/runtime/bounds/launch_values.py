# SPDX-License-Identifier: BSD-3-Clause
"""What the rules of a launch read: sizes, scalars, numbers of members."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from ..kernel_info import Argument, GroupArgument, KernelInfo, ScalarArgument
from .launch_sums import Sum, names_in

# The parts of a launch in the order of the ABI, as `Signature.parts` returns them.
Parts: TypeAlias = Sequence[Any]
# Number of groups in three dimensions.
Counts: TypeAlias = tuple[int, int, int]
ONE_GROUP: Counts = (1, 1, 1)

# Scalars that may be larger than LARGEST_VALUE of checks.c.
WIDE_TYPES = ("index", "i64")


def sums_of(info: KernelInfo) -> Iterator[Sum]:
    """Yield all sums that checks of a kernel evaluate."""
    for sizes in info.equal_sizes:
        yield from (sizes.size, sizes.expected, *sizes.conditions)
    for bound in info.group_bounds:
        yield from bound.sums
    for use in info.unchecked_uses:
        if use.bound is not None:
            yield from use.bound.sums


def checked_scalars(info: KernelInfo) -> set[str]:
    """Return the names of the scalar parameters that checks of sizes and groups may read.

    Args:
        info: the kernel's entry of the manifest.
    """
    scalars = {each.name for each in info.arguments if isinstance(each, ScalarArgument)}
    return scalars & set[str]().union(*map(names_in, sums_of(info)))


def wide_scalars(info: KernelInfo) -> set[str]:
    """Return the names of the scalar parameters of 64 bits that conditions of checks compare."""
    bounds = [*info.group_bounds, *(use.bound for use in info.unchecked_uses if use.bound)]
    lines = [line for bound in bounds for line in bound.conditions]
    sums = [terms for line in lines for terms in (line.slope, line.start)]
    sums += [terms for sizes in info.equal_sizes for terms in sizes.conditions]
    names = set().union(*map(names_in, sums))
    return {
        each.name
        for each in info.arguments
        if isinstance(each, ScalarArgument) and each.type in WIDE_TYPES and each.name in names
    }


def quotient(dividend: int, divisor: int) -> int:
    """Return a quotient as kernels compute it, rounded to 0.

    >>> quotient(7, 2), quotient(-7, 2)
    (3, -3)
    """
    return dividend // divisor if dividend >= 0 else -(-dividend // divisor)


def part_count(argument: Argument) -> int:
    """Return how many parts an argument has."""
    if isinstance(argument, ScalarArgument):
        return 1
    if isinstance(argument, GroupArgument):
        return 1 + (argument.size is None) + (argument.offset is None)
    return 1 + (*argument.shape, *argument.stride).count(None)
