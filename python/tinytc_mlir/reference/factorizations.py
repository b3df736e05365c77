# SPDX-License-Identifier: BSD-3-Clause
"""Factorisations of NumPy's matrices and what is computed with their factors.

Column by column, in the type of the matrices, so that NaN and infinities spread as in the
instructions; the eigenvalues are NumPy's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .rounding import Array

MOST_EIGENVALUES = 64
"""The most rows of a matrix whose eigenvalues `eigh` computes."""


class Field(NamedTuple):
    """The operations of an arithmetic on the elements of matrices.

    Those from `total` on are for real numbers: their sum, |x|, the root, what has the same order in
    NumPy, and the value of a number of Python.
    """

    add: Callable[[Array, Array], Array]
    subtract: Callable[[Array, Array], Array]
    multiply: Callable[[Array, Array], Array]
    divide: Callable[[Array, Array], Array]
    matmul: Callable[[Array, Array], Array]
    conj: Callable[[Array], Array]
    total: Callable[[Array, Array], Array]
    absolute: Callable[[Array], Array]
    root: Callable[[Array], Array]
    order: Callable[[Array], Array]
    number: Callable[[float], Array]

    def squares(self, values: Array) -> Array:
        """Return the sum of |x|^2 of a vector."""
        product = self.matmul(values[None], self.conj(values)[:, None])
        return np.asarray(product[0, 0].real)


NUMPY = Field(
    *(np.add, np.subtract, np.multiply, np.divide, np.matmul, np.conj),
    *(np.add, np.abs, np.sqrt, np.asarray, np.asarray),
)
"""The operations of NumPy."""


def triangle(size: int, word: str, *, is_strict: bool = False) -> Array:
    """Return which elements of a matrix are in a triangle."""
    lower = np.tri(size, k=-1 if is_strict else 0, dtype=bool)
    return lower if word == "l" else lower.T


def form(matrix: Array, word: str, field: Field = NUMPY) -> Array:
    """Return op(X)."""
    matrix = matrix.T if word in "tc" else matrix
    return field.conj(matrix) if word in "rc" else matrix


def cholesky_factor(matrix: Array, field: Field = NUMPY) -> tuple[Array, int]:
    """Return the lower factor of a matrix, and the first pivot that is not positive."""
    factor, info = np.tril(matrix), 0
    for j in range(len(factor)):
        row = field.conj(factor[j, :j])
        pivot = field.subtract(factor[j, j].real, field.squares(row)).real
        is_positive = bool(field.order(pivot) > 0)
        info = info or (0 if is_positive else j + 1)
        factor[j, j] = field.root(pivot) if is_positive else field.number(np.nan)
        products = field.matmul(factor[j + 1 :, :j], row[:, None])[:, 0]
        rest = field.subtract(factor[j + 1 :, j], products)
        factor[j + 1 :, j] = field.divide(rest, factor[j, j].real)
    return factor, info


def lu_factor(matrix: Array, field: Field, pivots: Array | None) -> int:
    """Factor a matrix in place, fill the pivots, and return the first pivot that is 0."""
    info = 0
    for j in range(min(matrix.shape)):
        if pivots is not None:
            column = matrix[j:, j]
            sizes = field.total(field.absolute(column.real), field.absolute(column.imag))
            scores = np.asarray(field.order(sizes))
            place = j + int(np.argmax(np.where(np.isnan(scores), -1, scores)))
            pivots[j] = place + 1
            matrix[[j, place]] = matrix[[place, j]]
        info = info or (j + 1 if matrix[j, j] == 0 else 0)
        matrix[j + 1 :, j] = field.divide(matrix[j + 1 :, j], matrix[j, j])
        rest = matrix[j + 1 :, j + 1 :]
        product = field.matmul(matrix[j + 1 :, j : j + 1], matrix[j : j + 1, j + 1 :])
        rest[:] = field.subtract(rest, product)
    return info


def solve_triangle(
    matrix: Array, right: Array, field: Field, *, is_lower: bool, is_unit: bool
) -> Array:
    """Return X of T X = B for a triangle T."""
    result = right.copy()
    columns = result.reshape(len(matrix), math.prod(right.shape[1:]))
    order = range(len(matrix)) if is_lower else range(len(matrix) - 1, -1, -1)
    for j in order:
        if not is_unit:
            columns[j] = field.divide(columns[j], matrix[j, j])
        rest = slice(j + 1, None) if is_lower else slice(0, j)
        product = field.matmul(matrix[rest, j : j + 1], columns[j : j + 1])
        columns[rest] = field.subtract(columns[rest], product)
    return result


def swap_rows(pivots: Array, matrix: Array, *, is_reverse: bool) -> None:
    """Swap row j with row pivots[j], counted from 1, for all j."""
    numbers = range(len(pivots))
    for j in reversed(numbers) if is_reverse else numbers:
        place = int(pivots[j]) - 1
        matrix[[j, place]] = matrix[[place, j]]


def householder(matrix: Array, field: Field = NUMPY) -> Array:
    """Make QR factors of a matrix in place as LAPACK's geqrf stores them, and return tau."""
    count, one = min(matrix.shape), field.number(1.0)
    tau = np.zeros(count, matrix.dtype)
    for j in range(count):
        column = matrix[j:, j]
        sizes = field.absolute(np.concatenate([column.real, column.imag]))
        largest = sizes[np.argmax(field.order(sizes))]
        is_finite = 0 < field.order(largest) < field.order(field.number(np.inf))
        scale = largest if is_finite else one  # squares are neither too large nor too small
        scaled = field.divide(column, scale)
        alpha, rest = scaled[0], scaled[1:]
        squares = field.squares(rest)
        if squares == 0 and alpha.imag == 0:
            column[1:] = 0
            continue
        size = field.root(field.total(field.squares(scaled[:1]), squares))
        is_negative = field.order(alpha.real) < 0
        beta = size if is_negative else field.subtract(0 * size, size).real
        tau[j] = field.divide(field.subtract(beta, alpha), beta)
        column[1:] = field.divide(rest, field.subtract(alpha, beta))
        vector = np.concatenate([[one], column[1:]]).astype(matrix.dtype)
        column[0] = field.multiply(beta, scale)
        _reflect(field.conj(tau[j]), vector, matrix[j:, j + 1 :], field)
    return tau


def _reflect(tau: Array, vector: Array, matrix: Array, field: Field) -> None:
    """Subtract tau v v^H A from A in place."""
    row = field.matmul(field.conj(vector)[None], matrix)
    product = field.matmul(field.multiply(tau, vector)[:, None], row)
    matrix[...] = field.subtract(matrix, product)


def apply_reflections(
    factors: Array, tau: Array, matrix: Array, *, is_adjoint: bool, field: Field = NUMPY
) -> None:
    """Multiply a matrix in place by the unitary factor that `householder` left, on the left."""
    numbers = range(len(tau))
    for j in numbers if is_adjoint else reversed(numbers):
        vector = np.concatenate([[field.number(1.0)], factors[j + 1 :, j]]).astype(factors.dtype)
        columns = matrix.reshape(len(matrix), -1)
        _reflect(field.conj(tau[j]) if is_adjoint else tau[j], vector, columns[j:], field)
        matrix[...] = columns.reshape(matrix.shape)


def eigenvectors(lower: Array) -> tuple[Array, Array, int]:
    """Return eigenvalues and eigenvectors of the matrix of a lower triangle, and info."""
    diagonal = np.diag(lower).real
    matrix = np.tril(lower, -1)
    matrix = matrix + matrix.conj().T + np.diag(diagonal)
    if not matrix.size:
        return diagonal, matrix, 0
    if len(matrix) > MOST_EIGENVALUES or not np.isfinite(matrix).all():
        return np.full(len(matrix), np.nan, diagonal.dtype), np.full_like(matrix, np.nan), 1
    values, vectors = np.linalg.eigh(matrix)
    sizes = np.abs(vectors)
    first = np.argmax(sizes >= sizes.dtype.type(0.7) * np.max(sizes, axis=0), axis=0)
    places = first, range(len(matrix))
    vectors = vectors * (vectors[places].conj() / sizes[places])
    vectors[places] = sizes[places]
    return values, vectors, 0
