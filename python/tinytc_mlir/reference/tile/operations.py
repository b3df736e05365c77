# SPDX-License-Identifier: BSD-3-Clause
"""Operations on tiles as steps: functions of the values of a tile block so far."""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...errors import InterpreterError
from ..untyped import Ir, Value
from .arithmetic import MAKERS, word_of
from .memory import TileMemory
from .order import NO_ACCESS, Access, AccessOrder, Token
from .types import PartitionType, TileType, View, padding_of, type_of

Signal = tuple[str, list[Any]]
"""The terminator that a block ended with, and the values that it passes on."""


@dataclasses.dataclass
class Block:
    """A tile block: what its program sees of the launch."""

    values: dict[Ir, Any]
    memory: TileMemory
    order: AccessOrder
    place: tuple[int, int, int]
    counts: tuple[int, int, int]


Step = Callable[[Block], "Signal | None"]


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
    elif op.name in _VALUES:
        compute = _VALUES[op.name](op)
    else:
        raise InterpreterError(f"expected an operation of a program on tiles, got {op.name}")
    dtype = type_of(results[0]).element.value_dtype if op.name in MAKERS else None

    def step(state: Block) -> None:
        value = compute(*(state.values[operand] for operand in operands))
        state.values[results[0]] = value if dtype is None else np.asarray(value).astype(dtype)

    return step


# Shapes


def _constant(op: Ir) -> Callable[..., Value]:
    kind: TileType = type_of(op.results[0])
    dense = op.attributes["value"]
    numbers = [dense.get_splat_value().value] if dense.is_splat else list(dense)
    value = np.broadcast_to(
        np.array(numbers)
        .astype(kind.element.value_dtype)
        .reshape(() if dense.is_splat else kind.shape),
        kind.shape,
    )
    return lambda: value


def _iota(op: Ir) -> Callable[..., Value]:
    kind = type_of(op.results[0])
    return lambda: np.arange(kind.shape[0]).astype(kind.element.value_dtype)


def _reshape(op: Ir) -> Callable[..., Value]:
    shape = type_of(op.results[0]).shape
    return lambda a: np.reshape(a, shape)


def _broadcast(op: Ir) -> Callable[..., Value]:
    shape = type_of(op.results[0]).shape
    return lambda a: np.broadcast_to(a, shape)


def _permute(op: Ir) -> Callable[..., Value]:
    order = list(op.attributes["permutation"])
    return lambda a: np.transpose(a, order)


def _cat(op: Ir) -> Callable[..., Value]:
    dim = op.attributes["dim"].value
    return lambda a, b: np.concatenate((a, b), dim)


def _extract(op: Ir) -> Callable[..., Value]:
    shape = type_of(op.results[0]).shape

    def result(a: Value, *indices: Value) -> Value:
        starts = [int(index) * size for index, size in zip(indices, shape, strict=True)]
        ends = [start + size for start, size in zip(starts, shape, strict=True)]
        if any(end > size or end < 1 for end, size in zip(ends, a.shape, strict=True)):
            raise InterpreterError(f"expected a part of a tile {a.shape}, got one up to {ends}")
        return a[tuple(map(slice, starts, ends))]

    return result


def _unchanged(op: Ir) -> Callable[..., Value]:
    return lambda a: a


def _assume(op: Ir) -> Callable[..., Value]:
    """A promise of divisibility that does not hold is an error."""
    text = str(op.attributes["predicate"])
    if "div_by<" not in text or "every" in text:
        return lambda a: a
    divisor = int(text.split("div_by<")[1].split(">", maxsplit=1)[0])

    def result(a: Value) -> Value:
        if np.any(np.asarray(a) % divisor):
            raise InterpreterError(f"expected a multiple of {divisor}, as promised, got {a}")
        return a

    return result


def _offset(op: Ir) -> Callable[..., Value]:
    size = type_of(op.results[0]).pointee.size_bytes
    return lambda pointers, distance: pointers + distance.astype(np.int64) * size


def _tensor_view(op: Ir) -> Callable[..., View]:
    kind = type_of(op.results[0])

    def result(base: Value, *dynamic: Value) -> View:
        values = iter(dynamic)
        shape = tuple(int(next(values)) if size is None else size for size in kind.shape)
        stride = tuple(int(next(values)) if step is None else step for step in kind.stride)
        return View(int(base), shape, stride)

    return result


# Memory


def _set(state: Block, op: Ir, *values: Value) -> None:
    for result, value in zip(op.results, values, strict=True):
        state.values[result] = value


def _segments(op: Ir) -> list[list[Ir]]:
    """Return the operands of each name."""
    operands = iter(op.operands)
    sizes = op.attributes["operandSegmentSizes"]
    return [[next(operands) for _ in range(size)] for size in sizes]


def _optional(state: Block, operands: list[Ir], default: Value) -> Value:
    return state.values[operands[0]] if operands else default


def _ordered(op: Ir, access: Access, token: list[Ir]) -> Callable[..., Token]:
    """Return what notes an access, and returns its token."""
    if word_of(op.attributes["memory_ordering_semantics"]) != "weak":
        access = Access.ATOMIC

    def note(state: Block, addresses: Value, mask: Value) -> Token:
        before = _optional(state, token, NO_ACCESS)
        return state.order.note(access, before, state.memory.places(addresses, mask))

    return note


def _load_pointer(op: Ir) -> Step:
    (source,), mask, padding, token = _segments(op)
    element = type_of(source).pointee
    note = _ordered(op, Access.READ, token)

    def step(state: Block) -> None:
        other = _optional(state, padding, padding_of(None, element))
        where = _optional(state, mask, np.True_)
        addresses = np.asarray(state.values[source])
        values = state.memory.load(addresses, where, element, other)
        _set(state, op, values, note(state, addresses, where))

    return step


def _store_pointer(op: Ir) -> Step:
    (destination,), (value,), mask, token = _segments(op)
    element = type_of(destination).pointee
    note = _ordered(op, Access.WRITE, token)

    def step(state: Block) -> None:
        addresses = np.asarray(state.values[destination])
        where = _optional(state, mask, np.True_)
        state.memory.store(addresses, where, element, state.values[value])
        _set(state, op, note(state, addresses, where))

    return step


_UPDATES: dict[str, str] = {
    "add": "tile.addi",
    "addf": "tile.addf",
    "max": "tile.maxi",
    "min": "tile.mini",
}


def _update_pointer(op: Ir) -> Step:
    (pointers,), (argument,), mask, token = _segments(op)
    element, word = type_of(pointers).pointee, word_of(op.attributes["mode"])
    combine = {"max": np.maximum, "min": np.minimum}.get(word, np.add)
    if word not in _UPDATES:
        raise InterpreterError(f"expected an update by {', '.join(_UPDATES)}, got {word}")
    note = _ordered(op, Access.ATOMIC, token)

    def step(state: Block) -> None:
        addresses = np.asarray(state.values[pointers])
        where = np.broadcast_to(_optional(state, mask, np.True_), addresses.shape)
        if np.unique(addresses[where]).size != addresses[where].size:
            raise InterpreterError("expected an update of different elements, got one twice")
        old = state.memory.load(addresses, where, element, element.value_dtype.type(0))
        new = combine(old, state.values[argument])
        state.memory.store(addresses, where, element, new)
        _set(state, op, old, note(state, addresses, where))

    return step


def _places(kind: PartitionType, view: View, indices: Iterable[Value]) -> tuple[Value, Value]:
    """Return the addresses of a tile of a view, and which of them are in the tensor."""
    addresses: Any = np.int64(view.base)
    inside: Any = np.True_
    rank = len(kind.tile)
    for dim, (size, index) in enumerate(zip(kind.tile, indices, strict=True)):
        line = [1] * rank
        line[dim] = size
        places = (int(index) * size + np.arange(size, dtype=np.int64)).reshape(line)
        mode = kind.dim_map[dim]
        addresses = addresses + places * view.stride[mode] * kind.tensor.element.size_bytes
        inside = inside & (places >= 0) & (places < view.shape[mode])
    return addresses, np.broadcast_to(inside, kind.tile)


def _load_view(op: Ir) -> Step:
    (view,), indices, token = _segments(op)
    kind = type_of(view)
    element = kind.tensor.element
    note = _ordered(op, Access.READ, token)
    padding = padding_of(kind.padding, element)

    def step(state: Block) -> None:
        index = [state.values[each] for each in indices]
        addresses, inside = _places(kind, state.values[view], index)
        values = state.memory.load(addresses, inside, element, padding)
        _set(state, op, values, note(state, addresses, inside))

    return step


def _store_view(op: Ir) -> Step:
    (tile,), (view,), indices, token = _segments(op)
    kind = type_of(view)
    note = _ordered(op, Access.WRITE, token)

    def step(state: Block) -> None:
        index = [state.values[each] for each in indices]
        addresses, inside = _places(kind, state.values[view], index)
        state.memory.store(addresses, inside, kind.tensor.element, state.values[tile])
        _set(state, op, note(state, addresses, inside))

    return step


# Regions


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
        _set(state, op, *(signal[1] if signal else ()))
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
        _set(state, op, *values)
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
            return _set(state, op, totals[-1])
        kept = np.stack(totals[1:])
        return _set(state, op, np.moveaxis(kept[::-1] if is_reversed else kept, 0, dim))

    return step


def _grid(op: Ir) -> Step:
    is_place = op.name == "tile.get_tile_block_id"

    def step(state: Block) -> None:
        _set(state, op, *map(np.int32, state.place if is_place else state.counts))

    return step


def _join(op: Ir) -> Step:
    operands = list(op.operands)

    def step(state: Block) -> None:
        _set(state, op, functools.reduce(operator.or_, map(state.values.get, operands), NO_ACCESS))

    return step


_VALUES: dict[str, Callable[[Ir], Callable[..., Any]]] = {
    "tile.assume": _assume,
    "tile.broadcast": _broadcast,
    "tile.cat": _cat,
    "tile.constant": _constant,
    "tile.extract": _extract,
    "tile.int_to_ptr": _unchanged,
    "tile.iota": _iota,
    "tile.make_partition_view": _unchanged,
    "tile.make_tensor_view": _tensor_view,
    "tile.offset": _offset,
    "tile.permute": _permute,
    "tile.ptr_to_int": _unchanged,
    "tile.ptr_to_ptr": _unchanged,
    "tile.reshape": _reshape,
}
_STEPS: dict[str, Callable[[Ir], Step]] = {
    "tile.atomic_rmw_tko": _update_pointer,
    "tile.continue": _leave,
    "tile.for": _for,
    "tile.get_num_tile_blocks": _grid,
    "tile.get_tile_block_id": _grid,
    "tile.if": _if,
    "tile.join_tokens": _join,
    "tile.load_ptr_tko": _load_pointer,
    "tile.load_view_tko": _load_view,
    "tile.make_token": _join,
    "tile.reduce": lambda op: _folding(op, keeps=False),
    "tile.return": _leave,
    "tile.scan": lambda op: _folding(op, keeps=True),
    "tile.store_ptr_tko": _store_pointer,
    "tile.store_view_tko": _store_view,
    "tile.yield": _leave,
}
