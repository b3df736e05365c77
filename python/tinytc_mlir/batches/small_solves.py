# SPDX-License-Identifier: BSD-3-Clause
"""Factorisations and solves of small matrices, all of whose elements are numbers in registers.

They are written out for the sizes of the matrices, and lanes are elements of the batch. Rows are
swapped by selects, as LAPACK swaps them.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..kernels.types import SCALARS, Scalar
from ..kernels.values import Local, Static
from .arrays import Array
from .emission import Emission, Number

Numbers: TypeAlias = npt.NDArray[Any]  # of Number
Row: TypeAlias = list[Any]
_I32 = SCALARS["i32"]


class SmallSolves(Emission):
    """The part that writes factorisations and solves as operations of their elements."""

    values: dict[Array, Numbers]

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._companions: dict[tuple[Array, str], Numbers] = {}

    def _of_companion(self, array: Array) -> Numbers:
        return self._companions[array.args[0], array.data]

    def _of_lu(self, array: Array) -> Numbers:
        (rows,) = self._rows(array)
        pivots = self._eliminated(array, rows, is_whole=True)
        self._companions[array, "pivots"] = _vector(pivots)
        return _matrix(rows, array.shape[::-1]).T

    def _of_solve(self, array: Array) -> Numbers:
        size = array.args[0].shape[0]
        rows, right = self._rows(array)
        if array.data:  # the triangle of a Hermitian matrix
            self._factored(array, rows, array.data)
            right = self._substituted(array, rows, right, is_lower=True, is_unit=False)
            turned = self._adjoint(array, rows)
            right = self._substituted(array, turned, right, is_lower=False, is_unit=False)
        else:
            both = [[*row, *more] for row, more in zip(rows, right, strict=True)]
            self._eliminated(array, both, is_whole=False)
            right = [row[size:] for row in both]
            right = self._substituted(array, both, right, is_lower=False, is_unit=False)
        return _matrix(right, (size, array.size // max(size, 1))).T.reshape(array.shape)

    def _of_cholesky(self, array: Array) -> Numbers:
        (rows,) = self._rows(array)
        self._factored(array, rows, array.data)
        rows = rows if array.data == "l" else self._adjoint(array, rows)
        return _matrix(rows, array.shape)

    def _of_triangular(self, array: Array) -> Numbers:
        triangle, form, is_unit = array.data
        rows, right = self._rows(array)
        if form in "tc":
            rows = [list(row) for row in zip(*rows, strict=True)]
        if form in "rc":
            rows = [[self._conjugate(array, each) for each in row] for row in rows]
        is_lower = (triangle == "l") ^ (form in "tc")
        right = self._substituted(array, rows, right, is_lower=is_lower, is_unit=is_unit)
        size = len(rows)
        return _matrix(right, (size, array.size // max(size, 1))).T.reshape(array.shape)

    def _of_swapped(self, array: Array) -> Numbers:
        pivots, right = (self.values[arg] for arg in array.args)
        rows = [list(row) for row in np.atleast_2d(right).T]
        order = range(len(pivots))
        for k in reversed(order) if array.data else order:
            self._swap_row(array, rows, k, pivots[k])
        return _matrix(rows, (len(rows), array.size // max(len(rows), 1))).T.reshape(array.shape)

    def _rows(self, array: Array) -> list[list[Row]]:
        """Return the operands of an instruction by rows, as numbers of the program."""
        found = []
        for place, arg in enumerate(array.args):
            values = np.atleast_2d(self.values[arg])
            is_turned = place > 0 or array.op in ("lu", "solve")
            lines = values.T if is_turned else values
            node = array.place[0]
            found.append([[self.number(node, v, arg.type) for v in line] for line in lines])
        return found

    # Arithmetic -----------------------------------------------------------------------------

    def _op(self, array: Array, name: str, *values: Any, type_: Scalar | None = None) -> Any:
        return self.apply(array.place[0], name, values, type_)

    def _real(self, array: Array, number: float) -> Local:
        return self.number(array.place[0], Static(number), array.type.real)

    def _less(self, array: Array, one: Any, *factors: Any) -> Any:
        """Return a number minus a product."""
        return self._op(array, "arith.sub", one, self._op(array, "arith.mul", *factors))

    def _conjugate(self, array: Array, value: Any) -> Any:
        return self._op(array, "arith.conj", value) if array.type.kind == "complex" else value

    def _real_part(self, array: Array, value: Any) -> Any:
        if array.type.kind != "complex":
            return value
        return self._op(array, "arith.re", value, type_=array.type.real)

    def _adjoint(self, array: Array, rows: Sequence[Row]) -> list[Row]:
        turned = zip(*rows, strict=True)
        return [[self._conjugate(array, each) for each in row] for row in turned]

    # LU factors -----------------------------------------------------------------------------

    def _eliminated(self, array: Array, rows: list[Row], *, is_whole: bool) -> list[Local]:
        """Eliminate below the diagonal, with partial pivoting, and return the pivots.

        Args:
            array: the operation.
            rows: the rows of the matrix, and of what is on its right, which change.
            is_whole: whether the rows of L are wanted, too, on the left of the diagonal.
        """
        height, width = len(rows), array.args[0].shape[0]
        pivots, info = [], self._i32(array, 0)
        for k in range(min(height, width)):
            pivots.append(self._pivoted(array, rows, k, 0 if is_whole else k))
            pivot = rows[k][k]
            info = self._first_bad(array, info, self._is_zero(array, pivot), k)
            for row in rows[k + 1 :]:
                factor = row[k] = self._op(array, "arith.div", row[k], pivot)
                for column in range(k + 1, len(row)):
                    row[column] = self._less(array, row[column], factor, rows[k][column])
        self._companions[array, "info"] = _vector([info]).reshape(())
        return pivots

    def _is_zero(self, array: Array, value: Any) -> Any:
        zero = self.number(array.place[0], Static(0), array.type)
        return self._op(array, "cmp.eq", value, zero)

    def _i32(self, array: Array, number: int) -> Local:
        return self.constant(Static(number), array.place[0], _I32)

    def _first_bad(self, array: Array, info: Local, is_bad: Local, k: int) -> Local:
        """Return the first place, from 1 on, where something is bad."""
        is_first = self._op(array, "arith.and", self._op(array, "cmp.eq", info, Static(0)), is_bad)
        return self._op(array, "select", is_first, self._i32(array, k + 1), info)  # type: ignore[no-any-return]

    def _pivoted(self, array: Array, rows: list[Row], k: int, first: int) -> Local:
        """Swap row k with that of the largest number in column k; return its place from 1 on."""
        pivot = self._i32(array, k + 1)
        if k + 1 == len(rows):
            return pivot
        scores = [self._score(array, row[k]) for row in rows[k:]]
        is_number = self._op(array, "cmp.eq", scores[0], scores[0])
        best = self._op(array, "select", is_number, scores[0], self._real(array, -1))
        larger = []
        for place, score in enumerate(scores[1:], k + 1):
            larger.append(self._op(array, "cmp.gt", score, best))
            best = self._op(array, "select", larger[-1], score, best)
            pivot = self._op(array, "select", larger[-1], self._i32(array, place + 1), pivot)
        self._swap(array, rows, k, larger, first)
        return pivot

    def _score(self, array: Array, value: Any) -> Any:
        real = array.type.real
        if array.type.kind != "complex":
            return self._op(array, "arith.abs", value, type_=real)
        parts = [self._op(array, f"arith.{part}", value, type_=real) for part in ("re", "im")]
        return self._op(array, "arith.add", *(self._op(array, "arith.abs", p) for p in parts))

    def _swap(
        self, array: Array, rows: list[Row], k: int, wanted: Sequence[Any], first: int = 0
    ) -> None:
        """Swap row k with the last row below it that is wanted."""
        before = rows[k]
        after = list(before)
        is_last, later = [], None
        for each in reversed(wanted):
            none = each if later is None else self._op(array, "arith.not", later)
            is_last.append(each if later is None else self._op(array, "arith.and", each, none))
            later = each if later is None else self._op(array, "arith.or", each, later)
        for row, each, last in zip(rows[k + 1 :], wanted, reversed(is_last), strict=True):
            for column in range(first, len(row)):
                after[column] = self._op(array, "select", each, row[column], after[column])
                row[column] = self._op(array, "select", last, before[column], row[column])
        rows[k] = after

    def _swap_row(self, array: Array, rows: list[Row], k: int, pivot: Any) -> None:
        """Swap row k with the row of a place that is counted from 1."""
        places = range(k + 2, len(rows) + 1)
        wanted = [self._op(array, "cmp.eq", pivot, self._i32(array, each)) for each in places]
        self._swap(array, rows, k, wanted)

    # Cholesky factors and triangles ---------------------------------------------------------

    def _factored(self, array: Array, rows: list[Row], triangle: str) -> None:
        """Replace the lower triangle by the Cholesky factor of a matrix given by one triangle."""
        if triangle == "u":
            rows[:] = self._adjoint(array, rows)
        info = self._i32(array, 0)
        for j, row in enumerate(rows):
            pivot = self._real_part(array, row[j])
            for each in row[:j]:
                square = self._op(array, "arith.mul", each, self._conjugate(array, each))
                pivot = self._op(array, "arith.sub", pivot, self._real_part(array, square))
            is_positive = self._op(array, "cmp.gt", pivot, Static(0))
            info = self._first_bad(array, info, self._op(array, "arith.not", is_positive), j)
            nan = self._real(array, float("nan"))
            root = self._op(array, "sqrt", self._op(array, "select", is_positive, pivot, nan))
            scale = self._op(array, "arith.div", self._real(array, 1), root)
            if array.type.kind == "complex":
                root, scale = (self._op(array, "cast", x, type_=array.type) for x in (root, scale))
            row[j] = root
            factors = [self._conjugate(array, each) for each in row[:j]]
            for below in rows[j + 1 :]:
                for k, factor in enumerate(factors):
                    below[j] = self._less(array, below[j], below[k], factor)
                below[j] = self._op(array, "arith.mul", below[j], scale)
        self._companions[array, "info"] = _vector([info]).reshape(())

    def _substituted(
        self,
        array: Array,
        triangle: Sequence[Row],
        right: list[Row],
        *,
        is_lower: bool,
        is_unit: bool,
    ) -> list[Row]:
        """Return the rows of X of T X = B."""
        right = [list(row) for row in right]
        order = range(len(right))
        for j in order if is_lower else reversed(order):
            if not is_unit:
                right[j] = [self._op(array, "arith.div", b, triangle[j][j]) for b in right[j]]
            for i in order[j + 1 :] if is_lower else order[:j]:
                right[i] = [
                    self._less(array, b, triangle[i][j], x)
                    for b, x in zip(right[i], right[j], strict=True)
                ]
        return right


def _matrix(rows: Sequence[Row], shape: tuple[int, ...]) -> Numbers:
    """Return rows of numbers as an array."""
    return _vector(list(itertools.chain.from_iterable(r[: shape[1]] for r in rows))).reshape(shape)


def _vector(values: Sequence[Number]) -> Numbers:
    found = np.empty(len(values), object)
    found[:] = values
    return found


__all__ = ["SmallSolves"]
