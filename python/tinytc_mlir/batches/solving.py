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
from .arrays import Array, Several, shown
from .expressions import BOOL, INDEX
from .functions import FUNCTIONS, constant, known_as, matrix, part

if TYPE_CHECKING:
    from .expressions import ArrayExpressions as Reader

IN_MEMORY = frozenset(("qr", "apply_q", "eigh"))
"""Operations that are instructions only: their matrices are in local memory."""
_FACTOR_STEPS = {"cholesky": 1, "qr": 4, "lu": 5, "eigh": 60}
"""Steps of factorisations, to a third of the cube of the rows."""
_I32 = SCALARS["i32"]
_FORMS = {0: "n", "N": "n", 1: "t", "T": "t", 2: "c", "C": "c"}


def steps_of_solve(array: Array) -> int:
    """Return about how many operations on numbers a factorisation or solve takes, if it is one."""
    if array.op not in (*_FACTOR_STEPS, "solve", "triangular", "swapped", "apply_q"):
        return 0
    rows = max(array.args[0].shape, default=0)
    factor, solve = rows**3 // 3, rows * array.size
    if array.op == "solve":
        return (1 if array.data else 4) * factor + 2 * solve
    return _FACTOR_STEPS[array.op] * factor if array.op in _FACTOR_STEPS else solve


def _square(r: Reader, node: ast.AST, x: Any) -> Array:
    """Return an array that must be a square matrix, of floating-point numbers."""
    x = matrix(r, node, x)
    if x.shape[0] != x.shape[1]:
        raise TypeError(f"expected a square matrix, got an array of shape {shown(x.shape)}")
    return r.cast(x, node, r.floating(x.type))


def _turned(r: Reader, node: ast.AST, x: Array) -> Array:
    """Return a matrix, or the right sides of an equation, by columns; a vector as it is."""
    return r.transposed(node, x, range(len(x.shape))[::-1])


def _pair(r: Reader, node: ast.AST, a: Any, b: Any) -> tuple[Array, Array]:
    """Return a matrix and right sides, by columns, of one type."""
    a, b = _square(r, node, a), r.array(b, node)
    if len(b.shape) not in (1, 2) or b.shape[0] != a.shape[0]:
        message = f"expected right sides of {a.shape[0]} rows, got an array of shape"
        raise TypeError(f"{message} {shown(b.shape)}")
    type_ = r.common_type([a, b])
    return r.cast(a, node, type_), _turned(r, node, r.cast(b, node, type_))


def companion(r: Reader, node: ast.AST, of: Array, name: str) -> Array:
    """Return integers that an operation stores besides its result."""
    shape = (min(of.shape),) if name == "pivots" else ()
    return r.made(node, "companion", [of], shape, _I32, name)


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
    return Several((_turned(r, node, found), companion(r, node, found, "info")))


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
def _cholesky_ex(r: Reader, node: ast.AST, a: Any, *, upper: Any = False) -> Several:
    a, is_upper = _square(r, node, a), constant(upper)
    a = FUNCTIONS["triu" if is_upper else "tril"](r, node, a)  # the other triangle stays 0
    found = r.made(node, "cholesky", [a], a.shape, a.type, "u" if is_upper else "l")
    return Several((found, companion(r, node, found, "info")))


def triangular(
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
    return _turned(r, node, triangular(r, node, a, b, triangle + form, unit=is_unit))


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
        b = triangular(r, node, a, b, triangle + form)
    return _turned(r, node, b)


# LU factors, determinants -----------------------------------------------------------------------


def _factors(r: Reader, node: ast.AST, a: Any) -> Array:
    """Return the LU factors of a square matrix by columns."""
    a = _square(r, node, a)
    return r.made(node, "lu", [_turned(r, node, a)], a.shape, a.type)


@known_as("lu_factor")
def _lu_factor(r: Reader, node: ast.AST, a: Any) -> Several:
    found = _factors(r, node, a)
    pivots = companion(r, node, found, "pivots")
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
        b = triangular(r, node, a, b, "ln", unit=True)
        return _turned(r, node, triangular(r, node, a, b, "un"))
    b = triangular(r, node, a, b, "u" + form)
    b = triangular(r, node, a, b, "l" + form, unit=True)
    return _turned(r, node, swapped(args=[pivots, b], data="reverse"))


def _diagonal_and_sign(r: Reader, node: ast.AST, a: Any) -> tuple[Array, Array, Array]:
    """Return the diagonal of U in P A = L U, the determinant of P, and whether A is singular."""
    found = _factors(r, node, a)
    diagonal = FUNCTIONS["diag"](r, node, found)
    pivots = companion(r, node, found, "pivots")
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
