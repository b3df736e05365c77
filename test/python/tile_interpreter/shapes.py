"""Operations on tiles that change shapes, or make tiles and views."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tinytc_mlir.errors import InterpreterError
from tinytc_mlir.reference.untyped import Ir, Value

from .types import TileType, View, type_of


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


SHAPES: dict[str, Callable[[Ir], Callable[..., Any]]] = {
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
"""What computes the result of an operation from the values of its operands."""
