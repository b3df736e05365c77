# SPDX-License-Identifier: BSD-3-Clause
"""Elements of arrays in local memory, and of those that are computed where they are used."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..frontend import ast as text
from ..kernels.values import Local, Static
from .arrays import Array, Index, Item, Range, Shape
from .emission import INDEX, Emission, Number


class Elements(Emission):
    """The part that computes an element of an array at some indices."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.memory: dict[Array, Local] = {}
        self.numbers: dict[Array, Number] = {}

    def element_of(  # noqa: PLR0911, one for each kind
        self, array: Array, at: Sequence[Number]
    ) -> Number:
        """Return an element, computed here if it is in no memory."""
        if not array.shape:
            return self.numbers[array]
        node = array.place[0]
        if array in self.memory:
            found = self.element(node, self.memory[array], self.indices_of(node, at))
            return self.as_read(node, found, array.type)
        if array.is_elementwise:
            args = [self.element_of(arg, self._broadcast(arg.shape, at)) for arg in array.args]
            return self.computed(array, args)
        match array.op:
            case "iota":
                return at[0]
            case "reshape":  # of one element
                return self.element_of(array.args[0], [Static(0)] * len(array.args[0].shape))
            case "broadcast":
                return self.element_of(array.args[0], self._broadcast(array.args[0].shape, at))
            case "transpose":
                inner: list[Number] = [Static(0)] * len(at)
                for place, source in zip(at, array.data, strict=True):
                    inner[source] = place
                return self.element_of(array.args[0], inner)
            case "slice":
                return self.element_of(
                    array.args[0], self.source_indices(array, array.data, at, first=0)
                )
            case "reduce":
                return self.reduced_over(array, at)
        raise AssertionError(array.op)

    @staticmethod
    def _broadcast(shape: Shape, at: Sequence[Number]) -> list[Number]:
        own = at[len(at) - len(shape) :]
        return [Static(0) if size == 1 else i for size, i in zip(shape, own, strict=True)]

    def source_indices(
        self, array: Array, items: Sequence[Item], at: Sequence[Number], first: int
    ) -> list[Number]:
        """Return the indices in the source of a slice, of those in the slice."""
        found: list[Number] = []
        rest = list(at)
        for item in items:
            if item is None:
                rest.pop(0)
            elif isinstance(item, Range):
                place = rest.pop(0)
                if isinstance(item.start, Index):
                    start = self.start_of(array, item.start, first)
                    place = self._plus(array, start, place)
                else:
                    place = self.offset(array, place, item.start, item.step)
                found.append(place)
            else:
                found.append(self.start_of(array, item, first))
        return found

    def _plus(self, array: Array, one: Number, other: Number) -> Number:
        for number, index in ((other, one), (one, other)):
            if isinstance(number, Static):
                known: Any = number.value
                return self.offset(array, index, known)
        return self.apply(array.place[0], "arith.add", [one, other])

    def reduced_over(self, array: Array, at: Sequence[Number]) -> Number:
        """Return a reduction over some modes, as loops."""
        op, axes = array.data
        source, node = array.args[0], array.place[0]
        rest = list(at)
        inner: list[Number] = [
            Static(0) if mode in axes else rest.pop(0) for mode in range(len(source.shape))
        ]
        if not math.prod(source.shape[mode] for mode in axes):
            return Static(1 if op in ("arith.mul", "arith.and") else 0)
        is_plain = op in ("arith.add", "arith.mul")
        start: Number = (
            Static(int(op == "arith.mul")) if is_plain else self.element_of(source, inner)
        )

        def over(modes: Sequence[int], before: Local) -> Local:
            if not modes:
                value = self.number(node, self.element_of(source, inner), array.type)
                return self.apply(node, op, [before, value])
            mode, *others = modes

            def turn(variable: Local, carried: list[Local]) -> list[Local]:
                inner[mode] = variable
                return [over(others, carried[0])]

            bounds = [Static(0), Static(source.shape[mode])]
            return self.loop(array, bounds, [before], turn)[0]

        return over(list(axes), self.number(node, start, array.type))

    def indices_of(self, node: Any, at: Sequence[Number]) -> list[text.Operand]:
        """Return indices in the order of memory."""
        return [
            self.operand(each, node) if isinstance(each, Local) else self.integer(node, each.value)  # type: ignore[arg-type]
            for each in reversed(at)
        ]

    def offset(self, array: Array, index: Number, by: int, times: int = 1) -> Number:
        """Return `times * index + by`."""
        if isinstance(index, Static):
            return Static(times * index.value + by)  # type: ignore[operator]
        node = array.place[0]
        found: Local = index
        if times != 1:
            found = self.apply(node, "arith.mul", [found, Static(times)])
        return found if not by else self.apply(node, "arith.add", [found, Static(by)])

    def start_of(self, array: Array, start: int | Index, first: int) -> Number:
        """Return an index that is known, or that an argument of an operation is."""
        if isinstance(start, Index):
            argument = array.args[start.argument + first]
            return self.number(array.place[0], self.numbers[argument], INDEX)
        return Static(start)
