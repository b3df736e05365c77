# SPDX-License-Identifier: BSD-3-Clause
"""The factorisations and solves, column by column, in the type of their matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import arithmetic
from .access import tensor_addresses
from .kernel import Builder, Handler, Step, element_type, has_attribute, keyword
from .machine import Site, State
from .memory import MemrefValue
from .rounding import Array
from .shadow import AccessKind
from .untyped import Ir


class _Operands:
    """The operands of an instruction while it runs.

    Args:
        state: the machine.
        site: the instruction.
        values: the operands by their names, None for those that are absent.
    """

    def __init__(self, state: State, site: Site, values: dict[str, Any]) -> None:
        self._state = state
        self._site = site
        self.values = values

    def read(self, name: str, mask: Array | None = None, *, is_update: bool = False) -> Array:
        """Return a tensor; elements that the mask leaves out are 0."""
        memref, addresses, mask = self._place(name, mask)
        result = np.zeros(memref.shape, memref.scalar_type.value_dtype)
        agents = np.zeros(np.count_nonzero(mask), np.int64)
        result[mask] = memref.storage.read(
            self._state, self._site, addresses[mask], agents, is_update=is_update
        )
        return result

    def write(
        self, name: str, values: Array, mask: Array | None = None, *, is_atomic: bool = False
    ) -> None:
        """Write the elements of a tensor that the mask names."""
        if self.values[name] is None:
            return
        memref, addresses, mask = self._place(name, mask)
        values = np.asarray(values).astype(memref.scalar_type.value_dtype)
        agents = np.zeros(np.count_nonzero(mask), np.int64)
        kind = AccessKind.ATOMIC if is_atomic else AccessKind.WRITE
        memref.storage.write(
            self._state, self._site, addresses[mask], agents, values[mask], kind=kind
        )

    def _place(self, name: str, mask: Array | None) -> tuple[MemrefValue, Array, Array]:
        memref: MemrefValue = self.values[name]
        memref.check_usable(self._state, self._site)
        return (
            memref,
            tensor_addresses(memref),
            np.ones(memref.shape, bool) if mask is None else mask,
        )

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the sizes of a tensor."""
        shape: tuple[int, ...] = self.values[name].shape
        return shape

    def require(self, what: str, size: int, other: str, expected: int) -> None:
        """Fail where dynamic sizes do not match."""
        if size != expected:
            self._state.fail(
                self._site, f"expected {what} to equal {other} = {expected}, got {size}"
            )

    def require_square(self, name: str) -> None:
        """Fail unless a matrix is square."""
        rows, columns = self.shape(name)
        self.require(f"the columns of '{name}'", columns, "its rows", rows)

    def require_apart(self, read: str, written: str) -> None:
        """Fail if two operands have a common element."""
        first, second = self.values[read], self.values[written]
        if first.storage.shares_memory(second.storage):
            numbers = [
                each.storage.numbers(tensor_addresses(each).reshape(-1)) for each in (first, second)
            ]
            if np.intersect1d(*numbers).size:
                self._state.fail(
                    self._site, f"race: operand '{read}' overlaps '{written}', which is updated"
                )


def _triangle(size: int, word: str, *, is_strict: bool = False) -> Array:
    """Return which elements of a matrix are in a triangle."""
    lower = np.tri(size, k=-1 if is_strict else 0, dtype=bool)
    return lower if word == "l" else lower.T


def _form(matrix: Array, word: str) -> Array:
    """Return op(X)."""
    matrix = matrix.T if word in "tc" else matrix
    return matrix.conj() if word in "rc" else matrix


def cholesky_factor(matrix: Array) -> tuple[Array, int]:
    """Return the lower factor of a matrix, and the first pivot that is not positive."""
    factor, info = np.tril(matrix), 0
    for j in range(len(factor)):
        row = factor[j, :j].conj()
        pivot = factor[j, j].real - np.sum((row * row.conj()).real, dtype=row.real.dtype)
        info = info or (0 if pivot > 0 else j + 1)
        factor[j, j] = np.sqrt(pivot) if pivot > 0 else np.nan
        rest = factor[j + 1 :, j] - factor[j + 1 :, :j] @ row
        factor[j + 1 :, j] = rest / factor[j, j].real
    return factor, info


def lu_factor(matrix: Array, divide: Callable[..., Array], pivots: Array | None) -> int:
    """Factor a matrix in place, fill the pivots, and return the first pivot that is 0."""
    info = 0
    for j in range(min(matrix.shape)):
        if pivots is not None:
            column = matrix[j:, j]
            scores = np.abs(column.real) + np.abs(column.imag)
            place = j + int(np.argmax(np.where(np.isnan(scores), -1, scores)))
            pivots[j] = place + 1
            matrix[[j, place]] = matrix[[place, j]]
        info = info or (j + 1 if matrix[j, j] == 0 else 0)
        matrix[j + 1 :, j] = divide(matrix[j + 1 :, j], matrix[j, j])
        matrix[j + 1 :, j + 1 :] -= np.outer(matrix[j + 1 :, j], matrix[j, j + 1 :])
    return info


def solve_triangle(
    matrix: Array, right: Array, divide: Callable[..., Array], *, is_lower: bool, is_unit: bool
) -> Array:
    """Return X of T X = B for a triangle T."""
    right = right.copy()
    order = range(len(matrix)) if is_lower else range(len(matrix) - 1, -1, -1)
    for j in order:
        if not is_unit:
            right[j] = divide(right[j], matrix[j, j])
        rest = slice(j + 1, None) if is_lower else slice(0, j)
        right[rest] -= np.multiply.outer(matrix[rest, j], right[j])
    return right


def swap_rows(pivots: Array, matrix: Array, *, is_reverse: bool) -> None:
    """Swap row j of a matrix with that of a pivot, for all j in order or in reverse."""
    numbers = range(len(pivots))
    for j in reversed(numbers) if is_reverse else numbers:
        place = int(pivots[j]) - 1
        matrix[[j, place]] = matrix[[place, j]]


class _Compiler:
    """What the rules know of an instruction: its modifiers, and the arithmetic of its type."""

    def __init__(self, op: Ir) -> None:
        self.op = op
        type_ = element_type((op.c if op.name == "tinytc.syrk" else _matrix(op)).type)
        self.divide = arithmetic.binary("div", type_)
        self.casts = {
            name: arithmetic.cast(element_type(getattr(op, name).type), type_)
            for name in ("alpha", "beta")
            if hasattr(op, name)
        }
        self.triangle = keyword(op, "triangle", "l")
        self.form = keyword(op, "transpose", "n")

    def has(self, word: str) -> bool:
        """Return whether a modifier is given."""
        return has_attribute(self.op, word)

    def number(self, operands: _Operands, name: str) -> Any:  # noqa: ANN401, a NumPy scalar
        """Return alpha or beta in the type of the matrices."""
        return self.casts[name](operands.values[name])

    def cholesky(self, operands: _Operands) -> Array:
        """Factor A; return the factor."""
        operands.require_square("a")
        mask = _triangle(operands.shape("a")[0], self.triangle)
        matrix = operands.read("a", mask)
        factor, info = cholesky_factor(matrix if self.triangle == "l" else matrix.conj().T)
        operands.write("a", factor if self.triangle == "l" else factor.conj().T, mask)
        operands.write("info", np.array(info))
        return factor

    def lu(self, operands: _Operands) -> tuple[Array, Array]:
        """Factor A; return the factors and the pivots."""
        matrix, size = operands.read("a"), min(operands.shape("a"))
        has_pivots = operands.values["piv"] is not None
        if has_pivots:
            expected = "the smaller size of 'a'"
            operands.require("the size of 'piv'", operands.shape("piv")[0], expected, size)
        pivots = np.zeros(size, np.int32)
        info = lu_factor(matrix, self.divide, pivots if has_pivots else None)
        operands.write("a", matrix)
        operands.write("piv", pivots)
        operands.write("info", np.array(info))
        return matrix, pivots

    def trsm(self, operands: _Operands) -> None:
        """B := alpha op(A)^-1 B."""
        operands.require_square("a")
        is_right, is_unit = self.has("right"), self.has("unit")
        size = operands.shape("a")[0]
        what = "the columns of 'b'" if is_right else "the rows of 'b'"
        operands.require(what, operands.shape("b")[int(is_right)], "the rows of 'a'", size)
        operands.require_apart("a", "b")
        mask = _triangle(size, self.triangle, is_strict=is_unit)
        matrix = _form(operands.read("a", mask), self.form)
        right = self.number(operands, "alpha") * operands.read("b")
        is_lower = (self.triangle == "l") ^ (self.form in "tc") ^ is_right
        matrix, right = (matrix.T, right.T) if is_right else (matrix, right)
        result = solve_triangle(matrix, right, self.divide, is_lower=is_lower, is_unit=is_unit)
        operands.write("b", result.T if is_right else result)

    def swap_rows(self, operands: _Operands) -> None:
        """B := P B."""
        pivots, matrix = operands.read("piv"), operands.read("b")
        if len(pivots) > len(matrix) or np.any((pivots < 1) | (pivots > len(matrix))):
            operands.require("the largest pivot", int(max(pivots)), "the rows of 'b'", len(matrix))
        swap_rows(pivots, matrix, is_reverse=self.has("reverse"))
        operands.write("b", matrix)

    def syrk(self, operands: _Operands) -> None:
        """One triangle of C := alpha op(A) op(A)^H + beta C."""
        operands.require_square("c")
        size = operands.shape("c")[0]
        rows = operands.shape("a")[int(self.form in "tc")]
        operands.require("the rows of 'c'", size, "the rows of op('a')", rows)
        operands.require_apart("a", "c")
        mask, is_atomic = _triangle(size, self.triangle), self.has("atomic")
        matrix = _form(operands.read("a"), self.form)
        result = self.number(operands, "alpha") * (matrix @ matrix.conj().T)
        if (beta := self.number(operands, "beta")) != 0:
            result = result + beta * operands.read("c", mask, is_update=is_atomic)
        operands.write("c", result, mask, is_atomic=is_atomic)

    def _right_side(self, operands: _Operands) -> Array:
        rows = operands.shape("b")[0]
        operands.require("the rows of 'b'", rows, "the rows of 'a'", operands.shape("a")[0])
        operands.require_apart("a", "b")
        return operands.read("b")

    def solve_spd(self, operands: _Operands) -> None:
        """B := A^-1 B by the Cholesky factor."""
        right, factor = self._right_side(operands), self.cholesky(operands)
        right = solve_triangle(factor, right, self.divide, is_lower=True, is_unit=False)
        transposed = factor.conj().T
        right = solve_triangle(transposed, right, self.divide, is_lower=False, is_unit=False)
        operands.write("b", right)

    def solve_lu(self, operands: _Operands) -> None:
        """B := A^-1 B by the LU factors."""
        operands.require_square("a")
        right = self._right_side(operands)
        factors, pivots = self.lu(operands)
        swap_rows(pivots, right, is_reverse=False)
        right = solve_triangle(factors, right, self.divide, is_lower=True, is_unit=True)
        right = solve_triangle(factors, right, self.divide, is_lower=False, is_unit=False)
        operands.write("b", right)


def _matrix(op: Ir) -> Ir:
    return op.b if op.name == "tinytc.swap_rows" else op.a


_OPERANDS = ("alpha", "a", "piv", "b", "beta", "c", "info")


def _handler(rule: Callable[[_Compiler, _Operands], object]) -> Handler:
    def compile_(builder: Builder, op: Ir) -> Step:
        compiler, site = _Compiler(op), builder.site(op)
        given = {name: getattr(op, name, None) for name in _OPERANDS}
        slots = {name: builder.slot(value) for name, value in given.items() if value is not None}

        def run(state: State) -> None:
            values = {name: state.values[slot] for name, slot in slots.items()}
            with np.errstate(all="ignore"):
                rule(compiler, _Operands(state, site, dict.fromkeys(_OPERANDS) | values))

        return run

    return compile_


HANDLERS: dict[str, Handler] = {
    "tinytc.cholesky": _handler(_Compiler.cholesky),
    "tinytc.lu": _handler(_Compiler.lu),
    "tinytc.trsm": _handler(_Compiler.trsm),
    "tinytc.swap_rows": _handler(_Compiler.swap_rows),
    "tinytc.syrk": _handler(_Compiler.syrk),
    "tinytc.solve.spd": _handler(_Compiler.solve_spd),
    "tinytc.solve.lu": _handler(_Compiler.solve_lu),
}
