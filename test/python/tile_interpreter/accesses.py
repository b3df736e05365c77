"""Operations on tiles that access memory, and the state that they access."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tinytc_mlir.errors import InterpreterError
from tinytc_mlir.reference.untyped import Ir, Value

from .arithmetic import word_of
from .memory import TileMemory
from .order import NO_ACCESS, Access, AccessOrder, Token
from .types import PartitionType, View, padding_of, type_of

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


def set_results(state: Block, op: Ir, *values: Value) -> None:
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
        set_results(state, op, values, note(state, addresses, where))

    return step


def _store_pointer(op: Ir) -> Step:
    (destination,), (value,), mask, token = _segments(op)
    element = type_of(destination).pointee
    note = _ordered(op, Access.WRITE, token)

    def step(state: Block) -> None:
        addresses = np.asarray(state.values[destination])
        where = _optional(state, mask, np.True_)
        state.memory.store(addresses, where, element, state.values[value])
        set_results(state, op, note(state, addresses, where))

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
        set_results(state, op, old, note(state, addresses, where))

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
        set_results(state, op, values, note(state, addresses, inside))

    return step


def _store_view(op: Ir) -> Step:
    (tile,), (view,), indices, token = _segments(op)
    kind = type_of(view)
    note = _ordered(op, Access.WRITE, token)

    def step(state: Block) -> None:
        index = [state.values[each] for each in indices]
        addresses, inside = _places(kind, state.values[view], index)
        state.memory.store(addresses, inside, kind.tensor.element, state.values[tile])
        set_results(state, op, note(state, addresses, inside))

    return step


ACCESSES: dict[str, Callable[[Ir], Step]] = {
    "tile.atomic_rmw_tko": _update_pointer,
    "tile.load_ptr_tko": _load_pointer,
    "tile.load_view_tko": _load_view,
    "tile.store_ptr_tko": _store_pointer,
    "tile.store_view_tko": _store_view,
}
