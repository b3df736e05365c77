# SPDX-License-Identifier: BSD-3-Clause
"""Functions of batched functions that make arrays, or put them together in other shapes."""

from __future__ import annotations

import ast
import functools
import math
from typing import TYPE_CHECKING, Any

from ..kernels.types import SCALARS, Scalar
from ..kernels.values import Static
from .arrays import Array, Range, Several, Shape, shown
from .expressions import BOOL, INDEX
from .functions import (
    FUNCTIONS,
    axes_of,
    axis_of,
    constant,
    known_as,
    matrix,
    part,
    type_named,
)  # fmt: skip

if TYPE_CHECKING:
    from .expressions import ArrayExpressions as Reader


def zeros(r: Reader, node: ast.AST, shape: Shape, type_: Scalar, value: Any = 0) -> Array:
    """Return an array of one number."""
    found = r.array(value if isinstance(value, Array) else Static(value), node, type_)
    return r.broadcast(found, node, shape)


def _shape(value: Any) -> Shape:
    given = constant(value)
    shape = tuple(given) if isinstance(given, (tuple, list)) else (given,)
    if not all(type(each) is int and each >= 0 for each in shape):
        raise TypeError(f"expected a shape of numbers, got {given!r}")
    return shape


def _filled(number: float, r: Reader, node: ast.AST, shape: Any, dtype: Any = None) -> Any:
    return zeros(r, node, _shape(shape), type_named(dtype, r.default_type), number)


def _filled_like(number: float, r: Reader, node: ast.AST, x: Any, dtype: Any = None) -> Any:
    x = r.array(x, node)
    return zeros(r, node, x.shape, type_named(dtype, x.type), number)


for _name, _number in (("zeros", 0), ("empty", 0), ("ones", 1)):
    FUNCTIONS[_name] = functools.partial(_filled, _number)
    FUNCTIONS[f"{_name}_like"] = functools.partial(_filled_like, _number)


@known_as("full")
def _full(r: Reader, node: ast.AST, shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    value = r.array(fill_value, node)
    return r.broadcast(r.cast(value, node, type_named(dtype, value.type)), node, _shape(shape))


@known_as("eye", "identity")
def _eye(r: Reader, node: ast.AST, N: Any, M: Any = None, dtype: Any = None) -> Any:  # noqa: N803
    rows = N if isinstance(N, int) else constant(N)
    columns = rows if M is None else constant(M)
    lines, places = _iota(r, node, rows), _iota(r, node, columns)
    pair = [r.index_new(node, lines, 1), r.index_new(node, places, 0)]
    equal = r.elementwise(node, "cmp.eq", pair, result=BOOL)
    return r.cast(equal, node, type_named(dtype, r.default_type))


def _iota(r: Reader, node: ast.AST, size: int) -> Array:
    return r.made(node, "iota", (), (size,), INDEX)


@known_as("arange")
def _arange(r: Reader, node: ast.AST, *bounds: Any, dtype: Any = None) -> Any:
    values = [constant(each) for each in bounds]
    start, stop, step = (0, *values, 1) if len(values) == 1 else (*values, 1)[:3]
    size = max(math.ceil((stop - start) / step), 0)
    default = SCALARS["i64"] if all(type(v) is int for v in values) else r.default_type
    found = r.cast(_iota(r, node, size), node, type_named(dtype, default))
    for op, number in ((ast.Mult(), step), (ast.Add(), start)):
        if number != (1 if isinstance(op, ast.Mult) else 0):
            found = r.combined(node, op, found, Static(number))
    return found


def _triangle(op: str, r: Reader, node: ast.AST, x: Any, k: Any = 0) -> Any:
    x = matrix(r, node, x)
    lines, places = (_iota(r, node, size) for size in x.shape)
    ends = r.combined(node, ast.Add(), r.index_new(node, lines, 1), Static(constant(k)))
    keep = r.elementwise(node, op, [r.index_new(node, places, 0), ends], result=BOOL)
    return r.where(node, keep, x, r.array(Static(0), node, x.type))


FUNCTIONS["tril"] = functools.partial(_triangle, "cmp.le")
FUNCTIONS["triu"] = functools.partial(_triangle, "cmp.ge")


@known_as("array", "asarray")
def _array(r: Reader, node: ast.AST, x: Any, dtype: Any = None) -> Any:
    found = r.array(x, node)
    return found if dtype is None else r.cast(found, node, type_named(dtype))


@known_as("copy")
def _copy(r: Reader, node: ast.AST, x: Any) -> Any:
    x = r.array(x, node)
    return r.made(node, "broadcast", [x], x.shape, x.type, "copy")


@known_as("stack")
def _stack(r: Reader, node: ast.AST, arrays: Any, axis: Any = 0) -> Any:
    rows = _rows(r, node, arrays)
    found = r.stack(rows, node)
    (place,) = axes_of(axis, len(found.shape))
    order = list(range(1, len(found.shape)))
    order.insert(place, 0)
    return r.transposed(node, found, order)


def _rows(r: Reader, node: ast.AST, arrays: Any) -> list[Array]:
    if isinstance(arrays, Static) and isinstance(arrays.value, tuple):
        arrays = Several(tuple(map(Static, arrays.value)))
    if isinstance(arrays, Array):
        return [part(r, node, arrays, 0, k) for k in range(arrays.shape[0])]
    if not isinstance(arrays, Several):
        raise TypeError("expected a list or tuple of arrays, got something else")
    return [r.array(each, node) for each in arrays.items]


@known_as("unstack")
def _unstack(r: Reader, node: ast.AST, x: Any) -> list[Array]:
    return _rows(r, node, x)


@known_as("concatenate", "concat")
def _concatenate(r: Reader, node: ast.AST, arrays: Any, axis: Any = 0) -> Any:
    rows = _rows(r, node, arrays)
    type_ = r.common_type(rows)
    mode = axis_of(axis, len(rows[0].shape))
    for each in rows:
        same = [*each.shape[:mode], *each.shape[mode + 1 :]]
        if len(each.shape) != len(rows[0].shape) or same != [
            *rows[0].shape[:mode], *rows[0].shape[mode + 1 :]
        ]:  # fmt: skip
            listed = " and ".join(shown(row.shape) for row in (rows[0], each))
            raise TypeError(f"expected arrays of one shape but for axis {mode}, got {listed}")
    shape = list(rows[0].shape)
    shape[mode] = sum(each.shape[mode] for each in rows)
    cast = [r.cast(each, node, type_) for each in rows]
    return r.made(node, "concatenate", cast, tuple(shape), type_, mode)


@known_as("hstack")
def _hstack(r: Reader, node: ast.AST, arrays: Any) -> Any:
    rows = _rows(r, node, arrays)
    columns = [r.reshaped(node, each, (1,)) if not each.shape else each for each in rows]
    return _concatenate(r, node, Several(tuple(columns)), Static(int(len(columns[0].shape) > 1)))


@known_as("vstack")
def _vstack(r: Reader, node: ast.AST, arrays: Any) -> Any:
    rows = [r.index_new(node, e, 0) if len(e.shape) == 1 else e for e in _rows(r, node, arrays)]
    return _concatenate(r, node, Several(tuple(rows)))


@known_as("column_stack")
def _column_stack(r: Reader, node: ast.AST, arrays: Any) -> Any:
    rows = [r.index_new(node, e, 1) if len(e.shape) == 1 else e for e in _rows(r, node, arrays)]
    return _concatenate(r, node, Several(tuple(rows)), Static(1))


@known_as("block")
def _block(r: Reader, node: ast.AST, arrays: Any) -> Any:
    lines = [_hstack(r, node, line) for line in arrays.items]
    return _vstack(r, node, Several(tuple(lines)))


@known_as("kron")
def _kron(r: Reader, node: ast.AST, x: Any, y: Any) -> Any:
    x, y = r.array(x, node), r.array(y, node)
    if len(x.shape) == 1 and len(y.shape) == 1:
        return r.reshaped(node, FUNCTIONS["outer"](r, node, x, y), (x.size * y.size,))
    x, y = matrix(r, node, x), matrix(r, node, y)
    x = r.index_new(node, r.index_new(node, x, 1), 3)
    y = r.index_new(node, r.index_new(node, y, 0), 2)
    found = r.elementwise(node, "arith.mul", [x, y])
    (a, b, c, d) = found.shape
    return r.reshaped(node, found, (a * b, c * d))


@known_as("einsum")
def _einsum(r: Reader, node: ast.AST, subscripts: Any, *operands: Any) -> Any:
    text = constant(subscripts).replace(" ", "")
    given, arrow, kept = text.partition("->")
    terms = given.split(",")
    kept = kept if arrow else "".join(sorted(c for c in set(given) - {","} if given.count(c) == 1))
    arrays = [r.array(each, node) for each in operands]
    letters = dict.fromkeys(kept + given.replace(",", ""))
    is_plain = all(len(set(t)) == len(t) and (t + "a").isalpha() for t in (*terms, kept))
    if (
        not is_plain
        or set(kept) - set(given)
        or [*map(len, terms)] != [len(a.shape) for a in arrays]
    ):
        shapes = ", ".join(shown(each.shape) for each in arrays)
        message = "expected subscripts with a letter for each mode, such as 'ij,j->i'"
        raise TypeError(f"{message}, got {text!r} for {shapes}")
    factors = []
    for term, array in zip(terms, arrays, strict=True):
        found = r.transposed(node, array, [term.index(each) for each in letters if each in term])
        for place, each in enumerate(letters):
            found = found if each in term else r.index_new(node, found, place)
        factors.append(found)
    product = functools.reduce(lambda a, b: r.combined(node, ast.Mult(), a, b), factors)
    return r.over_modes(node, "arith.add", product, tuple(range(len(kept), len(letters))))


@known_as("transpose", "permute_dims")
def _transpose(r: Reader, node: ast.AST, x: Any, *axes: Any) -> Any:
    x = r.array(x, node)
    order = [constant(each) for each in axes]
    if len(order) == 1 and isinstance(order[0], (tuple, list)):
        order = list(order[0])
    return r.transposed(node, x, order or range(len(x.shape))[::-1])


@known_as("swapaxes")
def _swapaxes(r: Reader, node: ast.AST, x: Any, one: Any, other: Any) -> Any:
    x = r.array(x, node)
    order = list(range(len(x.shape)))
    i, j = (axis_of(each, len(order)) for each in (one, other))
    order[i], order[j] = order[j], order[i]
    return r.transposed(node, x, order)


@known_as("moveaxis")
def _moveaxis(r: Reader, node: ast.AST, x: Any, source: Any, destination: Any) -> Any:
    x = r.array(x, node)
    from_, to = (axis_of(each, len(x.shape)) for each in (source, destination))
    order = [mode for mode in range(len(x.shape)) if mode != from_]
    return r.transposed(node, x, [*order[:to], from_, *order[to:]])


@known_as("reshape")
def _reshape(r: Reader, node: ast.AST, x: Any, *shape: Any) -> Any:
    sizes = [constant(each) for each in shape]
    if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)):
        sizes = list(sizes[0])
    return r.reshaped(node, r.array(x, node), sizes)


@known_as("ravel", "flatten")
def _ravel(r: Reader, node: ast.AST, x: Any) -> Any:
    x = r.array(x, node)
    return r.reshaped(node, x, (x.size,))


@known_as("squeeze")
def _squeeze(r: Reader, node: ast.AST, x: Any) -> Any:
    x = r.array(x, node)
    return r.reshaped(node, x, [size for size in x.shape if size != 1])


@known_as("expand_dims")
def _expand_dims(r: Reader, node: ast.AST, x: Any, axis: Any) -> Any:
    x = r.array(x, node)
    return r.index_new(node, x, axis_of(axis, len(x.shape) + 1))


@known_as("broadcast_to")
def _broadcast_to(r: Reader, node: ast.AST, x: Any, shape: Any) -> Any:
    return r.broadcast(r.array(x, node), node, _shape(shape))


@known_as("flip")
def _flip(r: Reader, node: ast.AST, x: Any, axis: Any = None) -> Any:
    x = r.array(x, node)
    axes = axes_of(axis, len(x.shape))
    ends = enumerate(x.shape)
    items = [Range(s - 1, -1, s) if m in axes else Range(0, 1, s) for m, s in ends]
    return r.made(node, "slice", [x], x.shape, x.type, tuple(items))


@known_as("roll")
def _roll(r: Reader, node: ast.AST, x: Any, shift: Any, axis: Any = None) -> Any:
    x = r.array(x, node)
    if len(x.shape) != 1 and constant(axis) is None:
        return r.reshaped(node, _roll(r, node, _ravel(r, node, x), shift), x.shape)
    mode = axis_of(axis, len(x.shape))
    size, by = x.shape[mode], constant(shift)
    order = [(k - by) % size for k in range(size)]
    rows = Several(tuple(part(r, node, x, mode, k) for k in order))
    return _stack(r, node, rows, Static(mode))


@known_as("tile")
def _tile(r: Reader, node: ast.AST, x: Any, reps: Any) -> Any:
    x, given = r.array(x, node), constant(reps)
    counts = list(given) if isinstance(given, (tuple, list)) else [given]
    while len(x.shape) < len(counts):
        x = r.index_new(node, x, 0)
    for mode, count in enumerate(counts, len(x.shape) - len(counts)):
        x = _concatenate(r, node, Several((x,) * count), Static(mode)) if count != 1 else x
    return x


@known_as("repeat")
def _repeat(r: Reader, node: ast.AST, x: Any, repeats: Any, axis: Any = None) -> Any:
    x = _ravel(r, node, x) if constant(axis) is None else r.array(x, node)
    mode = 0 if constant(axis) is None else axis_of(axis, len(x.shape))
    rows, count = [part(r, node, x, mode, k) for k in range(x.shape[mode])], constant(repeats)
    return _stack(
        r, node, Several(tuple(each for each in rows for _ in range(count))), Static(mode)
    )


@known_as("cross")
def _cross(r: Reader, node: ast.AST, x: Any, y: Any) -> Any:
    x, y = r.array(x, node), r.array(y, node)
    if x.shape[-1:] != (3,) or y.shape[-1:] != (3,):
        raise TypeError(f"expected vectors of size 3, got {shown(x.shape)} and {shown(y.shape)}")
    a, b = ([part(r, node, v, -1, k) for k in range(3)] for v in (x, y))
    rows = []
    for i, j in ((1, 2), (2, 0), (0, 1)):
        one, two = (r.elementwise(node, "arith.mul", pair) for pair in ((a[i], b[j]), (a[j], b[i])))
        rows.append(r.combined(node, ast.Sub(), one, two))
    return _stack(r, node, Several(tuple(rows)), Static(-1))


@known_as("trace")
def _trace(r: Reader, node: ast.AST, x: Any) -> Any:
    return FUNCTIONS["sum"](r, node, _diag(r, node, matrix(r, node, x)))


@known_as("diag", "diagonal")
def _diag(r: Reader, node: ast.AST, x: Any) -> Any:
    x = r.array(x, node)
    if len(x.shape) == 1:
        n = x.shape[0]
        zero = r.array(Static(0), node, x.type)
        return r.where(node, _eye(r, node, n, None, BOOL), r.index_new(node, x, 0), zero)
    count = min(matrix(r, node, x).shape)
    items = [part(r, node, part(r, node, x, 0, k), 0, k) for k in range(count)]
    return r.stack(items, node) if items else zeros(r, node, (0,), x.type)
