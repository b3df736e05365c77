"""What the element-wise operations of the tile dialect compute, on NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tinytc_mlir.reference.arithmetic import binary, bitcast, compare, of_several, unary
from tinytc_mlir.reference.rounding import round_to
from tinytc_mlir.reference.untyped import Ir, Value
from tinytc_mlir.scalars import ScalarType

from .types import type_of

Function = Callable[..., Any]

_BINARY = {
    **{f"tile.{word}f": word for word in ("add", "sub", "mul", "div", "rem", "min", "max")},
    **{f"tile.{word}i": word for word in ("add", "sub", "mul", "and", "or", "xor")},
}
_SIGNED = {f"tile.{word}i": word for word in ("div", "rem", "min", "max")}
_SHIFTS = {"tile.shli": "shl", "tile.shri": "shr"}
_UNARY = {
    **{f"tile.{word}": word for word in ("exp", "exp2", "log", "log2", "sin", "cos")},
    **{f"tile.{word}": word for word in ("ceil", "floor", "rsqrt", "tanh")},
    **dict.fromkeys(("tile.absf", "tile.absi"), "abs"),
    **dict.fromkeys(("tile.negf", "tile.negi"), "neg"),
}
_PREDICATES = {
    "equal": "eq",
    "not_equal": "ne",
    "less_than": "lt",
    "less_than_or_equal": "le",
    "greater_than": "gt",
    "greater_than_or_equal": "ge",
}
_CONVERSIONS = ("tile.exti", "tile.ftof", "tile.ftoi", "tile.itof", "tile.trunci")


def word_of(attribute: Ir) -> str:
    """Return the keyword of an attribute of an enum."""
    return str(attribute).rsplit("<", 1)[-1].split()[-1].rstrip(">")


def _is_unsigned(op: Ir) -> bool:
    return "signedness" in op.attributes and word_of(op.attributes["signedness"]) == "unsigned"


def _result(op: Ir) -> ScalarType:
    element: ScalarType = type_of(op.results[0]).element
    return element


def _as_unsigned(values: Value) -> Value:
    if values.dtype == bool:
        return values
    return values.view(np.dtype(f"u{values.dtype.itemsize}"))


def _binary(op: Ir) -> Function:
    """Integers of one bit are computed modulo 2."""
    element, word = _result(op), {**_BINARY, **_SIGNED, **_SHIFTS}[op.name]
    if element.kind == "bool":
        word = {"add": "xor", "sub": "xor", "mul": "and"}.get(word, word)
        return {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}[word]
    if "propagate_nan" in op.attributes:
        return of_several(f"{word}imum", element)
    compute = binary(word, element)
    if op.name in _SIGNED and _is_unsigned(op):
        functions = {"div": np.floor_divide, "rem": np.mod, "min": np.minimum, "max": np.maximum}
        unsigned = functions[word]
        return lambda a, b: unsigned(_as_unsigned(a), _as_unsigned(b)).view(a.dtype)
    return compute


def _unary(op: Ir) -> Function:
    return unary(_UNARY[op.name], _result(op))


def _sqrt(op: Ir) -> Function:
    element = _result(op)
    return lambda a: round_to(element, np.sqrt(np.asarray(a, np.float64)))


def _compare(op: Ir) -> Function:
    word = _PREDICATES[word_of(op.attributes["comparison_predicate"])]
    test = compare(word)
    if op.name == "tile.cmpi":
        if _is_unsigned(op):
            return lambda a, b: test(_as_unsigned(a), _as_unsigned(b))
        return test
    is_unordered = word_of(op.attributes["comparison_ordering"]) == "unordered"

    def result(a: Value, b: Value) -> Value:
        has_nan = np.isnan(a) | np.isnan(b)
        return (test(a, b) | has_nan) if is_unordered else (test(a, b) & ~has_nan)

    return result


def _convert(op: Ir) -> Function:
    element = _result(op)

    def result(a: Value) -> Value:
        if a.dtype == bool:
            return a.astype(element.value_dtype) * (1 if _is_unsigned(op) else -1)
        values = _as_unsigned(a) if _is_unsigned(op) and a.dtype.kind == "i" else a
        return np.asarray(round_to(element, values)).astype(element.value_dtype)

    return result


def _bitcast(op: Ir) -> Function:
    return bitcast(type_of(op.operands[0]).element, _result(op))


def _fma(op: Ir) -> Function:
    element = _result(op)
    wide = np.longdouble if element.name == "f64" else np.float64
    return lambda a, b, c: round_to(element, a.astype(wide) * b.astype(wide) + c)


def _matrix_product(op: Ir) -> Function:
    dtype = _result(op).value_dtype
    return lambda a, b, c: np.matmul(a.astype(dtype), b.astype(dtype)) + c


def _select(op: Ir) -> Function:
    return np.where


MAKERS: dict[str, Callable[[Ir], Function]] = {
    **dict.fromkeys((*_BINARY, *_SIGNED, *_SHIFTS), _binary),
    **dict.fromkeys(_UNARY, _unary),
    **dict.fromkeys(_CONVERSIONS, _convert),
    **dict.fromkeys(("tile.cmpf", "tile.cmpi"), _compare),
    **dict.fromkeys(("tile.mmaf", "tile.mmai"), _matrix_product),
    "tile.bitcast": _bitcast,
    "tile.fma": _fma,
    "tile.pow": lambda op: of_several("pow", _result(op)),
    "tile.select": _select,
    "tile.sqrt": _sqrt,
}
"""By the name of an operation: returns the function of its operands."""
