# SPDX-License-Identifier: BSD-3-Clause
"""The launches of products by slices of 8-bit integers."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator

import numpy as np

from ..errors import ArgumentError
from ..runtime.arrays.array_view import Array
from ..runtime.arrays.host_arrays import view_of
from ..runtime.arrays.memory import empty
from .gemm_recipe import GemmRecipe, KernelLaunch, Product
from .ozaki_kernels import text_of
from .ozaki_problem import PART, SLICE_BITS, TILE, Factor, Problem
from .recipe import AsOperation, Checker, Size

CHECK = Checker("ozaki_gemm")
# Slices that a launch has memory for at a time, unless those of one product are more.
_SCRATCH_BYTES = 64 << 20


def error_bound(splits: int) -> float:
    """Return what is left out, in units of k times the largest numbers of row and column."""
    return math.ldexp(4 * (splits + 1), -SLICE_BITS * splits)


@dataclasses.dataclass(frozen=True)
class _Operand:
    """A factor of a launch.

    Args:
        factor: which one.
        matrix: what the caller gave.
        exponents: memory for the largest exponents of lines.
        slices: memory for slices.
    """

    factor: Factor
    matrix: object
    exponents: Array
    slices: Array

    @classmethod
    def of(cls, factor: Factor, matrix: object, products: int, place: object) -> _Operand:
        """Return an operand with memory for some products."""
        batch = products if factor.is_batched else 1
        exponents = empty((factor.lines_padded, 1, batch), np.int32, queue=place)
        return cls(factor, matrix, exponents, empty((*factor.slices, batch), np.int8, queue=place))

    def launch(
        self, step: str, first: int, products: int
    ) -> tuple[str, tuple[object, ...], tuple[int, int, int]]:
        """Return kernel, arguments and groups of a step for some products from the first on."""
        factor = self.factor
        batch = products if factor.is_batched else 1
        name = f"{step}_{factor.name.lower()}"
        if step == "clear":
            return name, (self.exponents,), (1, 1, batch)
        groups = (-(-factor.lines // PART), -(-factor.depth // PART), batch)
        if step == "exponents":
            return name, (first, self.matrix, self.exponents), groups
        return name, (first, self.matrix, self.exponents, self.slices), groups


class OzakiGemm(GemmRecipe):
    """Products from slices of 8-bit integers; made by `ozaki_gemm`.

    Args:
        problem: what the text depends on.
        target: name of a target, a dpctl device or queue, or None for the default device.
    """

    _recipe = "ozaki_gemm"

    def __init__(self, problem: Problem, target: object) -> None:
        super().__init__(text_of(problem), "gemm", target)
        self._problem = problem

    @property
    def splits(self) -> int:
        """Slices of each factor."""
        return self._problem.splits

    @property
    def error_bound(self) -> float:
        """The largest value of the bits that the slices leave out.

        It is relative to K times the largest number in the row of op(A) and in the column of op(B).
        """
        return error_bound(self.splits)

    def _as_operation(self) -> AsOperation:
        raise ArgumentError(
            "op: argument 'kernel': expected a recipe of one kernel, got ozaki_gemm, which "
            "launches several and is no operation",
            argument="kernel",
        )

    def _launches(self, product: Product) -> Iterator[KernelLaunch]:
        """Yield the launches: as many products at a time as there is memory for slices of."""
        alpha, a, b, beta, c, howmany, queue = product
        problem = self._problem
        count = self._howmany(a, b, c, howmany)
        per_product = sum(math.prod(each.slices) for each in (problem.a, problem.b))
        part = max(min(count, _SCRATCH_BYTES // per_product), 1)
        place = self._target if queue is None else queue
        operands = [
            _Operand.of(factor, matrix, part, place)
            for factor, matrix in ((problem.a, a), (problem.b, b))
        ]
        scratch = [each for operand in operands for each in (operand.slices, operand.exponents)]
        tiles = -(-problem.a.lines // TILE[0]), -(-problem.b.lines // TILE[1])
        name = self.kernel(beta).name
        for first in range(0, max(count, 1), part):
            size = min(part, count - first)
            new = [each for each in operands if first == 0 or each.factor.is_batched]
            for step in ("clear", "exponents", "split"):
                for operand in new:
                    yield self._step(*operand.launch(step, first, size))
            yield self._step(name, (first, alpha, *scratch, beta, c), (*tiles, size))

    def _step(
        self, name: str, arguments: tuple[object, ...], groups: tuple[int, int, int]
    ) -> KernelLaunch:
        kernel = self.program[name]
        kernel.signature.accept_unchecked()  # sizes are constants, and batches are checked here
        return KernelLaunch(kernel, arguments, groups)

    def _howmany(self, a: object, b: object, c: object, howmany: Size | None) -> int:
        """Return the number of products, for which all batches must have matrices."""
        problem, counts = self._problem, {}
        for name, array, is_batched in (
            ("C", c, True),
            ("A", a, problem.a.is_batched),
            ("B", b, problem.b.is_batched),
        ):
            try:
                shape = view_of(array).shape
            except ValueError as error:
                raise CHECK.error(name, str(error)) from None
            if len(shape) != 2 + is_batched:
                last = ", the last that of the batch" if is_batched else ""
                rule = f"expected an array of {2 + is_batched} modes{last}, got shape {shape}"
                raise CHECK.error(name, rule)
            if is_batched:
                counts[name] = shape[2]
        count = counts["C"] if howmany is None else CHECK.size("howmany", howmany)
        for name, size in counts.items():
            if count > size:
                raise CHECK.error(name, f"expected {count} matrices, got {size}")
        return count
