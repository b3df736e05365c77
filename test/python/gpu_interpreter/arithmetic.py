"""What the operations without regions and effects compute, on NumPy values.

A value is a NumPy scalar or an array, of the `value_dtype` of its type. Those of types
that NumPy has not are f32 numbers that the type can hold.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from tinytc_mlir.reference.arithmetic import binary, cast, compare, of_several
from tinytc_mlir.reference.rounding import round_to
from tinytc_mlir.reference.untyped import Ir, Value
from tinytc_mlir.scalars import SCALAR_TYPES, ScalarType, scalar_type_named

from .lanes import choose

Function = Callable[..., Any]

_BINARY = {
    "arith.divf": "div",
    "arith.remf": "rem",
    "arith.minnumf": "min",
    "arith.maxnumf": "max",
    "arith.addf": "add",
    "arith.subf": "sub",
    "arith.mulf": "mul",
    "arith.divsi": "div",
    "arith.remsi": "rem",
    "arith.minsi": "min",
    "arith.maxsi": "max",
    "arith.addi": "add",
    "arith.subi": "sub",
    "arith.muli": "mul",
    "arith.andi": "and",
    "arith.ori": "or",
    "arith.xori": "xor",
    "arith.shli": "shl",
    "arith.shrsi": "shr",
}
_PLAIN: dict[str, Function] = {
    "arith.maximumf": np.maximum,
    "arith.minimumf": np.minimum,
    "arith.negf": np.negative,
    "arith.select": choose,
    "complex.re": np.real,
    "complex.im": np.imag,
    "math.absf": np.abs,
    "math.absi": np.abs,
    "math.copysign": np.copysign,
}
_UNSIGNED: dict[str, Function] = {
    "arith.divui": operator.floordiv,
    "arith.remui": operator.mod,
    "arith.minui": np.minimum,
    "arith.maxui": np.maximum,
    "arith.shrui": operator.rshift,
}
_UNARY: dict[str, Function] = {
    "math.atan": np.arctan,
    "math.ceil": np.ceil,
    "math.cos": np.cos,
    "math.exp": np.exp,
    "math.exp2": np.exp2,
    "math.expm1": np.expm1,
    "math.floor": np.floor,
    "math.log": np.log,
    "math.log1p": np.log1p,
    "math.log2": np.log2,
    "math.rsqrt": lambda a: 1 / np.sqrt(a),
    "math.sin": np.sin,
    "math.sqrt": np.sqrt,
    "math.tanh": np.tanh,
}
_SIGNED_CASTS = (
    "arith.extf",
    "arith.extsi",
    "arith.fptosi",
    "arith.index_cast",
    "arith.sitofp",
    "arith.truncf",
    "arith.trunci",
)
_UNSIGNED_CASTS = ("arith.extui", "arith.index_castui", "arith.uitofp")
# By the value of the attribute `predicate`; those of unsigned integers come last.
_INTEGER_PREDICATES = ("eq", "ne", "lt", "le", "gt", "ge", "lt", "le", "gt", "ge")
_FIRST_UNSIGNED = 6
_FLOAT_PREDICATES = (
    *("false", "eq", "gt", "ge", "lt", "le", "ne", "ord"),
    *("eq", "gt", "ge", "lt", "le", "ne", "uno", "true"),
)
_FIRST_UNORDERED = 8

DIVISIONS = ("arith.divsi", "arith.divui", "arith.remsi", "arith.remui")
"""Operations whose second operand must not be 0."""


def constant(op: Ir) -> Value:
    """Return the value of an operation without operands, None if it is not a constant."""
    if op.name == "arith.constant":
        scalar_type = _type(op.results[0])
        return scalar_type.value_dtype.type(op.attributes["value"].value)
    if op.name == "complex.constant":
        real, imaginary = (part.value for part in op.attributes["value"])
        return _type(op.results[0]).value_dtype.type(complex(real, imaginary))
    if op.name == "ub.poison":
        return _type(op.results[0]).value_dtype.type(0)
    return None


def function(op: Ir) -> Function | None:
    """Return what an operation does to the values of its operands; None if unknown."""
    maker = _MAKERS.get(op.name)
    return None if maker is None else maker(op)


def _type(value: Ir) -> ScalarType:
    return scalar_type_named(str(value.type))


def _binary(op: Ir) -> Function:
    """Integers of one bit are computed modulo 2."""
    scalar_type, word = _type(op.results[0]), _BINARY[op.name]
    if scalar_type.kind == "bool":
        word = {"add": "xor", "sub": "xor", "mul": "and"}.get(word, word)
    return binary(word, scalar_type)


def _unary(op: Ir) -> Function:
    """Functions of small types are computed in double precision and rounded once."""
    compute, scalar_type = _UNARY[op.name], _type(op.results[0])
    if scalar_type.kind != "floating" or scalar_type.name == "f64":
        return compute
    return lambda a: round_to(scalar_type, compute(np.asarray(a, np.float64)))


def _unsigned(op: Ir) -> Function:
    compute = _UNSIGNED[op.name]

    def result(a: Value, b: Value) -> Value:
        return compute(as_unsigned(a), as_unsigned(b)).view(a.dtype)

    return result


def as_unsigned(values: Value) -> Value:
    """Return integers as the unsigned numbers with the same bits."""
    return values if values.dtype == np.bool_ else values.view(f"u{values.dtype.itemsize}")


def _cast(op: Ir) -> Function:
    source, result = _type(op.operands[0]), _type(op.results[0])
    is_signed = op.name not in _UNSIGNED_CASTS
    if source.value_dtype == result.value_dtype and source.kind == result.kind == "integer":
        return lambda a: a
    if result.kind == "bool":
        return lambda a: (a & 1).astype(np.bool_)
    convert = cast(source, result)
    if source.kind == "bool" and is_signed:
        return lambda a: convert(-a.astype(np.int8))
    if source.kind == "integer" and not is_signed:
        return lambda a: convert(as_unsigned(a))
    return convert


def _compare_integers(op: Ir) -> Function:
    predicate = op.attributes["predicate"].value
    test = compare(_INTEGER_PREDICATES[predicate])
    if predicate < _FIRST_UNSIGNED:
        return test
    return lambda a, b: test(as_unsigned(a), as_unsigned(b))


def _compare_floats(op: Ir) -> Function:
    """Ordered predicates are false where an operand is NaN, unordered ones true."""
    predicate = op.attributes["predicate"].value
    word = _FLOAT_PREDICATES[predicate]
    test = compare(word) if word in ("eq", "ne", "lt", "le", "gt", "ge") else None
    is_true = word in ("ord", "true")

    def result(a: Value, b: Value) -> Value:
        has_nan = np.isnan(a) | np.isnan(b)
        value = has_nan | True if test is None and is_true else has_nan & False
        if test is not None:
            value = test(a, b)
        return value | has_nan if predicate >= _FIRST_UNORDERED else value & ~has_nan

    return result


def _bitcast(op: Ir) -> Function:
    source, result = _type(op.operands[0]), _type(op.results[0])

    def bits(a: Value) -> Value:
        stored = np.asarray(source.to_memory(a)).view(result.dtype)
        return np.asarray(result.from_memory(stored))[()]

    return bits


def _fma(op: Ir) -> Function:
    """Products of small types are exact in double precision, those of f64 are rounded."""
    scalar_type = _type(op.results[0])
    if scalar_type.name == "f64":
        return lambda a, b, c: a * b + c
    double = np.float64
    if scalar_type.is_bits:
        return lambda a, b, c: round_to(scalar_type, a.astype(double) * b + c)
    dtype = scalar_type.value_dtype
    return lambda a, b, c: (a.astype(double) * b.astype(double) + c).astype(dtype)


def _complex(op: Ir) -> Function:
    dtype = _type(op.results[0]).value_dtype

    def create(real: Value, imaginary: Value) -> Value:
        result = np.empty(np.broadcast_shapes(real.shape, imaginary.shape), dtype)
        result.real = real
        result.imag = imaginary
        return result[()]

    return create


def _plain(op: Ir) -> Function:
    return _PLAIN[op.name]


_MAKERS: dict[str, Callable[[Any], Function]] = {
    **dict.fromkeys(_BINARY, _binary),
    **dict.fromkeys(_PLAIN, _plain),
    **dict.fromkeys((*_SIGNED_CASTS, *_UNSIGNED_CASTS), _cast),
    **dict.fromkeys(_UNARY, _unary),
    **dict.fromkeys(_UNSIGNED, _unsigned),
    "arith.bitcast": _bitcast,
    "arith.cmpf": _compare_floats,
    "arith.cmpi": _compare_integers,
    "complex.create": _complex,
    "math.fma": _fma,
    "math.powf": lambda op: of_several("pow", _type(op.results[0])),
}


@functools.cache
def combination(word: str, type_name: str) -> Function:
    """Return the function that combines two values in a reduction or an atomic update.

    Args:
        word: "add", "mul", "min", "max", "and", "or" or "xor", or "assign" for the second value.
        type_name: type of the values.

    >>> int(combination("max", "i32")(np.int32(3), np.int32(4)))
    4
    """
    if word == "assign":
        return lambda old, new: new
    return binary(word, SCALAR_TYPES[type_name])
