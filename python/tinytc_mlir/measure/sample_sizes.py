# SPDX-License-Identifier: BSD-3-Clause
"""Sizes of random arguments, such that a launch takes them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TypeAlias

from ..runtime.bounds.launch_sums import LaunchQuotient, LaunchValue, Sum, names_in
from ..runtime.bounds.launch_values import quotient
from ..runtime.kernel_info import GroupArgument, KernelInfo, ScalarArgument

_DEFAULT_SIZE = 16
# Name and mode of an array, or the name and None for the number of members of a group.
Place: TypeAlias = "tuple[str, int | None]"


def sample_sizes(
    info: KernelInfo,
    counts: tuple[int, int, int],
    chosen: Mapping[tuple[str, int], int],
    scalars: Mapping[str, int],
) -> dict[Place, int]:
    """Return the sizes of all dynamic modes and groups.

    Args:
        info: description of the kernel.
        counts: number of groups in three dimensions.
        chosen: sizes that the user wants.
        scalars: values of the integer parameters.
    """
    sizes = _default_sizes(info, counts)
    sizes |= dict(chosen.items())
    values = _Values(sizes, scalars)
    _make_equal(info, values, chosen)
    for place, size in _accessed_sizes(info, counts).items():
        if place in sizes and place not in chosen:
            is_grid = counts[1:] != (1, 1)
            sizes[place] = size if is_grid else max(sizes[place], size)
    # Accesses may depend on sizes that have grown just now.
    fixed = [bound for bound in info.group_bounds if bound.is_fixed and len(bound.modes) == 1]
    for bound in fixed * len(fixed):
        place = bound.argument, bound.modes[0]
        if place in sizes and place not in chosen:
            sizes[place] = max(sizes[place], values.sum(bound.index.start) + 1)
    return sizes


def _default_sizes(info: KernelInfo, counts: tuple[int, int, int]) -> dict[Place, int]:
    groups = math.prod(counts)
    sizes: dict[Place, int] = {}
    for argument in info.arguments:
        if isinstance(argument, ScalarArgument):
            continue
        is_group = isinstance(argument, GroupArgument)
        if isinstance(argument, GroupArgument) and argument.size is None:
            sizes[argument.name, None] = groups
        for mode, size in enumerate(argument.shape):
            is_batch = not is_group and mode == len(argument.shape) - 1
            if size is None:
                sizes[argument.name, mode] = groups if is_batch else _DEFAULT_SIZE
    return sizes


class _Values:
    """The meaning of sums.

    Args:
        sizes: sizes of dynamic places, which may change.
        scalars: values of the integer parameters.
    """

    def __init__(self, sizes: dict[Place, int], scalars: Mapping[str, int]) -> None:
        self.sizes = sizes
        self._scalars = scalars

    def place(self, terms: Sum) -> Place | None:
        """Return the place whose size a sum is, None for other sums."""
        if len(terms) != 1 or terms[0].factor != 1 or len(terms[0].values) != 1:
            return None
        (value,) = terms[0].values
        if isinstance(value, LaunchQuotient) or value.kind:
            return None
        place = value.argument, value.mode
        return place if place in self.sizes else None

    def sum(self, terms: Sum) -> int:
        """Return the value of a sum."""
        return sum(term.factor * math.prod(map(self._value, term.values)) for term in terms)

    def _value(self, value: LaunchValue | LaunchQuotient) -> int:
        if isinstance(value, LaunchQuotient):
            return quotient(self.sum(value.dividend), value.divisor)
        if value.kind:  # all arrays are passed, and dense
            return 1 if value.mode is None else self._stride(value.argument, value.mode)
        place = value.argument, value.mode
        return self.sizes[place] if place in self.sizes else self._scalars[place[0]]

    def _stride(self, name: str, mode: int) -> int:
        sizes = (self.sizes.get((name, before), 1) for before in range(mode))
        return math.prod(sizes)

    def is_constant(self, terms: Sum) -> bool:
        """Return whether a sum has no sizes of arrays."""
        return names_in(terms) <= set(self._scalars)


def _make_equal(info: KernelInfo, values: _Values, chosen: Mapping[tuple[str, int], int]) -> None:
    """Give places the same size that must have it: the chosen one, or the one that is known."""
    classes = {place: {place} for place in values.sizes}
    known: dict[Place, int] = dict(chosen.items())
    for sizes in info.equal_sizes:
        first, second = values.place(sizes.size), values.place(sizes.expected)
        if first is not None and second is not None:
            classes[first] |= classes[second]
            for place in classes[first]:
                classes[place] = classes[first]
        for own, other in ((first, sizes.expected), (second, sizes.size)):
            if own is not None and values.is_constant(other):
                known.setdefault(own, values.sum(other))
    for place, equal in classes.items():
        if place not in chosen:
            found = [known[other] for other in sorted(equal, key=str) if other in known]
            # The last mode of an array is one of a batch, or of a matrix.
            values.sizes[place] = (found or [min(values.sizes[each] for each in equal)])[0]


def _accessed_sizes(info: KernelInfo, counts: tuple[int, int, int]) -> dict[Place, int]:
    """Return how many indices of modes, or of members with None, the groups need."""
    sizes: dict[Place, int] = {}
    for bound in info.group_bounds:
        slopes = [(bound.dimension, bound.index.slope), *bound.others]
        terms = [*bound.index.start, *(term for _, slope in slopes for term in slope)]
        if len(bound.modes) > 1 or any(term.values for term in terms):
            continue
        last = sum(term.factor for term in bound.index.start)
        for dimension, slope in slopes:
            last += sum(term.factor for term in slope) * (counts[dimension] - 1)
        place = bound.argument, bound.modes[0] if bound.modes else None
        sizes[place] = max(sizes.get(place, 0), last + 1)
    return sizes
