# SPDX-License-Identifier: BSD-3-Clause
"""Hints for people who know other languages: the words that this one uses."""

from __future__ import annotations

import re

from tinytc_mlir.frontend import ast
from tinytc_mlir.frontend.cursor import closest
from tinytc_mlir.frontend.instructions import (
    ALIASES,
    FAMILIES,
    INSTRUCTIONS,
    LATER_SPELLINGS,
    MATH,
)

_OTHER_NAMES = {
    "gemm": ("matmul", "mm", "bmm", "dot"),
    "gemv": ("matvec", "mv"),
    "ger": ("outer",),
    "axpby": ("axpy", "copy", "memcpy", "transpose"),
    "hadamard_product": ("multiply", "times"),
    "sum": ("reduce", "reduce_sum"),
    "max": ("maximum", "fmax"),
    "min": ("minimum", "fmin"),
    "rem": ("mod", "fmod"),
    "cumsum": ("scan", "prefix_sum"),
    "alloca": ("alloc", "local", "shared"),
    "barrier": ("sync", "syncthreads"),
    "group_id": ("block_id", "program_id"),
    "cast": ("convert", "astype"),
    "subview": ("slice", "view"),
}
_NAME_OF = {word: name for name, words in _OTHER_NAMES.items() for word in words}

_FUNCTIONS = sorted(name.removeprefix("math.") for name in MATH if "native" not in name)
_ADVICE = {
    "a value that depends on a condition is '%c = %b ? %x : %y : f32'": ("where",),
    'print "x", %x shows numbers in debug builds and the interpreter': ("printf",),
    "a function has no result: it stores to its parameters": ("return", "ret"),
    "a function is a kernel, which cannot call another": ("call", "invoke"),
    "loops are 'for', 'foreach' and 'parallel'": ("while", "loop", "break", "continue"),
    "a number that is not itself is NaN: '%b = %x != %x : bool'": ("isnan",),
    "a number is finite where '%b = %x - %x == 0.0 : bool' is true": ("isinf", "isfinite"),
    f"the functions of a number are {', '.join(_FUNCTIONS)}": (
        *("cbrt", "exp10", "log10", "erf", "erfc", "tgamma", "lgamma"),
        *("tan", "asin", "acos", "atan", "atan2", "sincos"),
        *("sinh", "cosh", "asinh", "acosh", "atanh"),
        *("round", "rint", "trunc", "sign", "copysign"),
        *("sigmoid", "relu", "softmax", "norm"),
    ),
}
_ADVICE_ON = {word: advice for advice, words in _ADVICE.items() for word in words}

_NO_COPIES = "a second name for a value is not needed; expressions have operators, as %a * 2.0"
_CONSTANTS = "a number alone is 'constant', as in '%c = constant 2.0 : f32'"

_MLIR = re.compile(r"module\b[^\n]*\{|(builtin\.module|func\.func|tinytc\.func|gpu\.module)\b")

READ_MLIR = "Context.parse_mlir reads MLIR, and so does tinytc-opt"
SIZES_IN_TYPES = "sizes follow the element type, as in memref<f32x16x8>"


def instruction_hint(name: str, *, is_result: bool = False) -> str:
    """Return what to write in place of a name that is no instruction, "" if that is unknown.

    Args:
        name: the name.
        is_result: whether '=' follows, as after the name of a value.

    >>> instruction_hint("matmul"), instruction_hint("frobnicate")
    ("did you mean 'gemm'?", '')
    """
    if name.partition(".")[0] in FAMILIES:
        return _family_hint(name)
    if is_result:
        return f"write '%{name}' for a value"
    if name in _ADVICE_ON:
        return advice_on(name)
    found = _NAME_OF.get(name) or closest(name, [*INSTRUCTIONS, *ALIASES, *LATER_SPELLINGS])
    return f"did you mean '{found}'?" if found else ""


def advice_on(name: str) -> str:
    """Return how to write what other languages have a name for, "" for all other names.

    >>> advice_on("isnan"), advice_on("sin")
    ("a number that is not itself is NaN: '%b = %x != %x : bool'", '')
    """
    return _ADVICE_ON.get(name, "")


def _family_hint(name: str) -> str:
    """Return what may have been meant by a name that begins like a family of instructions."""
    family, _, word = name.partition(".")
    words = [n.removeprefix(family + ".") for n in INSTRUCTIONS if n.startswith(family + ".")]
    found = closest(word, words)
    if found is not None:
        return f"did you mean '{family}.{found}'?"
    return f"'{family}' is followed by one of .{', .'.join(words)}"


def lone_value_hint(value: ast.Expression) -> str:
    """Return what to write in place of an expression without an operator."""
    return _NO_COPIES if isinstance(value, ast.Identifier) else _CONSTANTS


def looks_like_mlir(text: str) -> bool:
    """Return whether a program begins as modules and functions of MLIR do.

    >>> looks_like_mlir("module {"), looks_like_mlir("func @f() {}")
    (True, False)
    """
    return _MLIR.match(text) is not None
