"""What the element-wise operations of the tile dialect compute, on NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tinytc_mlir.reference import stage_arithmetic
from tinytc_mlir.reference.arithmetic import NUMPY
from tinytc_mlir.reference.stage_arithmetic import Function
from tinytc_mlir.reference.untyped import Ir
from tinytc_mlir.scalars import ScalarType

from .types import type_of

_BINARY = {
    **{f"tile.{word}f": word for word in ("add", "sub", "mul", "div", "rem", "min", "max")},
    **{f"tile.{word}i": word for word in ("add", "sub", "mul", "and", "or", "xor")},
}
_SIGNED = {f"tile.{word}i": word for word in ("div", "rem", "min", "max")}
_SHIFTS = {"tile.shli": "shl", "tile.shri": "shr"}
_UNARY = {
    **{f"tile.{word}": word for word in ("exp", "exp2", "log", "log2", "sin", "cos")},
    **{f"tile.{word}": word for word in ("ceil", "floor", "rsqrt", "sqrt", "tanh")},
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


def _binary(op: Ir) -> Function:
    element, word = _result(op), {**_BINARY, **_SIGNED, **_SHIFTS}[op.name]
    if "propagate_nan" in op.attributes:
        return NUMPY.of_several(f"{word}imum", element)
    is_unsigned = op.name in _SIGNED and _is_unsigned(op)
    return stage_arithmetic.binary(NUMPY, word, element, is_unsigned=is_unsigned)


def _unary(op: Ir) -> Function:
    return NUMPY.unary(_UNARY[op.name], _result(op))


def _compare(op: Ir) -> Function:
    word = _PREDICATES[word_of(op.attributes["comparison_predicate"])]
    element = type_of(op.operands[0]).element
    if op.name == "tile.cmpi":
        return stage_arithmetic.compare(NUMPY, word, element, is_unsigned=_is_unsigned(op))
    is_unordered = word_of(op.attributes["comparison_ordering"]) == "unordered"
    return stage_arithmetic.compare_floats(NUMPY, word, element, is_unordered=is_unordered)


def _convert(op: Ir) -> Function:
    source = type_of(op.operands[0]).element
    return stage_arithmetic.cast(NUMPY, source, _result(op), is_unsigned=_is_unsigned(op))


def _bitcast(op: Ir) -> Function:
    return NUMPY.bitcast(type_of(op.operands[0]).element, _result(op))


def _matrix_product(op: Ir) -> Function:
    dtype = _result(op).value_dtype
    return lambda a, b, c: np.matmul(a.astype(dtype), b.astype(dtype)) + c


MAKERS: dict[str, Callable[[Ir], Function]] = {
    **dict.fromkeys((*_BINARY, *_SIGNED, *_SHIFTS), _binary),
    **dict.fromkeys(_UNARY, _unary),
    **dict.fromkeys(_CONVERSIONS, _convert),
    **dict.fromkeys(("tile.cmpf", "tile.cmpi"), _compare),
    **dict.fromkeys(("tile.mmaf", "tile.mmai"), _matrix_product),
    "tile.bitcast": _bitcast,
    "tile.fma": lambda op: NUMPY.of_several("fma", _result(op)),
    "tile.pow": lambda op: NUMPY.of_several("pow", _result(op)),
    "tile.select": lambda op: np.where,
}
"""By the name of an operation: returns the function of its operands."""
