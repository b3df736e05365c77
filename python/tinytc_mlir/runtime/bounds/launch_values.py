# SPDX-License-Identifier: BSD-3-Clause
"""What the rules of a launch read: sizes, scalars, numbers of members."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from ..kernel_info import Argument, GroupArgument, KernelInfo, ScalarArgument
from .launch_sums import Sum, compare_values, names_in

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
    scalars = {a.name: a.type for a in info.arguments if isinstance(a, ScalarArgument)}
    names = set().union(*map(names_in, sums_of(info)))
    compares = any(bound.compares_values for bound in info.group_bounds)
    if compares or any(compare_values(sizes.conditions) for sizes in info.equal_sizes):
        # No large value may meet conditions.
        names.update(name for name, type_ in scalars.items() if type_ in WIDE_TYPES)
    return names & scalars.keys()


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
