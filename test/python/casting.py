"""Numbers at and next to the midpoint between two neighbours of a floating-point type."""

from __future__ import annotations

from typing import Any

import numpy as np

#: Bits of the significand, and the exponent of the smallest number.
FORMATS = {"bf16": (8, -133), "f16": (11, -24)}
LARGEST = {"bf16": float.fromhex("0x1.fep127"), "f16": 65504.0}


def integers_near_ties(bits: int, type_: str) -> tuple[Any, Any]:
    """Return integers of a width, and the values of the type that are nearest to them."""
    precision, _ = FORMATS[type_]
    pairs = []
    for shift in range(1, min(bits - precision, 8 if type_ == "f16" else 64)):
        for m in range(2 ** (precision - 1), 2**precision):
            for distance in (-1, 0, 1):
                value = (m << shift) + (1 << shift >> 1) + distance
                up = m + 1 if distance > 0 or (distance == 0 and m % 2) else m
                if shift == 1 and distance:  # a neighbour itself
                    up = m + (distance + 1) // 2
                pairs += [(value, up << shift), (-value, -(up << shift))]
    limit = 2 ** (bits - 1)
    pairs += [(limit - 1, limit), (-limit, -limit)] if bits > precision + 1 else []
    values, nearest = zip(*pairs, strict=True)
    return np.array(values, np.int64), _bounded(nearest, type_)


def doubles_near_ties(type_: str) -> tuple[Any, Any]:
    """Return f64 numbers, subnormal in the type or not, and their nearest values."""
    precision, smallest = FORMATS[type_]
    top = int(np.log2(LARGEST[type_])) - precision + 1
    values, nearest = [], []
    for exponent in (smallest, *range(smallest + 1, top + 1, 1 if type_ == "f16" else 11), top):
        first = 0 if exponent == smallest else 2 ** (precision - 1)
        for m in range(first, 2**precision):
            for distance in (-(2.0**-30), 0.0, 2.0**-30):
                up = m + 1 if distance > 0 or (distance == 0 and m % 2) else m
                values += [(m + 0.5 + distance) * 2.0**exponent]
                nearest += [up * 2.0**exponent]
    values += [-value for value in values]
    nearest += [-value for value in nearest]
    return np.array(values), _bounded(nearest, type_)


def _bounded(values: Any, type_: str) -> Any:
    exact = np.array([float(value) for value in values])
    return np.where(np.abs(exact) > LARGEST[type_], np.copysign(np.inf, exact), exact)
