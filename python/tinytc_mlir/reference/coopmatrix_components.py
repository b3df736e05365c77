# SPDX-License-Identifier: BSD-3-Clause
"""The instructions on components of cooperative matrices, and reductions.

A matrix is one (rows, columns) array per subgroup; `coopmatrix_layout` says which work-item holds
a component.
"""

from __future__ import annotations

import functools

import numpy as np

from .coopmatrix_layout import Places, places
from .kernel import Builder, Handler, Step, element_type, keyword
from .machine import Site, State
from .rounding import Array, accumulator_of
from .untyped import Ir, Value


class _Layout:
    """The layout of the matrices of one type."""

    def __init__(self, builder: Builder, matrix_type: Ir) -> None:
        self.shape = (matrix_type.rows, matrix_type.columns)
        self.dtype = builder.dtype(matrix_type)
        self._use = str(matrix_type.use)
        self._bytes = element_type(matrix_type).bits // 8

    def places(self, state: State) -> Places:
        """Return the layout for the subgroup size of a launch."""
        return places(self.shape, self._use, self._bytes, state.geometry.subgroup_size)

    def entry(self, state: State, site: Site, index: int) -> tuple[Array, Array, Array]:
        """Return rows, columns and whether it is a component, of an entry in all lanes."""
        found = self.places(state)
        if index >= found.entries:
            state.fail(
                site,
                f"expected the index to be less than {found.entries}, the number of components "
                f"that a work-item holds, got {index}",
            )
        return found.rows[:, index], found.columns[:, index], found.held[:, index]

    def matrices(self, state: State, value: Value) -> Array:
        """Return a copy of the matrices, one for each subgroup."""
        count = state.spmd_lanes.count // state.geometry.subgroup_size
        return np.array(np.broadcast_to(value, (count, *self.shape)), self.dtype)


def apply(builder: Builder, op: Ir) -> Step:
    """Compile `cooperative_matrix_apply`; lanes that hold padding wait for the others."""
    site, layout = builder.site(op), _Layout(builder, op.result.type)
    layouts = [_Layout(builder, matrix.type) for matrix in op.matrices]
    matrices, result = builder.slots(op.matrices), builder.slot(op.result)
    row, column, *components = builder.slots(op.body.blocks[0].arguments)
    body = builder.block(op.body)

    def run(state: State) -> None:
        full = state.full_subgroups(site)
        lanes = state.spmd_lanes
        sources = [
            each.matrices(state, state.values[matrix])
            for each, matrix in zip(layouts, matrices, strict=True)
        ]
        output = layout.matrices(state, layout.dtype.type(0))
        for index in range(layout.places(state).entries):
            rows, columns, held = layout.entry(state, site, index)
            active = (full[:, None] & held).reshape(-1)
            if not active.any():
                continue
            state.values[row] = np.tile(rows, len(full)).astype(np.int32)
            state.values[column] = np.tile(columns, len(full)).astype(np.int32)
            for component, source in zip(components, sources, strict=True):
                state.values[component] = source[:, rows, columns].reshape(-1)
            state.lanes = lanes.masked(active)
            body.run(state)
            state.lanes = lanes
            (yielded,) = body.yielded
            values = np.broadcast_to(state.values[yielded], lanes.count).reshape(len(full), -1)
            output[:, rows[held], columns[held]] = values[:, held]
        state.values[result] = output

    return run


def construct(builder: Builder, op: Ir) -> Step:
    """Compile `cooperative_matrix_construct`."""
    site, layout = builder.site(op), _Layout(builder, op.result.type)
    scalar, result = builder.slots([op.scalar, op.result])

    def run(state: State) -> None:
        state.full_subgroups(site)
        values = state.uniform(site, state.values[scalar], "scalar")
        state.values[result] = layout.matrices(state, values[:, None, None])

    return run


def extract(builder: Builder, op: Ir) -> Step:
    """Compile `cooperative_matrix_extract`; padding is 0."""
    site, layout, index = builder.site(op), _Layout(builder, op.matrix.type), op.index.value
    matrix, result = builder.slots([op.matrix, op.result])

    def run(state: State) -> None:
        state.full_subgroups(site)
        rows, columns, held = layout.entry(state, site, index)
        values = layout.matrices(state, state.values[matrix])[:, rows, columns]
        state.values[result] = np.where(held, values, layout.dtype.type(0)).reshape(-1)

    return run


def insert(builder: Builder, op: Ir) -> Step:
    """Compile `cooperative_matrix_insert`; padding stays 0."""
    site, layout, index = builder.site(op), _Layout(builder, op.matrix.type), op.index.value
    scalar, matrix, result = builder.slots([op.scalar, op.matrix, op.result])

    def run(state: State) -> None:
        state.full_subgroups(site)
        rows, columns, held = layout.entry(state, site, index)
        output = layout.matrices(state, state.values[matrix])
        output[:, rows[held], columns[held]] = state.by_subgroup(state.values[scalar])[:, held]
        state.values[result] = output

    return run


def prefetch(builder: Builder, op: Ir) -> Step:
    """Compile `cooperative_matrix_prefetch`, which only has to be uniform."""
    site = builder.site(op)
    x, y = builder.slots([op.x, op.y])

    def run(state: State) -> None:
        state.full_subgroups(site)
        state.uniform(site, state.values[x], "x")
        state.uniform(site, state.values[y], "y")

    return run


_EXTREMA = ("max", "min")


def _reduce(word: str) -> Handler:

    def compile_(builder: Builder, op: Ir) -> Step:
        site = builder.site(op)
        matrix, result = builder.slots([op.matrix, op.result])
        scalar_type = element_type(op.result.type)
        accumulator, arithmetic = accumulator_of(scalar_type), builder.arithmetic
        combine = arithmetic.binary(word, accumulator)
        axis = 2 if keyword(op, "mode", "") == "row" else 1

        def run(state: State) -> None:
            state.full_subgroups(site)
            values = np.asarray(arithmetic.round_to(accumulator, state.values[matrix]))
            if word == "add":
                reduced = arithmetic.sum(accumulator, values, axis)
            else:
                reduced = functools.reduce(combine, np.moveaxis(values, axis, 0))
            state.values[result] = arithmetic.round_to(scalar_type, np.expand_dims(reduced, axis))

        return run

    return compile_


HANDLERS: dict[str, Handler] = {
    "tinytc.cooperative_matrix_apply": apply,
    "tinytc.cooperative_matrix_construct": construct,
    "tinytc.cooperative_matrix_extract": extract,
    "tinytc.cooperative_matrix_insert": insert,
    "tinytc.cooperative_matrix_prefetch": prefetch,
    **{f"tinytc.cooperative_matrix_reduce_{word}": _reduce(word) for word in ("add", *_EXTREMA)},
}
