# SPDX-License-Identifier: BSD-3-Clause
"""Values of a batched function while it is read: arrays, and the operations that make them."""

from __future__ import annotations

import ast
import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from ..kernels.source import FunctionSource
from ..kernels.types import SCALARS, Scalar
from ..scalars import SCALAR_TYPES

Shape: TypeAlias = tuple[int, ...]


@dataclasses.dataclass(eq=False)
class Array:
    """An array of known sizes, made by one operation.

    Args:
        op: the operation: an instruction of numbers, which works element by element, or one of the
            others that `memory` and `scalars` have a rule for.
        args: what it is made of.
        shape: its sizes.
        type: type of its elements.
        place: the expression, and the function that it is in.
        data: what else the operation needs.
    """

    op: str
    args: tuple[Array, ...]
    shape: Shape
    type: Scalar
    place: tuple[ast.AST, FunctionSource]
    data: Any = None

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def is_elementwise(self) -> bool:
        """Whether an element depends on one element of each argument alone."""
        return "." in self.op or self.op in FUNCTIONS


@dataclasses.dataclass(frozen=True)
class Several:
    """A tuple or a list, whose items are values."""

    items: tuple[Any, ...]
    is_list: bool = False


@dataclasses.dataclass(frozen=True)
class OfArray:
    """`x.sum`, before it is called."""

    array: Array
    name: str


@dataclasses.dataclass(eq=False)
class Block:
    """Operations of the function, of a branch or of the body of a loop, in their order.

    Args:
        arrays: the operations.
        ends: what the block hands on: results of the function or a branch, carried arrays.
    """

    arrays: list[Array] = dataclasses.field(default_factory=list)
    ends: list[Array] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(eq=False)
class Region:
    """The blocks of an `if`, or the block of a `for` with its variable and carried arrays."""

    blocks: list[Block]
    variable: Array | None = None
    carried: list[Array] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class Range:
    """A slice of a mode: `size` elements from `start` on, `step` apart.

    Args:
        start: a number, or the position of an index among the arguments of the operation.
    """

    start: int | Index
    step: int
    size: int


@dataclasses.dataclass(frozen=True)
class Index:
    """An index that is known at run time: the position of an argument of the operation."""

    argument: int


Item: TypeAlias = "Range | int | Index | None"

FUNCTIONS = frozenset(
    (
        *("select", "cast", "power", "exp2", "cos", "sin", "log", "log2", "sqrt", "rsqrt", "tanh"),
        *("expm1", "log1p", "floor", "ceil", "pow", "hypot", "minimum", "maximum", "fma"),
        *("native_exp2", "native_cos", "native_sin", "native_log", "native_log2"),
    )
)
"""Operations on numbers whose names have no dot."""

VIEWS = frozenset(("transpose", "slice", "broadcast", "reshape"))
"""Operations whose elements are elements of their first argument."""


def result_type(*values: Array | float | complex) -> Scalar:
    """Return the type that NumPy gives to a combination; numbers of Python are weak."""
    given = [v.type.dtype if isinstance(v, Array) else v for v in values]
    return scalar_of(np.result_type(*given))


_OF_DTYPES = {t.dtype_names()[0]: SCALARS[n] for n, t in reversed(SCALAR_TYPES.items())}


def scalar_of(dtype: Any) -> Scalar:
    """Return the type of elements of a dtype.

    Raises:
        TypeError: there is none.
    """
    found = np.dtype(dtype)
    if found.name not in _OF_DTYPES:
        raise TypeError(f"expected a type such as tt.f32, got {found.name}")
    return _OF_DTYPES[found.name]


def item_sizes(items: Sequence[Item]) -> Shape:
    """Return the shape of a slice."""
    kept = (item for item in items if item is None or isinstance(item, Range))
    return tuple(1 if item is None else item.size for item in kept)


def shown(shape: Sequence[object]) -> str:
    """Return a shape as NumPy writes it.

    >>> shown((3,)), shown(())
    ('(3,)', '()')
    """
    return repr(tuple(shape))


def one_or_several(results: Sequence[Any]) -> Any:
    """Return results as a function does: one, or a tuple.

    >>> one_or_several([1]), one_or_several([1, 2])
    (1, (1, 2))
    """
    return results[0] if len(results) == 1 else tuple(results)


def as_several(found: Any) -> tuple[Any, ...]:
    """Return what a function has returned as a tuple of results."""
    return found if isinstance(found, tuple) else (found,)


def walk(block: Block) -> Iterator[Array]:
    """Yield all operations of a block, those of regions in it after their own."""
    for each in block.arrays:
        yield each
        if isinstance(each.data, Region):
            for inner in each.data.blocks:
                yield from walk(inner)


def framework_of(value: object) -> str:
    """Return the framework that an array is of, nothing for NumPy."""
    module = type(value).__module__.split(".")[0]
    return {"torch": "torch", "jax": "jax", "jaxlib": "jax"}.get(module, "")
