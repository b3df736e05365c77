# SPDX-License-Identifier: BSD-3-Clause
"""Factorisations and solves for batches of small matrices, as in `numpy.linalg`.

Matrices are the last two dimensions, and all others are a batch, which broadcasts. Arrays of NumPy,
PyTorch and JAX are taken; for the latter two, functions are operations with all derivatives, and
singular matrices raise no errors, but give what division by 0 does. Each function is a batched
function, compiled for each size and type. NumPy computes with matrices of NumPy that need more
memory than a group has.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .batches import of_matrices as of

__all__ = [
    "cholesky",
    "det",
    "eigh",
    "eigvalsh",
    "inv",
    "logdet",
    "lstsq",
    "lu_factor",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_triangular",
]


class SlogdetResult(NamedTuple):
    """What `slogdet` returns.

    Args:
        sign: the signs of determinants, or numbers of size 1.
        logabsdet: the logarithms of their absolute values.
    """

    sign: Any
    logabsdet: Any


class EighResult(NamedTuple):
    """What `eigh` returns.

    Args:
        eigenvalues: the eigenvalues in rising order.
        eigenvectors: matrices whose columns are the vectors.
    """

    eigenvalues: Any
    eigenvectors: Any


class QRResult(NamedTuple):
    """What `qr` returns.

    Args:
        Q: matrices whose columns are orthonormal.
        R: upper triangles.
    """

    Q: Any
    R: Any


class LstsqResult(NamedTuple):
    """What `lstsq` returns.

    Args:
        x: the solutions.
        residuals: sums of squares of B - A X over rows.
        rank: ranks of the matrices.
        s: their singular values, the largest first.
    """

    x: Any
    residuals: Any
    rank: Any
    s: Any


def cholesky(a: Any, /, *, upper: bool = False) -> Any:
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
    (a,) = of.matrices(a)
    return of.checked(of.cholesky[bool(upper)](a), "Matrix is not positive definite")


def solve(a: Any, b: Any, /) -> Any:
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
    a, b, columns = of.right_sides(a, b)
    if of.is_left_to_numpy(a, b.shape[-1]):
        return np.linalg.solve(a, b)
    return of.checked(of.solve[columns](a, b), "Singular matrix")


def inv(a: Any, /) -> Any:
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
    (a,) = of.matrices(a)
    if of.is_left_to_numpy(a, a.shape[-1]):
        return np.linalg.inv(a)
    return of.checked(of.inv(a), "Singular matrix")


def solve_triangular(
    a: Any,
    b: Any,
    /,
    *,
    trans: str | int = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
) -> Any:
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
    if trans not in of.FORMS:
        raise ValueError(f"expected 'trans' to be 0, 1, 2, 'N', 'T' or 'C', got {trans!r}")
    a, b, columns = of.right_sides(a, b)
    return of.triangular[of.FORMS[trans], bool(lower), bool(unit_diagonal), columns](a, b)


def lu_factor(a: Any, /) -> tuple[Any, Any]:
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
    (a,) = of.matrices(a)
    factors, pivots = of.lu_factor(a)
    return factors.mT, pivots


def slogdet(a: Any, /) -> SlogdetResult:
    """Return the signs and the logarithms of the absolute values of determinants.

    Args:
        a: (..., n, n) array.

    Returns:
        `sign` and `logabsdet`, two (...) arrays; the sign is 0 and the logarithm -inf where a
        matrix is singular.

    Raises:
        LinAlgError: a matrix is not square.

    Source: numpy.linalg.slogdet.

    >>> import numpy as np
    >>> import tinytc_mlir as tt
    >>> sign, logarithm = tt.linalg.slogdet(np.diag([2.0, -3.0]))
    >>> float(sign), round(float(np.exp(logarithm)), 12)
    (-1.0, 6.0)
    """
    (a,) = of.matrices(a)
    found = np.linalg.slogdet(a) if of.is_left_to_numpy(a) else of.slogdet(a)
    return SlogdetResult(*map(of.number, found))


def det(a: Any, /) -> Any:
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
    (a,) = of.matrices(a)
    return np.linalg.det(a) if of.is_left_to_numpy(a) else of.number(of.det(a))


def logdet(a: Any, /) -> Any:
    """Return the logarithms of determinants.

    Args:
        a: (..., n, n) array of real matrices.

    Returns:
        (...) array; NaN where a determinant is negative, and -inf where it is 0.

    Raises:
        LinAlgError: a matrix is not square.

    Source: torch.logdet.

    >>> import numpy as np
    >>> import tinytc_mlir as tt
    >>> round(float(tt.linalg.logdet(np.exp(2.0) * np.eye(3))), 12)
    6.0
    """
    (a,) = of.matrices(a)
    if not of.is_left_to_numpy(a):
        return of.number(of.logdet(a))
    sign, logarithm = np.linalg.slogdet(a)
    return np.where(sign < 0, np.nan, logarithm)[()]


def qr(a: Any, mode: str = "reduced") -> Any:
    """Return QR factors of matrices.

    Args:
        a: (..., m, n) array; k is the smaller one of m and n.
        mode: "reduced", "complete", "r" or "raw".

    Returns:
        `Q` and `R`, (..., m, k) and (..., k, n) arrays, or (..., m, m) and (..., m, n) arrays if
        they are complete; "r": R alone; "raw": the (..., n, m) and (..., k) arrays that LAPACK's
        geqrf computes.

    Raises:
        LinAlgError: there are no matrices.
        ValueError: `mode` is none of these.

    Source: numpy.linalg.qr.

    >>> import numpy as np
    >>> import tinytc_mlir as tt
    >>> Q, R = tt.linalg.qr(np.array([[3.0, 1.0], [4.0, 2.0]]))
    >>> R.round(12)
    array([[-5. , -2.2],
           [ 0. ,  0.4]])
    """
    if not isinstance(mode, str) or mode not in of.qr:
        raise ValueError(f"expected 'mode' to be {', '.join(map(repr, of.qr))}, got {mode!r}")
    (a,) = of.matrices(a, is_square=False)
    is_large = of.is_left_to_numpy(a, a.shape[-2])
    found = np.linalg.qr(a, mode) if is_large else of.qr[mode](a)  # type: ignore[call-overload]
    return QRResult(*found) if mode in ("reduced", "complete") else found


def eigh(a: Any, UPLO: str = "L") -> EighResult:  # noqa: N803
    """Return eigenvalues and eigenvectors of Hermitian matrices.

    Args:
        a: (..., n, n) array; with PyTorch and JAX, n is at most 64.
        UPLO: "L" or "U", the triangle that is read.

    Returns:
        `eigenvalues`, a (..., n) array in rising order, and `eigenvectors`, a (..., n, n) array of
        columns.

    Raises:
        LinAlgError: eigenvalues do not converge or are not finite, or a matrix is not square.
        ValueError: `UPLO` is neither, or there are too many rows.

    Source: numpy.linalg.eigh.

    >>> import numpy as np
    >>> import tinytc_mlir as tt
    >>> tt.linalg.eigh(np.array([[2.0, 0.0], [0.0, 1.0]])).eigenvalues
    array([1., 2.])
    """
    triangle = of.triangle_of(UPLO)
    (a,) = of.matrices(a)
    if not of.has_few_rows(a, a.shape[-1]):
        return EighResult(*np.linalg.eigh(a, triangle))  # type: ignore[call-overload]
    return EighResult(*of.checked(of.eigh[triangle](a), "Eigenvalues did not converge"))


def eigvalsh(a: Any, UPLO: str = "L") -> Any:  # noqa: N803
    """Return eigenvalues of Hermitian matrices in rising order.

    Args:
        a: (..., n, n) array; with PyTorch and JAX, n is at most 64.
        UPLO: "L" or "U", the triangle that is read.

    Returns:
        (..., n) array.

    Raises:
        LinAlgError: eigenvalues do not converge or are not finite, or a matrix is not square.
        ValueError: `UPLO` is neither, or there are too many rows.

    Source: numpy.linalg.eigvalsh.

    >>> import numpy as np
    >>> import tinytc_mlir as tt
    >>> tt.linalg.eigvalsh(np.array([[2.0, 0.0], [0.0, 1.0]]))
    array([1., 2.])
    """
    triangle = of.triangle_of(UPLO)
    (a,) = of.matrices(a)
    if not of.has_few_rows(a, a.shape[-1]):
        return np.linalg.eigvalsh(a, triangle)  # type: ignore[call-overload]
    return of.checked(of.eigvalsh[triangle](a), "Eigenvalues did not converge")


def pinv(a: Any, rcond: float | None = None) -> Any:
    """Return the pseudoinverses of matrices.

    Args:
        a: (..., m, n) array; with PyTorch and JAX, of full rank, and the smaller one of m and n is
            at most 32.
        rcond: singular values up to this times the largest one count as 0; None for the rounding
            error of the type times the larger one of m and n, where NumPy has 1e-15.

    Returns:
        (..., n, m) array.

    Raises:
        LinAlgError: there are no matrices, or an element is not finite.
        ValueError: there are too many rows and columns.
        TypeError: `rcond` is no number.

    Source: numpy.linalg.pinv.

    >>> import numpy as np
    >>> import tinytc_mlir as tt
    >>> tt.linalg.pinv(np.array([[2.0], [0.0]]))
    array([[0.5, 0. ]])
    """
    (a,) = of.matrices(a, is_square=False)
    return of.ranked(of.pinv, a, None, rcond)[0]


def lstsq(a: Any, b: Any, rcond: float | None = None) -> LstsqResult:
    """Return the least-squares solutions of A X = B, of least norm where there are several.

    Args:
        a: (..., m, n) array; with PyTorch and JAX, of full rank, and the smaller one of m and n is
            at most 32.
        b: (m,) array, or (..., m, k) array, whose batches are broadcast against those of `a`.
        rcond: as for `pinv`; negative for the rounding error of the type alone.

    Returns:
        `x`, a (..., n) or (..., n, k) array; `residuals`, a (..., k) array (for one matrix of
        NumPy without elements where NumPy leaves them out: m <= n, or a low rank); `rank`, a (...)
        array; and `s`, the singular values.

    Raises:
        LinAlgError: there are no matrices, or an element is not finite.
        ValueError: shapes do not match, or there are too many rows and columns.
        TypeError: `rcond` is no number.

    Source: numpy.linalg.lstsq.

    >>> import numpy as np
    >>> import tinytc_mlir as tt
    >>> tt.linalg.lstsq(np.array([[1.0], [1.0]]), np.array([1.0, 3.0])).x.round(12)
    array([2.])
    """
    a, b, sizes = of.right_sides(a, b, is_square=False)
    right = b[:, None] if sizes == "n" else b
    x, rank, s = of.ranked(of.lstsq, a, right, rcond)
    residuals = (abs(right - a @ x) ** 2).sum(-2)
    rows, columns = a.shape[-2:]
    if type(x) is np.ndarray and x.ndim == 2 and (rank < columns or rows <= columns):
        residuals = residuals[:0]
    return LstsqResult(x[..., 0] if sizes == "n" else x, residuals, rank, s)
