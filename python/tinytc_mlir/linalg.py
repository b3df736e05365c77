# SPDX-License-Identifier: BSD-3-Clause
"""Factorisations and solves for batches of small matrices, as in `numpy.linalg`.

Matrices are the last two dimensions, and all others are a batch, which broadcasts. Arrays of NumPy,
PyTorch and JAX are taken; for the latter two, functions are operations with all derivatives, and
singular matrices raise no errors, but give what division by 0 does. Each function is a batched
function, compiled for each size and type. NumPy computes with matrices of NumPy that need more
memory than a group has.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from .batches.arrays import framework_of
from .batches.function import batched
from .kernels.names import InstructionName

__all__ = [
    "cholesky",
    "det",
    "inv",
    "logdet",
    "lu_factor",
    "slogdet",
    "solve",
    "solve_triangular",
]

tt: Any = InstructionName(())  # the language, in the functions of one matrix
_LOCAL_BYTES = 200_000


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


def _matrices(a: Any, *others: Any) -> list[Any]:
    """Return arrays of numbers that are not integers, of which the first has square matrices."""
    arrays = [a, *others] if framework_of(a) else [_floating(each) for each in (a, *others)]
    shape = arrays[0].shape
    if len(shape) < 2:
        raise np.linalg.LinAlgError(
            f"{len(shape)}-dimensional array given. Array must be at least two-dimensional"
        )
    if shape[-1] != shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    return arrays


def _floating(array: Any) -> Any:
    if framework_of(array):
        return array
    found = np.asarray(array)
    if found.dtype.char in "fdFD":
        return found
    if found.dtype.kind in "biu":
        return found.astype(np.float64)
    raise TypeError(f"array type {found.dtype} is unsupported in linalg")


def _right_sides(a: Any, b: Any) -> tuple[Any, Any, str]:
    """Return matrices and right sides, and the sizes of those."""
    a, b = _matrices(a, b)
    rows = b.shape[-2:-1] if len(b.shape) > 1 else b.shape
    if rows != a.shape[-1:]:
        raise ValueError(
            f"expected 'b' to have {a.shape[-1]} rows like 'a', got {rows[0] if rows else 'none'}"
        )
    return a, b, "n,k" if len(b.shape) > 1 else "n"


def _is_left_to_numpy(a: Any, columns: int = 0) -> bool:
    if type(a) is not np.ndarray or a.shape[-1] < 64:
        return False
    return bool(a.shape[-1] * (a.shape[-1] + columns) * a.dtype.itemsize > _LOCAL_BYTES)


def _checked(found: tuple[Any, Any], message: str) -> Any:
    """Return results unless one of NumPy's matrices has none."""
    result, info = found
    if type(info) is np.ndarray and np.count_nonzero(info):
        raise np.linalg.LinAlgError(message)
    return result


def _number(found: Any) -> Any:
    """Return a number as NumPy does, for an array of one without dimensions."""
    return found[()] if type(found) is np.ndarray else found


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
    (a,) = _matrices(a)
    function = _cholesky_upper if upper else _cholesky_lower
    return _checked(function(a), "Matrix is not positive definite")


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
    a, b, columns = _right_sides(a, b)
    if _is_left_to_numpy(a, b.shape[-1]):
        return np.linalg.solve(a, b)
    function = _solve_vectors if columns == "n" else _solve_matrices
    return _checked(function(a, b), "Singular matrix")


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
    (a,) = _matrices(a)
    if _is_left_to_numpy(a, a.shape[-1]):
        return np.linalg.inv(a)
    return _checked(_inv(a), "Singular matrix")


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
    a, b, columns = _right_sides(a, b)
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
    (a,) = _matrices(a)
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
    (a,) = _matrices(a)
    found = np.linalg.slogdet(a) if _is_left_to_numpy(a) else _slogdet(a)
    return SlogdetResult(*map(_number, found))


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
    (a,) = _matrices(a)
    return np.linalg.det(a) if _is_left_to_numpy(a) else _number(_det(a))


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
    (a,) = _matrices(a)
    if not _is_left_to_numpy(a):
        return _number(_logdet(a))
    sign, logarithm = np.linalg.slogdet(a)
    return np.where(sign < 0, np.nan, logarithm)[()]
