# SPDX-License-Identifier: BSD-3-Clause
"""Allocates the buffers of a launch: arrays whose sizes follow from the other arguments."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from ...errors import ArgumentError
from ...scalars import SCALAR_TYPES
from ..bounds.group_bounds import GroupBound
from ..bounds.launch_sums import names_in
from ..bounds.launch_values import Counts, Parts
from ..bounds.plan import LaunchPlan, LaunchRules
from ..kernel_info import KernelInfo, MemrefArgument
from .arguments import Signature, parts_of

if TYPE_CHECKING:
    from ..arrays.array_view import ArrayView
    from ..protocol import Queue


class Buffers:
    """The buffers of a kernel.

    Args:
        info: the kernel's entry of the manifest, which has some.
    """

    def __init__(self, info: KernelInfo) -> None:
        self._buffers = {
            position: argument
            for position, argument in enumerate(info.arguments)
            if isinstance(argument, MemrefArgument) and argument.buffer is not None
        }
        self._others = [n for n in range(len(info.arguments)) if n not in self._buffers]
        names = {argument.name for argument in self._buffers.values()}
        others = dataclasses.replace(
            info,
            arguments=tuple(info.arguments[n] for n in self._others),
            group_bounds=tuple(b for b in info.group_bounds if not names & _names(b)),
            equal_sizes=(),  # the launch itself checks these
            disjoint_blocks=(),
            unchecked_uses=(),
            group_accesses=None,
        )
        self._name = info.name
        self._checkers = {position: parts_of(each) for position, each in self._buffers.items()}
        self._signature = Signature(others, checks_sizes=False)
        sums = [
            each
            for a in self._buffers.values()
            for each in a.buffer or ()
            if isinstance(each, tuple)
        ]
        self._plan = LaunchPlan(others, sums)

    def counts(self, values: Sequence[object], groups: object) -> Counts:
        """Return the number of groups of a launch in three dimensions.

        Args:
            values: the arguments without buffers.
            groups: number of groups; None is the number that fits the arrays.
        """
        return self._signature.counts(groups, self._signature.parts(values, {}))

    def shapes(self, values: Sequence[object], groups: object) -> dict[str, tuple[int, ...]]:
        """Return the shapes of all buffers by name; the arguments are those of `counts`."""
        parts = self._signature.parts(values, {})
        counts, rules = self._signature.counts(groups, parts), self._plan.launch(parts)
        return {each.name: self._shape(each, rules, counts) for each in self._buffers.values()}

    def filled(
        self, values: Sequence[object], groups: object, queue: Callable[[Parts], Queue]
    ) -> Sequence[object]:
        """Return the arguments with a new array for each buffer that is None; check the others.

        Args:
            values: arguments in the order of the parameters.
            groups: number of groups; None is the number that fits the arrays.
            queue: returns the queue of the launch, given the parts of the other arguments.

        Raises:
            ArgumentError: an argument does not fit its parameter.
            DeviceError: there is not enough memory.
        """
        parts = self._signature.parts([values[n] for n in self._others], {})
        counts, rules = self._signature.counts(groups, parts), self._plan.launch(parts)
        place, result = queue(parts), list(values)
        for position, argument in self._buffers.items():
            shape = self._shape(argument, rules, counts)
            if values[position] is not None:
                self._check(position, values[position], shape)
                continue
            dtype = SCALAR_TYPES[argument.element_type].dtype
            memory = place.allocate(math.prod(shape) * dtype.itemsize)
            result[position] = memory.array(shape, dtype, "F")
        return result

    def _check(self, position: int, value: object, shape: tuple[int, ...]) -> None:
        """Check that an array that the caller gave is large enough."""
        try:
            view, *_ = self._checkers[position](value)
        except ValueError:  # the launch itself reports it
            return
        found = cast("ArrayView", view).shape
        if any(size < needed for size, needed in zip(found, shape, strict=True)):
            name = self._buffers[position].name
            raise ArgumentError(
                f"{self._name}: argument {name!r}: expected an array of at least the shape "
                f"{shape}, got {found}",
                argument=name,
            )

    def _shape(
        self, argument: MemrefArgument, rules: LaunchRules, counts: Counts
    ) -> tuple[int, ...]:
        assert argument.buffer is not None
        sizes = iter(argument.buffer)
        shape = []
        for known in argument.shape:
            size = known if known is not None else next(sizes)
            if not isinstance(size, int):
                size = max(rules.sum(size), 0)
            elif known is None:
                size = counts[size]
            shape.append(size)
        return tuple(shape)


def buffers_of(info: KernelInfo) -> Buffers | None:
    """Return the buffers of a kernel, None if it has none."""
    has_some = any(
        isinstance(argument, MemrefArgument) and argument.buffer is not None
        for argument in info.arguments
    )
    return Buffers(info) if has_some else None


def _names(bound: GroupBound) -> set[str]:
    """Return the arrays that a bound is about."""
    return {bound.argument}.union(*map(names_in, bound.sums))
