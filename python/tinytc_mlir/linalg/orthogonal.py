# SPDX-License-Identifier: BSD-3-Clause
"""QR factors, eigenvalues and least squares."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..batches.function import batched
from .arguments import checked, is_left_to_numpy, matrices, right_sides, tt

_MOST_EIGENVALUES = 64


class QRResult(NamedTuple):
    """What `qr` returns.

    Args:
        Q: matrices with orthonormal columns.
        R: upper triangles, or trapezoids.
    """

    Q: Any
    R: Any


class EighResult(NamedTuple):
    """What `eigh` returns.

    Args:
        eigenvalues: in rising order.
        eigenvectors: in the columns.
    """

    eigenvalues: Any
    eigenvectors: Any


class LstsqResult(NamedTuple):
    """What `lstsq` returns.

    Args:
        x: the solutions.
        residuals: sums of the squared differences, one for each right side.
    """

    x: Any
    residuals: Any


@batched("(m,n)->(m,k),(k,n)")
def _qr_reduced(a: Any) -> Any:
    return tt.qr(a)


@batched("(m,n)->(m,m),(m,n)")
def _qr_complete(a: Any) -> Any:
    return tt.qr(a, "complete")


@batched("(m,n)->(k,n)")
def _qr_r(a: Any) -> Any:
    return tt.qr(a, "r")


_QR = {"reduced": _qr_reduced, "complete": _qr_complete, "r": _qr_r}


@batched("(n,n)->(n),(n,n),()")
def _eigh_lower(a: Any) -> Any:
    return tt.eigh_ex(a)


@batched("(n,n)->(n),(n,n),()")
def _eigh_upper(a: Any) -> Any:
    return tt.eigh_ex(a, "U")


@batched("(m,n),(m,k)->(n,k),(k)")
def _lstsq_matrices(a: Any, b: Any) -> Any:
    return tt.lstsq(a, b)


@batched("(m,n),(m)->(n),()")
def _lstsq_vectors(a: Any, b: Any) -> Any:
    return tt.lstsq(a, b)


def qr(a: Any, /, mode: str = "reduced") -> Any:
    """Return QR factors by Householder's reflections.

    Args:
        a: (..., m, n) array.
        mode: "reduced" for k = min(m, n) columns of Q, "complete" for k = m, "r" for R alone.

    Returns:
        `Q` and `R`, (..., m, k) and (..., k, n) arrays with A = Q R; or R.

    Raises:
        LinAlgError: `a` has fewer than two dimensions.
        ValueError: `mode` is none of these.

    Source: numpy.linalg.qr.

    >>> import numpy as np
    >>> import tinytc_mlir as tt
    >>> a = np.array([[3.0, 1.0], [4.0, 2.0]])
    >>> q, r = tt.linalg.qr(a)
    >>> bool(np.allclose(q @ r, a)), round(float(r[0, 0]), 12)
    (True, -5.0)
    """
    if mode not in _QR:
        raise ValueError(f"expected 'mode' to be 'reduced', 'complete' or 'r', got {mode!r}")
    (a,) = matrices(a, are_square=False)
    numpy: Any = np.linalg.qr
    is_large = is_left_to_numpy(a, max(a.shape[-2:]))
    found = numpy(a, mode) if is_large else _QR[mode](a)
    return found if mode == "r" else QRResult(*found)


def eigh(a: Any, /, UPLO: str = "L") -> EighResult:  # noqa: N803, as NumPy calls it
    """Return eigenvalues and eigenvectors of Hermitian matrices.

    Derivatives divide by the differences of eigenvalues: those with respect to a matrix that has
    equal ones are NaN.

    Args:
        a: (..., n, n) array; of PyTorch and JAX with at most 64 rows.
        UPLO: "L" to read the lower triangle, "U" for the upper one.

    Returns:
        `eigenvalues` in rising order and `eigenvectors`, (..., n) and (..., n, n) arrays.

    Raises:
        LinAlgError: eigenvalues did not converge, as of NaN; or a matrix is not square.
        ValueError: `UPLO` is neither.

    Source: numpy.linalg.eigh.

    >>> import numpy as np
    >>> import tinytc_mlir as tt
    >>> values, vectors = tt.linalg.eigh(np.array([[2.0, 1.0], [1.0, 2.0]]))
    >>> values.round(12)
    array([1., 3.])
    """
    if UPLO not in ("L", "U", "l", "u"):
        raise ValueError(f"expected 'UPLO' to be 'L' or 'U', got {UPLO!r}")
    (a,) = matrices(a)
    numpy: Any = np.linalg.eigh
    if type(a) is np.ndarray and a.shape[-1] > _MOST_EIGENVALUES:
        return EighResult(*numpy(a, UPLO))
    values, vectors, info = (_eigh_lower if UPLO in "Ll" else _eigh_upper)(a)
    return EighResult(checked((values, info), "Eigenvalues did not converge"), vectors)


def eigvalsh(a: Any, /, UPLO: str = "L") -> Any:  # noqa: N803
    """Return eigenvalues of Hermitian matrices, in rising order.

    Args:
        a: (..., n, n) array; of PyTorch and JAX with at most 64 rows.
        UPLO: "L" to read the lower triangle, "U" for the upper one.

    Returns:
        (..., n) array.

    Raises:
        LinAlgError: eigenvalues did not converge, as of NaN; or a matrix is not square.
        ValueError: `UPLO` is neither.

    Source: numpy.linalg.eigvalsh.

    >>> import numpy as np
    >>> import tinytc_mlir as tt
    >>> tt.linalg.eigvalsh(np.diag([3.0, 1.0]))
    array([1., 3.])
    """
    return eigh(a, UPLO).eigenvalues


def lstsq(a: Any, b: Any, /) -> LstsqResult:
    """Return the solutions of least squares, by QR factors.

    Matrices have full rank: neither ranks nor singular values, which NumPy returns besides, are
    computed.

    Args:
        a: (..., m, n) array of matrices.
        b: (m,) array, or (..., m, k) array, whose batches are broadcast against those of `a`.

    Returns:
        `x`, the (..., n) or (..., n, k) array that makes A X - B smallest, and of several the
        smallest one, for m < n; and `residuals`, squared norms of the columns of that difference.

    Raises:
        LinAlgError: `a` has fewer than two dimensions.
        ValueError: shapes do not match.

    Source: numpy.linalg.lstsq.

    >>> import numpy as np
    >>> import tinytc_mlir as tt
    >>> a = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> x, residuals = tt.linalg.lstsq(a, np.arange(3.0))
    >>> bool(np.allclose(x, [0, 1])), bool(residuals < 1e-20)
    (True, True)
    """
    a, b, columns = right_sides(a, b, are_square=False)
    if is_left_to_numpy(a, 3 * (b.shape[-1] if columns == "n,k" else 1)):
        return _by_numpy(a, b[..., None] if columns == "n" else b, columns)
    return LstsqResult(*(_lstsq_vectors if columns == "n" else _lstsq_matrices)(a, b))


def _by_numpy(a: Any, b: Any, columns: str) -> LstsqResult:
    """Return least squares by NumPy's QR factors."""
    is_short = a.shape[-2] < a.shape[-1]
    q, r = np.linalg.qr(a.conj().mT if is_short else a)
    x = q @ np.linalg.solve(r.conj().mT, b) if is_short else np.linalg.solve(r, q.conj().mT @ b)
    squares = np.sum(np.abs(a @ x - b) ** 2, axis=-2) * (a.shape[-2] > a.shape[-1])
    return LstsqResult(x, squares) if columns == "n,k" else LstsqResult(x[..., 0], squares[..., 0])
