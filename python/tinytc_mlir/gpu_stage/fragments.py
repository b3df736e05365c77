# SPDX-License-Identifier: BSD-3-Clause
"""Matrix instructions: which element of a matrix is in which register of which lane.

Source: PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions", and what each function names.
Lanes are in groups of four: `group` is the number of the group, `within` the lane's place in it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from ..reference.rounding import Array

_Place: TypeAlias = "Callable[[int, int, int], tuple[int, int]]"
Places: TypeAlias = "tuple[Array, Array]"
"""Rows and columns by lane and element."""

LANES = 32


def _packed(per_register: int) -> tuple[_Place, _Place]:
    """Fragments whose registers hold several adjacent elements: of 16 and of 8 bits.

    Source: PTX ISA, "Matrix Fragments for mma.m16n8k8" and "... for mma.m16n8k16 with floating
    point type" (16 bits), "... for mma.m16n8k16 with integer type" and "... for mma.m16n8k32" (8
    bits).
    """

    def a(group: int, within: int, i: int) -> tuple[int, int]:
        half, rest = divmod(i, 2 * per_register)
        lower, part = divmod(rest, per_register)
        return group + 8 * lower, per_register * within + part + 4 * per_register * half

    def b(group: int, within: int, i: int) -> tuple[int, int]:
        half, part = divmod(i, per_register)
        return per_register * within + part + 4 * per_register * half, group

    return a, b


def _words() -> tuple[_Place, _Place]:
    """Fragments whose registers hold one element: of tf32 and f64.

    Source: PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f64 floating point type", "... for
    mma.m16n8k4", "... for mma.m16n8k8" and "... for mma.m16n8k16 with floating point type".
    """

    def a(group: int, within: int, i: int) -> tuple[int, int]:
        return group + 8 * (i % 2), within + 4 * (i // 2)

    def b(group: int, within: int, i: int) -> tuple[int, int]:
        return within + 4 * i, group

    return a, b


def _sums(group: int, within: int, i: int) -> tuple[int, int]:
    """Fragments of C and D, the same in all of these sections."""
    return group + 8 * (i // 2), 2 * within + i % 2


_PER_REGISTER = {"f16": 2, "bf16": 2, "s8": 4, "u8": 4}


def _places(function: _Place, count: int) -> Places:
    """Return rows and columns by lane and element."""
    table = [[function(*divmod(lane, 4), i) for i in range(count)] for lane in range(LANES)]
    rows, columns = np.array(table).transpose(2, 0, 1)
    return rows, columns


@functools.cache
def fragments(shape: str, type_: str) -> tuple[Places, Places, Places, tuple[int, int, int]] | None:
    """Return (rows, columns) by lane and element, for A, B and C, and the sizes m, n, k.

    Args:
        shape: such as "m16n8k16".
        type_: that of the factors, as PTX calls it.

    Returns:
        None for shapes that no kernel uses.

    >>> rows, columns = fragments("m16n8k16", "f16")[2]
    >>> int(rows[4, 2]), int(columns[4, 2])
    (9, 0)
    """
    depth = int(shape.rpartition("k")[2])
    a, b = _packed(_PER_REGISTER[type_]) if type_ in _PER_REGISTER else _words()
    if shape == "m8n8k4" and type_ == "f64":
        return _places(a, 1), _places(b, 1), _places(_sums, 2), (8, 8, 4)
    if not shape.startswith("m16n8"):
        return None
    return _places(a, depth // 2), _places(b, depth // 4), _places(_sums, 4), (16, 8, depth)
