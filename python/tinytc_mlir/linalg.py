# SPDX-License-Identifier: BSD-3-Clause
"""Factorisations and solves for batches of small matrices of NumPy, as in `numpy.linalg`.

Matrices are the last two dimensions, and all others are a batch. Each function compiles one kernel
for each size and type, which keeps a matrix in local memory. Larger matrices, for which that does
not suffice, are given to LAPACK by NumPy.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["cholesky", "det", "inv", "lu_factor", "slogdet", "solve", "solve_triangular"]

Array = npt.NDArray[Any]

_TYPES = {"float32": "f32", "float64": "f64", "complex64": "c32", "complex128": "c64"}
_LOCAL_BYTES = 200_000
_HEAD = """\
func @f(%A: memref<{T}x{n}x{n}x?>, %B: memref<{T}x{k}x{n}x?>, %piv: memref<i32x{n}x?>,
        %info: memref<i32x?>) {{
  %g = group_id.x : index
  %at = subview %A[0:{n}, 0:{n}, %g] : memref<{T}x{n}x{n}>
  %bt = subview %B[0:{k}, 0:{n}, %g] : memref<{T}x{k}x{n}>
  %p = subview %piv[0:{n}, %g] : memref<i32x{n}>
  %i = subview %info[%g] : memref<i32>
  %one = constant {one} : {T}
  %zero = constant {zero} : {T}
"""
_COPY = """\
  %a = alloca : memref<{T}x{n}x{n}>
  %b = alloca : memref<{T}x{n}x{k}>
  axpby.t %one, %at, %zero, %a
  axpby.t %one, %bt, %zero, %b
  {instruction}
  axpby.t %one, %b, %zero, %bt
}}"""
# The arrays are column-major here: what is a row of NumPy's is a column, and L a triangle U.
_IN_PLACE = """\
  {instruction}
}}"""


class _Arrays(NamedTuple):
    """The arrays of a launch: matrices, right sides, pivots, and what LAPACK calls info."""

    a: Array
    b: Array
    piv: Array
    info: Array


@functools.lru_cache(maxsize=512)
def _kernel(text: str) -> Callable[..., Any]:
    from .compiler import Context

    return Context().parse(text, "linalg.ir").compile("native")["f"]


def _run(instruction: str, a: Array, b: Array | None = None) -> _Arrays:
    """Run an instruction on each matrix.

    Args:
        instruction: its text, for operands %a, %b, %p and %i; without `b`, for %at in place.
        a: (batch, n, n) array, which an instruction on %at changes.
        b: (batch, n, k) array, which becomes the solutions; None for none.
    """
    count, n, _ = a.shape
    template = _HEAD + (_IN_PLACE if b is None else _COPY)
    if b is None:
        b = np.empty((count, n, 1), a.dtype)
    arrays = _Arrays(a, b, np.zeros((count, n), np.int32), np.zeros(count, np.int32))
    if a.size == 0:
        return arrays
    type_ = _TYPES[a.dtype.name]
    one, zero = ("[1.0, 0.0]", "[0.0, 0.0]") if type_[0] == "c" else ("1.0", "0.0")
    text = template.format(T=type_, n=n, k=b.shape[2], one=one, zero=zero, instruction=instruction)
    if b.shape[2]:
        _kernel(text)(*(array.T for array in arrays), groups=count)
    return arrays


def _fits(a: Array, columns: int = 0) -> bool:
    n = a.shape[-1]
    return bool(n * (n + columns) * a.dtype.itemsize <= _LOCAL_BYTES)


def _matrices(a: npt.ArrayLike, *others: npt.ArrayLike) -> list[Array]:
    """Return arrays in their common type, of which the first has square matrices."""
    arrays = [np.asarray(each) for each in (a, *others)]
    if arrays[0].ndim < 2:
        raise np.linalg.LinAlgError(
            f"{arrays[0].ndim}-dimensional array given. Array must be at least two-dimensional"
        )
    if arrays[0].shape[-1] != arrays[0].shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    common = np.result_type(*arrays)
    if common.kind in "biu":
        common = np.dtype(np.float64)
    if common.name not in _TYPES:
        raise TypeError(f"array type {common} is unsupported in linalg")
    return [each.astype(common, copy=False) for each in arrays]


def _batch(a: Array) -> Array:
    """Return a copy in which all but the last two dimensions are one."""
    return np.array(a, order="C").reshape(-1, *a.shape[-2:])


def _right_sides(a: Array, b: Array) -> tuple[Array, Array, tuple[int, ...]]:
    """Return matrices and right sides as batches of one size, and the shape of the solutions."""
    is_vector = b.ndim == 1
    columns = b[:, None] if is_vector else b
    if columns.shape[-2] != a.shape[-1]:
        raise ValueError(
            f"expected 'b' to have {a.shape[-1]} rows like 'a', got {columns.shape[-2]}"
        )
    batch = np.broadcast_shapes(a.shape[:-2], columns.shape[:-2])
    a = np.broadcast_to(a, batch + a.shape[-2:])
    columns = np.broadcast_to(columns, batch + columns.shape[-2:])
    shape = columns.shape[:-1] if is_vector else columns.shape
    return _batch(a), _batch(columns), shape


def cholesky(a: npt.ArrayLike, /, *, upper: bool = False) -> Array:
    """Return the Cholesky factors of matrices.

    Args:
        a: (..., n, n) array of Hermitian, positive definite matrices, of which the lower triangle
            is read, or with `upper` the upper one.
        upper: whether the factors are upper triangles.

    Returns:
        (..., n, n) array: L with A = L L^H, or U with A = U^H U.

    Raises:
        LinAlgError: a matrix is not positive definite, or not square.

    Source: numpy.linalg.cholesky.

    >>> import numpy as np
    >>> import tinytc_mlir as tt
    >>> tt.linalg.cholesky(np.array([[4.0, 2.0], [2.0, 5.0]]))
    array([[2., 0.],
           [1., 2.]])
    """
    (a,) = _matrices(a)
    if not _fits(a):
        return np.linalg.cholesky(a, upper=upper)
    found = _run(f"cholesky.{'l' if upper else 'u'} %at, %i", _batch(a))
    if found.info.any():
        raise np.linalg.LinAlgError("Matrix is not positive definite")
    return (np.triu if upper else np.tril)(found.a).reshape(a.shape)


def solve(a: npt.ArrayLike, b: npt.ArrayLike, /) -> Array:
    """Return the solutions of A X = B.

    Args:
        a: (..., n, n) array of matrices.
        b: (n,) array, or (..., n, k) array, whose batches are broadcast against those of `a`.

    Returns:
        (..., n) or (..., n, k) array X.

    Raises:
        LinAlgError: a matrix is singular, or not square.
        ValueError: shapes do not match.

    Source: numpy.linalg.solve.

    >>> import numpy as np
    >>> import tinytc_mlir as tt
    >>> tt.linalg.solve(np.array([[[2.0, 0.0], [1.0, 1.0]]] * 3), np.array([2.0, 3.0]))
    array([[1., 2.],
           [1., 2.],
           [1., 2.]])
    """
    a, b = _matrices(a, b)
    matrices, right, shape = _right_sides(a, b)
    if not _fits(matrices, right.shape[-1]):
        return np.linalg.solve(matrices, right).reshape(shape)
    found = _run("solve.lu %a, %p, %b, %i", matrices, right)
    if found.info.any():
        raise np.linalg.LinAlgError("Singular matrix")
    return found.b.reshape(shape)


def inv(a: npt.ArrayLike, /) -> Array:
    """Return the inverses of matrices.

    Args:
        a: (..., n, n) array.

    Returns:
        (..., n, n) array.

    Raises:
        LinAlgError: a matrix is singular, or not square.

    Source: numpy.linalg.inv.

    >>> import numpy as np
    >>> import tinytc_mlir as tt
    >>> tt.linalg.inv(np.array([[2.0, 0.0], [0.0, 4.0]]))
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    (a,) = _matrices(a)
    return solve(a, np.eye(a.shape[-1], dtype=a.dtype))


def solve_triangular(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    /,
    *,
    trans: str | int = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
) -> Array:
    """Return the solutions of op(A) X = B with triangles A.

    Args:
        a: (..., n, n) array, of which one triangle is read.
        b: (n,) array, or (..., n, k) array, whose batches are broadcast against those of `a`.
        trans: 0 or "N" for A, 1 or "T" for its transpose, 2 or "C" for its conjugate transpose.
        lower: whether A is a lower triangle.
        unit_diagonal: whether the diagonal of A is 1 and not read.

    Returns:
        (..., n) or (..., n, k) array X; infinite or NaN where the diagonal has a 0.

    Raises:
        LinAlgError: a matrix is not square.
        ValueError: shapes do not match, or `trans` is none of these.

    Source: scipy.linalg.solve_triangular.

    >>> import numpy as np
    >>> import tinytc_mlir as tt
    >>> tt.linalg.solve_triangular(np.array([[2.0, 9.0], [1.0, 1.0]]), np.ones(2), lower=True)
    array([0.5, 0.5])
    """
    forms: Mapping[str | int, str] = {0: "n", "N": "n", 1: "t", "T": "t", 2: "c", "C": "c"}
    if trans not in forms:
        raise ValueError(f"expected 'trans' to be 0, 1, 2, 'N', 'T' or 'C', got {trans!r}")
    a, b = _matrices(a, b)
    matrices, right, shape = _right_sides(a, b)
    if not _fits(matrices, right.shape[-1]):
        triangle = np.tril(matrices) if lower else np.triu(matrices)
        if unit_diagonal:
            triangle[:, range(a.shape[-1]), range(a.shape[-1])] = 1
        form = forms[trans]
        triangle = triangle.mT if form in "tc" else triangle
        return np.linalg.solve(triangle.conj() if form == "c" else triangle, right).reshape(shape)
    words = f"{'l' if lower else 'u'}.{forms[trans]}{'.unit' if unit_diagonal else ''}"
    return _run(f"trsm.{words} %one, %a, %b", matrices, right).b.reshape(shape)


def lu_factor(a: npt.ArrayLike, /) -> tuple[Array, Array]:
    """Return LU factors with partial pivoting.

    Args:
        a: (..., n, n) array.

    Returns:
        (..., n, n) array with L below the diagonal, whose own diagonal is 1, and U on and above
        it, and (..., n) array: row j was swapped with that row, counted from 0.

    Raises:
        LinAlgError: a matrix is not square.

    Source: scipy.linalg.lu_factor.

    >>> import numpy as np
    >>> import tinytc_mlir as tt
    >>> tt.linalg.lu_factor(np.array([[1.0, 1.0], [2.0, 4.0]]))
    (array([[ 2. ,  4. ],
           [ 0.5, -1. ]]), array([1, 1], dtype=int32))
    """
    (a,) = _matrices(a)
    matrices = _batch(a)
    n = a.shape[-1]
    if not _fits(a, 1):
        raise ValueError(f"expected matrices that fit local memory, got {n} x {n}")
    transposed = np.ascontiguousarray(matrices.mT)
    found = _run("lu %at, %p, %i", transposed)
    return found.a.mT.reshape(a.shape), found.piv.reshape(a.shape[:-1]) - 1


def _diagonal_and_sign(a: Array) -> tuple[Array, Array]:
    """Return the diagonals of U in P A = L U, and the determinants of P, 1 or -1."""
    factors, piv = lu_factor(a)
    swaps = np.count_nonzero(piv != np.arange(piv.shape[-1]), axis=-1)
    return np.diagonal(factors, axis1=-2, axis2=-1), np.where(swaps % 2, -1, 1)


def slogdet(a: npt.ArrayLike, /) -> tuple[Array, Array]:
    """Return the signs and the logarithms of the absolute values of determinants.

    Args:
        a: (..., n, n) array.

    Returns:
        two (...) arrays; the sign is 0 and the logarithm -inf where a matrix is singular.

    Raises:
        LinAlgError: a matrix is not square.

    Source: numpy.linalg.slogdet.

    >>> import numpy as np
    >>> import tinytc_mlir as tt
    >>> sign, logarithm = tt.linalg.slogdet(np.diag([2.0, -3.0]))
    >>> float(sign), round(float(np.exp(logarithm)), 12)
    (-1.0, 6.0)
    """
    (a,) = _matrices(a)
    if not _fits(a, 1):
        sign, logarithm = np.linalg.slogdet(a)
        return sign, logarithm
    diagonal, swapped = _diagonal_and_sign(a)
    sizes = np.abs(diagonal)
    with np.errstate(divide="ignore", invalid="ignore"):
        signs = np.where(sizes == 0, 0, diagonal / np.where(sizes == 0, 1, sizes))
        logarithm = np.sum(np.log(sizes), axis=-1)
    is_singular = np.any(sizes == 0, axis=-1)
    sign = np.where(is_singular, 0, np.prod(signs, axis=-1) * swapped)
    return sign.astype(a.dtype)[()], np.where(is_singular, -np.inf, logarithm)[()]


def det(a: npt.ArrayLike, /) -> Array:
    """Return determinants.

    Args:
        a: (..., n, n) array.

    Returns:
        (...) array.

    Raises:
        LinAlgError: a matrix is not square.

    Source: numpy.linalg.det.

    >>> import numpy as np
    >>> import tinytc_mlir as tt
    >>> float(tt.linalg.det(np.array([[2.0, 1.0], [1.0, 2.0]])))
    3.0
    """
    (a,) = _matrices(a)
    determinants: Array
    if not _fits(a, 1):
        determinants = np.linalg.det(a)
        return determinants
    diagonal, swapped = _diagonal_and_sign(a)
    # After a pivot of 0, LU factors are NaN.
    is_singular = np.any(diagonal == 0, axis=-1)
    found = np.prod(diagonal, axis=-1) * swapped.astype(a.dtype)
    determinants = np.where(is_singular, 0, found).astype(a.dtype)
    return determinants[()]
