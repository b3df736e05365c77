# SPDX-License-Identifier: BSD-3-Clause
"""Functions of batched functions that factor matrices and solve with them.

Operations take matrices by columns, transposed, as memory has them: see `factored`.
"""

from __future__ import annotations

import ast
import functools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..kernels.types import SCALARS
from ..kernels.values import Static
from ..reference.factorizations import MOST_EIGENVALUES
from .arrays import Array, Range, Several, item_sizes, shown
from .expressions import BOOL, INDEX
from .functions import FUNCTIONS, constant, known_as, matrix, part
from .shaping import zeros

if TYPE_CHECKING:
    from .expressions import ArrayExpressions as Reader

_I32 = SCALARS["i32"]
QR_MODES = "reduced", "complete", "r", "raw"
_FORMS = {0: "n", "N": "n", 1: "t", "T": "t", 2: "c", "C": "c"}


def steps_of_solve(array: Array) -> int:
    """Return about how many operations on numbers a factorisation or solve takes, if it is one."""
    if array.op not in ("lu", "solve", "cholesky", "triangular", "swapped"):
        return 0
    rows = max(array.args[0].shape, default=0)
    factor, solve = rows**3 // 3, rows * array.size
    match array.op:
        case "lu":
            return 5 * factor
        case "solve":
            return (1 if array.data else 4) * factor + 2 * solve
        case "cholesky":
            return factor
    return solve


def _square(r: Reader, node: ast.AST, x: Any) -> Array:
    """Return an array that must be a square matrix, of floating-point numbers."""
    x = matrix(r, node, x)
    if x.shape[0] != x.shape[1]:
        raise TypeError(f"expected a square matrix, got an array of shape {shown(x.shape)}")
    return _floating(r, node, x)


def _floating(r: Reader, node: ast.AST, x: Any) -> Array:
    x = matrix(r, node, x)
    return r.cast(x, node, r.floating(x.type))


def _turned(r: Reader, node: ast.AST, x: Array) -> Array:
    """Return a matrix, or the right sides of an equation, by columns; a vector as it is."""
    return r.transposed(node, x, range(len(x.shape))[::-1])


def _pair(r: Reader, node: ast.AST, a: Any, b: Any) -> tuple[Array, Array]:
    """Return a matrix and right sides, by columns, of one type."""
    return _of_one_type(r, node, _square(r, node, a), b)


def _of_one_type(r: Reader, node: ast.AST, a: Array, b: Any) -> tuple[Array, Array]:
    """Return a matrix, and right sides of as many rows by columns."""
    b = r.array(b, node)
    if len(b.shape) not in (1, 2) or b.shape[0] != a.shape[0]:
        message = f"expected right sides of {a.shape[0]} rows, got an array of shape"
        raise TypeError(f"{message} {shown(b.shape)}")
    type_ = r.common_type([a, b])
    return r.cast(a, node, type_), _turned(r, node, r.cast(b, node, type_))


def _companion(r: Reader, node: ast.AST, of: Array, name: str) -> Array:
    """Return what an instruction computes beside the matrix that it changes."""
    shape = () if name == "info" else (min(of.shape),)
    types = {"tau": of.type, "w": of.type.real}
    return r.made(node, "companion", [of], shape, types.get(name, _I32), name)


def _solution(
    r: Reader, node: ast.AST, a: Any, b: Any, assume_a: Any = None, lower: Any = False
) -> Array:
    """Return X of A X = B by columns."""
    a, b = _pair(r, node, a, b)
    kind = "gen" if assume_a is None else constant(assume_a)
    if kind not in ("gen", "general", "pos", "positive definite"):
        raise TypeError(f"expected assume_a to be 'gen' or 'pos', got {kind!r}")
    triangle = ("l" if constant(lower) else "u") if kind.startswith("pos") else None
    return r.made(node, "solve", [_turned(r, node, a), b], b.shape, b.type, triangle)


@known_as("solve")
def _solve(r: Reader, node: ast.AST, *args: Any, **named: Any) -> Array:
    return _turned(r, node, _solution(r, node, *args, **named))


@known_as("solve_ex")
def _solve_ex(r: Reader, node: ast.AST, *args: Any, **named: Any) -> Several:
    found = _solution(r, node, *args, **named)
    return Several((_turned(r, node, found), _companion(r, node, found, "info")))


@known_as("inv")
def _inv(r: Reader, node: ast.AST, a: Any) -> Array:
    return _inv_ex(r, node, a).items[0]  # type: ignore[no-any-return]


@known_as("inv_ex")
def _inv_ex(r: Reader, node: ast.AST, a: Any) -> Several:
    a = _square(r, node, a)
    one = FUNCTIONS["eye"](r, node, a.shape[0], None, a.type)
    return _solve_ex(r, node, a, one)  # type: ignore[no-any-return]


@known_as("cholesky")
def _cholesky(r: Reader, node: ast.AST, a: Any, *, upper: Any = False) -> Array:
    return _cholesky_ex(r, node, a, upper=upper).items[0]  # type: ignore[no-any-return]


@known_as("cholesky_ex")
def _cholesky_ex(r: Reader, node: ast.AST, a: Any, upper: Any = False) -> Several:
    a, is_upper = _square(r, node, a), constant(upper)
    a = FUNCTIONS["triu" if is_upper else "tril"](r, node, a)  # the other triangle stays 0
    found = r.made(node, "cholesky", [a], a.shape, a.type, "u" if is_upper else "l")
    return Several((found, _companion(r, node, found, "info")))


def _triangular(
    r: Reader, node: ast.AST, a: Array, b: Array, words: str, *, unit: bool = False
) -> Array:
    """Return X of op(A) X = B by columns; what is in the other triangle of A does not matter."""
    return r.made(node, "triangular", [a, b], b.shape, b.type, (*words, unit))


def _form(trans: Any) -> str:
    """Return the modifier that a matrix is transposed by."""
    given = constant(trans)
    if given not in _FORMS:
        raise TypeError(f"expected 'trans' to be 0, 1, 2, 'N', 'T' or 'C', got {given!r}")
    return _FORMS[given]


@known_as("solve_triangular")
def _solve_triangular(
    r: Reader,
    node: ast.AST,
    a: Any,
    b: Any,
    *,
    trans: Any = 0,
    lower: Any = False,
    unit_diagonal: Any = False,
) -> Array:
    form = _form(trans)
    a, b = _pair(r, node, a, b)
    triangle = "l" if constant(lower) else "u"
    is_unit = bool(constant(unit_diagonal))
    return _turned(r, node, _triangular(r, node, a, b, triangle + form, unit=is_unit))


def _items(value: Any, what: str) -> tuple[Any, ...]:
    items = value.items if isinstance(value, Several) else ()
    if len(items) != 2:
        raise TypeError(f"expected {what} as a tuple of two, got something else")
    return items


@known_as("cho_factor")
def _cho_factor(r: Reader, node: ast.AST, a: Any, lower: Any = False) -> Several:
    factor = _cholesky(r, node, a, upper=not constant(lower))
    return Several((factor, Static(bool(constant(lower)))))


@known_as("cho_solve")
def _cho_solve(r: Reader, node: ast.AST, c_and_lower: Any, b: Any) -> Array:
    factor, lower = _items(c_and_lower, "a factor, and whether it is lower,")
    a, b = _pair(r, node, factor, b)
    triangle, forms = ("l", "nc") if constant(lower) else ("u", "cn")
    for form in forms:
        b = _triangular(r, node, a, b, triangle + form)
    return _turned(r, node, b)


# LU factors, determinants -----------------------------------------------------------------------


def _factors(r: Reader, node: ast.AST, a: Any) -> Array:
    """Return the LU factors of a square matrix by columns."""
    a = _square(r, node, a)
    return r.made(node, "lu", [_turned(r, node, a)], a.shape, a.type)


@known_as("lu_factor")
def _lu_factor(r: Reader, node: ast.AST, a: Any) -> Several:
    found = _factors(r, node, a)
    pivots = _companion(r, node, found, "pivots")
    places = r.elementwise(node, "arith.sub", [pivots, Static(1)], inside=_I32)
    return Several((_turned(r, node, found), places))


@known_as("lu_solve")
def _lu_solve(r: Reader, node: ast.AST, lu_and_piv: Any, b: Any, trans: Any = 0) -> Array:
    factors, places = _items(lu_and_piv, "factors and pivots")
    form = _form(trans)
    a, b = _pair(r, node, factors, b)
    places = r.array(places, node)
    if places.shape != a.shape[:1] or places.type.kind != "integer":
        message = f"expected {a.shape[0]} pivots, integers, got an array of {places.type}"
        raise TypeError(f"{message} and shape {shown(places.shape)}")
    pivots = r.elementwise(node, "arith.add", [r.cast(places, node, _I32), Static(1)], inside=_I32)
    swapped = functools.partial(r.made, node, "swapped", shape=b.shape, type_=b.type)
    if form == "n":
        b = swapped(args=[pivots, b])
        b = _triangular(r, node, a, b, "ln", unit=True)
        return _turned(r, node, _triangular(r, node, a, b, "un"))
    b = _triangular(r, node, a, b, "u" + form)
    b = _triangular(r, node, a, b, "l" + form, unit=True)
    return _turned(r, node, swapped(args=[pivots, b], data="reverse"))


def _diagonal_and_sign(r: Reader, node: ast.AST, a: Any) -> tuple[Array, Array, Array]:
    """Return the diagonal of U in P A = L U, the determinant of P, and whether A is singular."""
    found = _factors(r, node, a)
    diagonal = FUNCTIONS["diag"](r, node, found)
    pivots = _companion(r, node, found, "pivots")
    rows = r.made(node, "iota", (), pivots.shape, INDEX)
    own = r.elementwise(node, "arith.add", [r.cast(rows, node, _I32), Static(1)], inside=_I32)
    moved = r.elementwise(node, "cmp.ne", [pivots, own], result=BOOL)
    signs = r.where(node, moved, *(r.array(Static(s), node, found.type) for s in (-1, 1)))
    zero = r.elementwise(node, "cmp.eq", [diagonal, Static(0)], result=BOOL)
    return diagonal, FUNCTIONS["prod"](r, node, signs), FUNCTIONS["any"](r, node, zero)


@known_as("det")
def _det(r: Reader, node: ast.AST, a: Any) -> Any:
    a = _square(r, node, a)
    size = a.shape[0]
    if 1 <= size <= 4:
        rows = [[part(r, node, part(r, node, a, 0, i), 0, j) for j in range(size)]
                for i in range(size)]  # fmt: skip
        return _determinant(r, node, rows)
    diagonal, sign, is_singular = _diagonal_and_sign(r, node, a)
    found = r.combined(node, ast.Mult(), FUNCTIONS["prod"](r, node, diagonal), sign)
    return r.where(node, is_singular, r.array(Static(0), node, a.type), found)


def _determinant(r: Reader, node: ast.AST, rows: Sequence[Sequence[Array]]) -> Any:
    if len(rows) == 1:
        return rows[0][0]
    found: Any = None
    for j, first in enumerate(rows[0]):
        minor = [[*row[:j], *row[j + 1 :]] for row in rows[1:]]
        term = r.elementwise(node, "arith.mul", [first, _determinant(r, node, minor)])
        sign = ast.Sub() if j % 2 else ast.Add()
        found = term if found is None else r.combined(node, sign, found, term)
    return found


@known_as("slogdet")
def _slogdet(r: Reader, node: ast.AST, a: Any) -> Several:
    diagonal, swaps, is_singular = _diagonal_and_sign(r, node, a)
    sizes = FUNCTIONS["abs"](r, node, diagonal)
    if diagonal.type.kind == "complex":
        signs = r.combined(node, ast.Div(), diagonal, sizes)
    else:
        signs = FUNCTIONS["sign"](r, node, diagonal)
    sign = r.combined(node, ast.Mult(), FUNCTIONS["prod"](r, node, signs), swaps)
    logarithm = FUNCTIONS["sum"](r, node, FUNCTIONS["log"](r, node, sizes))
    rest = zip((sign, logarithm), (0, -math.inf), strict=True)
    return Several(
        tuple(r.where(node, is_singular, r.array(Static(end), node, x.type), x) for x, end in rest)
    )


@known_as("logdet")
def _logdet(r: Reader, node: ast.AST, a: Any) -> Any:
    sign, logarithm = _slogdet(r, node, a).items
    if sign.type.kind == "complex":
        raise TypeError("expected a matrix of real numbers, got complex ones")
    is_negative = r.elementwise(node, "cmp.lt", [sign, Static(0)], result=BOOL)
    nan = r.array(Static(math.nan), node, logarithm.type)
    return r.where(node, is_negative, nan, logarithm)


# QR factors, least squares ----------------------------------------------------------------------


def _corner(r: Reader, node: ast.AST, x: Array, *sizes: int) -> Array:
    """Return the first elements of the first modes of an array."""
    whole = (*sizes, *x.shape[len(sizes) :])
    if whole == x.shape:
        return x
    items = tuple(Range(0, 1, size) for size in whole)
    return r.made(node, "slice", [x], item_sizes(items), x.type, items)


def _applied(r: Reader, node: ast.AST, factors: Array, b: Array, form: str = "n") -> Array:
    """Return op(Q) B by columns, for factors and B by columns."""
    tau = _companion(r, node, factors, "tau")
    return r.made(node, "applied", [factors, tau, b], b.shape, b.type, form)


def _reflections(r: Reader, node: ast.AST, a: Array) -> Array:
    """Return QR factors by columns, as LAPACK stores them."""
    a = _turned(r, node, a)
    return r.made(node, "qr", [a], a.shape, a.type)


def _upper(r: Reader, node: ast.AST, factors: Array, rows: int) -> Array:
    """Return the first rows of R."""
    return FUNCTIONS["triu"](r, node, _corner(r, node, _turned(r, node, factors), rows))  # type: ignore[no-any-return]


@known_as("qr")
def _qr(r: Reader, node: ast.AST, a: Any, mode: Any = "reduced") -> Any:
    a, kind = _floating(r, node, a), constant(mode)
    if kind not in QR_MODES:
        raise TypeError(f"expected 'mode' to be {', '.join(map(repr, QR_MODES))}, got {kind!r}")
    factors = _reflections(r, node, a)
    if kind == "raw":
        return Several((factors, _companion(r, node, factors, "tau")))
    rows = a.shape[0]
    count = rows if kind == "complete" else min(a.shape)
    upper = _upper(r, node, factors, count)
    if kind == "r":
        return upper
    unit = FUNCTIONS["eye"](r, node, count, Static(rows), a.type)
    return Several((_turned(r, node, _applied(r, node, factors, unit)), upper))


@known_as("lstsq")
def _lstsq(r: Reader, node: ast.AST, a: Any, b: Any) -> Array:
    """Return X of the least |A X - B|, and of those the least |X|, of A of full rank."""
    a, b = _of_one_type(r, node, _floating(r, node, a), b)
    rows, columns = a.shape
    if rows >= columns:
        factors = _reflections(r, node, a)
        b = _applied(r, node, factors, b, "c")
        b = _corner(r, node, b, *b.shape[:-1], columns)
        square = _corner(r, node, _turned(r, node, factors), columns)
        return _turned(r, node, _triangular(r, node, square, b, "un"))
    factors = _reflections(r, node, _adjoint(r, node, a))
    square = _corner(r, node, _turned(r, node, factors), rows)
    b = _triangular(r, node, square, b, "uc")
    rest = zeros(r, node, (*b.shape[:-1], columns - rows), a.type)
    b = FUNCTIONS["concatenate"](r, node, Several((b, rest)), Static(-1))
    return _turned(r, node, _applied(r, node, factors, b))


@known_as("pinv")
def _pinv(r: Reader, node: ast.AST, a: Any) -> Array:
    a = _floating(r, node, a)
    return _lstsq(r, node, a, FUNCTIONS["eye"](r, node, a.shape[0], None, a.type))  # type: ignore[no-any-return]


def _adjoint(r: Reader, node: ast.AST, a: Array) -> Array:
    return FUNCTIONS["conj"](r, node, _turned(r, node, a))  # type: ignore[no-any-return]


# Eigenvalues ------------------------------------------------------------------------------------


def _eigenvectors(r: Reader, node: ast.AST, a: Any, UPLO: Any) -> Array:  # noqa: N803
    """Return eigenvectors by columns."""
    a, triangle = _square(r, node, a), constant(UPLO)
    if triangle not in ("L", "U", "l", "u"):
        raise TypeError(f"expected 'UPLO' to be 'L' or 'U', got {triangle!r}")
    if a.shape[0] > MOST_EIGENVALUES:
        raise TypeError(f"expected a matrix of at most {MOST_EIGENVALUES} rows, got {a.shape[0]}")
    return r.made(node, "eigh", [_turned(r, node, a)], a.shape, a.type, triangle.lower())


@known_as("eigh_ex")
def _eigh_ex(r: Reader, node: ast.AST, a: Any, UPLO: Any = "L") -> Several:  # noqa: N803
    found = _eigenvectors(r, node, a, UPLO)
    values, info = (_companion(r, node, found, name) for name in ("w", "info"))
    return Several((values, _turned(r, node, found), info))


@known_as("eigh")
def _eigh(r: Reader, node: ast.AST, a: Any, UPLO: Any = "L") -> Several:  # noqa: N803
    return Several(_eigh_ex(r, node, a, UPLO).items[:2])


@known_as("eigvalsh_ex")
def _eigvalsh_ex(r: Reader, node: ast.AST, a: Any, UPLO: Any = "L") -> Several:  # noqa: N803
    return Several(_eigh_ex(r, node, a, UPLO).items[::2])


@known_as("eigvalsh")
def _eigvalsh(r: Reader, node: ast.AST, a: Any, UPLO: Any = "L") -> Array:  # noqa: N803
    return _eigvalsh_ex(r, node, a, UPLO).items[0]  # type: ignore[no-any-return]


@known_as("svdvals")
def _svdvals(r: Reader, node: ast.AST, a: Any) -> Array:
    """Return the eigenvalues that are not negative of [[0, R^H], [R, 0]]."""
    a = _floating(r, node, a)
    a = a if a.shape[0] >= a.shape[1] else _adjoint(r, node, a)
    count = a.shape[1]
    upper = _upper(r, node, _reflections(r, node, a), count)
    none = zeros(r, node, (count, count), a.type)
    lines = [[none, none], [upper, none]]  # the lower triangle alone is read
    both = FUNCTIONS["block"](r, node, Several(tuple(Several(tuple(e)) for e in lines)))
    values = _eigvalsh(r, node, both)
    items = (Range(2 * count - 1, -1, count),)
    falling = r.made(node, "slice", [values], (count,), values.type, items)
    return FUNCTIONS["maximum"](r, node, falling, Static(0))  # type: ignore[no-any-return]
