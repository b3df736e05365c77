# SPDX-License-Identifier: BSD-3-Clause
"""Benchmark cases: a computation, its arrays, its programs and its ceilings."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tinytc_mlir.scalars import SCALAR_TYPES

from .chains import Chain

Arrays = Mapping[str, "np.ndarray[Any, Any]"]


@dataclasses.dataclass(frozen=True)
class Array:
    """An array that a case's kernels take.

    Args:
        name: name of the parameters that it is given for.
        type: scalar type of the elements in the language.
        shape: size of every mode for one group.
        role: "in", "out" (never read), "inout" or "scratch" (of separate kernels only).
        is_shared: whether all groups use the same array instead of one each.
        leading: leading dimension in elements, None for the rows of the shape.
        is_tall: whether groups are further rows of one matrix instead of a last mode.
    """

    name: str
    type: str
    shape: tuple[int, ...]
    role: str = "in"
    is_shared: bool = False
    leading: int | None = None
    is_tall: bool = False

    @property
    def size_bytes(self) -> int:
        """Bytes of the elements of one group."""
        return int(np.prod(self.shape, dtype=np.int64)) * SCALAR_TYPES[self.type].size_bytes

    @property
    def traffic_bytes(self) -> int:
        """Bytes of one group that must cross the memory bus."""
        if self.is_shared or self.role == "scratch":
            return 0
        return self.size_bytes * (2 if self.role == "inout" else 1)


@dataclasses.dataclass(frozen=True)
class Source:
    """A program and the kernels of it that are launched one after the other.

    Args:
        text: program in the language.
        kernels: names of the kernels in the order of their launches.
        other_text_for_gpus: program for GPUs, if it is another one.
    """

    text: str
    kernels: tuple[str, ...]
    other_text_for_gpus: str | None = None

    @property
    def text_for_gpus(self) -> str:
        """The program for GPUs."""
        return self.other_text_for_gpus or self.text


@dataclasses.dataclass(frozen=True)
class Gemm:
    """C := op(A) op(B) for a batch of matrices; what the GEMM libraries are asked to compute.

    Args:
        type: scalar type of A and B.
        shape: M, N and K.
        transposes: "n" or "t" for A and for B.
        leading: leading dimensions of A, B and C in elements.
        is_tall: whether groups are further rows of A and C, and B is the same for all; the leading
            dimensions of A and C are all rows then.
    """

    type: str
    shape: tuple[int, int, int]
    transposes: str
    leading: tuple[int, int, int]
    is_tall: bool = False


@dataclasses.dataclass(frozen=True)
class Instruction:
    """A single collective instruction; what plain loops and NumPy are asked to compute.

    Args:
        word: the instruction.
        operands: names of the arrays in the order of the instruction's operands, the one that it
            writes last.
        shape: sizes of the array that it works on.
        mode: the mode along which it adds up.
        factors: alpha and beta.
    """

    word: str
    operands: tuple[str, ...]
    shape: tuple[int, ...]
    mode: int
    factors: tuple[float, float]


@dataclasses.dataclass(frozen=True)
class Case:
    """One computation of the benchmark.

    Args:
        name: words joined by dots, from the instruction to the variant.
        family: "gemm", "variant" (of a GEMM), "fused", "bandwidth", "recipe" or "seissol".
        type: scalar type that the result is computed in.
        arrays: all arrays.
        ours: the program under test.
        flops: floating-point operations of one group.
        expected: computes the arrays that are written, from initial arrays of some groups.
        terms: how many products add up to one element of the result; scales the tolerance.
        baseline: a name and a case of our own to compare with: "plain" for the GEMM without the
            variant, "separate" for one kernel per instruction.
        scalars: values of scalar parameters by name.
        gemm: the computation in the terms of GEMM libraries, if it is one.
        chain: the products, if it is a chain of them.
        instruction: the instruction, if it is a single one and no GEMM.
    """

    name: str
    family: str
    type: str
    arrays: tuple[Array, ...]
    ours: Source
    flops: int
    expected: Callable[[Arrays], dict[str, Any]]
    terms: int
    baseline: tuple[str, Case] | None = None
    scalars: Mapping[str, float] = dataclasses.field(default_factory=dict)
    gemm: Gemm | None = None
    chain: Chain | None = None
    instruction: Instruction | None = None

    @property
    def traffic_bytes(self) -> int:
        """Bytes that one group must at least read and write."""
        return sum(array.traffic_bytes for array in self.arrays)

    @property
    def footprint_bytes(self) -> int:
        """Bytes of all arrays of one group."""
        return sum(
            array.size_bytes
            for array in self.arrays
            if not array.is_shared and array.role != "scratch"
        )

    def groups(self, footprint_bytes: int) -> int:
        """Return the number of groups that fill this many bytes, at least one for every core."""
        return max(footprint_bytes // self.footprint_bytes, len(os.sched_getaffinity(0)))
