"""Operations on tiles as steps: functions of the values of a tile block so far."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable

import numpy as np

from tinytc_mlir.errors import InterpreterError
from tinytc_mlir.reference.untyped import Ir

from .accesses import ACCESSES, Block, Signal, Step, set_results
from .arithmetic import MAKERS
from .order import NO_ACCESS
from .shapes import SHAPES
from .types import type_of


def compile_block(block: Ir) -> Step:
    """Return what runs the operations of a block, up to one that leaves it."""
    steps = [_compile(op.operation) for op in block.operations]

    def run(state: Block) -> Signal | None:
        for step in steps:
            signal = step(state)
            if signal is not None:
                return signal
        return None

    return run


def _compile(op: Ir) -> Step:
    if op.name in _STEPS:
        return _STEPS[op.name](op)
    operands, results = list(op.operands), list(op.results)
    if op.name in MAKERS:
        compute = MAKERS[op.name](op)
    elif op.name in SHAPES:
        compute = SHAPES[op.name](op)
    else:
        raise InterpreterError(f"expected an operation of a program on tiles, got {op.name}")
    dtype = type_of(results[0]).element.value_dtype if op.name in MAKERS else None

    def step(state: Block) -> None:
        value = compute(*(state.values[operand] for operand in operands))
        state.values[results[0]] = value if dtype is None else np.asarray(value).astype(dtype)

    return step


def _leave(op: Ir) -> Step:
    word, operands = op.name.removeprefix("tile."), list(op.operands)
    return lambda state: (word, [state.values[operand] for operand in operands])


def _if(op: Ir) -> Step:
    condition = op.operands[0]
    bodies = [compile_block(region.blocks[0]) for region in op.regions if len(region.blocks)]

    def step(state: Block) -> Signal | None:
        number = 0 if state.values[condition] else 1
        signal = bodies[number](state) if number < len(bodies) else None
        if signal is not None and signal[0] != "yield":
            return signal
        set_results(state, op, *(signal[1] if signal else ()))
        return None

    return step


def _for(op: Ir) -> Step:
    lower, upper, stride, *inits = op.operands
    block = op.regions[0].blocks[0]
    index, *carried = block.arguments
    body = compile_block(block)
    dtype = type_of(lower).element.value_dtype

    def step(state: Block) -> Signal | None:
        values = [state.values[each] for each in inits]
        first, end, by = (int(state.values[each]) for each in (lower, upper, stride))
        if by <= 0:
            raise InterpreterError(f"expected a positive step, got {by}")
        for number in range(first, end, by):
            state.values[index] = dtype.type(number)
            state.values.update(zip(carried, values, strict=True))
            signal = body(state)
            if signal is None or signal[0] != "continue":
                return signal
            values = signal[1]
        set_results(state, op, *values)
        return None

    return step


def _folding(op: Ir, *, keeps: bool) -> Step:
    """The body takes the elements at one place of the dimension, all at once."""
    (source,) = op.operands
    dim = op.attributes["dim"].value
    block = op.regions[0].blocks[0]
    body, (element, total) = compile_block(block), block.arguments
    dtype = type_of(source).element.value_dtype
    identity = dtype.type(op.attributes["identities"][0].value)
    is_reversed = "reverse" in op.attributes and op.attributes["reverse"].value

    def step(state: Block) -> None:
        values = np.moveaxis(state.values[source], dim, 0)
        totals = [np.full(values.shape[1:], identity)]
        for each in values[::-1] if is_reversed else values:
            state.values[element], state.values[total] = each, totals[-1]
            signal = body(state)
            totals.append(signal[1][0] if signal else totals[-1])
        if not keeps:
            return set_results(state, op, totals[-1])
        kept = np.stack(totals[1:])
        return set_results(state, op, np.moveaxis(kept[::-1] if is_reversed else kept, 0, dim))

    return step


def _grid(op: Ir) -> Step:
    is_place = op.name == "tile.get_tile_block_id"

    def step(state: Block) -> None:
        set_results(state, op, *map(np.int32, state.place if is_place else state.counts))

    return step


def _join(op: Ir) -> Step:
    operands = list(op.operands)

    def step(state: Block) -> None:
        set_results(
            state, op, functools.reduce(operator.or_, map(state.values.get, operands), NO_ACCESS)
        )

    return step


_STEPS: dict[str, Callable[[Ir], Step]] = {
    **ACCESSES,
    "tile.continue": _leave,
    "tile.for": _for,
    "tile.get_num_tile_blocks": _grid,
    "tile.get_tile_block_id": _grid,
    "tile.if": _if,
    "tile.join_tokens": _join,
    "tile.make_token": _join,
    "tile.reduce": lambda op: _folding(op, keeps=False),
    "tile.return": _leave,
    "tile.scan": lambda op: _folding(op, keeps=True),
    "tile.yield": _leave,
}
