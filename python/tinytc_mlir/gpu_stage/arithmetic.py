# SPDX-License-Identifier: BSD-3-Clause
"""What the operations without regions and effects compute.

A value is a NumPy scalar or an array, of the dtype that the arithmetic has for its type.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._tinytc import enum_word
from ..reference import stage_arithmetic
from ..reference.arithmetic import Arithmetic
from ..reference.rounding import Array
from ..reference.stage_arithmetic import Function
from ..reference.untyped import Ir, Value
from ..scalars import ScalarType, scalar_type_named
from .lanes import choose

_WORDS = {
    **{f"arith.{word}f": word for word in ("add", "sub", "mul", "div", "rem")},
    **{f"arith.{word}i": word for word in ("add", "sub", "mul", "and", "or", "xor")},
    **{f"arith.{word}si": word for word in ("div", "rem", "min", "max")},
    "arith.minnumf": "min",
    "arith.maxnumf": "max",
    "arith.shli": "shl",
    "arith.shrsi": "shr",
}
_UNSIGNED = {f"arith.{word}ui": word for word in ("div", "rem", "min", "max", "shr")}
_UNARY = {
    **{f"math.{word}": word for word in ("atan", "ceil", "cos", "exp", "exp2", "expm1", "floor")},
    **{f"math.{word}": word for word in ("log", "log1p", "log2", "rsqrt", "sin", "sqrt", "tanh")},
    **dict.fromkeys(("math.absf", "math.absi"), "abs"),
    "arith.negf": "neg",
    "complex.re": "re",
    "complex.im": "im",
}
_OF_SEVERAL = {
    "arith.maximumf": "maximum",
    "arith.minimumf": "minimum",
    "math.copysign": "copysign",
    "math.fma": "fma",
    "math.powf": "pow",
}
_PLAIN: dict[str, Function] = {"arith.select": choose}
_CASTS = {
    **dict.fromkeys(("arith.extf", "arith.truncf", "arith.fptosi", "arith.sitofp"), False),
    **dict.fromkeys(("arith.extsi", "arith.trunci", "arith.index_cast"), False),
    **dict.fromkeys(("arith.extui", "arith.index_castui", "arith.uitofp"), True),
}
"""Whether a conversion takes integers as unsigned."""

# By the value of the attribute `predicate`; those of unsigned integers come last.
_INTEGER_PREDICATES = ("eq", "ne", "lt", "le", "gt", "ge", "lt", "le", "gt", "ge")
_FIRST_UNSIGNED = 6
_FLOAT_PREDICATES = (
    *("false", "eq", "gt", "ge", "lt", "le", "ne", "ord"),
    *("eq", "gt", "ge", "lt", "le", "ne", "uno", "true"),
)
_FIRST_UNORDERED = 8
_OF_NAN: dict[str, Function] = {
    "false": lambda has_nan: has_nan & False,
    "ord": np.logical_not,
    "uno": lambda has_nan: has_nan,
    "true": lambda has_nan: has_nan | True,
}

DIVISIONS = ("arith.divsi", "arith.divui", "arith.remsi", "arith.remui")
"""Operations whose second operand must not be 0."""


def constant(op: Ir, arithmetic: Arithmetic) -> Value:
    """Return the value of an operation without operands, None if it is not a constant."""
    if op.name == "arith.constant":
        return arithmetic.constant(_type(op.results[0]), op.attributes["value"].value)
    if op.name == "complex.constant":
        real, imaginary = (part.value for part in op.attributes["value"])
        return arithmetic.constant(_type(op.results[0]), complex(real, imaginary))
    return arithmetic.constant(_type(op.results[0]), 0) if op.name == "ub.poison" else None


def function(op: Ir, arithmetic: Arithmetic) -> Function | None:
    """Return what an operation does to the values of its operands; None if unknown."""
    maker = _MAKERS.get(op.name)
    return _PLAIN.get(op.name) if maker is None else maker(op, arithmetic)


def _binary(op: Ir, arithmetic: Arithmetic) -> Function:
    word, is_unsigned = _WORDS.get(op.name) or _UNSIGNED[op.name], op.name in _UNSIGNED
    result = _type(op.results[0])
    return stage_arithmetic.binary(arithmetic, word, result, is_unsigned=is_unsigned)


def _cast(op: Ir, arithmetic: Arithmetic) -> Function:
    types = _type(op.operands[0]), _type(op.results[0])
    return stage_arithmetic.cast(arithmetic, *types, is_unsigned=_CASTS[op.name])


def _bitcast(op: Ir, arithmetic: Arithmetic) -> Function:
    return arithmetic.bitcast(_type(op.operands[0]), _type(op.results[0]))


def _type(value: Ir) -> ScalarType:
    return scalar_type_named(str(value.type))


def _comparison(op: Ir, arithmetic: Arithmetic) -> Function:
    predicate, of = op.attributes["predicate"].value, _type(op.operands[0])
    if op.name == "arith.cmpi":
        word, is_unsigned = _INTEGER_PREDICATES[predicate], predicate >= _FIRST_UNSIGNED
        return stage_arithmetic.compare(arithmetic, word, of, is_unsigned=is_unsigned)
    word = _FLOAT_PREDICATES[predicate]
    if word in _OF_NAN:
        test = _OF_NAN[word]
        return lambda a, b: test(arithmetic.is_nan(a) | arithmetic.is_nan(b))
    is_unordered = predicate >= _FIRST_UNORDERED
    return stage_arithmetic.compare_floats(arithmetic, word, of, is_unordered=is_unordered)


def _complex(op: Ir, arithmetic: Arithmetic) -> Function:
    dtype: Any = arithmetic.value_dtype(_type(op.results[0]))

    def create(real: Value, imaginary: Value) -> Value:
        result = np.empty(np.broadcast_shapes(real.shape, imaginary.shape), dtype)
        result.real = real
        result.imag = imaginary
        return result[()]

    return create


def packed_product(op: Ir, arithmetic: Arithmetic) -> Function:
    """Return the function that adds the products of the numbers in two words up.

    Args:
        op: the operation, whose attribute `numbers` says what they are.
        arithmetic: what numbers are.
    """
    numbers = enum_word(op.attributes["numbers"])
    first, second = _PACKED_DTYPES[numbers]

    def unpack(words: Value, dtype: np.dtype[Any]) -> Array:
        return np.asarray(words, np.int32)[..., None].view(dtype)

    def add_bytes(a: Value, b: Value, c: Value) -> Value:
        sums = (unpack(a, first).astype(np.int64) * unpack(b, second)).sum(axis=-1)
        return (sums + c).astype(np.int32)[()]

    half, single = scalar_type_named("bf16"), scalar_type_named("f32")
    multiply, add = (arithmetic.binary(word, single) for word in ("mul", "add"))

    def add_halves(a: Value, b: Value, c: Value) -> Value:
        x, y = (arithmetic.from_memory(half, unpack(bits, first)) for bits in (a, b))
        low, high = np.moveaxis(np.asarray(multiply(x, y)), -1, 0)
        return add(add(c, low), high)

    return add_halves if numbers == "bf16" else add_bytes


def widened_halves(words: Value) -> Array:
    """Return the two numbers of bf16 in each word, as the last mode."""
    halves = np.asarray(words, np.int32)[..., None].view(np.uint16)
    return (halves.astype(np.uint32) << 16).view(np.float32)


_PACKED_DTYPES: dict[str, tuple[np.dtype[Any], np.dtype[Any]]] = {
    "i16": (np.dtype(np.int16), np.dtype(np.int16)),
    "i8": (np.dtype(np.int8), np.dtype(np.int8)),
    "ui8": (np.dtype(np.uint8), np.dtype(np.int8)),
    "bf16": (np.dtype(np.uint16), np.dtype(np.uint16)),
}

_MAKERS: dict[str, Callable[[Ir, Arithmetic], Function]] = {
    **dict.fromkeys((*_WORDS, *_UNSIGNED), _binary),
    **dict.fromkeys(_UNARY, lambda op, of: of.unary(_UNARY[op.name], _type(op.operands[0]))),
    **dict.fromkeys(
        _OF_SEVERAL, lambda op, of: of.of_several(_OF_SEVERAL[op.name], _type(op.results[0]))
    ),
    **dict.fromkeys(_CASTS, _cast),
    **dict.fromkeys(("arith.cmpi", "arith.cmpf"), _comparison),
    "arith.bitcast": _bitcast,
    "tinytc.packed_mul_add": packed_product,
    "complex.create": _complex,
}


def combination(word: str, type_name: str, arithmetic: Arithmetic) -> Function:
    """Return the function that combines two values in a reduction or an atomic update.

    Args:
        word: "add", "mul", "min", "max", "and", "or" or "xor", or "assign" for the second value.
        type_name: type of the values.
        arithmetic: what numbers are.

    >>> from tinytc_mlir.reference.arithmetic import NUMPY
    >>> int(combination("max", "i32", NUMPY)(np.int32(3), np.int32(4)))
    4
    """
    if word == "assign":
        return lambda old, new: new
    return arithmetic.binary(word, scalar_type_named(type_name))
