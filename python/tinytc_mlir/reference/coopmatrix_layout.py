# SPDX-License-Identifier: BSD-3-Clause
"""Which component of a cooperative matrix each entry of a work-item's vector is.

This is the formula of version 0.4 of the language, word by word, and on purpose not that of the
compiler: tests compare the two.
"""

from __future__ import annotations

import dataclasses
import functools

import numpy as np

from .rounding import Array


@dataclasses.dataclass(frozen=True)
class Places:
    """The components that the work-items of a subgroup hold; arrays (lanes, entries).

    Args:
        rows: row of each entry, 0 for padding.
        columns: column of each entry, 0 for padding.
        held: whether the entry is a component, else it is padding.
    """

    rows: Array
    columns: Array
    held: Array

    @property
    def entries(self) -> int:
        """Length of the vector of a work-item."""
        return int(self.held.shape[1])


@functools.lru_cache(maxsize=256)
def places(shape: tuple[int, int], use: str, component_bytes: int, subgroup_size: int) -> Places:
    """Return where the entries of the vectors are in a matrix.

    Args:
        shape: rows and columns of the matrix.
        use: "matrix_a", "matrix_b" or "matrix_acc".
        component_bytes: size of a component.
        subgroup_size: number of work-items.

    >>> one = places((8, 4), "matrix_acc", 4, 16)
    >>> one.rows[9].tolist(), one.columns[9].tolist()
    ([1, 1], [1, 3])
    """
    rows, columns = shape
    in_block = _rows_of_a_block(rows, subgroup_size)
    blocks = -(-rows // in_block)
    padded_columns = columns
    while in_block * padded_columns % subgroup_size:
        padded_columns += 1
    entries = in_block * blocks * padded_columns // subgroup_size
    alternating = 1
    if use == "matrix_b" and blocks > 1:
        alternating = max(1, 2 // component_bytes)
        if blocks % alternating:
            alternating = 1
    lane, entry = np.indices((subgroup_size, entries))
    first = entry % alternating
    step = entry // alternating % (entries // blocks)
    second = entry // (alternating * (entries // blocks))
    row = lane % in_block + (first + second * alternating) * in_block
    column = lane // in_block + step * (subgroup_size // in_block)
    held = (row < rows) & (column < columns)
    return Places(np.where(held, row, 0), np.where(held, column, 0), held)


def _rows_of_a_block(rows: int, subgroup_size: int) -> int:
    """Return the least power of two that holds the rows and divides the subgroup size."""
    count = 1
    while count < rows:
        count *= 2
    return count if count < subgroup_size and subgroup_size % count == 0 else subgroup_size
