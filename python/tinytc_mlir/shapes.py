"""Sizes and strides of memrefs as text, dialect and manifest have them; None is a dynamic one."""

from __future__ import annotations

from collections.abc import Sequence

INT64_MAX = 2**63 - 1
DYNAMIC = -(2**63)  # what MLIR has in place of a dynamic size


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
