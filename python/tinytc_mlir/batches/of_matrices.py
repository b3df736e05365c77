# SPDX-License-Identifier: BSD-3-Clause
"""The batched functions of `tt.linalg`, and checks of what they are given and return."""

from __future__ import annotations

import itertools
import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..kernels.names import InstructionName
from ..reference.factorizations import MOST_EIGENVALUES
from .arrays import framework_of, one_or_several
from .function import BatchedFunction, batched

tt: Any = InstructionName(())  # the language, in the functions of one matrix
_LOCAL_BYTES = 200_000
_TYPES = ("float32", "float64", "complex64", "complex128")


def _of_matrix(name: str, signature: str, *options: Any) -> BatchedFunction:
    """Return a function of the language for a batch, with an option if one is given."""
    call: Any = InstructionName((name,))
    option = options[0] if options else None

    def plain(a: Any) -> Any:
        return call(a)

    def chosen(a: Any) -> Any:
        return call(a, option)

    return batched(signature)(chosen if options else plain)


inv = _of_matrix("inv_ex", "(n,n)->(n,n),()")
det = _of_matrix("det", "(n,n)->()")
slogdet = _of_matrix("slogdet", "(n,n)->(),()")
logdet = _of_matrix("logdet", "(n,n)->()")
cholesky = {u: _of_matrix("cholesky_ex", "(n,n)->(n,n),()", u) for u in (False, True)}
eigh = {uplo: _of_matrix("eigh_ex", "(n,n)->(n),(n,n),()", uplo) for uplo in "LU"}
eigvalsh = {uplo: _of_matrix("eigvalsh_ex", "(n,n)->(n),()", uplo) for uplo in "LU"}
qr = {
    "reduced": _of_matrix("qr", "(m,n)->(m,k),(k,n)", "reduced"),
    "complete": _of_matrix("qr", "(m,n)->(m,m),(m,n)", "complete"),
    "r": _of_matrix("qr", "(m,n)->(k,n)", "r"),
    "raw": _of_matrix("qr", "(m,n)->(n,m),(k)", "raw"),
}


def _solved(a: Any, b: Any) -> Any:
    return tt.solve_ex(a, b)


solve = {c: batched(f"(n,n),({c})->({c}),()")(_solved) for c in ("n", "n,k")}


@batched("(n,n)->(n,n),(n)")
def lu_factor(a: Any) -> Any:
    """LU factors by columns, as they are computed, and pivots."""
    factors, pivots = tt.lu_factor(a)
    return factors.T, pivots


@batched("(m,n),(m,k)->(n,k),(j)")
def lstsq(a: Any, b: Any) -> Any:
    """Least-squares solutions, and singular values."""
    return tt.lstsq(a, b), tt.svdvals(a)


@batched("(m,n)->(n,m),(j)")
def pinv(a: Any) -> Any:
    """Pseudoinverses, and singular values."""
    return tt.pinv(a), tt.svdvals(a)


def _triangular(form: str, lower: bool, unit: bool, columns: str) -> BatchedFunction:
    """Return what solves with a triangle of one kind."""

    @batched(f"(n,n),({columns})->({columns})")
    def solve_triangular(a: Any, b: Any) -> Any:
        return tt.solve_triangular(a, b, trans=form, lower=lower, unit_diagonal=unit)

    return solve_triangular


FORMS: Mapping[str | int, str] = {0: "N", "N": "N", 1: "T", "T": "T", 2: "C", "C": "C"}
triangular = {
    kind: _triangular(*kind)
    for kind in itertools.product("NTC", (False, True), (False, True), ("n", "n,k"))
}


def matrices(a: Any, *others: Any, is_square: bool = True) -> list[Any]:
    """Return arrays of numbers that are not integers, of which the first has matrices."""
    arrays = [a, *others] if framework_of(a) else [_floating(each) for each in (a, *others)]
    shape = arrays[0].shape
    if len(shape) < 2:
        raise np.linalg.LinAlgError(
            f"{len(shape)}-dimensional array given. Array must be at least two-dimensional"
        )
    if is_square and shape[-1] != shape[-2]:
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


def right_sides(a: Any, b: Any, *, is_square: bool = True) -> tuple[Any, Any, str]:
    """Return matrices and right sides, and the sizes of those."""
    a, b = matrices(a, b, is_square=is_square)
    rows = b.shape[-2:-1] if len(b.shape) > 1 else b.shape
    if rows != a.shape[-2:-1]:
        raise ValueError(
            f"expected 'b' to have {a.shape[-2]} rows like 'a', got {rows[0] if rows else 'none'}"
        )
    return a, b, "n,k" if len(b.shape) > 1 else "n"


def is_left_to_numpy(a: Any, columns: int = 0) -> bool:
    """Return whether a group has too little memory for matrices of NumPy, and more columns."""
    if type(a) is not np.ndarray:
        return False
    return bool(a.shape[-2] * (a.shape[-1] + columns) * a.dtype.itemsize > _LOCAL_BYTES)


def checked(found: tuple[Any, ...], message: str) -> Any:
    """Return results unless one of NumPy's matrices has none."""
    *results, info = found
    if type(info) is np.ndarray and np.count_nonzero(info):
        raise np.linalg.LinAlgError(message)
    return one_or_several(results)


def number(found: Any) -> Any:
    """Return a number as NumPy does, for an array of one without dimensions."""
    return found[()] if type(found) is np.ndarray else found


def triangle_of(uplo: str) -> str:
    """Return the triangle that 'UPLO' names."""
    if uplo not in ("L", "U", "l", "u"):
        raise ValueError(f"expected 'UPLO' to be 'L' or 'U', got {uplo!r}")
    return uplo.upper()


def has_few_rows(a: Any, rows: int, most: int = MOST_EIGENVALUES) -> bool:
    """Return whether instructions find eigenvalues, rather than NumPy."""
    if rows > most and framework_of(a):
        raise ValueError(f"expected 'a' to have at most {most} rows or columns, got {rows}")
    return rows <= most


def ranked(function: BatchedFunction, a: Any, b: Any, rcond: float | None) -> tuple[Any, ...]:
    """Return pseudoinverses, or products with `b`; ranks; and singular values.

    NumPy's singular vectors serve for its own matrices that have not full rank, or are large.
    """
    if not isinstance(rcond, (numbers.Real, type(None))):
        raise TypeError(f"expected 'rcond' to be a number, got {rcond!r}")
    count = min(a.shape[-2:])
    columns = a.shape[-2] if b is None else b.shape[-1]
    is_small = has_few_rows(a, count, MOST_EIGENVALUES // 2)
    is_small = is_small and not is_left_to_numpy(a, a.shape[-1] + columns)
    name = str(a.dtype).removeprefix("torch.")
    if name not in _TYPES:
        raise TypeError(f"expected 'a' of {', '.join(_TYPES)}, got {name}")
    if rcond is None or (b is not None and rcond < 0):
        rcond = float(np.finfo(name).eps) * (max(a.shape[-2:]) if rcond is None else 1)
    if is_small:
        x, s = function(a) if b is None else function(a, b)
    else:
        inverses, s = np.linalg.pinv(a, rcond), np.linalg.svd(a, compute_uv=False)
        x = inverses if b is None else inverses @ b
        s = np.broadcast_to(s, (*x.shape[:-2], count))
    rank = (s > rcond * s[..., :1]).sum(-1)
    if type(x) is np.ndarray:
        if not np.isfinite(s).all():
            raise np.linalg.LinAlgError("SVD did not converge")
        is_low = np.asarray(is_small and rank < count)
        if is_low.any():
            low = np.linalg.pinv(np.broadcast_to(a, (*x.shape[:-2], *a.shape[-2:]))[is_low], rcond)
            wide = None if b is None else np.broadcast_to(b, (*x.shape[:-2], *b.shape[-2:]))
            x[is_low] = low if wide is None else low @ wide[is_low]
    return x, rank, s
