# SPDX-License-Identifier: BSD-3-Clause
"""The type that the text has after the colon, from the types of the operands.

The table of instructions says for most how the two belong together; the rest is that of views.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..frontend.instructions import Instruction, Typing
from .types import SCALARS, Coopmatrix, Group, Memref, Scalar, Size, Type

_INDEX, _BOOL, _I32 = SCALARS["index"], SCALARS["bool"], SCALARS["i32"]
_OF_INDEX = ("builtin.group_id", "builtin.group_size", "size")


def element(type_: Type | None) -> Scalar | None:
    """Return the type of the elements, components or members' elements; the type of a scalar."""
    if isinstance(type_, Group):
        return type_.memref.element
    return type_.element if isinstance(type_, (Memref, Coopmatrix)) else type_


def result_type(  # noqa: PLR0911, one for each kind
    spec: Instruction, types: Sequence[Type | None]
) -> Type | None:
    """Return the type of a result, None if the operands do not determine it.

    Args:
        spec: the instruction, which is no view.
        types: types of the operands, None for numbers without one.
    """
    first = types[0] if types else None
    if spec.typing is Typing.SAME:
        return next((type_ for type_ in types if type_ is not None), None)
    if spec.typing is Typing.FIRST:
        return first
    if spec.typing is Typing.UPDATE:
        return first if first is not None else element(types[1])
    if spec.typing is Typing.COMPARE or spec.name == "associated":
        return _BOOL
    if spec.name in _OF_INDEX:
        return _INDEX
    if spec.name.startswith("builtin."):
        return _I32
    return _result_of_operand(spec.name, types)


def _result_of_operand(name: str, types: Sequence[Type | None]) -> Type | None:
    first = types[0] if types else None
    if name in ("load", "atomic_load"):
        return first.memref if isinstance(first, Group) else element(first)
    if name in ("arith.abs", "arith.re", "arith.im"):
        return first.real if isinstance(first, Scalar) else first
    if name == "cooperative_matrix_extract":
        return element(first)
    if name == "expandc2r" and isinstance(first, Memref):
        stride = (1, *(None if each is None else 2 * each for each in first.strides))
        return _memref(first, first.element.real, (2, *first.shape), stride)
    if name in ("cooperative_matrix_insert", "cooperative_matrix_scale"):
        return types[1]
    return types[2] if name == "cooperative_matrix_mul_add" else None


def literal_type(
    spec: Instruction, position: int, types: Sequence[Type | None], result: Type | None
) -> Type | None:
    """Return the type of a number that is an operand, None if nothing determines it."""
    if spec.typing is Typing.FIRST and position == 1:
        return _I32
    if spec.typing in (Typing.SAME, Typing.FIRST, Typing.UPDATE):
        return result
    if spec.typing is Typing.COMPARE:
        return next((type_ for type_ in types if type_ is not None), None)
    if spec.name in ("cooperative_matrix_construct", "cooperative_matrix_insert"):
        return element(result)
    holders = [t for t in types if isinstance(t, (Memref, Coopmatrix, Group))]
    return element(holders[-1]) if holders else None


def view(memref: Memref, kept: Sequence[tuple[int, Size]]) -> Memref:
    """Return the type of a part of a memref.

    Args:
        memref: the whole.
        kept: number and new size of each mode that stays.
    """
    strides = memref.strides
    return _memref(
        memref, memref.element, [size for _, size in kept], [strides[mode] for mode, _ in kept]
    )


def expanded(memref: Memref, mode: int, shape: Sequence[Size]) -> Memref:
    """Return the type of a memref with one mode split into several."""
    stride = [memref.strides[mode]]
    for size in shape[:-1]:
        last = stride[-1]
        stride.append(None if last is None or size is None else last * size)
    sizes = [*memref.shape[:mode], *shape, *memref.shape[mode + 1 :]]
    return _memref(
        memref,
        memref.element,
        sizes,
        [*memref.strides[:mode], *stride, *memref.strides[mode + 1 :]],
    )


def fused(memref: Memref, first: int, last: int) -> Memref:
    """Return the type of a memref with neighbouring modes made one."""
    sizes = memref.shape[first : last + 1]
    size = None if None in sizes else math.prod(s for s in sizes if s is not None)
    shape = [*memref.shape[:first], size, *memref.shape[last + 1 :]]
    strides = memref.strides
    return _memref(memref, memref.element, shape, [*strides[: first + 1], *strides[last + 1 :]])


def _memref(
    source: Memref, element_: Scalar, shape: Sequence[Size], stride: Sequence[Size]
) -> Memref:
    plain = Memref(element_, tuple(shape), None, source.space)
    return plain if plain.packed == tuple(stride) else plain.strided(*stride)
