# SPDX-License-Identifier: BSD-3-Clause
"""The factorisations, solves and products of matrices."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..scalars import ScalarType
from . import factorizations
from .access import tensor_addresses
from .arithmetic import Arithmetic
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
        zero = self._state.arithmetic.constant(memref.scalar_type, 0)
        result = np.full(memref.shape, zero, self._dtype(memref))
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
        values = np.asarray(values).astype(self._dtype(memref))
        agents = np.zeros(np.count_nonzero(mask), np.int64)
        kind = AccessKind.ATOMIC if is_atomic else AccessKind.WRITE
        memref.storage.write(
            self._state, self._site, addresses[mask], agents, values[mask], kind=kind
        )

    def _dtype(self, memref: MemrefValue) -> np.dtype[Any]:
        return self._state.arithmetic.value_dtype(memref.scalar_type)

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


def _field(arithmetic: Arithmetic, type_: ScalarType) -> factorizations.Field:
    """Return the operations on numbers of a type, and on its real numbers."""
    is_complex, real, dtype = type_.kind == "complex", type_.real, arithmetic.value_dtype(type_)

    def binary(word: str) -> Callable[[Array, Array], Array]:
        function = arithmetic.binary(word, type_)
        return lambda a, b: np.asarray(function(np.asarray(a, dtype), np.asarray(b, dtype)))

    return factorizations.Field(
        add=binary("add"),
        subtract=binary("sub"),
        multiply=binary("mul"),
        divide=binary("div"),
        matmul=functools.partial(arithmetic.matmul, type_),
        conj=arithmetic.unary("conj", type_) if is_complex else np.asarray,
        total=arithmetic.binary("add", real),
        absolute=arithmetic.unary("abs", real),
        root=arithmetic.unary("sqrt", real),
        order=arithmetic.order,
        number=functools.partial(arithmetic.constant, real),
    )


class _Compiler:
    """What the rules know of an instruction: its modifiers, and the arithmetic of its type."""

    def __init__(self, op: Ir, arithmetic: Arithmetic) -> None:
        self.op, self.arithmetic = op, arithmetic
        type_ = element_type((op.c if op.name == "tinytc.syrk" else _matrix(op)).type)
        self.field = _field(arithmetic, type_)
        self.casts = {
            name: arithmetic.cast(element_type(getattr(op, name).type), type_)
            for name in ("alpha", "beta")
            if hasattr(op, name)
        }
        self.is_zero = functools.partial(arithmetic.is_zero, type_)
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
        mask = factorizations.triangle(operands.shape("a")[0], self.triangle)
        matrix = operands.read("a", mask)
        conj, is_lower = self.field.conj, self.triangle == "l"
        matrix = matrix if is_lower else conj(matrix).T
        factor, info = factorizations.cholesky_factor(matrix, self.field)
        operands.write("a", factor if is_lower else conj(factor).T, mask)
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
        info = factorizations.lu_factor(matrix, self.field, pivots if has_pivots else None)
        operands.write("a", matrix)
        operands.write("piv", pivots)
        operands.write("info", np.array(info))
        return matrix, pivots

    def _require_right_side(self, operands: _Operands) -> None:
        is_right, size = self.has("right"), operands.shape("a")[0]
        what = "the columns of 'b'" if is_right else "the rows of 'b'"
        operands.require(what, operands.shape("b")[int(is_right)], "the rows of 'a'", size)
        operands.require_apart("a", "b")

    def _triangular(self, operands: _Operands) -> tuple[Array, Array, bool]:
        """Return T and alpha B of alpha T B, which may be transposed, and whether T is lower."""
        operands.require_square("a")
        is_right, size = self.has("right"), operands.shape("a")[0]
        self._require_right_side(operands)
        mask = factorizations.triangle(size, self.triangle, is_strict=self.has("unit"))
        matrix = factorizations.form(operands.read("a", mask), self.form, self.field)
        right = self.field.multiply(self.number(operands, "alpha"), operands.read("b"))
        is_lower = (self.triangle == "l") ^ (self.form in "tc") ^ is_right
        return (matrix.T, right.T, is_lower) if is_right else (matrix, right, is_lower)

    def _write_right(self, operands: _Operands, result: Array) -> None:
        operands.write("b", result.T if self.has("right") else result)

    def trsm(self, operands: _Operands) -> None:
        """B := alpha op(A)^-1 B."""
        matrix, right, is_lower = self._triangular(operands)
        result = factorizations.solve_triangle(
            matrix, right, self.field, is_lower=is_lower, is_unit=self.has("unit")
        )
        self._write_right(operands, result)

    def trmm(self, operands: _Operands) -> None:
        """B := alpha op(A) B."""
        matrix, right, _ = self._triangular(operands)
        result = self.field.matmul(matrix, right)
        self._write_right(operands, self.field.add(result, right) if self.has("unit") else result)

    def qr(self, operands: _Operands) -> None:
        """Factor A."""
        matrix = operands.read("a")
        self._require_tau(operands)
        tau = factorizations.householder(matrix, self.field)
        operands.write("a", matrix)
        operands.write("tau", tau)

    def _require_tau(self, operands: _Operands) -> None:
        size, expected = operands.shape("tau")[0], min(operands.shape("a"))
        operands.require("the size of 'tau'", size, "the smaller size of 'a'", expected)
        operands.require_apart("a", "tau")

    def apply_q(self, operands: _Operands) -> None:
        """B := op(Q) B."""
        self._require_tau(operands)
        is_right = self.has("right")
        self._require_right_side(operands)
        operands.require_apart("tau", "b")
        conj, (rows, columns) = self.field.conj, operands.shape("a")
        below = np.tri(rows, columns, k=-1, dtype=bool)
        factors, tau, matrix = operands.read("a", below), operands.read("tau"), operands.read("b")
        if self.form in "tr":
            factors, tau = conj(factors), conj(tau)
        matrix = conj(matrix).T.copy() if is_right else matrix
        is_adjoint = (self.form in "tc") != is_right
        factorizations.apply_reflections(
            factors, tau, matrix, is_adjoint=is_adjoint, field=self.field
        )
        operands.write("b", conj(matrix).T if is_right else matrix)

    def eigh(self, operands: _Operands) -> None:
        """Replace A by its eigenvectors."""
        self.arithmetic.check_iterates("eigenvalues")
        operands.require_square("a")
        size = operands.shape("a")[0]
        operands.require("the size of 'w'", operands.shape("w")[0], "the rows of 'a'", size)
        operands.require_apart("a", "w")
        matrix = operands.read("a", factorizations.triangle(size, self.triangle))
        lower = matrix if self.triangle == "l" else matrix.conj().T
        values, vectors, info = factorizations.eigenvectors(lower)
        operands.write("a", vectors)
        operands.write("w", values)
        operands.write("info", np.array(info))

    def swap_rows(self, operands: _Operands) -> None:
        """B := P B."""
        pivots, matrix = operands.read("piv"), operands.read("b")
        if len(pivots) > len(matrix) or np.any((pivots < 1) | (pivots > len(matrix))):
            operands.require("the largest pivot", int(max(pivots)), "the rows of 'b'", len(matrix))
        factorizations.swap_rows(pivots, matrix, is_reverse=self.has("reverse"))
        operands.write("b", matrix)

    def syrk(self, operands: _Operands) -> None:
        """One triangle of C := alpha op(A) op(A)^H + beta C."""
        operands.require_square("c")
        size = operands.shape("c")[0]
        rows = operands.shape("a")[int(self.form in "tc")]
        operands.require("the rows of 'c'", size, "the rows of op('a')", rows)
        operands.require_apart("a", "c")
        mask, is_atomic = factorizations.triangle(size, self.triangle), self.has("atomic")
        matrix = factorizations.form(operands.read("a"), self.form, self.field)
        product = self.field.matmul(matrix, self.field.conj(matrix).T)
        result = self.field.multiply(self.number(operands, "alpha"), product)
        beta = self.number(operands, "beta")
        if not self.is_zero(beta):
            before = operands.read("c", mask, is_update=is_atomic)
            result = self.field.add(result, self.field.multiply(beta, before))
        operands.write("c", result, mask, is_atomic=is_atomic)

    def _right_side(self, operands: _Operands) -> Array:
        self._require_right_side(operands)
        return operands.read("b")

    def solve_spd(self, operands: _Operands) -> None:
        """B := A^-1 B by the Cholesky factor."""
        right, factor = self._right_side(operands), self.cholesky(operands)
        right = factorizations.solve_triangle(
            factor, right, self.field, is_lower=True, is_unit=False
        )
        transposed = self.field.conj(factor).T
        right = factorizations.solve_triangle(
            transposed, right, self.field, is_lower=False, is_unit=False
        )
        operands.write("b", right)

    def solve_lu(self, operands: _Operands) -> None:
        """B := A^-1 B by the LU factors."""
        operands.require_square("a")
        right = self._right_side(operands)
        factors, pivots = self.lu(operands)
        factorizations.swap_rows(pivots, right, is_reverse=False)
        right = factorizations.solve_triangle(
            factors, right, self.field, is_lower=True, is_unit=True
        )
        right = factorizations.solve_triangle(
            factors, right, self.field, is_lower=False, is_unit=False
        )
        operands.write("b", right)


def _matrix(op: Ir) -> Ir:
    return op.b if op.name == "tinytc.swap_rows" else op.a


_OPERANDS = ("alpha", "a", "piv", "tau", "w", "b", "beta", "c", "info")


def _handler(rule: Callable[[_Compiler, _Operands], object]) -> Handler:
    def compile_(builder: Builder, op: Ir) -> Step:
        compiler, site = _Compiler(op, builder.arithmetic), builder.site(op)
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
    "tinytc.trmm": _handler(_Compiler.trmm),
    "tinytc.qr": _handler(_Compiler.qr),
    "tinytc.apply_q": _handler(_Compiler.apply_q),
    "tinytc.eigh": _handler(_Compiler.eigh),
    "tinytc.swap_rows": _handler(_Compiler.swap_rows),
    "tinytc.syrk": _handler(_Compiler.syrk),
    "tinytc.solve.spd": _handler(_Compiler.solve_spd),
    "tinytc.solve.lu": _handler(_Compiler.solve_lu),
}
