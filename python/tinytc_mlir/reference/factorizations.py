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
    """The operations of an arithmetic on the elements of matrices."""

    add: Callable[[Array, Array], Array]
    subtract: Callable[[Array, Array], Array]
    multiply: Callable[[Array, Array], Array]
    divide: Callable[[Array, Array], Array]
    matmul: Callable[[Array, Array], Array]


NUMPY = Field(np.add, np.subtract, np.multiply, np.divide, np.matmul)
"""The operations of NumPy."""


def triangle(size: int, word: str, *, is_strict: bool = False) -> Array:
    """Return which elements of a matrix are in a triangle."""
    lower = np.tri(size, k=-1 if is_strict else 0, dtype=bool)
    return lower if word == "l" else lower.T


def form(matrix: Array, word: str) -> Array:
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


def lu_factor(matrix: Array, field: Field, pivots: Array | None) -> int:
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


def householder(matrix: Array) -> Array:
    """Make QR factors of a matrix in place as LAPACK's geqrf stores them, and return tau."""
    count = min(matrix.shape)
    tau = np.zeros(count, matrix.dtype)
    for j in range(count):
        column = matrix[j:, j]
        largest = max(np.max(np.abs(column.real)), np.max(np.abs(column.imag)))
        scale = (
            largest if 0 < largest < np.inf else 1
        )  # squares are neither too large nor too small
        scaled = column / scale
        alpha, rest = scaled[0], scaled[1:]
        squares = np.sum(np.abs(rest) ** 2)
        if squares == 0 and alpha.imag == 0:
            column[1:] = 0
            continue
        size = np.sqrt(np.abs(alpha) ** 2 + squares)
        beta = size if alpha.real < 0 else -size
        tau[j] = (beta - alpha) / beta
        column[1:] = rest / (alpha - beta)
        vector = np.concatenate([[1], column[1:]]).astype(matrix.dtype)
        column[0] = beta * scale
        right = matrix[j:, j + 1 :]
        right -= np.outer(tau[j].conj() * vector, vector.conj() @ right)
    return tau


def apply_reflections(factors: Array, tau: Array, matrix: Array, *, is_adjoint: bool) -> None:
    """Multiply a matrix in place by the unitary factor that `householder` left, on the left."""
    numbers = range(len(tau))
    for j in numbers if is_adjoint else reversed(numbers):
        vector = np.concatenate([[1], factors[j + 1 :, j]]).astype(factors.dtype)
        factor = tau[j].conj() if is_adjoint else tau[j]
        matrix[j:] -= np.multiply.outer(factor * vector, vector.conj() @ matrix[j:])


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
