# SPDX-License-Identifier: BSD-3-Clause
"""The instructions that contain regions: for, if, foreach, foreach_tile, parallel."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..shapes import INT64_MAX
from .checks import Violation
from .kernel import Block, Builder, Handler, Step, element_type, is_coopmatrix
from .machine import Lanes, Site, State
from .rounding import Array
from .untyped import Ir, Value

# Iterations of a foreach that are executed together if its body does not use subgroups.
_CHUNK = 1 << 16
_LANE_OPS = ("tinytc.builtin.subgroup_id", "tinytc.builtin.subgroup_local_id")
_LANE_PREFIXES = ("tinytc.subgroup_", "tinytc.cooperative_matrix_")


def for_(builder: Builder, op: Ir) -> Step:
    """Compile `for`; lanes whose range is exhausted wait until the others are done."""
    loop = _Loop(builder, op)

    def run(state: State) -> None:
        first, step, counts = loop.range(state)
        if np.ndim(counts) == 0:
            loop.run_uniform(state, first, step, int(counts))
        else:
            loop.run_divergent(state, first, step, counts)

    return run


class _Loop:
    """A compiled `for`."""

    def __init__(self, builder: Builder, op: Ir) -> None:
        self._site = builder.site(op)
        self._from, self._to = builder.slots([op.from_, op.to])
        self._step = None if op.step is None else builder.slot(op.step)
        self._inits = builder.slots(op.inits)
        arguments = op.body.blocks[0].arguments
        self._variable, *self._carried = builder.slots(arguments)
        self._body = builder.block(op.body)
        self._results = builder.slots(op.results_)
        self._merge = _Merge(self._site, op.results_)
        self._dtype = element_type(arguments[0].type).value_dtype

    def range(self, state: State) -> tuple[Any, Any, Any]:
        """Return first value, step and number of iterations; the latter cannot overflow."""
        first, last = state.values[self._from], state.values[self._to]
        step: Any = np.int64(1)
        if self._step is not None:
            step = state.values[self._step]
            rule = "expected a positive step"
            state.check(self._site, Violation(np.less_equal(step, 0), rule, step))
        return first, step, trip_count(first, last, step)

    def run_uniform(self, state: State, first: Value, step: Value, count: int) -> None:
        """Execute the iterations of a loop whose lanes all have the same number of them."""
        carried = [state.values[slot] for slot in self._inits]
        for number in range(count):
            carried = self._iterate(state, first, step, number, carried)
        _assign(state, self._results, carried)

    def run_divergent(self, state: State, first: Value, step: Value, counts: Array) -> None:
        """Execute the iterations of a loop whose lanes have different numbers of them."""
        lanes = state.spmd_lanes
        counts = np.where(lanes.active, counts, 0)
        carried = [state.values[slot] for slot in self._inits]
        for number in range(int(counts.max(initial=0))):
            active = number < counts
            state.lanes = lanes.masked(active)
            yielded = self._iterate(state, first, step, number, carried)
            state.lanes = lanes
            carried = self._merge.select(state, active, yielded, carried)
        _assign(state, self._results, carried)

    def _iterate(
        self, state: State, first: Value, step: Value, number: int, carried: list[Any]
    ) -> list[Any]:
        value = np.asarray(first, np.int64) + number * np.asarray(step, np.int64)
        state.values[self._variable] = value.astype(self._dtype)[()]
        _assign(state, self._carried, carried)
        self._body.run(state)
        return [state.values[slot] for slot in self._body.yielded]


def trip_count(first: Value, last: Value, step: Value) -> Value:
    """Return how many of first, first + step, ... are below last, for positive steps.

    >>> int(trip_count(np.int8(100), np.int8(127), np.int8(100)))
    1
    """
    # Differences of i64 fit into u64.
    begin, end = (np.asarray(value, np.int64) for value in (first, last))
    distance = end.astype(np.uint64) - begin.astype(np.uint64)
    positive = np.maximum(np.asarray(step, np.int64), 1).astype(np.uint64)
    one = np.uint64(1)
    counts = np.where(begin < end, (distance - one) // positive + one, np.uint64(0))
    return counts.astype(np.int64)[()]


def assert_(builder: Builder, op: Ir) -> Step:
    """Compile `assert`."""
    site, condition = builder.site(op), builder.slot(op.condition)
    rule = f"expected '{op.attributes['text'].value}' to be true"

    def run(state: State) -> None:
        state.check(site, Violation(np.logical_not(state.values[condition]), rule, "false"))

    return run


def print_(builder: Builder, op: Ir) -> Step:
    """Compile `print`: one line for each work-item, or for the group in a collective region."""
    text, slots = op.attributes["text"].value, builder.slots(op.values)
    bits = [element_type(value.type).is_bits for value in op.values]

    def line(values: list[Value]) -> str:
        shown = ", ".join(
            _shown(np.float32(value) if is_bits else value)
            for value, is_bits in zip(values, bits, strict=True)
        )
        return f"{text}: {shown}" if values else text

    def run(state: State) -> None:
        values = [state.values[slot] for slot in slots]
        if state.lanes is None:
            print(f"{line(values)} ({state.describe_place(None)})")
            return
        lanes = state.lanes
        by_lane = [np.broadcast_to(value, lanes.count) for value in values]
        for lane in np.flatnonzero(lanes.active):
            place = state.describe_place(int(lanes.agents[lane]))
            print(f"{line([value[lane] for value in by_lane])} ({place})")

    return run


def _shown(value: Value) -> str:
    """Return a number as debug builds print it."""
    if np.iscomplexobj(value):
        return f"[{value.real!s}, {value.imag!s}]"
    return str(np.asarray(value).astype(np.int8) if np.asarray(value).dtype == bool else value)


def if_(builder: Builder, op: Ir) -> Step:
    """Compile `if`; lanes that disagree execute both branches, each under its mask."""
    site = builder.site(op)
    condition = builder.slot(op.condition)
    then = builder.block(op.then_region)
    otherwise = Block((), ())
    if len(op.else_region.blocks):
        otherwise = builder.block(op.else_region)
    results = builder.slots(op.results_)
    merge = _Merge(site, op.results_)

    def run(state: State) -> None:
        chosen = state.values[condition]
        if np.ndim(chosen) == 0:
            branch = then if chosen else otherwise
            branch.run(state)
            _assign(state, results, [state.values[slot] for slot in branch.yielded])
            return
        lanes = state.spmd_lanes
        in_then, in_else = lanes.active & chosen, lanes.active & ~chosen
        yielded = _run_masked(state, then, lanes, in_then)
        alternative = _run_masked(state, otherwise, lanes, in_else)
        if yielded is None or alternative is None:
            _assign(state, results, yielded or alternative or [])
        else:
            _assign(state, results, merge.select(state, in_then, yielded, alternative))

    return run


def _run_masked(state: State, block: Block, lanes: Lanes, active: Array) -> list[Any] | None:
    """Execute a block for some lanes; return what it yields, None if there are no lanes."""
    if not active.any():
        return None
    state.lanes = lanes.masked(active)
    block.run(state)
    state.lanes = lanes
    return [state.values[slot] for slot in block.yielded]


class _Merge:
    """Merges the values that two sets of lanes compute for the results of an op."""

    def __init__(self, site: Site, results: Ir) -> None:
        self._site = site
        self._is_matrix = [is_coopmatrix(result.type) for result in results]

    def select(
        self, state: State, active: Array, values: list[Any], others: list[Any]
    ) -> list[Any]:
        """Return `values` in active lanes and `others` in the remaining ones."""
        subgroups = self._subgroups(state, active) if any(self._is_matrix) else active
        joined = []
        for is_matrix, value, other in zip(self._is_matrix, values, others, strict=True):
            mask = subgroups if is_matrix else active
            joined.append(np.where(mask, value, other))
        return joined

    def _subgroups(self, state: State, active: Array) -> Array:
        """Return which subgroups are active; their work-items must agree."""
        lanes = state.spmd_lanes
        state.lanes = lanes.masked(active)
        full = state.full_subgroups(self._site)
        state.lanes = lanes
        return full[:, None, None]


def parallel(builder: Builder, op: Ir) -> Step:
    """Compile `parallel`; a barrier separates it from what comes before and after."""
    body = builder.block(op.body)

    def run(state: State) -> None:
        count = state.geometry.work_items
        lanes = Lanes(np.ones(count, bool), np.arange(count, dtype=np.int64))
        state.synchronise("local", "global")
        _run_masked(state, body, lanes, lanes.active)
        state.leave_spmd()

    return run


def foreach(builder: Builder, op: Ir) -> Step:
    """Compile `foreach`; every iteration counts as a work-item of its own."""
    begins, ends = builder.slots(op.from_), builder.slots(op.to)
    arguments = op.body.blocks[0].arguments
    variables = builder.slots(arguments)
    dtypes = [element_type(argument.type).value_dtype for argument in arguments]
    body = builder.block(op.body)
    needs_subgroups = _needs_subgroups(op.body)

    def run(state: State) -> None:
        first = [int(state.values[slot]) for slot in begins]
        last = [int(state.values[slot]) for slot in ends]
        sizes = [max(end - begin, 0) for begin, end in zip(first, last, strict=True)]
        state.synchronise("local", "global")
        for lanes in _chunks(state, math.prod(sizes), needs_subgroups):
            numbers = np.where(lanes.active, lanes.agents, 0)
            for slot, size, begin, dtype in zip(variables, sizes, first, dtypes, strict=True):
                numbers, index = np.divmod(numbers, min(size, INT64_MAX))
                state.values[slot] = (index + begin).astype(dtype)
            _run_masked(state, body, lanes, lanes.active)
        state.leave_spmd()

    return run


def foreach_tile(builder: Builder, op: Ir) -> Step:
    """Compile `foreach_tile`; a tile is run by a subgroup, whose work-items are its own."""
    begins, ends = builder.slots(op.from_), builder.slots(op.to)
    arguments = list(op.body.blocks[0].arguments)
    starts = builder.slots(arguments[: len(begins)])
    extents = builder.slots(arguments[len(begins) :])
    dtypes = [element_type(argument.type).value_dtype for argument in arguments[: len(begins)]]
    tile = [int(size) for size in op.sizes]
    body = builder.block(op.body)

    def run(state: State) -> None:
        first = [int(state.values[slot]) for slot in begins]
        sizes = [
            max(int(state.values[end]) - begin, 0) for end, begin in zip(ends, first, strict=True)
        ]
        counts = [-(-size // most) for size, most in zip(sizes, tile, strict=True)]
        state.synchronise("local", "global")
        for lanes, tiles in _tiles(state, math.prod(counts)):
            rest = tiles
            for mode, count in enumerate(counts):
                rest, number = np.divmod(rest, max(count, 1))
                offset = number * tile[mode]
                extent = np.minimum(sizes[mode] - offset, tile[mode])
                state.values[starts[mode]] = (first[mode] + offset).astype(dtypes[mode])
                state.values[extents[mode]] = extent.astype(dtypes[mode])
            _run_masked(state, body, lanes, lanes.active)
        state.leave_spmd()

    return run


def _tiles(state: State, count: int) -> Iterator[tuple[Lanes, Array]]:
    """Yield lanes for one tile of each subgroup after another, and the tiles' numbers."""
    geometry = state.geometry
    lane = np.arange(geometry.work_items, dtype=np.int64)
    for begin in range(0, count, geometry.subgroups):
        numbers = begin + lane // geometry.subgroup_size
        agents = begin * geometry.subgroup_size + lane
        lanes = Lanes(numbers < count, agents, False, begin, geometry.subgroup_size)
        yield lanes, np.where(lanes.active, numbers, 0)


def _chunks(state: State, iterations: int, needs_subgroups: bool) -> Iterator[Lanes]:
    """Yield lanes for all iterations, as many together as possible."""
    size = state.geometry.work_items if needs_subgroups else min(iterations, _CHUNK)
    for chunk, begin in enumerate(range(0, iterations, max(size, 1))):
        numbers = np.arange(begin, begin + size, dtype=np.int64)
        first_subgroup = chunk * state.geometry.subgroups
        yield Lanes(numbers < iterations, numbers, True, first_subgroup)


def _needs_subgroups(region: Ir) -> bool:
    """Return whether the body of a foreach depends on how iterations map to work-items."""
    for op in region.blocks[0].operations:
        name = op.operation.name
        if name in _LANE_OPS or name.startswith(_LANE_PREFIXES):
            return True
        if any(len(inner.blocks) and _needs_subgroups(inner) for inner in op.operation.regions):
            return True
    return False


def _assign(state: State, slots: Sequence[int], values: list[Any]) -> None:
    for slot, value in zip(slots, values, strict=True):
        state.values[slot] = value


HANDLERS: dict[str, Handler] = {
    "tinytc.assert": assert_,
    "tinytc.for": for_,
    "tinytc.foreach": foreach,
    "tinytc.foreach_tile": foreach_tile,
    "tinytc.if": if_,
    "tinytc.parallel": parallel,
    "tinytc.print": print_,
}
