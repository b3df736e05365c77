"""The types of the tile dialect, read from their text: the bindings have no classes for them."""

from __future__ import annotations

import dataclasses
import functools
import re

import numpy as np

from tinytc_mlir.reference.untyped import Ir, Value
from tinytc_mlir.scalars import SCALAR_TYPES, ScalarType

_NUMBERS = {"i1": "bool"}
_POINTER = re.compile(r"(?:!tile\.)?ptr<(\w+)>")
_TILE = re.compile(r"!tile\.tile<((?:\d+x)*)(.+)>")
_TENSOR = re.compile(r"!tile\.tensor_view<((?:[\d?]+x)*)(\w+), strides = \[(.*?)\]>")
_PARTITION = re.compile(
    r"!tile\.partition_view<\[(.*?)\], (!tile\.tensor_view<.*?\]>)"
    r"(?:, dim_map = \[(.*?)\])?(?:, padding = (\w+))?>"
)


def scalar_type(name: str) -> ScalarType:
    """Return the type of numbers that MLIR names so."""
    return SCALAR_TYPES[_NUMBERS.get(name, name)]


@dataclasses.dataclass(frozen=True)
class TileType:
    """A tile: its shape, what its elements are, and what they point to if they are pointers."""

    shape: tuple[int, ...]
    element: ScalarType
    pointee: ScalarType | None = None


@dataclasses.dataclass(frozen=True)
class TensorType:
    """A tensor view; None is dynamic."""

    shape: tuple[int | None, ...]
    stride: tuple[int | None, ...]
    element: ScalarType


@dataclasses.dataclass(frozen=True)
class PartitionType:
    """A partition view: the tile, and the padding if there is one."""

    tile: tuple[int, ...]
    tensor: TensorType
    dim_map: tuple[int, ...]
    padding: str | None


@dataclasses.dataclass(frozen=True)
class View:
    """A tensor in memory: address of the first element, sizes and strides in elements."""

    base: int
    shape: tuple[int, ...]
    stride: tuple[int, ...]


def _integers(text: str, separator: str = ",") -> tuple[int | None, ...]:
    entries = (entry.strip() for entry in text.split(separator))
    return tuple(None if entry == "?" else int(entry) for entry in entries if entry)


def _known(text: str) -> tuple[int, ...]:
    return tuple(entry for entry in _integers(text) if entry is not None)


@functools.cache
def _parsed(text: str) -> Ir:
    if found := _PARTITION.fullmatch(text):
        tile = _known(found[1])
        dim_map = _known(found[3]) if found[3] else tuple(range(len(tile)))
        return PartitionType(tile, _parsed(found[2]), dim_map, found[4])
    if found := _TENSOR.fullmatch(text):
        return TensorType(_integers(found[1], "x"), _integers(found[3]), scalar_type(found[2]))
    if found := _TILE.fullmatch(text):
        shape = tuple(int(size) for size in found[1].split("x") if size)
        if pointer := _POINTER.fullmatch(found[2]):
            return TileType(shape, SCALAR_TYPES["i64"], scalar_type(pointer[1]))
        return TileType(shape, scalar_type(found[2]))
    return None


def type_of(value: Ir) -> Ir:
    """Return the type of a value, None for a token."""
    return _parsed(str(value.type))


def padding_of(word: str | None, element: ScalarType) -> Value:
    """Return what a load gives outside of a tensor; something useless if that is open."""
    dtype = element.value_dtype
    if word == "zero":
        return dtype.type(0)
    if dtype.kind == "f":
        number = {"neg_zero": -0.0, "pos_inf": np.inf, "neg_inf": -np.inf}.get(word or "", np.nan)
        return dtype.type(number)
    return dtype.type(85)
