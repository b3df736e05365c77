# SPDX-License-Identifier: BSD-3-Clause
"""Functions of batched functions, by their names in NumPy and in `tt`.

Each takes the reader, the place of the call and the arguments, and returns a value. A function that
needs an instruction of its own is made by `ArrayExpressions.made`, with a rule in `memory` and
`scalars`; all others are combinations of those.
"""

from __future__ import annotations

import ast
import functools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from ..kernels.types import SCALARS, Scalar
from ..kernels.values import Static
from .arrays import Array, Range, Several, item_sizes, scalar_of, shown
from .expressions import BOOL

if TYPE_CHECKING:
    from .expressions import ArrayExpressions as Reader

Function: TypeAlias = Callable[..., Any]
FUNCTIONS: dict[str, Function] = {}
"""The functions, by all of their names."""
OWN = frozenset(("lstsq",))
"""Those that return less than NumPy's functions of these names."""

_REAL = {  # of floating-point numbers, element by element: the instruction
    "exp": "math.exp", "native_exp": "math.native_exp",
    **{name: name for name in (
        "exp2", "cos", "sin", "log", "log2", "sqrt", "rsqrt", "tanh", "expm1", "log1p", "floor",
        "ceil", "native_exp2", "native_cos", "native_sin", "native_log", "native_log2")},
}  # fmt: skip
_PAIRS = {"pow": "pow", "power": "pow", "hypot": "hypot"}


def known_as(*names: str) -> Callable[[Function], Function]:
    """Enter a function under some names."""

    def entered(function: Function) -> Function:
        FUNCTIONS.update(dict.fromkeys(names, function))
        return function

    return entered


def constant(value: Any) -> Any:
    """Return a value that must be known now."""
    if isinstance(value, Several):
        items = tuple(map(constant, value.items))
        return list(items) if value.is_list else items
    if isinstance(value, Array):
        raise TypeError("expected a constant that is known now, got an array")
    return value.value if isinstance(value, Static) else value


def axes_of(axis: Any, rank: int) -> tuple[int, ...]:
    """Return modes from 0 on."""
    value = constant(axis)
    if value is None:
        return tuple(range(rank))
    given = value if isinstance(value, (tuple, list)) else (value,)
    for each in given:
        if type(each) is not int or not -rank <= each < rank:
            raise TypeError(f"expected an axis below {rank}, got {each!r}")
    return tuple(sorted({each % rank for each in given}))


def _real(name: str, r: Reader, node: ast.AST, x: Any) -> Any:
    inside = r.floating(r.common_type([r.factor(x, node)]))
    return r.elementwise(node, name, [x], inside=inside)


def _pair(name: str, r: Reader, node: ast.AST, x: Any, y: Any) -> Any:
    if name == "pow":
        return r.raised(node, r.factor(x, node), y if isinstance(y, Static) else r.array(y, node))
    return r.elementwise(node, name, [x, y], inside=r.floating(r.common_type([x, y])))


FUNCTIONS.update({n: functools.partial(_real, op) for n, op in _REAL.items()})
FUNCTIONS.update({n: functools.partial(_pair, op) for n, op in _PAIRS.items()})


def _operator(op: ast.operator, r: Reader, node: ast.AST, x: Any, y: Any) -> Any:
    return r.combined(node, op, x, y)


FUNCTIONS |= {
    name: functools.partial(_operator, op)
    for name, op in {
        "add": ast.Add(), "subtract": ast.Sub(), "multiply": ast.Mult(), "divide": ast.Div(),
        "true_divide": ast.Div(), "floor_divide": ast.FloorDiv(), "mod": ast.Mod(),
        "remainder": ast.Mod(), "matmul": ast.MatMult(),
    }.items()
}  # fmt: skip


@known_as("tan")
def _tan(r: Reader, node: ast.AST, x: Any) -> Any:
    return r.combined(node, ast.Div(), _real("sin", r, node, x), _real("cos", r, node, x))


def _exponentials(sign: ast.operator, r: Reader, node: ast.AST, x: Any) -> Any:
    x = r.array(x, node)
    pair = [_real("math.exp", r, node, each) for each in (x, r.elementwise(node, "arith.neg", [x]))]
    return r.combined(node, ast.Mult(), Static(0.5), r.combined(node, sign, *pair))


FUNCTIONS["sinh"] = functools.partial(_exponentials, ast.Sub())
FUNCTIONS["cosh"] = functools.partial(_exponentials, ast.Add())


@known_as("log10")
def _log10(r: Reader, node: ast.AST, x: Any) -> Any:
    return r.combined(node, ast.Mult(), _real("log", r, node, x), Static(1 / math.log(10)))


@known_as("square")
def _square(r: Reader, node: ast.AST, x: Any) -> Any:
    return r.raised(node, r.factor(x, node), Static(2))


@known_as("reciprocal")
def _reciprocal(r: Reader, node: ast.AST, x: Any) -> Any:
    return r.combined(node, ast.Div(), Static(1), x)


@known_as("negative")
def _negative(r: Reader, node: ast.AST, x: Any) -> Any:
    return r.elementwise(node, "arith.neg", [r.array(x, node)])


@known_as("sigmoid", "expit")
def _sigmoid(r: Reader, node: ast.AST, x: Any) -> Any:
    down = _real("math.exp", r, node, r.elementwise(node, "arith.neg", [r.array(x, node)]))
    return _reciprocal(r, node, r.combined(node, ast.Add(), Static(1), down))


@known_as("fabs")
def _fabs(r: Reader, node: ast.AST, x: Any) -> Any:
    x = r.array(x, node)
    return _abs(r, node, r.cast(x, node, r.floating(x.type)))


@known_as("abs", "absolute")
def _abs(r: Reader, node: ast.AST, x: Any) -> Any:
    x = r.array(x, node)
    return r.elementwise(node, "arith.abs", [x], result=x.type.real)


@known_as("sign")
def _sign(r: Reader, node: ast.AST, x: Any) -> Any:
    x = r.array(x, node)
    up, down = (r.elementwise(node, f"cmp.{c}", [x, Static(0)], result=BOOL) for c in ("gt", "lt"))
    rest = r.where(node, down, r.cast(r.array(Static(-1), node), node, x.type),
                   r.elementwise(node, "arith.mul", [x, Static(0)]))  # fmt: skip
    return r.where(node, up, r.cast(r.array(Static(1), node), node, x.type), rest)


@known_as("maximum", "max_of")
def _maximum(r: Reader, node: ast.AST, x: Any, y: Any) -> Any:
    return r.elementwise(node, extreme("maximum", r.common_type([x, y])), [x, y])


@known_as("minimum", "min_of")
def _minimum(r: Reader, node: ast.AST, x: Any, y: Any) -> Any:
    return r.elementwise(node, extreme("minimum", r.common_type([x, y])), [x, y])


def extreme(name: str, type_: Scalar) -> str:
    """Return the instruction that keeps NaN; integers have none."""
    return name if type_.kind == "floating" else f"arith.{name[:3]}"


@known_as("clip")
def _clip(
    r: Reader, node: ast.AST, x: Any, a_min: Any = None, a_max: Any = None, **named: Any
) -> Any:
    unknown = named.keys() - {"min", "max"}
    if unknown:
        raise TypeError(f"got an unexpected keyword argument '{min(unknown)}'")
    low, high = (named.get(name) for name in ("min", "max"))
    for bound, rule in ((a_min, _maximum), (low, _maximum), (a_max, _minimum), (high, _minimum)):
        if bound is not None and not (isinstance(bound, Static) and bound.value is None):
            x = rule(r, node, r.factor(x, node), r.factor(bound, node))
    return x


@known_as("isnan")
def _isnan(r: Reader, node: ast.AST, x: Any) -> Any:
    x = r.array(x, node)
    return r.elementwise(node, "cmp.ne", [x, x], result=BOOL)


@known_as("where")
def _where(r: Reader, node: ast.AST, condition: Any, x: Any, y: Any) -> Any:
    return r.where(node, condition, x, y)


@known_as("conj", "conjugate")
def _conj(r: Reader, node: ast.AST, x: Any) -> Any:
    x = r.array(x, node)
    return x if x.type.kind != "complex" else r.elementwise(node, "arith.conj", [x])


@known_as("real", "re")
def _re(r: Reader, node: ast.AST, x: Any) -> Any:
    x = r.array(x, node)
    if x.type.kind != "complex":
        return x
    return r.elementwise(node, "arith.re", [x], result=x.type.real)


@known_as("imag", "im")
def _im(r: Reader, node: ast.AST, x: Any) -> Any:
    x = r.array(x, node)
    if x.type.kind != "complex":
        return r.broadcast(r.array(Static(0), node, x.type), node, x.shape)
    return r.elementwise(node, "arith.im", [x], result=x.type.real)


@known_as("astype", "cast")
def _astype(r: Reader, node: ast.AST, x: Any, dtype: Any) -> Any:
    return r.cast(r.array(x, node), node, type_named(dtype))


def type_named(value: Any, default: Scalar = SCALARS["f64"]) -> Scalar:
    """Return the type that a dtype names."""
    given = default if value is None else value if isinstance(value, Scalar) else constant(value)
    try:
        return (
            default if given is None else given if isinstance(given, Scalar) else scalar_of(given)
        )
    except TypeError:
        raise TypeError(f"expected a type such as tt.f32, got {given!r}") from None


# Reductions -------------------------------------------------------------------------------------


def axis_of(axis: Any, rank: int) -> int:
    """Return one mode from 0 on."""
    modes = axes_of(axis, rank)
    if len(modes) != 1:
        raise TypeError(f"expected one axis, got {constant(axis)!r}")
    return modes[0]


def _reduction(
    op: str, r: Reader, node: ast.AST, x: Any, axis: Any = None, dtype: Any = None, *,
    keepdims: Any = False,
) -> Array:  # fmt: skip
    x = r.array(x, node)
    if dtype is not None and constant(dtype) is not None:
        if op not in ("arith.add", "arith.mul"):
            raise TypeError("expected at most an axis by position, got more")
        x = r.cast(x, node, type_named(dtype))
    if op in ("arith.add", "arith.mul") and x.type.kind in ("bool", "integer"):
        x = r.cast(x, node, SCALARS["i64"])
    if op in ("arith.or", "arith.and"):
        x = r.cast(x, node, BOOL)
    if op in ("maximum", "minimum"):
        of_truths = "arith.or" if op == "maximum" else "arith.and"
        op = of_truths if x.type == BOOL else extreme(op, x.type)
    axes = axes_of(axis, len(x.shape))
    if not op.startswith("arith.") or op in ("arith.max", "arith.min"):
        for each in axes:
            if x.shape[each] == 0:
                raise TypeError(f"expected at least one element, got shape {shown(x.shape)}")
    found = r.over_modes(node, op, x, axes)
    return kept(r, node, found, axes) if constant(keepdims) else found


def kept(r: Reader, node: ast.AST, found: Array, axes: Sequence[int]) -> Array:
    """Return a reduced array with modes of size 1 where they were."""
    for each in sorted(axes):
        found = r.index_new(node, found, each)
    return found


FUNCTIONS |= {
    name: functools.partial(_reduction, op)
    for op, names in {
        "arith.add": ("sum",), "arith.mul": ("prod",), "maximum": ("max", "amax"),
        "minimum": ("min", "amin"), "arith.or": ("any",), "arith.and": ("all",),
    }.items()
    for name in names
}  # fmt: skip
_sum = FUNCTIONS["sum"]


@known_as("average")
def _average(
    r: Reader, node: ast.AST, x: Any, axis: Any = None, weights: Any = None, *,
    keepdims: Any = False,
) -> Any:  # fmt: skip
    if weights is None or (isinstance(weights, Static) and weights.value is None):
        return _mean(r, node, x, axis, keepdims=keepdims)
    x, weights = r.array(x, node), r.array(weights, node)
    if weights.shape != x.shape:
        message = f"expected weights of shape {shown(x.shape)}, got {shown(weights.shape)}"
        raise TypeError(message)
    total = _sum(r, node, r.combined(node, ast.Mult(), x, weights), axis, keepdims=keepdims)
    return r.combined(node, ast.Div(), total, _sum(r, node, weights, axis, keepdims=keepdims))


@known_as("mean")
def _mean(
    r: Reader, node: ast.AST, x: Any, axis: Any = None, dtype: Any = None, *,
    keepdims: Any = False,
) -> Any:  # fmt: skip
    x = r.array(x, node)
    x = r.cast(x, node, r.floating(x.type) if dtype is None else type_named(dtype))
    count = math.prod(x.shape[each] for each in axes_of(axis, len(x.shape)))
    total = _sum(r, node, x, axis, keepdims=keepdims)
    return r.combined(node, ast.Div(), total, Static(float(count)))


@known_as("var")
def _var(
    r: Reader, node: ast.AST, x: Any, axis: Any = None, *, ddof: Any = 0, keepdims: Any = False
) -> Any:
    x = r.array(x, node)
    apart = r.combined(node, ast.Sub(), x, _mean(r, node, x, axis, keepdims=Static(True)))
    count = math.prod(x.shape[each] for each in axes_of(axis, len(x.shape))) - constant(ddof)
    total = _sum(r, node, _squares(r, node, apart), axis, keepdims=keepdims)
    return r.combined(node, ast.Div(), total, Static(float(count)))


@known_as("std")
def _std(r: Reader, node: ast.AST, *args: Any, **named: Any) -> Any:
    return _real("sqrt", r, node, _var(r, node, *args, **named))


def _squares(r: Reader, node: ast.AST, x: Array) -> Array:
    """Return the squares of absolute values."""
    if x.type.kind != "complex":
        return r.elementwise(node, "arith.mul", [x, x])
    parts = [_re(r, node, x), _im(r, node, x)]
    return r.combined(node, ast.Add(), *(r.elementwise(node, "arith.mul", [p, p]) for p in parts))  # type: ignore[no-any-return]


@known_as("norm")
def _norm(
    r: Reader,
    node: ast.AST,
    x: Any,
    ord: Any = None,  # noqa: A002, as NumPy calls it
    axis: Any = None,
    keepdims: Any = False,
) -> Any:
    x = r.array(x, node)
    x = r.cast(x, node, r.floating(x.type))
    order = None if ord is None else constant(ord)
    rank = len(axes_of(axis, len(x.shape)))
    if order in (None, "fro") or (order == 2 and rank == 1):
        return _real("sqrt", r, node, _sum(r, node, _squares(r, node, x), axis, keepdims=keepdims))
    size = _abs(r, node, x)
    if order == math.inf and rank == 1:
        return _reduction("maximum", r, node, size, axis, keepdims=keepdims)
    if order == 1 and rank == 1:
        return _sum(r, node, size, axis, keepdims=keepdims)
    raise TypeError(f"expected a norm of order 1, 2 or inf of a vector, got {order!r}")


@known_as("dot")
def _dot(r: Reader, node: ast.AST, x: Any, y: Any) -> Any:
    return r.product(node, r.array(x, node), r.array(y, node))


@known_as("vdot", "inner")
def _vdot(r: Reader, node: ast.AST, x: Any, y: Any) -> Any:
    x, y = r.array(x, node), r.array(y, node)
    if len(x.shape) != 1 or len(y.shape) != 1:
        raise TypeError(f"expected two vectors, got {shown(x.shape)} and {shown(y.shape)}")
    called = getattr(node, "func", None)
    is_vdot = getattr(called, "attr", getattr(called, "id", "")) == "vdot"
    return r.product(node, _conj(r, node, x) if is_vdot else x, y)


@known_as("outer")
def _outer(r: Reader, node: ast.AST, x: Any, y: Any) -> Any:
    x, y = r.array(x, node), r.array(y, node)
    x, y = (r.reshaped(node, each, (each.size,)) for each in (x, y))
    return r.elementwise(node, "arith.mul", [r.index_new(node, x, 1), r.index_new(node, y, 0)])


def matrix(r: Reader, node: ast.AST, x: Any) -> Array:
    """Return an array that must have two modes."""
    x = r.array(x, node)
    if len(x.shape) != 2:
        raise TypeError(f"expected a matrix, got an array of shape {shown(x.shape)}")
    return x  # type: ignore[no-any-return]


def part(r: Reader, node: ast.AST, x: Array, axis: int, index: int) -> Array:
    """Return an array at an index of a mode."""
    axis %= len(x.shape)
    items: list[Any] = [Range(0, 1, size) for size in x.shape]
    items[axis] = index
    return r.made(node, "slice", [x], item_sizes(items), x.type, tuple(items))


@known_as("cumsum")
def _cumsum(
    r: Reader, node: ast.AST, x: Any, axis: Any = None, dtype: Any = None, *, reverse: Any = False
) -> Any:
    x = r.array(x, node)
    if axis is None or constant(axis) is None:
        x, axis = r.reshaped(node, x, (x.size,)), Static(0)
    if dtype is not None:
        x = r.cast(x, node, type_named(dtype))
    if x.type.kind in ("bool", "integer"):
        x = r.cast(x, node, SCALARS["i64"])
    mode = axis_of(axis, len(x.shape))
    return r.made(node, "cumsum", [x], x.shape, x.type, (mode, bool(constant(reverse))))


@known_as("softmax")
def _softmax(r: Reader, node: ast.AST, x: Any, axis: Any = -1) -> Any:
    x = r.array(x, node)
    largest = _reduction("maximum", r, node, x, axis, keepdims=Static(True))
    powers = _real("math.exp", r, node, r.combined(node, ast.Sub(), x, largest))
    total = _sum(r, node, powers, axis, keepdims=Static(True))
    return r.combined(node, ast.Div(), powers, total)


METHODS = frozenset(
    (
        *("sum", "prod", "max", "min", "any", "all", "mean", "var", "std", "dot", "trace"),
        *("diagonal", "cumsum", "copy", "astype", "transpose", "swapaxes", "reshape", "ravel"),
        *("flatten", "clip", "squeeze", "conj", "conjugate", "argmax", "argmin", "round"),
    )
)
"""Functions that are methods of arrays, too."""
