# SPDX-License-Identifier: BSD-3-Clause
"""Operators: the instructions that they stand for, and what they make of constants."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

import numpy as np


def quotient(a: Any, b: Any) -> Any:  # noqa: ANN401, numbers of any type
    """Return a quotient of integers, rounded towards zero as kernels do."""
    found = a // b
    return found + 1 if found < 0 and a % b != 0 else found


def remainder(a: Any, b: Any) -> Any:  # noqa: ANN401, numbers of any type
    """Return the remainder that belongs to `quotient`; it has the sign of a."""
    is_integer = isinstance(a, (int, np.integer)) and isinstance(b, (int, np.integer))
    return a - quotient(a, b) * b if is_integer else np.fmod(a, b)


def larger(a: Any, b: Any) -> Any:  # noqa: ANN401, numbers of any type
    """Return the larger number, as kernels do: the other one, if one is NaN."""
    return a if a > b or b != b else b  # noqa: PLR0124


def smaller(a: Any, b: Any) -> Any:  # noqa: ANN401, numbers of any type
    """Return the smaller number, or the other one, if one is NaN."""
    return a if a < b or b != b else b  # noqa: PLR0124


BINARY: dict[type[ast.AST], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("arith.add", operator.add),
    ast.Sub: ("arith.sub", operator.sub),
    ast.Mult: ("arith.mul", operator.mul),
    ast.Div: ("arith.div", operator.truediv),
    ast.FloorDiv: ("arith.div", quotient),
    ast.Mod: ("arith.rem", remainder),
    ast.LShift: ("arith.shl", operator.lshift),
    ast.RShift: ("arith.shr", operator.rshift),
    ast.BitAnd: ("arith.and", operator.and_),
    ast.BitOr: ("arith.or", operator.or_),
    ast.BitXor: ("arith.xor", operator.xor),
}
UNARY: dict[type[ast.AST], tuple[str, Callable[[Any], Any]]] = {
    ast.USub: ("arith.neg", operator.neg),
    ast.Not: ("arith.not", operator.not_),
    ast.Invert: ("arith.not", operator.invert),
}
COMPARE: dict[type[ast.AST], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Eq: ("cmp.eq", operator.eq),
    ast.NotEq: ("cmp.ne", operator.ne),
    ast.Lt: ("cmp.lt", operator.lt),
    ast.LtE: ("cmp.le", operator.le),
    ast.Gt: ("cmp.gt", operator.gt),
    ast.GtE: ("cmp.ge", operator.ge),
}
