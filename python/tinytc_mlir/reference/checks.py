# SPDX-License-Identifier: BSD-3-Clause
"""Where the scalar instructions are undefined.

Every function returns a `Violation`, whose `found` masks the offending values, or None if the
types cannot break the rule.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from ..scalars import ScalarType
from .rounding import Array
from .untyped import Value


@dataclasses.dataclass(frozen=True)
class Violation:
    """Values that an instruction must not get.

    Args:
        found: bool array or bool, true where the rule is broken.
        rule: `expected ...`, the rule.
        got: what is printed after `got`, an array or a value.
    """

    found: Any
    rule: str
    got: Any


BinaryCheck = Callable[[Any, Any], "list[Violation]"]
UnaryCheck = Callable[[Any], Violation]


def division_check(word: str, scalar_type: ScalarType) -> BinaryCheck | None:
    """Return the check of an integer `arith.div` or `arith.rem`, None for any other instruction.

    >>> from tinytc_mlir.scalars import SCALAR_TYPES
    >>> check = division_check("div", SCALAR_TYPES["i8"])
    >>> [bool(violation.found) for violation in check(np.int8(-128), np.int8(-1))]
    [False, True]
    """
    if word not in ("div", "rem") or scalar_type.kind != "integer":
        return None
    minimum = np.iinfo(scalar_type.value_dtype).min

    def check(a: Value, b: Value) -> list[Violation]:
        overflows = (a == minimum) & (b == -1)
        return [
            Violation(b == 0, "expected divisor 'b' to differ from 0", b),
            Violation(
                overflows, f"expected a quotient that {scalar_type.name} can hold, 'b' = -1", a
            ),
        ]

    return check


def cast_check(source: ScalarType, result: ScalarType) -> UnaryCheck | None:
    """Return the check of a cast from floating point to integer, None for any other cast.

    >>> from tinytc_mlir.scalars import SCALAR_TYPES
    >>> bool(cast_check(SCALAR_TYPES["f32"], SCALAR_TYPES["i8"])(np.float32(128)).found)
    True
    """
    if source.kind != "floating" or result.kind != "integer":
        return None
    limit = 2.0 ** (result.bits - 1)

    def check(a: Value) -> Violation:
        whole: Array = np.trunc(np.asarray(a, dtype=np.float64))
        fits = (whole >= -limit) & (whole < limit)
        return Violation(~fits, f"expected a value that {result.name} can hold", a)

    return check
