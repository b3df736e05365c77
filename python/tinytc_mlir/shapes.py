# SPDX-License-Identifier: BSD-3-Clause
"""Sizes and strides of memrefs as text, dialect and manifest have them; None is a dynamic one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

Boxes: TypeAlias = tuple[tuple[int, ...], ...]
"""A pattern of zeros: `begin, end` for each of the first modes, in one tuple for each box."""

INT64_MAX = 2**63 - 1
DYNAMIC = -(2**63)  # what MLIR has in place of a dynamic size


def extent(shape: Sequence[int], stride: Sequence[int]) -> int:
    """Return the number of elements from the first one to the last one, both included.

    >>> extent([4, 3], [1, 6]), extent([4, 0], [1, 4])
    (16, 0)
    """
    if 0 in shape:
        return 0
    return 1 + sum((size - 1) * step for size, step in zip(shape, stride, strict=True))


def packed_stride(shape: Sequence[int | None]) -> tuple[int | None, ...]:
    """Return the strides of the packed dense layout.

    >>> packed_stride([4, None, 8])
    (1, 4, None)
    """
    stride: list[int | None] = []
    following: int | None = 1
    for size in shape:
        stride.append(following)
        following = None if following is None or size is None else following * size
        if following is not None and following > INT64_MAX:
            following = None
    return tuple(stride)
