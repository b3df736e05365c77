# SPDX-License-Identifier: BSD-3-Clause
"""Factorisations and solves of matrices in local memory, by their instructions.

Operations take matrices by columns, transposed, because memory has the modes of arrays in the
opposite order: `solve` of A^T and B^T gives X^T.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from ..kernels.types import SCALARS, Scalar
from ..kernels.values import Local, Static
from .arrays import Array, Shape, walk
from .elements import Elements
from .emission import Number

IN_MEMORY = frozenset(("qr", "applied", "eigh"))
"""Those that are not written out for matrices in registers."""
FACTORED = frozenset(("lu", "solve", "cholesky", "triangular", "swapped", "companion"))
FACTORED |= IN_MEMORY
"""Operations that are instructions of their own."""
_I32 = SCALARS["i32"]
_TURNED_FORMS = {"n": "t", "t": "n", "r": "c", "c": "r"}
_OTHER = {"l": "u", "u": "l"}


@dataclasses.dataclass(frozen=True)
class Matrix:
    """An array in memory as an instruction takes it.

    Args:
        memory: the memory.
        is_straight: whether its modes there are in the opposite order, as of all that is stored.
    """

    memory: Local
    is_straight: bool = True


class Factored(Elements):
    """The part that writes factorisations and solves as instructions."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._companions: dict[tuple[Array, str], Local] = {}

    def _info(self, array: Array) -> list[Local]:
        """Return memory for what an instruction says of the matrix, if anybody asks."""
        asked = (a for a in walk(self.program.block) if a.op == "companion" and a.data == "info")
        is_asked = any(each.args[0] is array for each in asked)
        return [self._beside(array, "info", (), _I32)] if is_asked else []

    def factored(self, array: Array, place: Local | None) -> Local:
        """Append the instruction of an operation, and return the memory of its result."""
        if array.op == "companion":
            found = self._companions[array.args[0], array.data]
            if place is not None:
                self.memory[array] = found
                self._copied(array, place)
            return place or found
        place = place or self._new(array)
        getattr(self, f"_{array.op}")(array, place)
        return place

    def companion_number(self, array: Array) -> Number:
        """Return what tells whether a factorisation has gone well."""
        if not array.args[0].args[0].size:
            return Static(0)
        place = self._companions[array.args[0], array.data]
        return self.element(array.place[0], place, [])

    def _lu(self, array: Array, place: Local) -> None:
        self._copied(array.args[0], place)
        pivots = self._beside(array, "pivots", (min(array.shape),), _I32)
        self._factoring(array, "lu", place, pivots, *self._info(array))

    def _solve(self, array: Array, place: Local) -> None:
        matrix, right = array.args
        factor = self._new(matrix)
        self._copied(matrix, factor)
        self._copied(right, place)
        info = self._info(array)
        if array.data:
            words: list[str | None] = [_OTHER[array.data]]
            self._factoring(array, "solve.spd", factor, place, *info, words=words)
        else:
            pivots = self._beside(array, "pivots", matrix.shape[:1], _I32)
            self._factoring(array, "solve.lu", factor, pivots, place, *info)

    def _cholesky(self, array: Array, place: Local) -> None:
        self._copied(array.args[0], place)
        words: list[str | None] = [_OTHER[array.data]]
        self._factoring(array, "cholesky", place, *self._info(array), words=words)

    def _triangular(self, array: Array, place: Local) -> None:
        triangle, form, is_unit = array.data
        matrix = self._matrix(array.args[0])
        self._copied(array.args[1], place)
        if matrix.is_straight:
            triangle, form = _OTHER[triangle], _TURNED_FORMS[form]
        one = self.number(array.place[0], Static(1), array.type)
        words = [None, triangle, form, "unit" if is_unit else None]
        self._factoring(array, "trsm", one, matrix.memory, place, words=words)

    def _swapped(self, array: Array, place: Local) -> None:
        pivots, right = array.args
        self._copied(right, place)
        memory = self._matrix(pivots, is_straight=True).memory
        self._factoring(array, "swap_rows", memory, place, words=[array.data or None])

    def _qr(self, array: Array, place: Local) -> None:
        self._copied(array.args[0], place)
        tau = self._beside(array, "tau", (min(array.shape),), array.type)
        self._factoring(array, "qr", place, tau)

    def _applied(self, array: Array, place: Local) -> None:
        factors, tau = (self._matrix(e, is_straight=True).memory for e in array.args[:2])
        self._copied(array.args[2], place)
        self._factoring(array, "apply_q", factors, tau, place, words=[None, array.data])

    def _eigh(self, array: Array, place: Local) -> None:
        self._copied(array.args[0], place)
        values = self._beside(array, "w", array.shape[:1], array.type.real)
        self._factoring(array, "eigh", place, values, *self._info(array), words=[array.data])

    def _factoring(
        self, array: Array, name: str, *operands: Local, words: list[str | None] | None = None
    ) -> None:
        node = array.place[0]
        given = [self.operand(each, node) for each in operands]
        if array.args[0].size:
            self.add(node, name, given, modifiers=words or [])

    def _beside(self, array: Array, name: str, shape: Shape, type_: Scalar) -> Local:
        """Return new memory that an instruction fills, too."""
        made = Array(name, (), shape, type_, array.place)
        found = self._companions[array, name] = self._new(made)
        return found

    def _new(self, array: Array) -> Local:
        raise NotImplementedError

    def _copied(self, array: Array, place: Local) -> None:
        raise NotImplementedError

    def _matrix(
        self, array: Array, *, is_straight: bool = False, is_packed: bool = False
    ) -> Matrix:
        raise NotImplementedError
