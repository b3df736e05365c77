# SPDX-License-Identifier: BSD-3-Clause
"""Triangles, LU and Cholesky factors, solves and determinants."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..batches.function import batched
from .arguments import checked, is_left_to_numpy, matrices, number, right_sides, tt


class SlogdetResult(NamedTuple):
    """What `slogdet` returns.

    Args:
        sign: the signs of determinants, or numbers of size 1.
        logabsdet: the logarithms of their absolute values.
    """

    sign: Any
    logabsdet: Any


@batched("(n,n),(n,k)->(n,k),()")
def _solve_matrices(a: Any, b: Any) -> Any:
    return tt.solve_ex(a, b)


@batched("(n,n),(n)->(n),()")
def _solve_vectors(a: Any, b: Any) -> Any:
    return tt.solve_ex(a, b)


@batched("(n,n)->(n,n),()")
def _inv(a: Any) -> Any:
    return tt.inv_ex(a)


@batched("(n,n)->(n,n),()")
def _cholesky_lower(a: Any) -> Any:
    return tt.cholesky_ex(a)


@batched("(n,n)->(n,n),()")
def _cholesky_upper(a: Any) -> Any:
    return tt.cholesky_ex(a, upper=True)


@batched("(n,n)->(n,n),(n)")
def _lu_factor(a: Any) -> Any:
    factors, pivots = tt.lu_factor(a)
    return factors.T, pivots  # by columns, as they are computed


@batched("(n,n)->()")
def _det(a: Any) -> Any:
    return tt.det(a)


@batched("(n,n)->(),()")
def _slogdet(a: Any) -> Any:
    return tt.slogdet(a)


@batched("(n,n)->()")
def _logdet(a: Any) -> Any:
    return tt.logdet(a)


def _triangular(form: str, lower: bool, unit: bool, columns: str) -> Callable[..., Any]:
    """Return what solves with a triangle of one kind."""

    @batched(f"(n,n),({columns})->({columns})")
    def solve_triangular(a: Any, b: Any) -> Any:
        return tt.solve_triangular(a, b, trans=form, lower=lower, unit_diagonal=unit)

    return solve_triangular


_FORMS: Mapping[str | int, str] = {0: "N", "N": "N", 1: "T", "T": "T", 2: "C", "C": "C"}
_TRIANGULAR = {
    kind: _triangular(*kind)
    for kind in itertools.product("NTC", (False, True), (False, True), ("n", "n,k"))
}


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
    (a,) = matrices(a)
    function = _cholesky_upper if upper else _cholesky_lower
    return checked(function(a), "Matrix is not positive definite")


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
    a, b, columns = right_sides(a, b)
    if is_left_to_numpy(a, b.shape[-1]):
        return np.linalg.solve(a, b)
    function = _solve_vectors if columns == "n" else _solve_matrices
    return checked(function(a, b), "Singular matrix")


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
    (a,) = matrices(a)
    if is_left_to_numpy(a, a.shape[-1]):
        return np.linalg.inv(a)
    return checked(_inv(a), "Singular matrix")


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
    if trans not in _FORMS:
        raise ValueError(f"expected 'trans' to be 0, 1, 2, 'N', 'T' or 'C', got {trans!r}")
    a, b, columns = right_sides(a, b)
    return _TRIANGULAR[_FORMS[trans], bool(lower), bool(unit_diagonal), columns](a, b)


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
    (a,) = matrices(a)
    factors, pivots = _lu_factor(a)
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
    (a,) = matrices(a)
    found = np.linalg.slogdet(a) if is_left_to_numpy(a) else _slogdet(a)
    return SlogdetResult(*map(number, found))


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
    (a,) = matrices(a)
    return np.linalg.det(a) if is_left_to_numpy(a) else number(_det(a))


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
    (a,) = matrices(a)
    if not is_left_to_numpy(a):
        return number(_logdet(a))
    sign, logarithm = np.linalg.slogdet(a)
    return np.where(sign < 0, np.nan, logarithm)[()]
