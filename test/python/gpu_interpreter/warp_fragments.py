"""Which element of a matrix each work-item of a warp holds for `mma.sync`.

These are the rules of NVIDIA's manual "PTX ISA", section "Matrix Fragments for mma.m16n8k*", case
by case as they are there, and on purpose not the one rule of the compiler: tests compare the two.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable

import numpy as np

from tinytc_mlir.reference.rounding import Array

LANES = 32
ROWS, COLUMNS = 16, 8
"""Rows of A and C, columns of B and C."""

Place = Callable[[int, int, int], tuple[int, int]]
"""Row and column of an element by groupID, threadID_in_group and its number i."""


@dataclasses.dataclass(frozen=True)
class Fragments:
    """The places of the elements of A, B and C; arrays (lanes, elements, 2).

    Args:
        depth: columns of A, which are the rows of B.
        a: row and column of each element of A.
        b: the same for B.
        c: the same for C.
    """

    depth: int
    a: Array
    b: Array
    c: Array


def _half_a(group: int, thread: int, i: int) -> tuple[int, int]:
    row = group if 0 <= i < 2 or 4 <= i < 6 else group + 8
    column = thread * 2 + (i & 0x1) if i < 4 else thread * 2 + (i & 0x1) + 8
    return row, column


def _half_b(group: int, thread: int, i: int) -> tuple[int, int]:
    row = thread * 2 + (i & 0x1) if i < 2 else thread * 2 + (i & 0x1) + 8
    return row, group


def _byte_a(group: int, thread: int, i: int) -> tuple[int, int]:
    row = group if 0 <= i < 4 or 8 <= i < 12 else group + 8
    column = thread * 4 + (i & 0x3) if i < 8 else thread * 4 + (i & 0x3) + 16
    return row, column


def _byte_b(group: int, thread: int, i: int) -> tuple[int, int]:
    row = thread * 4 + (i & 0x3) if i < 4 else thread * 4 + (i & 0x3) + 16
    return row, group


def _double_a(group: int, thread: int, i: int) -> tuple[int, int]:
    row = group if i in (0, 2) else group + 8
    column = thread if i in (0, 1) else thread + 4
    return row, column


def _double_b(group: int, thread: int, i: int) -> tuple[int, int]:
    row = thread if i == 0 else thread + 4
    return row, group


def _sums(group: int, thread: int, i: int) -> tuple[int, int]:
    row = group if i < 2 else group + 8
    return row, thread * 2 + (i & 0x1)


_RULES: dict[str, tuple[int, Place, Place]] = {
    "f16": (16, _half_a, _half_b),  # m16n8k16
    "bf16": (16, _half_a, _half_b),  # m16n8k16
    "i8": (32, _byte_a, _byte_b),  # m16n8k32
    "f64": (8, _double_a, _double_b),  # m16n8k8
}


@functools.cache
def fragments(type_name: str) -> Fragments:
    """Return the fragments of factors of a type: f16, bf16, i8 or f64.

    >>> fragments("f64").a[5].tolist()  # the second work-item of the second group
    [[1, 1], [9, 1], [1, 5], [9, 5]]
    """
    depth, place_a, place_b = _RULES[type_name]

    def table(place: Place, elements: int) -> Array:
        rows = [[place(lane >> 2, lane % 4, i) for i in range(elements)] for lane in range(LANES)]
        return np.array(rows)

    return Fragments(
        depth,
        table(place_a, ROWS * depth // LANES),
        table(place_b, depth * COLUMNS // LANES),
        table(_sums, ROWS * COLUMNS // LANES),
    )
