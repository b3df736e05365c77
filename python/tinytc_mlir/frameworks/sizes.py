# SPDX-License-Identifier: BSD-3-Clause
"""Which modes of a kernel's arrays have the same size, so that results can be allocated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from ..errors import ArgumentError
from ..runtime.bounds.group_bounds import GroupBound
from ..runtime.bounds.launch_sums import LaunchValue, Sum
from ..runtime.manifest import GroupArgument, KernelInfo, MemrefArgument

# A mode of a parameter, counted from 0; of `GRID`, a dimension of the groups.
Mode: TypeAlias = tuple[str, int]
GRID = ""
Shapes: TypeAlias = Mapping[str, Sequence["int | Mode"]]


class ModeSizes:
    """Says where the size of each mode of a kernel's arrays comes from.

    Groups that access the same mode of two arrays by their id, and instructions that need equal
    sizes, tell that sizes are the same.

    Args:
        info: the kernel.
        shapes: shapes of arrays that nothing tells: for each mode a size or the mode of another
            array.
        groups: numbers of groups of a launch, if they are given.
    """

    def __init__(self, info: KernelInfo, shapes: Shapes, groups: Sequence[int]) -> None:
        self._name = info.name
        self._parents: dict[Mode, Mode] = {}
        self._static: dict[Mode, int] = {}
        self._members: dict[Mode, list[Mode]] = {}
        self.modes: list[Mode] = []
        for argument in info.arguments:
            if isinstance(argument, MemrefArgument):
                for number, size in enumerate(_sizes(argument)):
                    self.modes.append((argument.name, number))
                    if size is not None:
                        self._static[argument.name, number] = size
        for dimension, count in enumerate(groups):
            self._static[GRID, dimension] = count
        for left, right in _equal_modes(info):
            self._join(left, right)
        for name, shape in shapes.items():
            for number, value in enumerate(shape):
                if isinstance(value, int):
                    self._static.setdefault(self._find((name, number)), value)
                else:
                    self._join((name, number), (value[0], value[1]))
        for mode in self.modes:
            self._members.setdefault(self._find(mode), []).append(mode)
        for each, size in list(self._static.items()):
            self._static.setdefault(self._find(each), size)

    def source(self, mode: Mode, known: Sequence[str]) -> int | Mode:
        """Return the size of a mode, or a mode of one of some arrays that has the same.

        Raises:
            ArgumentError: nothing tells the size.
        """
        found = self._known(mode, known)
        if found is not None:
            return found
        grid = (self._find((GRID, dimension)) for dimension in range(3))
        if self._find(mode) in grid:  # no array limits the groups: it is one
            return 1
        raise ArgumentError(
            f"{self._name}: expected the size of mode {mode[1]} of {mode[0]!r}, which no input "
            f"tells, got none; give it by shapes={{{mode[0]!r}: ...}}",
            argument="shapes",
        )

    def knows(self, mode: Mode, known: Sequence[str]) -> bool:
        """Whether some arrays tell the size of a mode."""
        return self._known(mode, known) is not None

    def _known(self, mode: Mode, known: Sequence[str]) -> int | Mode | None:
        root = self._find(mode)
        if root in self._static:
            return self._static[root]
        return next((each for each in self._members.get(root, []) if each[0] in known), None)

    def _find(self, mode: Mode) -> Mode:
        while mode in self._parents:
            mode = self._parents[mode]
        return mode

    def _join(self, left: Mode, right: Mode) -> None:
        left, right = self._find(left), self._find(right)
        if left != right:
            self._parents[left] = right


def _sizes(argument: MemrefArgument) -> tuple[int | None, ...]:
    members = (argument.size,) if isinstance(argument, GroupArgument) else ()
    return (*argument.shape, *members)


def _equal_modes(info: KernelInfo) -> Iterator[tuple[Mode, Mode]]:
    members = {a.name: len(a.shape) for a in info.arguments if isinstance(a, GroupArgument)}
    for bound in info.group_bounds:
        mode = _bounded_mode(bound, members.get(bound.argument))
        if mode is not None:
            yield mode, (GRID, bound.dimension)
    for sizes in info.equal_sizes:
        left, right = _single_mode(sizes.size), _single_mode(sizes.expected)
        if left is not None and right is not None:
            yield left, right


def _bounded_mode(bound: GroupBound, members: int | None) -> Mode | None:
    """Return the mode in which each group accesses the element that its id names.

    Args:
        bound: what limits the number of groups.
        members: the mode that counts the members; None if the argument is no group.
    """
    slope = bound.index.slope
    is_id = len(slope) == 1 and slope[0].factor == 1 and not slope[0].values
    if not is_id or bound.index.start or bound.others or bound.conditions:
        return None
    if members is not None:
        return None if bound.modes else (bound.argument, members)
    return (bound.argument, bound.modes[0]) if len(bound.modes) == 1 else None


def _single_mode(terms: Sum) -> Mode | None:
    if len(terms) != 1 or terms[0].factor != 1 or len(terms[0].values) != 1:
        return None
    (value,) = terms[0].values
    if not isinstance(value, LaunchValue) or value.mode is None or value.kind:
        return None
    return value.argument, value.mode
