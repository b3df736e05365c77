# SPDX-License-Identifier: BSD-3-Clause
"""The instructions that make views: subview, expand, expandc2r, fuse; and size.

Making an invalid view is not an error, but using it is: the instructions have no effects, so a
compiler may execute them early. The broken rule becomes a `Defect` of the value.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..shapes import DYNAMIC
from .kernel import Builder, Step
from .machine import Site, State
from .memory import Defect, GroupValue, MemrefValue
from .untyped import Ir, Value

# The number in static_offsets, static_sizes and static_shape that stands for an operand.


def subview(builder: Builder, op: Ir) -> Step:
    """Compile `subview`."""
    site, source, result = builder.site(op), builder.slot(op.source), builder.slot(op.result)
    offsets = _mixed(builder, op.static_offsets, op.offsets)
    sizes = _mixed(builder, op.static_sizes, op.sizes)
    is_sliced = [static != 0 for static in op.static_sizes]
    # The constant size 0 removes a mode, unless the mode has no elements.
    is_kept = [
        sliced or size == 0 for sliced, size in zip(is_sliced, op.source.type.shape, strict=True)
    ]
    expected, least = _StaticLayout(op.result.type), 0 if builder.has_empty_views else 1

    def run(state: State) -> None:
        memref: MemrefValue = state.values[source]
        offset = memref.offset
        shape, stride = [], []
        checks = _ViewChecks(state, site, memref)
        for mode, (of, size_of) in enumerate(zip(offsets, sizes, strict=True)):
            start, size = of(state), size_of(state)
            offset = offset + start * memref.stride[mode]
            extent = size if is_kept[mode] else 1
            checks.require(
                size >= least if is_sliced[mode] else True, f"a positive size of mode {mode}", size
            )
            checks.require(start >= 0, f"a non-negative offset of mode {mode}", start)
            checks.require(
                start + extent <= memref.shape[mode],
                f"the slice of mode {mode} to end within its size",
                start + extent,
            )
            if is_kept[mode]:
                shape.append(size)
                stride.append(memref.stride[mode])
        state.values[result] = checks.view(expected, shape, stride, offset)

    return run


def expand(builder: Builder, op: Ir) -> Step:
    """Compile `expand`."""
    site, source, result = builder.site(op), builder.slot(op.source), builder.slot(op.result)
    mode = op.mode.value
    sizes = _mixed(builder, op.static_shape, op.shape)
    expected = _StaticLayout(op.result.type)

    def run(state: State) -> None:
        memref: MemrefValue = state.values[source]
        new_shape = [size(state) for size in sizes]
        new_stride = [memref.stride[mode]]
        for size in new_shape[:-1]:
            new_stride.append(new_stride[-1] * size)
        checks = _ViewChecks(state, site, memref)
        for size in new_shape:
            checks.require(size >= 1, "positive sizes in the expand shape", size)
        product = math.prod(new_shape)
        checks.require(
            product == memref.shape[mode],
            f"the product of the expand shape to be the size of mode {mode}",
            product,
        )
        shape = [*memref.shape[:mode], *new_shape, *memref.shape[mode + 1 :]]
        stride = [*memref.stride[:mode], *new_stride, *memref.stride[mode + 1 :]]
        state.values[result] = checks.view(expected, shape, stride, memref.offset)

    return run


def expandc2r(builder: Builder, op: Ir) -> Step:
    """Compile `expandc2r`."""
    source, result = builder.slot(op.source), builder.slot(op.result)

    def run(state: State) -> None:
        memref: MemrefValue = state.values[source]
        state.values[result] = memref.parts()

    return run


def fuse(builder: Builder, op: Ir) -> Step:
    """Compile `fuse`."""
    site, source, result = builder.site(op), builder.slot(op.source), builder.slot(op.result)
    first, last = op.from_.value, op.to.value
    expected = _StaticLayout(op.result.type)

    def run(state: State) -> None:
        memref: MemrefValue = state.values[source]
        checks = _ViewChecks(state, site, memref)
        for mode in range(first, last):
            extent = memref.stride[mode] * memref.shape[mode]
            checks.require(
                memref.stride[mode + 1] == extent,
                f"modes {mode} and {mode + 1} to be fusable (stride {mode + 1} = {extent})",
                memref.stride[mode + 1],
            )
        size = math.prod(memref.shape[first : last + 1])
        shape = [*memref.shape[:first], size, *memref.shape[last + 1 :]]
        stride = [*memref.stride[: first + 1], *memref.stride[last + 1 :]]
        state.values[result] = checks.view(expected, shape, stride, memref.offset)

    return run


def size(builder: Builder, op: Ir) -> Step:
    """Compile `size`."""
    source, result, mode = builder.slot(op.source), builder.slot(op.result), op.mode.value

    def run(state: State) -> None:
        value: MemrefValue | GroupValue = state.values[source]
        entry = len(value.members) if isinstance(value, GroupValue) else value.shape[mode]
        state.values[result] = np.int64(entry) if np.ndim(entry) == 0 else entry

    return run


def associated(builder: Builder, op: Ir) -> Step:
    """Compile `associated`."""
    source, result = builder.slot(op.source), builder.slot(op.result)

    def run(state: State) -> None:
        value: MemrefValue | GroupValue = state.values[source]
        state.values[result] = np.bool_(value.is_associated)

    return run


HANDLERS = {
    "tinytc.associated": associated,
    "tinytc.expand": expand,
    "tinytc.expandc2r": expandc2r,
    "tinytc.fuse": fuse,
    "tinytc.size": size,
    "tinytc.subview": subview,
}


class _StaticLayout:
    """Shape and stride of the result type."""

    def __init__(self, memref_type: Ir) -> None:
        self.shape: list[int | None] = list(memref_type.shape)
        self.stride: list[int | None] = list(memref_type.stride)


class _ViewChecks:
    """Collects the broken rules of a view.

    Args:
        state: the running work-group.
        site: the instruction that makes the view.
        source: the memref that it starts from.
    """

    def __init__(self, state: State, site: Site, source: MemrefValue) -> None:
        self._state = state
        self._site = site
        self._source = source
        self._defects = list(source.defects)

    def require(self, holds: Value, rule: str, got: Value) -> None:
        """Note where a rule is broken."""
        broken = ~np.asarray(holds)
        if not broken.any():
            return
        lanes = self._state.lanes
        if lanes is not None:
            broken = np.broadcast_to(broken, lanes.count) & lanes.active
            if not broken.any():
                return
            got = np.broadcast_to(got, lanes.count)[np.argmax(broken)]
        self._defects.append(Defect(self._site, f"expected {rule}, got {got}", broken))

    def view(
        self, expected: _StaticLayout, shape: Sequence[Any], stride: Sequence[Any], offset: Value
    ) -> MemrefValue:
        """Return the view; it has the broken rules, with those of the result type's constants."""
        for what, constants, values in (
            ("size", expected.shape, shape),
            ("stride", expected.stride, stride),
        ):
            for mode, (constant, value) in enumerate(zip(constants, values, strict=True)):
                if constant is not None:
                    rule = f"{what} {mode} of the result to be {constant}"
                    self.require(value == constant, rule, value)
        layout = {"offset": offset, "shape": tuple(shape), "stride": tuple(stride)}
        return dataclasses.replace(self._source, defects=tuple(self._defects), **layout)


def _mixed(builder: Builder, static: Ir, operands: Ir) -> list[Any]:
    """Return a function of the state for each constant or operand of a list."""
    dynamic = iter(operands)
    return [
        builder.reader(next(dynamic)) if value == DYNAMIC else _constant(value) for value in static
    ]


def _constant(value: int) -> Value:
    return lambda _: value
