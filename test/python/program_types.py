"""Types of the language as plain data, for the generator of programs."""

from __future__ import annotations

import dataclasses
import random
from typing import TypeAlias

from interpreting import COMPLEX, INTEGERS
from tinytc_mlir.frontend.spelling import (
    coopmatrix_text,
    group_text,
    memref_text,
)
from tinytc_mlir.shapes import packed_stride

FLOATS = ("bf16", "f16", "f32", "f64")
REALS = (*INTEGERS, *FLOATS)
SCALARS = (*REALS, *COMPLEX)
BLAS_TYPES = tuple(t for t in SCALARS if t != "index")
SIZE_BYTES = dict(zip(SCALARS, (1, 2, 4, 8, 8, 2, 2, 4, 8, 8, 16), strict=True))

PROMOTABLE = {
    "i8": "i8 i16 i32 i64 bf16 f16 f32 f64 c32 c64",
    "i16": "i16 i32 i64 f32 f64 c32 c64",
    "i32": "i32 i64 f64 c32 c64",
    "i64": "i64",
    "bf16": "bf16 f32 f64 c32 c64",
    "f16": "f16 f32 f64 c32 c64",
    "f32": "f32 f64 c32 c64",
    "f64": "f64 c64",
    "c32": "c32 c64",
    "c64": "c64",
}
"""The relation matrix of the language document, row by row."""


BITCASTS = (("i16", "bf16"), ("i16", "f16"), ("i32", "f32"), ("i64", "f64"), ("i64", "c32"))
"""The types whose bits can be read as each other."""


def promotable(a: str, b: str) -> bool:
    """Return whether type a may be promoted to type b."""
    return b in PROMOTABLE.get(a, a).split()


def promote(a: str, b: str) -> str | None:
    """Return the type that both types are promoted to, None if there is none."""
    return b if promotable(a, b) else a if promotable(b, a) else None


@dataclasses.dataclass(frozen=True)
class Scalar:
    """Scalar type, or bool."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclasses.dataclass(frozen=True)
class Memref:
    """Memref type; None is a dynamic size or stride."""

    element: str
    shape: tuple[int | None, ...]
    stride: tuple[int | None, ...]
    space: str = "global"

    def __str__(self) -> str:
        return memref_text(self.element, self.shape, self.stride, self.space)


@dataclasses.dataclass(frozen=True)
class Group:
    """Group type."""

    memref: Memref
    size: int | None
    offset: int | None

    def __str__(self) -> str:
        return group_text(str(self.memref), self.size, self.offset)


@dataclasses.dataclass(frozen=True)
class CoopMatrix:
    """Cooperative matrix type."""

    component: str
    rows: int
    columns: int
    use: str

    def __str__(self) -> str:
        return coopmatrix_text(self.component, self.rows, self.columns, self.use)


Type: TypeAlias = Scalar | Memref | Group | CoopMatrix

BOOL = Scalar("bool")
INDEX = Scalar("index")
I32 = Scalar("i32")


def packed(element: str, shape: tuple[int | None, ...], space: str = "global") -> Memref:
    """Return a memref type with the packed layout."""
    return Memref(element, shape, packed_stride(shape), space)


def random_memref(rng: random.Random, element: str, shape: tuple[int | None, ...]) -> Memref:
    """Return a memref type with this shape and some legal layout."""
    stride: list[int | None] = []
    least: int | None = 1
    for size in shape:
        step = rng.choice([least, least, None, None if least is None else least + rng.randrange(4)])
        stride.append(step)
        least = None if step is None or size is None else step * size
    if rng.random() < 0.5:
        return packed(element, shape)
    return Memref(element, shape, tuple(stride))


def types_below(rng: random.Random, upper: str) -> str:
    """Return a type that may be promoted to another."""
    return rng.choice([t for t in BLAS_TYPES if promotable(t, upper)])
