# SPDX-License-Identifier: BSD-3-Clause
"""Sizes of the arrays that operations allocate, and their numbers of groups."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeAlias

from ..errors import ArgumentError, describe
from ..runtime.bounds.group_bounds import GROUP_ID, GroupBound, Line, described_modes
from ..runtime.bounds.launch_sums import (
    ASSOCIATED,
    LaunchQuotient,
    LaunchValue,
    Sum,
    Term,
    values_in,
)
from ..runtime.bounds.launch_values import quotient
from ..runtime.kernel_info import Argument, GroupArgument, KernelInfo, MemrefArgument
from .batching import DIMENSIONS

# A mode of a parameter, counted from 0; of `GRID`, a dimension of the groups.
Mode: TypeAlias = tuple[str, int]
GRID = ""
Size: TypeAlias = "int | Mode"
Shapes: TypeAlias = Mapping[str, Sequence[Size]]
Groups: TypeAlias = "Sequence[Size | GroupBound]"
# What a call knows: shapes of arrays, values of scalars. Sizes may be symbols.
Known: TypeAlias = Mapping[str, Any]
# Bounds that limit the number of groups in a dimension. The first of these lists that says
# something counts; nobody knows the number if none does.
Limits: TypeAlias = list[list[GroupBound]]


@dataclasses.dataclass(frozen=True)
class Sizes:
    """Where the sizes of hidden arrays and the numbers of groups of a function come from.

    Args:
        kernel: name of the kernel, for messages.
        parameters: the parameters of the kernel that its bounds are about.
        arrays: sizes of hidden arrays.
        groups: numbers of groups in x, y and z.
        names: what parameters of the bounds are called now, where that differs.
    """

    kernel: str
    parameters: Mapping[str, Argument]
    arrays: Shapes
    groups: tuple[Size | Limits, ...]
    names: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def with_arrays(self, arrays: Shapes) -> Sizes:
        """Return the sizes of a kernel of the same groups that has further arrays."""
        return dataclasses.replace(self, arrays={**self.arrays, **arrays})

    def with_batch(self, names: Mapping[str, str], dimension: int, batch: Mode) -> Sizes:
        """Return the sizes for a batch of calls.

        Args:
            names: what parameters with a mode for the batch are called.
            dimension: the dimension of the groups that the batch takes.
            batch: the mode of an input that has its size.
        """

        def renamed(size: Any) -> Any:
            return (names.get(size[0], size[0]), size[1]) if isinstance(size, tuple) else size

        arrays = {
            names.get(name, name): [*map(renamed, sizes), batch]
            for name, sizes in self.arrays.items()
        }
        groups = list(map(renamed, self.groups))
        groups[dimension] = batch
        return dataclasses.replace(self, arrays=arrays, groups=tuple(groups), names=names)

    def size(self, size: Size, known: Known) -> Any:
        """Return a size of a call."""
        if isinstance(size, int):
            return size
        name, mode = size
        if name == GRID:
            return self.count(mode, known)
        modes = getattr(self.parameters.get(name), "modes", None)
        return known[name][mode if modes is None or mode >= len(modes) else modes[mode]]

    def counts(self, known: Known) -> tuple[Any, Any, Any]:
        """Return the numbers of groups of a call.

        Raises:
            ArgumentError: nothing tells one of them, or arrays disagree.
        """
        return self.count(0, known), self.count(1, known), self.count(2, known)

    def count(self, dimension: int, known: Known) -> Any:
        """Return the number of groups in a dimension; like `counts`."""
        given = self.groups[dimension]
        if not isinstance(given, list):
            return self.size(given, known)
        for bounds in given:
            found = {b: most for b in bounds if (most := self._most(b, known)) is not None}
            most, *others = found.values() or [None]
            if most is None:
                continue
            if type(most) is int and any(type(each) is int and each != most for each in others):
                texts = (
                    f"at most {n} for {described_modes(b.argument, b.modes)}"
                    for b, n in found.items()
                )
                raise self._error(dimension, f"because the arrays disagree ({', '.join(texts)})")
            return most
        scalars = {each for bounds in given for b in bounds for each in self._scalars(b)}
        if scalars:
            names = " and ".join(sorted(scalars))
            raise self._error(dimension, f"or {names}, on which it depends, among the constants")
        raise self._error(dimension, "because no input limits it")

    def _error(self, dimension: int, why: str) -> ArgumentError:
        return ArgumentError(
            f"{self.kernel}: expected a number of groups in {DIMENSIONS[dimension]} {why}, got "
            "none; give it by groups=",
            argument="groups",
        )

    def _scalars(self, bound: GroupBound) -> set[str]:
        """Return the scalars that decide how many groups a bound allows."""
        sums = (bound.index.slope, bound.index.start, bound.size or ())
        names = {v.argument for terms in sums for v in values_in(terms)}
        return {n for n in names if not isinstance(self.parameters[n], MemrefArgument)}

    def _most(self, bound: GroupBound, known: Known) -> Any:
        """Return how many groups a bound allows; None if it does not tell."""
        try:
            slope, start = (self._sum(terms, known) for terms in bound.index)
            size = None if bound.size is None else self._sum(bound.size, known)
        except LookupError:
            return None
        # The first group is outside by this much, and each further one by that much more.
        outside, more = (-start - 1, -slope) if size is None else (start - size, slope)
        if more <= 0:
            return None
        most = -outside if more == 1 else -(outside // more)
        return most if type(start) is int and start == 0 else max(most, 0)

    def _sum(self, terms: Sum, known: Known) -> Any:
        return sum(
            term.factor * math.prod(self._value(value, known) for value in term.values)
            for term in terms
        )

    def _value(self, value: LaunchValue | LaunchQuotient, known: Known) -> Any:
        """Return an integer of a call; LookupError if it is not known."""
        if isinstance(value, LaunchQuotient):
            return quotient(self._sum(value.dividend, known), value.divisor)
        if value.kind:
            if value.kind == ASSOCIATED:
                return 1
            raise LookupError
        name = self.names.get(value.argument, value.argument)
        argument, mode = self.parameters[value.argument], value.mode
        if not isinstance(argument, MemrefArgument):
            if isinstance(known[name], tuple):  # each call of a batch has its own
                raise LookupError
            return known[name]
        mode = len(argument.shape) if mode is None else mode
        if name in self.arrays:
            return self.size(self.arrays[name][mode], known)
        modes = argument.modes
        return known[name][mode if modes is None or mode >= len(modes) else modes[mode]]


def sizes_of(info: KernelInfo, hidden: Collection[str], shapes: Shapes, groups: Groups) -> Sizes:
    """Return where the sizes and numbers of groups of a kernel come from.

    Args:
        info: the kernel.
        hidden: the arrays whose sizes are asked for.
        shapes: shapes of arrays that nothing else tells: for each mode a size or the mode of
            another array.
        groups: numbers of groups of a launch, if they are given.

    Raises:
        ArgumentError: nothing tells a size.
    """
    return _Inference(info, hidden, shapes, groups).sizes()


class _Inference:
    """Finds out where sizes come from.

    Instructions that need equal sizes tell that sizes are the same. Arrays of known sizes limit
    the groups that access them; others have as many elements as there are groups if these access
    them by their id.
    """

    def __init__(
        self, info: KernelInfo, hidden: Collection[str], shapes: Shapes, groups: Groups
    ) -> None:
        self._info, self._hidden = info, hidden
        self._parameters = {argument.name: argument for argument in info.arguments}
        self._given = groups
        self._parents: dict[Mode, Mode] = {}
        self._modes = {
            (argument.name, number): size
            for argument in info.arguments
            if isinstance(argument, MemrefArgument)
            for number, size in enumerate(_sizes(argument))
        }
        self._static = {mode: size for mode, size in self._modes.items() if size is not None}
        for equal in info.equal_sizes:
            left, right = _single_mode(equal.size), _single_mode(equal.expected)
            if left is not None and right is not None:
                self._join(left, right)
        for name, shape in shapes.items():
            for number, value in enumerate(shape):
                if isinstance(value, int):
                    self._static.setdefault((name, number), value)
                else:
                    self._join((name, number), (value[0], value[1]))
        for mode, size in list(self._static.items()):
            self._static.setdefault(self._find(mode), size)

    def sizes(self) -> Sizes:
        """Return the sizes; like `sizes_of`."""
        limits = tuple(map(self._groups, range(3)))
        arrays: dict[str, list[Size]] = {name: [] for name in self._hidden}
        for mode in self._modes:
            if mode[0] in arrays:
                arrays[mode[0]].append(self._size(mode, limits))
        return Sizes(self._info.name, self._parameters, arrays, limits)

    def _size(self, mode: Mode, groups: Sequence[Size | Limits]) -> Size:
        known = self._known(mode)
        if known is not None:
            return known
        for each in self._equal(mode):
            dimension = self._ids.get(each)
            if dimension is not None and groups[dimension] != []:
                return GRID, dimension
        raise ArgumentError(
            f"{self._info.name}: expected the size of mode {mode[1]} of {mode[0]!r}, which no "
            f"input tells, got none; give it by shapes={{{mode[0]!r}: ...}}",
            argument="shapes",
        )

    def _known(self, mode: Mode) -> Size | None:
        """Return the size of a mode, or a mode of an input that has the same."""
        size = self._static.get(self._find(mode))
        if size is not None:
            return size
        return next((each for each in self._equal(mode) if each[0] not in self._hidden), None)

    def _groups(self, dimension: int) -> Size | Limits:
        """Return what tells the number of groups in a dimension."""
        if dimension < len(self._given):
            given = self._given[dimension]
            if isinstance(given, GroupBound):
                return [[given]]
            known = given if isinstance(given, int) else self._known((given[0], given[1]))
            if known is None:
                raise ArgumentError(
                    f"{self._info.name}: expected numbers of groups or modes of inputs, got "
                    f"{describe(given)}",
                    argument="groups",
                )
            return known
        moving = {b.dimension for b in self._info.group_bounds if not b.is_fixed}
        if dimension not in {*self._info.grid_dimensions, *moving}:
            return 1
        bounds = [b for b in self._uniform if b.dimension == dimension and self._tells(b)]
        always = [bound for bound in bounds if not bound.conditions]
        sometimes = [bound for bound in bounds if bound.conditions]
        by_id = [b for b in self._by_id if b.dimension == dimension and self._tells(b)]
        return [each for each in (always, sometimes, by_id) if each]

    @functools.cached_property
    def _uniform(self) -> list[GroupBound]:
        """The bounds that hold for all groups or for none."""
        return [b for b in self._info.group_bounds if not b.others and not _is_guarded(b)]

    @functools.cached_property
    def _by_id(self) -> list[GroupBound]:
        """The bounds of modes that groups access by their id alone, whatever the conditions are."""
        guarded = {(b.argument, b.modes) for b in self._info.group_bounds if _is_guarded(b)}
        accesses = self._info.group_accesses or ()
        by_id = {(a.argument, a.modes) for a in accesses if a.index == GROUP_ID} - guarded
        bounds = (use.bound for use in self._info.unchecked_uses if use.bound is not None)
        return [b for b in bounds if (b.argument, b.modes) in by_id and not _is_guarded(b)]

    @functools.cached_property
    def _ids(self) -> dict[Mode, int]:
        """The modes that groups access by their id, and its dimension."""
        return {
            self._mode(bound): bound.dimension
            for bound in (*self._by_id, *self._uniform)
            if len(bound.modes) <= 1 and bound.index == _ID
        }

    def _mode(self, bound: GroupBound) -> Mode:
        """Return the mode that a bound of at most one mode is about."""
        order = len(getattr(self._parameters.get(bound.argument), "shape", ()))
        return bound.argument, bound.modes[0] if bound.modes else order

    def _tells(self, bound: GroupBound) -> bool:
        """Whether what a bound mentions is known without the number of groups."""
        sums = (*bound.index, bound.size or ())
        is_alloca = bound.argument not in self._parameters
        return (
            bool(bound.index.slope)
            and not is_alloca
            and all(
                not isinstance(self._parameters[value.argument], MemrefArgument)
                or self._known(self._mode_of(value)) is not None
                for terms in sums
                for value in values_in(terms)
            )
        )

    def _mode_of(self, value: LaunchValue) -> Mode:
        """Return the mode of an array whose size a value is."""
        argument = self._parameters[value.argument]
        assert isinstance(argument, MemrefArgument)
        return value.argument, len(argument.shape) if value.mode is None else value.mode

    def _equal(self, mode: Mode) -> list[Mode]:
        """Return the modes of the same size."""
        root = self._find(mode)
        return [each for each in self._modes if self._find(each) == root]

    def _find(self, mode: Mode) -> Mode:
        while mode in self._parents:
            mode = self._parents[mode]
        return mode

    def _join(self, left: Mode, right: Mode) -> None:
        left, right = self._find(left), self._find(right)
        if left != right:
            self._parents[left] = right


# A group accesses the element that its id names.
_ID = Line(slope=(Term(1),), start=())


def _is_guarded(bound: GroupBound) -> bool:
    """Whether the groups that make the access of a bound depend on the id."""
    return any(condition.slope for condition in bound.conditions)


def _sizes(argument: MemrefArgument) -> tuple[int | None, ...]:
    members = (argument.size,) if isinstance(argument, GroupArgument) else ()
    return (*argument.shape, *members)


def _single_mode(terms: Sum) -> Mode | None:
    if len(terms) != 1 or terms[0].factor != 1 or len(terms[0].values) != 1:
        return None
    (value,) = terms[0].values
    if not isinstance(value, LaunchValue) or value.mode is None or value.kind:
        return None
    return value.argument, value.mode
