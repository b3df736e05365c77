# SPDX-License-Identifier: BSD-3-Clause
"""Compares sizes that differ from member to member of a group parameter."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from ..manifest import GroupArgument, KernelInfo
from .equal_sizes import EqualSizes
from .group_bounds import GROUP_ID, GroupBound
from .launch_sums import LaunchQuotient, LaunchValue, Sum
from .launch_values import LaunchValues, Parts

_Integers = npt.NDArray[np.int64]


class MemberSizes:
    """Rules about members, each of which only the group with its number accesses.

    Args:
        info: the kernel's entry of the manifest.
        values: the values of a launch.
    """

    def __init__(self, info: KernelInfo, values: LaunchValues) -> None:
        self._values = values
        self._own = {
            access.argument
            for access in info.group_accesses or ()
            if not access.modes and access.index == GROUP_ID
        }

    def are_equal(self, sizes: EqualSizes, mixed: set[str], parts: Parts) -> bool:
        """Return whether two sizes are certainly equal in each group.

        Args:
            sizes: the sizes; their conditions are not looked at.
            mixed: the parameters whose members differ in size.
            parts: the checked arguments.
        """
        names = mixed & sizes.sized
        if not names <= self._own:
            return False
        size, expected = (self._sum(terms, names, parts) for terms in (sizes.size, sizes.expected))
        return bool((size == expected).all())

    def are_inside(self, bound: GroupBound, mixed: set[str], parts: Parts) -> bool:
        """Return whether each group certainly keeps a bound on members of different sizes.

        Args:
            bound: the bound; its conditions are not looked at.
            mixed: the parameters whose members differ in size.
            parts: the checked arguments.
        """
        names = mixed & bound.sized
        if not names or not names <= self._own:
            return False
        index = self._sum(bound.index.start, names, parts)
        if bound.size is None:
            return bool((index >= 0).all())
        return bool((index < self._sum(bound.size, names, parts)).all())

    def _sum(self, terms: Sum, names: set[str], parts: Parts) -> _Integers:
        """Return the value of a sum for each group, as kernels compute it, in 64 bits."""
        with np.errstate(over="ignore"):
            products = (
                math.prod(
                    (self._value(value, names, parts) for value in term.values),
                    start=np.array([term.factor]).astype(np.int64),
                )
                for term in terms
            )
            return sum(products, start=np.zeros(1, np.int64))

    def _value(
        self, value: LaunchValue | LaunchQuotient, names: set[str], parts: Parts
    ) -> _Integers:
        if isinstance(value, LaunchQuotient):
            dividend = self._sum(value.dividend, names, parts)
            rounded: _Integers = np.sign(dividend) * (np.abs(dividend) // value.divisor)
            return rounded
        if value.argument not in names or value.mode is None:
            return np.array([self._values.value(value, parts)], np.int64)
        argument = self._values.arguments[value.argument]
        assert isinstance(argument, GroupArgument)
        tables = [self._values.part(name, parts).dope for name in names]
        count = min(len(rows[0]) for rows in tables)
        row = argument.shape[: value.mode].count(None)
        found: _Integers = self._values.part(value.argument, parts).dope[row][:count]
        return found
