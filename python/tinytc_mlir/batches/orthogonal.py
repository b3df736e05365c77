# SPDX-License-Identifier: BSD-3-Clause
"""Functions of batched functions with orthogonal matrices: QR, eigenvalues, least squares.

Operations take matrices by columns, transposed, as memory has them: see `factored`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ..kernels.values import Static
from .arrays import Array, Range, Several, item_sizes, shown
from .functions import FUNCTIONS, constant, known_as, matrix
from .shaping import zeros

if TYPE_CHECKING:
    from .expressions import ArrayExpressions as Reader

MOST_EIGENVALUES = 64
"""The most rows of a matrix whose eigenvalues the instruction computes."""


def _turned(r: Reader, node: ast.AST, x: Array) -> Array:
    return r.transposed(node, x, range(len(x.shape))[::-1])


def _first(r: Reader, node: ast.AST, x: Array, begin: int, end: int) -> Array:
    """Return elements `begin` to `end` of the last mode."""
    items: list[Any] = [Range(0, 1, size) for size in x.shape]
    items[-1] = Range(begin, 1, max(end - begin, 0))
    return r.made(node, "slice", [x], item_sizes(items), x.type, tuple(items))


def _factors(r: Reader, node: ast.AST, a: Array) -> Array:
    """Return the QR factors of a matrix by columns."""
    return r.made(node, "qr", [_turned(r, node, a)], a.shape[::-1], a.type)


def _applied(r: Reader, node: ast.AST, factors: Array, b: Array, form: str) -> Array:
    """Return op(Q) B by columns."""
    tau = r.made(node, "companion", [factors], (min(factors.shape),), factors.type, "tau")
    return r.made(node, "apply_q", [factors, tau, b], b.shape, b.type, form)


@known_as("qr")
def _qr(r: Reader, node: ast.AST, a: Any, mode: Any = None) -> Any:
    a = matrix(r, node, a)
    a = r.cast(a, node, r.floating(a.type))
    kind = "reduced" if mode is None else constant(mode)
    if kind not in ("reduced", "complete", "r"):
        raise TypeError(f"expected mode to be 'reduced', 'complete' or 'r', got {kind!r}")
    rows = a.shape[0]
    height = rows if kind == "complete" else min(a.shape)
    factors = _factors(r, node, a)
    upper = _turned(r, node, _first(r, node, factors, 0, height))
    upper = FUNCTIONS["triu"](r, node, upper)
    if kind == "r":
        return upper
    one = FUNCTIONS["eye"](r, node, height, rows, a.type)
    return Several((_turned(r, node, _applied(r, node, factors, one, "n")), upper))


@known_as("eigh")
def _eigh(r: Reader, node: ast.AST, a: Any, UPLO: Any = "L") -> Several:  # noqa: N803
    return Several(_eigh_ex(r, node, a, UPLO).items[:2])


@known_as("eigvalsh")
def _eigvalsh(r: Reader, node: ast.AST, a: Any, UPLO: Any = "L") -> Array:  # noqa: N803
    return _eigh_ex(r, node, a, UPLO).items[0]  # type: ignore[no-any-return]


@known_as("eigh_ex")
def _eigh_ex(r: Reader, node: ast.AST, a: Any, UPLO: Any = "L") -> Several:  # noqa: N803
    from .solving import companion

    a = matrix(r, node, a)
    if a.shape[0] != a.shape[1] or a.shape[0] > MOST_EIGENVALUES:
        message = f"expected a square matrix of at most {MOST_EIGENVALUES} rows, got an array of"
        raise TypeError(f"{message} shape {shown(a.shape)}")
    a = r.cast(a, node, r.floating(a.type))
    triangle = str(UPLO if isinstance(UPLO, str) else constant(UPLO)).lower()
    if triangle not in ("l", "u"):
        raise TypeError(f"expected UPLO to be 'L' or 'U', got {constant(UPLO)!r}")
    found = r.made(node, "eigh", [_turned(r, node, a)], a.shape, a.type, triangle)
    values = r.made(node, "companion", [found], a.shape[:1], a.type.real, "values")
    return Several((values, _turned(r, node, found), companion(r, node, found, "info")))


@known_as("lstsq")
def _lstsq(r: Reader, node: ast.AST, a: Any, b: Any) -> Several:
    from .solving import triangular

    a, b = matrix(r, node, a), r.array(b, node)
    if len(b.shape) not in (1, 2) or b.shape[0] != a.shape[0]:
        message = f"expected right sides of {a.shape[0]} rows, got an array of shape"
        raise TypeError(f"{message} {shown(b.shape)}")
    type_ = r.floating(r.common_type([a, b]))
    a, b = r.cast(a, node, type_), _turned(r, node, r.cast(b, node, type_))
    rows, columns = a.shape
    if rows < columns:  # the shortest solution
        factors = _factors(r, node, FUNCTIONS["conj"](r, node, _turned(r, node, a)))
        upper = _turned(r, node, _first(r, node, factors, 0, rows))
        short = triangular(r, node, upper, b, "uc")
        more = zeros(r, node, (*b.shape[:-1], columns - rows), type_, 0)
        padded = FUNCTIONS["concatenate"](r, node, Several((short, more)), Static(-1))
        rest = _first(r, node, b, 0, 0)
        solution = _applied(r, node, factors, padded, "n")
    else:
        factors = _factors(r, node, a)
        upper = _turned(r, node, _first(r, node, factors, 0, columns))
        both = _applied(r, node, factors, b, "c")
        solution = triangular(r, node, upper, _first(r, node, both, 0, columns), "un")
        rest = _first(r, node, both, columns, rows)
    sizes = FUNCTIONS["abs"](r, node, rest)
    squares = FUNCTIONS["sum"](r, node, FUNCTIONS["square"](r, node, sizes), Static(-1))
    return Several((_turned(r, node, solution), squares))
