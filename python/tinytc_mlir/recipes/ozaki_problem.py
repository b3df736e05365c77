# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of the kernels of products by slices of 8-bit integers."""

from __future__ import annotations

import dataclasses

from ..scalars import SCALAR_TYPES

# Bits of a slice, which a byte holds with its sign.
SLICE_BITS = 7
# The most products of two slices whose sum a 32-bit integer holds for sure.
MAX_TERMS = (2**31 - 1) // (2**SLICE_BITS - 1) ** 2
# Rows and columns of C that a work-group computes, and rows and columns of the factors that one
# scans or splits. Blocks of 64 bytes are what the matrix unit of pvc reads at once.
TILE = (64, 32)
PART = 64


@dataclasses.dataclass(frozen=True)
class Factor:
    """A or B; the lines of a factor are the rows of op(A), or the columns of op(B).

    Args:
        name: "A" or "B".
        lines: number of lines.
        depth: elements of a line.
        shape: shape in memory.
        strides: strides of a batch in memory; the last is 0 if there is only one matrix.
        transpose: ".n" if the first mode in memory counts lines, else ".t".
        slices: shape of its slices, whose depths are multiples of `depth_padded`.
        lines_padded: number of lines, those of the last tile of C included.
    """

    name: str
    lines: int
    depth: int
    shape: tuple[int, int]
    strides: tuple[int, int, int]
    transpose: str
    slices: tuple[int, int]
    lines_padded: int

    @property
    def is_batched(self) -> bool:
        """Whether each product has a matrix of its own."""
        return self.strides[-1] != 0


@dataclasses.dataclass(frozen=True)
class Problem:
    """The parameters of the text.

    Args:
        type_: element type of the matrices, f64 or f32.
        sums: type of the sums, f64 or f32.
        splits: slices of a factor.
        a: op(A).
        b: op(B).
        c_strides: strides of the batch of C.
        panel: terms that are added up in 32-bit integers.
        depth_padded: elements of a line of a slice, a multiple of `panel`.
    """

    type_: str
    sums: str
    splits: int
    a: Factor
    b: Factor
    c_strides: tuple[int, int, int]
    panel: int
    depth_padded: int


def float_values(type_: str) -> dict[str, int]:
    """Return the numbers that describe the bits of a floating-point type."""
    scalar = SCALAR_TYPES[type_]
    fraction_bits = scalar.precision - 1
    field_mask = (1 << (scalar.bits - scalar.precision)) - 1
    return {
        "precision": scalar.precision,
        "fraction_bits": fraction_bits,
        "fraction_mask": (1 << fraction_bits) - 1,
        "field_mask": field_mask,
        "sign_bit": scalar.bits - 1,
        "most": field_mask >> 1,
    }
