# SPDX-License-Identifier: BSD-3-Clause
"""Factorisations and solves where a batched function runs under NumPy: those of the reference.

They give what the instructions give for singular matrices, too, where `numpy.linalg` raises errors.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..reference.factorizations import (
    NUMPY,
    apply_reflections,
    cholesky_factor,
    eigenvectors,
    householder,
    lu_factor,
    solve_triangle,
    swap_rows,
)

Numbers = npt.NDArray[Any]
_solved = functools.partial(solve_triangle, field=NUMPY)


def _numbers(*arrays: Any) -> list[Numbers]:
    """Return copies of arrays in the type that holds them all."""
    common = np.result_type(*arrays)
    return [np.array(a, common if common.kind in "fc" else float) for a in arrays]


def _factors(a: Any) -> tuple[Numbers, Numbers, int]:
    (matrix,) = _numbers(a)
    pivots = np.zeros(len(matrix), np.int32)
    info = lu_factor(matrix, NUMPY, pivots)
    return matrix, pivots, info


def _solve_ex(
    a: Any, b: Any, assume_a: str = "gen", lower: bool = False
) -> tuple[Numbers, np.int32]:
    matrix, right = _numbers(a, b)
    if assume_a.startswith("pos"):
        factor, info = cholesky_factor(matrix if lower else matrix.conj().T)
        return cho_solve((factor, True), right), np.int32(info)
    factors, pivots, info = _factors(matrix)
    return lu_solve((factors, pivots - 1), right), np.int32(info)


def _cholesky_ex(a: Any, upper: bool = False) -> tuple[Numbers, np.int32]:
    (matrix,) = _numbers(a)
    factor, info = cholesky_factor(matrix.conj().T if upper else matrix)
    return (factor.conj().T if upper else factor), np.int32(info)


def _solve_triangular(
    a: Any, b: Any, *, trans: Any = 0, lower: bool = False, unit_diagonal: bool = False
) -> Numbers:
    matrix, right = _numbers(a, b)
    is_turned = trans in (1, 2, "T", "C")
    matrix = matrix.T if is_turned else matrix
    matrix = matrix.conj() if trans in (2, "C") else matrix
    return _solved(matrix, right, is_lower=lower != is_turned, is_unit=unit_diagonal)


def cho_solve(c_and_lower: Any, b: Any) -> Numbers:
    """Return the solutions for a Cholesky factor, as `scipy.linalg.cho_solve` does."""
    factor, lower = c_and_lower
    for trans in (0, 2) if lower else (2, 0):
        b = _solve_triangular(factor, b, trans=trans, lower=lower)
    return b  # type: ignore[no-any-return]


def lu_solve(lu_and_piv: Any, b: Any, trans: Any = 0) -> Numbers:
    """Return the solutions for LU factors, as `scipy.linalg.lu_solve` does."""
    factors, right = _numbers(lu_and_piv[0], b)
    pivots = np.asarray(lu_and_piv[1]) + 1
    if trans in (0, "N"):
        swap_rows(pivots, right, is_reverse=False)
        right = _solved(factors, right, is_lower=True, is_unit=True)
        return _solved(factors, right, is_lower=False, is_unit=False)
    right = _solve_triangular(factors, right, trans=trans)
    right = _solve_triangular(factors, right, trans=trans, lower=True, unit_diagonal=True)
    swap_rows(pivots, right, is_reverse=True)
    return right


def _lu_factor(a: Any) -> tuple[Numbers, Numbers]:
    factors, pivots, _ = _factors(a)
    return factors, pivots - 1


def _slogdet(a: Any) -> tuple[Any, Any]:
    matrix, pivots, info = _factors(a)
    diagonal = np.diagonal(matrix)
    if info:
        return matrix.dtype.type(0), diagonal.real.dtype.type(-np.inf)
    swaps = np.count_nonzero(pivots != np.arange(1, len(pivots) + 1))
    sign = np.prod(diagonal / np.abs(diagonal)) * (-1) ** (swaps % 2)
    return sign, np.sum(np.log(np.abs(diagonal)))


def _logdet(a: Any) -> Any:
    sign, logarithm = _slogdet(a)
    return logarithm if not sign < 0 else logarithm.dtype.type(np.nan)


def _inv_ex(a: Any) -> tuple[Numbers, np.int32]:
    return _solve_ex(a, np.eye(len(a), dtype=_numbers(a)[0].dtype))


def _qr(a: Any, mode: str = "reduced") -> Any:
    (matrix,) = _numbers(a)
    tau = householder(matrix)
    if mode == "raw":
        return matrix.T, tau
    rows = len(matrix)
    count = rows if mode == "complete" else min(matrix.shape)
    upper = np.triu(matrix[:count])
    if mode == "r":
        return upper
    unit = np.eye(rows, count, dtype=matrix.dtype)
    apply_reflections(matrix, tau, unit, is_adjoint=False)
    return unit, upper


def _eigh_ex(a: Any, UPLO: str = "L") -> tuple[Numbers, Numbers, np.int32]:  # noqa: N803
    (matrix,) = _numbers(a)
    lower = matrix if UPLO in "Ll" else matrix.conj().T
    values, vectors, info = eigenvectors(lower)
    return values, vectors, np.int32(info)


def _lstsq(a: Any, b: Any) -> Numbers:
    matrix, right = _numbers(a, b)
    return np.linalg.lstsq(matrix, right)[0]


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "solve_ex": _solve_ex,
    "solve": lambda *args, **named: _solve_ex(*args, **named)[0],
    "inv_ex": _inv_ex,
    "inv": lambda a: _inv_ex(a)[0],
    "cholesky_ex": _cholesky_ex,
    "cholesky": lambda a, **named: _cholesky_ex(a, **named)[0],
    "cho_factor": lambda a, lower=False: (_cholesky_ex(a, upper=not lower)[0], lower),
    "cho_solve": cho_solve,
    "solve_triangular": _solve_triangular,
    "lu_factor": _lu_factor,
    "lu_solve": lu_solve,
    "qr": _qr,
    "eigh_ex": _eigh_ex,
    "eigh": lambda *args, **named: _eigh_ex(*args, **named)[:2],
    "eigvalsh_ex": lambda *args, **named: _eigh_ex(*args, **named)[::2],
    "eigvalsh": lambda *args, **named: _eigh_ex(*args, **named)[0],
    "svdvals": lambda a: np.linalg.svd(a, compute_uv=False),
    "lstsq": _lstsq,
    "pinv": np.linalg.pinv,
    "det": np.linalg.det,
    "slogdet": _slogdet,
    "logdet": _logdet,
}
