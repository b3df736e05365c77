# SPDX-License-Identifier: BSD-3-Clause
"""The rules of a kernel as tables of integers, which `checks.c` evaluates for each launch."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import Any

from ... import _arrays
from ...scalars import SCALAR_TYPES
from ..arrays.array_view import NoArray
from ..kernel_info import Argument, GroupArgument, KernelInfo, ScalarArgument
from .equal_sizes import EqualSizes
from .group_bounds import GROUP_ID, GroupBound
from .launch_sums import (
    ASSOCIATED,
    STRIDE,
    LaunchQuotient,
    LaunchValue,
    Sum,
    compare_values,
    values_in,
)
from .launch_values import Parts, part_count, sums_of, wide_scalars
from .padding import memory_bytes

HOLDS, BROKEN, IS_LARGE, IS_MIXED, IS_OPEN = range(5)  # verdicts
_SIZE_BITS = 20
_BITS = 2**64


class LaunchPlan:
    """The tables of a kernel.

    Args:
        info: the kernel's entry of the manifest.
        sums: further sums to evaluate.
    """

    def __init__(self, info: KernelInfo, sums: Iterable[Sum] = ()) -> None:
        self.arguments = info.arguments
        self.numbers = {argument.name: n for n, argument in enumerate(info.arguments)}
        self.layout = [value for argument in info.arguments for value in _values_of(argument)]
        self._indices = {value: index for index, value in enumerate(self.layout)}
        self.words: list[int] = [0, 0]
        self._places: dict[object, int] = {}
        self.member_sizes = [
            argument.name
            for argument in info.arguments
            if isinstance(argument, GroupArgument)
            and any(
                value.argument == argument.name and value.mode is not None and not value.kind
                for terms in sums_of(info)
                for value in values_in(terms)
            )
        ]
        scalars = {a.name for a in info.arguments if isinstance(a, ScalarArgument)}
        narrow = scalars - wide_scalars(info)
        groups = {a.name for a in info.arguments if isinstance(a, GroupArgument)}
        self.words[0] = self._list(
            index
            for index, value in enumerate(self.layout)
            if not value.kind
            and value.argument not in narrow
            and (value.mode is None or value.argument not in groups)
        )
        accesses = info.group_accesses or ()
        own = {a.argument for a in accesses if not a.modes and a.index == GROUP_ID}
        self.words[1] = self._names(own)
        self.sizes = {rule: self._equal(rule) for rule in info.equal_sizes}
        uses = [use.bound for use in info.unchecked_uses if use.bound is not None]
        self.bounds = {bound: self._bound(bound) for bound in (*info.group_bounds, *uses)}
        self._padded = sorted(
            {bound.argument for bound in self.bounds if bound.block and bound.block.reach}
        )
        for terms in sums:
            self.place(terms)
        self._positions: list[int] = []  # of first parts
        position = 0
        for argument in info.arguments:
            self._positions.append(position)
            position += part_count(argument)

    def place(self, terms: Sum) -> int:
        """Return where a sum is among the words."""
        if terms not in self._places:
            words = [len(terms)]
            for term in terms:
                factor = (term.factor + _BITS // 2) % _BITS - _BITS // 2
                words += [factor, len(term.values), *map(self._factor, term.values)]
            self._places[terms] = self._add(words)
        return self._places[terms]

    def _factor(self, value: LaunchValue | LaunchQuotient) -> int:
        if isinstance(value, LaunchQuotient):
            divisor = min(value.divisor, _BITS // 2 - 1)
            return -self._add([divisor, self.place(value.dividend)])
        index = self._indices[value]
        argument = self.arguments[self.numbers[value.argument]]
        if not isinstance(argument, GroupArgument) or value.mode is None or value.kind:
            return index
        row = argument.shape[: value.mode].count(None)
        return index | (self.numbers[value.argument] + 1) << _SIZE_BITS | row << 2 * _SIZE_BITS

    def _add(self, words: Sequence[int]) -> int:
        self.words += map(int, words)
        return len(self.words) - len(words)

    def _list(self, values: Iterable[int]) -> int:
        found = list(values)
        return self._add([len(found), *found])

    def _names(self, names: set[str]) -> int:
        return self._list(sorted(self.numbers[name] for name in names if name in self.numbers))

    def _equal(self, rule: EqualSizes) -> int:
        return self._add(
            [
                *(self.place(rule.size), self.place(rule.expected)),
                self._list(list(map(self.place, rule.conditions))),
                *(self._names(rule.needed), self._names(rule.sized)),
                *(compare_values(rule.conditions), bool(rule.reason)),
            ]
        )

    def _bound(self, bound: GroupBound) -> int:
        others = [(dimension, self.place(slope)) for dimension, slope in bound.others]
        lines = [(self.place(line.slope), self.place(line.start)) for line in bound.conditions]
        reach = 0
        if bound.block is not None and bound.block.reach is not None:
            places = [
                self.place(terms)
                for place in bound.block.reach
                for terms in (*place.slopes, place.start)
            ]
            reach = self._add(places)
        number = self.numbers.get(bound.argument, 0)
        argument = self.arguments[number] if self.arguments else None
        return self._add(
            [
                *(self.place(bound.index.slope), self.place(bound.index.start)),
                *(0 if bound.size is None else self.place(bound.size), bound.dimension),
                self._add([len(others), *(word for pair in others for word in pair)]),
                self._add([len(lines), *(word for pair in lines for word in pair)]),
                *(self._names(bound.needed), self._names(bound.sized)),
                *(bound.compares_values, bound.is_fixed, reach, number),
                SCALAR_TYPES[getattr(argument, "element_type", "i8")].size_bytes,
            ]
        )

    # Launches -------------------------------------------------------------------------------

    @functools.cached_property
    def _plan(self) -> _arrays.Plan:
        return _arrays.Plan(self.words, len(self.arguments))

    def launch(self, parts: Parts, *, without_members: bool = False) -> LaunchRules:
        """Return the rules for the values of a launch.

        Args:
            parts: the checked arguments.
            without_members: whether groups without members are as good as missing.
        """
        return LaunchRules(self, self._plan, parts, without_members)

    def part(self, name: str, parts: Parts) -> Any:  # noqa: ANN401 (of any kind)
        """Return the first part of an argument, None if it is none."""
        return parts[self._positions[self.numbers[name]]] if name in self.numbers else None

    def values(self, parts: Parts) -> list[int]:
        """Return the values of a launch by the layout."""
        values: list[int] = []
        for argument, position in zip(self.arguments, self._positions, strict=True):
            part = parts[position]
            if isinstance(argument, ScalarArgument):
                values.append(_scalar(part, argument.type))
                continue
            dope: Iterable[Any] = ()
            if isinstance(argument, GroupArgument):
                values += [not isinstance(part, NoArray), part.size]
                if part.size:
                    dope = [row[0] for row in part.dope]
            else:
                values.append(not isinstance(part, NoArray))
                unknown = part_count(argument) - 1
                dope = [each.value for each in parts[position + 1 : position + 1 + unknown]]
            rest = iter(dope)
            known = (*argument.shape, *argument.stride)
            values += [int(next(rest, 0)) if each is None else each for each in known]
        return values


class LaunchRules:
    """The rules of a kernel for a launch; made by `LaunchPlan.launch`."""

    def __init__(
        self, plan: LaunchPlan, words: _arrays.Plan, parts: Parts, without_members: bool
    ) -> None:
        self._plan, self._parts = plan, parts
        missing = [
            number
            for name, number in plan.numbers.items()
            if without_members
            and name in plan.member_sizes
            and not isinstance(plan.part(name, parts), NoArray)
            and not plan.part(name, parts).size
        ]
        members = []
        for name in plan.member_sizes:
            part, argument = plan.part(name, parts), plan.arguments[plan.numbers[name]]
            if not isinstance(part, NoArray) and len(part.views) > 1:
                assert isinstance(argument, GroupArgument)
                rows = part.dope[: argument.shape.count(None)]
                members.append((plan.numbers[name], [row.tolist() for row in rows]))
        available = [0] * len(plan.arguments) if plan._padded else []
        for name in plan._padded:
            available[plan.numbers[name]] = memory_bytes(plan.part(name, parts))
        self._rules = _arrays.Rules(words, plan.values(parts), missing, members, available)
        self.most, self.index = self._rules.most, self._rules.index
        self.may_leave, self.verdicts = self._rules.may_leave, self._rules.verdicts

    def sum(self, terms: Sum) -> int:
        """Return the value of a sum as kernels compute it, in 64 bits."""
        return self._rules.sum(self._plan.place(terms))

    def note_padding(self) -> None:
        """Note how much of the memory of arrays loads of blocks read, for copies."""
        for name in self._plan._padded:
            view = self._plan.part(name, self._parts)
            read = self._rules.bytes_read(self._plan.numbers[name])
            if read:
                view.bytes_read = max(view.bytes_read, read)


def _values_of(argument: Argument) -> list[LaunchValue]:
    """Return the integers that the host knows of a parameter."""
    name = argument.name
    if isinstance(argument, ScalarArgument):
        return [LaunchValue(name)]
    modes = range(len(argument.shape))
    sizes = [LaunchValue(name)] if isinstance(argument, GroupArgument) else []
    return [
        *(LaunchValue(name, None, ASSOCIATED), *sizes),
        *(LaunchValue(name, mode) for mode in modes),
        *(LaunchValue(name, mode, STRIDE) for mode in modes),
    ]


def _scalar(part: Any, type_: str) -> int:  # noqa: ANN401 (of any kind)
    """Return the value of an integer, 0 for other numbers."""
    value = getattr(part, "value", 0)
    if not isinstance(value, int):
        return 0
    return value - 256 if type_ == "i8" and value > 127 else value
