# SPDX-License-Identifier: BSD-3-Clause
"""Which arrays a kernel overwrites without reading what they held before."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple, TypeAlias, cast

from .batching import DIMENSIONS
from .sizes import GRID, Size

_PRODUCTS = (
    "tinytc.axpby",
    "tinytc.cumsum",
    "tinytc.gemm",
    "tinytc.gemv",
    "tinytc.ger",
    "tinytc.hadamard_product",
    "tinytc.sum",
)
_VIEWS = ("tinytc.subview", "tinytc.expand", "tinytc.fuse")
# Instructions whose results are equal if their operands and attributes are.
_PURE = (*_VIEWS, "tinytc.constant", "tinytc.builtin.group_id", "tinytc.size")
_LOOPS = ("tinytc.for", "tinytc.foreach")
# As MLIR prints them: 0 : i32, 0.000000e+00 : f64, [0.000000e+00, 0.000000e+00].
_ZERO = re.compile(r"\[?0(\.0+e\+00)?( :|, 0\.0+e\+00\]|$)")
_DYNAMIC = -(2**63)
_GROUPS = -1  # as the number of a loop


class Overwriting(NamedTuple):
    """What happens to a kernel's arrays.

    Args:
        read: the arrays whose values before the kernel matter.
        written: for each array the boxes in it that all groups together overwrite: how many
            elements from the first one on in each mode.
    """

    read: set[str]
    written: dict[str, list[tuple[Size, ...]]]

    def boxes(self, name: str) -> Sequence[tuple[Size, ...]]:
        """Return the boxes of an array."""
        return self.written.get(name, ())


class _Loop(NamedTuple):
    """The indices that a loop takes, from 0 on.

    Args:
        number: of the loop.
        mode: which of its variables.
        size: how many there are.
    """

    number: int
    mode: int
    size: Size


_Extent: TypeAlias = "Size | _Loop | None"  # None is not known


class _View(NamedTuple):
    """A part of a parameter.

    Args:
        key: what is the same for equal views.
        root: the parameter.
        modes: its modes that the view has.
        extents: what of each mode of the parameter is in the view, or in all that loops and groups
            make of it.
    """

    key: Hashable
    root: str
    modes: tuple[int, ...]
    extents: tuple[_Extent, ...]


def find_overwriting(function: Any, names: Sequence[str]) -> Overwriting:
    """Return what happens to a kernel's arrays.

    The kernel overwrites what it stores into or updates by collective instructions with a constant
    beta of 0, and reads such a view only after that.
    """
    block = function.regions[0].blocks[0]
    walk = _Walk()
    for name, argument in zip(names, block.arguments, strict=True):
        modes = tuple(range(getattr(argument.type, "order", 0)))
        walk.keys[argument] = name
        walk.views[argument] = _View(name, name, modes, tuple((name, mode) for mode in modes))
    walk.visit(block, (), ())
    return walk.found


class _Walk:
    """Visits instructions in the order of the program."""

    def __init__(self) -> None:
        self.views: dict[Any, _View] = {}
        self.keys: dict[Any, Hashable] = {}
        self.found = Overwriting(set(), {})
        self._extents: dict[Any, _Extent] = {}  # of what values are as indices, and as sizes
        self._zeros: set[Any] = set()
        self._numbers = itertools.count()
        self._variables: dict[int, list[tuple[int, int]]] = {}  # of loops
        # By key of a view, the regions that write it.
        self._written: dict[Hashable, list[tuple[int, ...]]] = {}

    def visit(self, block: Any, path: tuple[int, ...], loops: tuple[int, ...] | None) -> None:
        """Visit a block.

        Args:
            block: the block.
            path: numbers of the regions that it is in.
            loops: numbers of the loops around it; None if it is in other regions.
        """
        for number, op in enumerate(block.operations):
            operation = op.operation
            self._visit(operation, path, loops)
            inside = None
            if operation.name in _LOOPS and loops is not None:
                inside = (*loops, next(self._numbers))
                self._enter(operation, inside[-1])
            for index, region in enumerate(operation.regions):
                for inner in region.blocks:
                    self.visit(inner, (*path, number, index), inside)

    def _enter(self, op: Any, number: int) -> None:
        """Note the indices that a loop takes, if it starts at 0 and has no step."""
        variables, operands = op.regions[0].blocks[0].arguments, list(op.operands)
        count = len(operands) // 2
        if op.name == "tinytc.for" and len(operands) > 2:
            return
        self._variables[number] = [(number, mode) for mode in range(count)]
        for mode, (first, last) in enumerate(zip(operands[:count], operands[count:], strict=True)):
            size = self._extents.get(last)
            if first in self._zeros and size is not None and not isinstance(size, _Loop):
                self._extents[variables[mode]] = _Loop(number, mode, size)

    def _visit(self, op: Any, path: tuple[int, ...], loops: tuple[int, ...] | None) -> None:
        operands = list(op.operands)
        if op.name in _PURE:
            self._name(op, operands)
        if op.name == "tinytc.size":
            return
        if op.name in _VIEWS and operands[0] in self.views:
            self._add_view(op, self.views[operands[0]])
            return
        checked = operands
        overwrites = op.name in _PRODUCTS and operands[-2] in self._zeros
        overwrites = overwrites and "atomic" not in op.attributes
        if overwrites:
            checked = operands[:-2]
        elif op.name == "tinytc.store" and "atomic" not in str(op.attributes["flag"]):
            checked = [operands[0], *operands[2:]]
            self._add_written(operands[1], operands[2:], loops)
        for operand in checked:
            view = self.views.get(operand)
            if view is not None and not self._is_written(view, path):
                self.found.read.add(view.root)
        if overwrites and operands[-1] in self.views:
            self._written.setdefault(self.views[operands[-1]].key, []).append(path)
            self._add_written(operands[-1], (), loops)

    def _name(self, op: Any, operands: Sequence[Any]) -> None:
        """Give the result of an instruction its key, and find out what it is as an index."""
        attributes = [str(op.attributes[number].attr) for number in range(len(op.attributes))]
        keys = [self.keys.get(operand, operand) for operand in operands]
        result = op.results[0]
        self.keys[result] = (op.name, str(result.type), *attributes, *keys)
        if op.name == "tinytc.constant":
            if _ZERO.match(attributes[0]):
                self._zeros.add(result)
            number = attributes[0].partition(" :")[0]
            if number.isdigit():
                self._extents[result] = int(number)
        elif op.name == "tinytc.builtin.group_id":
            dimension = DIMENSIONS.index(attributes[0].rstrip(">")[-1])
            self._extents[result] = _Loop(_GROUPS, dimension, (GRID, dimension))
        elif op.name == "tinytc.size" and operands[0] in self.views:
            view = self.views[operands[0]]
            extent = view.extents[view.modes[int(attributes[0].partition(" :")[0])]]
            self._extents[result] = None if isinstance(extent, _Loop) else extent

    def _add_view(self, op: Any, of: _View) -> None:
        """Add the result of an instruction that returns a view."""
        extents, modes = list(of.extents), []
        key = self.keys[op.results[0]]
        if op.name != "tinytc.subview":
            self.views[op.results[0]] = _View(key, of.root, (), (None,) * len(extents))
            return
        values = iter(list(op.operands)[1:])
        offsets, sizes = (
            [next(values) if each == _DYNAMIC else each for each in op.attributes[name]]
            for name in ("static_offsets", "static_sizes")
        )
        for mode, offset, size in zip(of.modes, offsets, sizes, strict=True):
            if size == 0:
                extents[mode] = self._index(offset)
                continue
            modes.append(mode)
            is_first = offset == 0 or offset in self._zeros
            extents[mode] = self._size(size) if is_first else None
        self.views[op.results[0]] = _View(key, of.root, tuple(modes), tuple(extents))

    def _index(self, value: Any) -> _Extent:
        """Return what an index makes of a mode, in all iterations and groups."""
        if value == 0 or value in self._zeros:
            return 1
        extent = self._extents.get(value)
        return extent if isinstance(extent, _Loop) else None

    def _size(self, value: Any) -> _Extent:
        return value if isinstance(value, int) else self._extents.get(value)

    def _add_written(
        self, target: Any, indices: Sequence[Any], loops: tuple[int, ...] | None
    ) -> None:
        """Note what all groups and all iterations overwrite."""
        view = self.views.get(target)
        if view is None or loops is None:
            return
        extents = list(view.extents)
        for mode, index in zip(view.modes, indices, strict=False):
            extents[mode] = self._index(index)
        used = Counter((each.number, each.mode) for each in extents if isinstance(each, _Loop))
        needed = [each for loop in loops for each in self._variables.get(loop, [None])]
        if None in extents or max(used.values(), default=1) > 1 or not used.keys() >= {*needed}:
            return
        box = tuple(each.size if isinstance(each, _Loop) else each for each in extents)
        self.found.written.setdefault(view.root, []).append(cast("tuple[Size, ...]", box))

    def _is_written(self, view: _View, path: tuple[int, ...]) -> bool:
        return any(path[: len(each)] == each for each in self._written.get(view.key, []))
