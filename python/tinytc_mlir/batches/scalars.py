# SPDX-License-Identifier: BSD-3-Clause
"""Kernels whose elements are all numbers in registers: those of small arrays.

A value is a NumPy array of objects, numbers of the program or of Python, so that NumPy transposes,
broadcasts and cuts it. Native code and GPUs put groups next to each other in the lanes of vectors.
"""

from __future__ import annotations

import ast
import functools
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernels.values import Local, Static
from ..zero_patterns import boxes_of, mask_of
from .arrays import Array, Index, Item, Range, Region
from .emission import INDEX, Number, Parameter, in_parts
from .small_solves import SmallSolves

Numbers = npt.NDArray[Any]  # of Number


class Scalars(SmallSolves):
    """Writes operations as those of their elements."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.values = {}
        self.regions: dict[Array, list[Numbers]] = {}

    def operation_of(self, array: Array) -> None:
        """Append an operation, element by element."""
        is_plain = array.is_elementwise
        rule = self._elementwise if is_plain else getattr(self, f"_of_{array.op}")
        self.values[array] = rule(array)

    def returned(self, parameter: Parameter, result: Array) -> None:
        """Store the elements of a result."""
        node = result.place[0]
        for indices, value in np.ndenumerate(self.values[result]):
            places = [self.integer(node, index) for index in reversed(indices)]
            every = [*places, *self.batch_indices(parameter, node)]
            operands = [self.as_stored(node, value, parameter.type), self.scope[parameter.name]]
            given = [self.operand(each, node) for each in operands]
            self.add(node, "store", given, indices=every)

    def _args(self, array: Array) -> list[Numbers]:
        return [self.values[arg] for arg in array.args]

    def _elementwise(self, array: Array) -> Numbers:
        arrays = np.broadcast_arrays(*self._args(array))
        return _filled(array.shape, lambda at: self.computed(array, [a[at] for a in arrays]))

    # Where values come from -----------------------------------------------------------------

    def _of_parameter(self, array: Array) -> Numbers:
        node = array.place[0]
        found = next(each for each in self.program.inputs if each.name == array.data)
        if found.boxes is None:
            return _filled(array.shape, lambda at: self.loaded(found, node, at))
        mask = mask_of(boxes_of(found.boxes, len(array.shape)), array.shape)
        return _filled(array.shape, lambda at: self._promised(found, node, at, mask))

    def _promised(self, parameter: Parameter, node: ast.AST, at: Any, mask: Any) -> Number:
        """Return an element, which is zero outside of the parameter's pattern of zeros."""
        return self.loaded(parameter, node, at) if mask[at] else Static(0)

    def _of_constant(self, array: Array) -> Numbers:
        return _filled((), lambda _: Static(array.data))

    def _of_literal(self, array: Array) -> Numbers:
        return _filled(array.shape, lambda at: Static(array.data[at].item()))

    def _of_iota(self, array: Array) -> Numbers:
        return _filled(array.shape, lambda at: Static(at[0]))

    # Views ----------------------------------------------------------------------------------

    def _of_transpose(self, array: Array) -> Numbers:
        return self.values[array.args[0]].transpose(array.data)

    def _of_broadcast(self, array: Array) -> Numbers:
        return np.broadcast_to(self.values[array.args[0]], array.shape)

    def _of_reshape(self, array: Array) -> Numbers:
        return self.values[array.args[0]].reshape(array.shape)

    def _of_stack(self, array: Array) -> Numbers:
        return np.stack(self._args(array))

    def _of_concatenate(self, array: Array) -> Numbers:
        return np.concatenate(self._args(array), array.data)

    def _of_slice(self, array: Array) -> Numbers:
        source, *indices = self._args(array)
        moving = [item for item in array.data if _moves(item)]
        if not moving:
            return source[(*_plain(array.data), ...)]
        return self._chosen(array, source, indices, moving)

    def _chosen(
        self, array: Array, source: Numbers, indices: Sequence[Numbers], moving: Sequence[Item]
    ) -> Numbers:
        """Return a part at indices of run time: one of all parts that there may be."""
        item = moving[0]
        ends = _ends(item, array.args[0].shape[_mode(array.data, item)])
        rest = moving[1:]
        parts = [
            self._part(array, source, indices, rest, _fixed(array.data, item, k))
            for k in range(ends)
        ]
        place = self._index(array, item, indices)
        return functools.reduce(
            lambda after, k: self._either(array, place, k, parts[k], after),
            range(ends - 2, -1, -1),
            parts[-1],
        )

    def _part(
        self,
        array: Array,
        source: Numbers,
        indices: Sequence[Numbers],
        moving: Sequence[Item],
        items: tuple[Item, ...],
    ) -> Numbers:
        if not moving:
            return source[(*_plain(items), ...)]
        made = Array("slice", array.args, array.shape, array.type, array.place, items)
        return self._chosen(made, source, indices, moving)

    def _index(self, array: Array, item: Item, indices: Sequence[Numbers]) -> Local:
        index = item.start if isinstance(item, Range) else item
        assert isinstance(index, Index)
        found: Any = indices[index.argument - 1][()]
        return self.number(array.place[0], found, INDEX)

    def _either(
        self, array: Array, place: Local, k: int, then: Numbers, orelse: Numbers
    ) -> Numbers:
        node = array.place[0]
        equal = self.apply(node, "cmp.eq", [place, Static(k)])

        def one(at: tuple[int, ...]) -> Number:
            values = [self.number(node, each[at], array.type) for each in (then, orelse)]
            return self.apply(node, "select", [equal, *values])

        return _filled(then.shape, one)

    def _of_update(self, array: Array) -> Numbers:
        source, part, *indices = self._args(array)
        moving = [item for item in array.data if _moves(item)]
        if not moving:
            return _replaced(source, part, array.data)
        place = [self._index(array, each, indices) for each in moving]
        return self._updated(array, source, part, list(zip(moving, place, strict=True)), array.data)

    def _updated(
        self,
        array: Array,
        source: Numbers,
        part: Numbers,
        moving: Sequence[tuple[Item, Local]],
        items: tuple[Item, ...],
    ) -> Numbers:
        if not moving:
            return _replaced(source, part, items)
        (item, place), *rest = moving
        found = source
        for k in range(_ends(item, array.shape[_mode(items, item)])):
            inner = self._updated(array, found, part, rest, _fixed(items, item, k))
            found = self._either(array, place, k, inner, found)
        return found

    # Products and sums ----------------------------------------------------------------------

    def _of_matmul(self, array: Array) -> Numbers:
        left, right = self._args(array)
        return self._multiplied(array, left, right, None)

    def _multiplied(
        self, array: Array, left: Numbers, right: Numbers, before: Numbers | None
    ) -> Numbers:
        rows = left if left.ndim == 2 else left[None, :]
        columns = right.T if right.ndim == 2 else right[None, :]
        start = None if before is None else before.reshape(len(rows), len(columns))

        def one(at: tuple[int, ...]) -> Number:
            found: Number | None = None if start is None else start[at]
            for a, b in zip(rows[at[0]], columns[at[1]], strict=True):
                term = self._times(array, a, b)
                if found is None or _is_zero(found):
                    found = term
                elif not _is_zero(term):
                    found = self._plus(array, found, term)
            return Static(0) if found is None else found

        return _filled((len(rows), len(columns)), one).reshape(array.shape)

    def _times(self, array: Array, one: Number, other: Number) -> Number:
        for a, b in ((one, other), (other, one)):
            if isinstance(a, Static) and a.value in (0, 1):
                return b if a.value == 1 else Static(0)
        if isinstance(one, Static) and isinstance(other, Static):
            return Static(one.value * other.value)  # type: ignore[operator]
        return self._applied(array, "arith.mul", one, other)

    def _plus(self, array: Array, one: Number, other: Number) -> Number:
        if isinstance(one, Static) and isinstance(other, Static):
            return Static(one.value + other.value)  # type: ignore[operator]
        return self._applied(array, "arith.add", one, other)

    def _applied(self, array: Array, name: str, one: Number, other: Number) -> Local:
        node = array.place[0]
        return self.apply(node, name, [self.number(node, v, array.type) for v in (one, other)])

    def _of_gemm(self, array: Array) -> Numbers:
        alpha, left, right, *before = self._args(array)
        scale: Any = alpha[()]
        if isinstance(scale, Static) and scale.value == 1:
            return self._multiplied(array, left, right, before[0] if before else None)
        smaller = left if left.size <= right.size else right
        scaled = _filled(smaller.shape, lambda at: self._times(array, scale, smaller[at]))
        if smaller is left:
            left = scaled
        else:
            right = scaled
        return self._multiplied(array, left, right, before[0] if before else None)

    def _of_reduce(self, array: Array) -> Numbers:
        op, axes = array.data
        (source,) = self._args(array)
        rest = [mode for mode in range(source.ndim) if mode not in axes]
        count = math.prod(source.shape[mode] for mode in axes)
        lines = source.transpose([*rest, *axes]).reshape(*array.shape, count)
        start = Static(1 if op in ("arith.mul", "arith.and") else 0)

        def one(at: tuple[int, ...]) -> Number:
            return (
                in_parts(lines[at], lambda a, b: self._joined(array, op, a, b)) if count else start
            )

        return _filled(array.shape, one)

    def _joined(self, array: Array, op: str, one: Number, other: Number) -> Number:
        both = isinstance(one, Static) and isinstance(other, Static)
        return (
            self._plus(array, one, other)
            if op == "arith.add" and both
            else self._applied(array, op, one, other)
        )

    def _of_cumsum(self, array: Array) -> Numbers:
        axis, is_reversed = array.data
        lines = np.moveaxis(self.values[array.args[0]], axis, 0).copy()
        order = range(len(lines))[:: -1 if is_reversed else 1]
        for before, at in itertools.pairwise(order):
            for k in np.ndindex(lines.shape[1:]):
                lines[(at, *k)] = self._plus(array, lines[(before, *k)], lines[(at, *k)])
        return np.moveaxis(lines, 0, axis)

    # Regions --------------------------------------------------------------------------------

    def _of_if(self, array: Array) -> Numbers:
        node, region = array.place[0], array.data
        held: Any = self.values[array.args[0]][()]
        condition = self.number(node, held, array.type)

        def fill(block: Any) -> list[Number]:
            self.block(block)
            return [value for end in block.ends for value in self.values[end].flat]

        shapes = [end.shape for end in region.blocks[0].ends]
        types = [end.type for end in region.blocks[0].ends for _ in range(end.size)]
        self.regions[array] = _split(self.conditional(array, condition, fill, types), shapes)
        return np.empty(0, object)

    def _of_for(self, array: Array) -> Numbers:
        node, region = array.place[0], array.data
        assert isinstance(region, Region)
        limits: list[Any] = [self.values[arg][()] for arg in array.args[:3]]
        bounds = [self.number(node, each, INDEX) for each in limits]
        carried, shapes = region.carried, [each.shape for each in region.carried]
        starts = [self.values[arg] for arg in array.args[3:]]
        inits = [
            self.number(node, value, each.type)
            for each, start in zip(carried, starts, strict=True)
            for value in start.flat
        ]

        def turn(variable: Local, values: list[Local]) -> list[Local]:
            assert region.variable is not None
            self.values[region.variable] = _filled((), lambda _: variable)
            self.values.update(zip(carried, _split(values, shapes), strict=True))
            self.block(region.blocks[0])
            return [
                self.number(node, value, end.type)
                for end in region.blocks[0].ends
                for value in self.values[end].flat
            ]

        self.regions[array] = _split(self.loop(array, bounds, inits, turn), shapes)
        return np.empty(0, object)

    def _of_result(self, array: Array) -> Numbers:
        return self.regions[array.args[0]][array.data]  # type: ignore[no-any-return]


def _filled(shape: tuple[int, ...], one: Callable[[tuple[int, ...]], Number]) -> Numbers:
    """Return an array of numbers, each of which a function makes."""
    found = np.empty(shape, object)
    for at in np.ndindex(*shape):
        found[at] = one(at)
    return found


def _split(values: Sequence[Number], shapes: Sequence[tuple[int, ...]]) -> list[Numbers]:
    """Return arrays of some shapes from all of their elements."""
    found, rest = [], list(values)
    for shape in shapes:
        made = np.empty(shape, object)
        for at in np.ndindex(*shape):
            made[at] = rest.pop(0)
        found.append(made)
    return found


def _moves(item: Item) -> bool:
    return isinstance(item, Index) or (isinstance(item, Range) and isinstance(item.start, Index))


def _ends(item: Item, size: int) -> int:
    """Return how many places there are for an item of a mode."""
    return size - item.size + 1 if isinstance(item, Range) else size


def _mode(items: Sequence[Item], item: Item) -> int:
    """Return the mode of the source that an item is about."""
    place = next(n for n, each in enumerate(items) if each is item)
    return sum(each is not None for each in items[:place])


def _fixed(items: Sequence[Item], item: Item, k: int) -> tuple[Item, ...]:
    """Return items with one of run time at a place that is known."""
    fixed = Range(k, item.step, item.size) if isinstance(item, Range) else k
    return tuple(fixed if each is item else each for each in items)


def _plain(items: Sequence[Item]) -> tuple[Any, ...]:
    """Return items as NumPy has them."""
    found: list[Any] = []
    for item in items:
        if isinstance(item, Range):
            assert isinstance(item.start, int)
            stop = item.start + item.step * item.size
            found.append(slice(item.start, stop if stop >= 0 else None, item.step))
        else:
            found.append(item)
    return tuple(found)


def _replaced(source: Numbers, part: Numbers, items: Sequence[Item]) -> Numbers:
    """Return an array with a part replaced."""
    found = source.copy()
    found[_plain(items)] = part if part.ndim else part[()]
    return found


def _is_zero(number: Number) -> bool:
    """Return whether a number is known to be zero."""
    return isinstance(number, Static) and type(number.value) in (int, float) and number.value == 0
