# SPDX-License-Identifier: BSD-3-Clause
"""Arithmetic of SPIR-V and of OpenCL's extended instructions, as Python expressions.

A vector is an array with a row for each work-item. Integers are unsigned in registers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from ...reference.untyped import Value
from ..findings import FINDINGS, Unsupported
from ..numbers import UNSIGNED, fma
from .module import Type

SIGNED = {8: np.int8, 16: np.int16, 32: np.int32, 64: np.int64}

#: Expressions of instructions by name; {0} and {1} are operands, {s0} and {s1} signed ones.
TEMPLATES = {
    "IAdd": "{0} + {1}",
    "ISub": "{0} - {1}",
    "IMul": "{0} * {1}",
    "FAdd": "{0} + {1}",
    "FSub": "{0} - {1}",
    "FMul": "{0} * {1}",
    "FDiv": "{0} / {1}",
    "FRem": "np.fmod({0}, {1})",
    "BitwiseAnd": "{0} & {1}",
    "BitwiseOr": "{0} | {1}",
    "BitwiseXor": "{0} ^ {1}",
    "LogicalAnd": "{0} & {1}",
    "LogicalOr": "{0} | {1}",
    "LogicalEqual": "{0} == {1}",
    "LogicalNotEqual": "{0} != {1}",
    "IEqual": "{0} == {1}",
    "INotEqual": "{0} != {1}",
    "UGreaterThan": "{0} > {1}",
    "UGreaterThanEqual": "{0} >= {1}",
    "ULessThan": "{0} < {1}",
    "ULessThanEqual": "{0} <= {1}",
    "SGreaterThan": "{s0} > {s1}",
    "SLessThan": "{s0} < {s1}",
    "SGreaterThanEqual": "{s0} >= {s1}",
    "SLessThanEqual": "{s0} <= {s1}",
    "FOrdEqual": "{0} == {1}",
    "FOrdLessThan": "{0} < {1}",
    "FOrdGreaterThan": "{0} > {1}",
    "FOrdLessThanEqual": "{0} <= {1}",
    "FOrdGreaterThanEqual": "{0} >= {1}",
    "FUnordNotEqual": "{0} != {1}",
    "FUnordLessThan": "~({0} >= {1})",
    "FUnordGreaterThan": "~({0} <= {1})",
    "FUnordLessThanEqual": "~({0} > {1})",
    "FUnordGreaterThanEqual": "~({0} < {1})",
    "FOrdNotEqual": "({0} != {1}) & ~np.isnan({0}) & ~np.isnan({1})",
    "FUnordEqual": "({0} == {1}) | np.isnan({0}) | np.isnan({1})",
    "Ordered": "~np.isnan({0}) & ~np.isnan({1})",
    "Unordered": "np.isnan({0}) | np.isnan({1})",
    "UDiv": "divide({0}, {1}, remainder=False)",
    "UMod": "divide({0}, {1}, remainder=True)",
    "SDiv": "unsigned(divide({s0}, {s1}, remainder=False))",
    "SRem": "unsigned(divide({s0}, {s1}, remainder=True))",
    "ShiftLeftLogical": "shift_by(np.left_shift, {0}, {1})",
    "ShiftRightLogical": "shift_by(np.right_shift, {0}, {1})",
    "ShiftRightArithmetic": "unsigned(shift_by(np.right_shift, {s0}, {1}))",
    "Not": "~{0}",
    "LogicalNot": "~{0}",
    "FNegate": "-{0}",
    "SNegate": "unsigned(-{s0})",
    "IsNan": "np.isnan({0})",
    "IsInf": "np.isinf({0})",
    "IsFinite": "np.isfinite({0})",
    "SignBitSet": "np.signbit({0})",
    "CopyObject": "{0}",
    "ConvertPtrToU": "{0}",
    "ConvertUToPtr": "{0}",
    "UConvert": "{0}",
    "FConvert": "round_float({0}, 'f{bits}')",
    "SConvert": "unsigned({s0}.astype(SIGNED[{bits}]))",
    "ConvertSToF": "round_float({s0}, 'f{bits}')",
    "ConvertUToF": "round_float({0}, 'f{bits}')",
    "ConvertFToS": "unsigned(to_integer({0}, SIGNED[{bits}], 'rzi'))",
    "ConvertFToU": "to_integer({0}, UNSIGNED[{bits}], 'rzi')",
    "VectorTimesScalar": "{0} * column({1}, True)",
    "Select": "np.where(column({0}, {is_vector}), {1}, {2})",
}

EXTENDED = {
    **dict.fromkeys(("fma", "mad"), "multiply_add({0}, {1}, {2})"),
    **dict.fromkeys(("fmax", "fmax_common"), "np.fmax({0}, {1})"),
    **dict.fromkeys(("fmin", "fmin_common"), "np.fmin({0}, {1})"),
    "s_max": "unsigned(np.maximum({s0}, {s1}))",
    "s_min": "unsigned(np.minimum({s0}, {s1}))",
    "u_max": "np.maximum({0}, {1})",
    "u_min": "np.minimum({0}, {1})",
    "s_abs": "unsigned(np.abs({s0}))",
    "copysign": "np.copysign({0}, {1})",
    "s_mul_hi": "unsigned(multiply_high({s0}, {s1}))",
    "u_mul_hi": "multiply_high({0}, {1})",
    "fmod": "np.fmod({0}, {1})",
    "pow": "np.power({0}, {1})",
}

FUNCTIONS: dict[str, Callable[..., Value]] = {
    "exp": np.exp,
    "exp2": np.exp2,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "tanh": np.tanh,
    "sqrt": np.sqrt,
    "expm1": np.expm1,
    "log1p": np.log1p,
    "exp10": lambda x: 10.0**x,
    "fabs": np.abs,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "recip": np.reciprocal,
    "rint": np.rint,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
}


def signed(x: Value) -> Value:
    """Return integers with signs."""
    x = np.asarray(x)
    return x.view(SIGNED[x.dtype.itemsize * 8]) if x.dtype.kind == "u" else x


def unsigned(x: Value) -> Value:
    """Return integers without signs."""
    x = np.asarray(x)
    return x.view(UNSIGNED[x.dtype.itemsize * 8])


def shift_by(operation: Callable[..., Value], a: Value, count: Value) -> Value:
    """Shift integers; by the width of the type or more is undefined."""
    a, count = np.asarray(a), np.asarray(count).astype(np.uint64)
    bits = a.dtype.itemsize * 8
    if (count >= bits).any():
        FINDINGS.add("shift", "by the width of the type or more")
    return operation(a, np.minimum(count, bits - 1).astype(a.dtype))


def column(numbers: Value, is_vector: bool) -> Value:
    """Return a number for each work-item so that it goes with their vectors, if these are such."""
    return numbers[:, None] if is_vector and np.ndim(numbers) == 1 else numbers


def multiply_add(a: Value, b: Value, c: Value) -> Value:
    """Return a * b + c, rounded once."""
    return fma(a, b, c, f"f{np.result_type(a).itemsize * 8}")


def function_named(name: str) -> Callable[..., Value] | None:
    """Return a function of OpenCL of one operand; None if there is none here."""
    return FUNCTIONS.get(re.sub("^(native|half)_", "", name))


def function(name: str, x: Value) -> Value:
    """Return a function of OpenCL, as close as f64 and more bits can."""
    found = function_named(name)
    if found is None:
        raise Unsupported(f"function {name}")
    x = np.asarray(x)
    wide = np.longdouble if x.dtype == np.float64 else np.float64
    return found(x.astype(wide)).astype(x.dtype)


def expression(template: str, operands: Sequence[str], type_: Type) -> str:
    """Return what a template says of operands, for a result of a type."""
    names = {f"s{k}": f"signed({operand})" for k, operand in enumerate(operands)}
    return template.format(*operands, **names, bits=type_.scalar.bits, is_vector=type_.is_vector)


NAMESPACE = {
    name.__name__: name for name in (signed, unsigned, shift_by, column, multiply_add, function)
} | {"SIGNED": SIGNED}
