# SPDX-License-Identifier: BSD-3-Clause
"""Integers that callers give: sizes, strides, offsets, numbers of groups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import SupportsInt, TypeGuard, cast

import numpy as np

from ...errors import describe
from ...shapes import INT64_MAX

_TEXTS = (str, bytes, bytearray, memoryview)  # sequences to Python


def is_integer(value: object) -> TypeGuard[SupportsInt]:
    """Whether a value is an integer of Python or NumPy; neither a truth value nor a duration is."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.timedelta64))


def checked_integer(value: object, what: str, low: int = 0, high: int = INT64_MAX) -> int:
    """Return an integer that the caller gave as Python's own.

    Args:
        value: what the caller gave.
        what: what the integer is for, the end of `expected an integer from 0 to 9 ...`.
        low: least value.
        high: greatest value.

    Raises:
        ValueError: `expected ..., got ...`.

    >>> checked_integer(np.int8(3), "as offset")
    3
    >>> checked_integer(True, "as number of groups", 1, 9)
    Traceback (most recent call last):
        ...
    ValueError: expected an integer from 1 to 9 as number of groups, got True (bool)
    """
    if is_integer(value):
        integer = int(value)
        if low <= integer <= high:
            return integer
    raise ValueError(f"expected an integer from {low} to {high} {what}, got {describe(value)}")


def checked_integers(
    values: object, what: str, low: int = 0, high: int = INT64_MAX
) -> tuple[int, ...]:
    """Return integers that the caller gave, a sequence or a single one, as a tuple.

    Args:
        values: what the caller gave.
        what: what each integer is for.
        low: least value.
        high: greatest value.

    Raises:
        ValueError: `expected ..., got ...`.

    >>> checked_integers([16, np.int64(8)], "as size"), checked_integers(3, "as size")
    ((16, 8), (3,))
    """
    if isinstance(values, np.ndarray):
        is_sequence = values.ndim == 1
    else:
        is_sequence = isinstance(values, Sequence) and not isinstance(values, _TEXTS)
    members = cast("Iterable[object]", values) if is_sequence else (values,)
    return tuple(checked_integer(value, what, low, high) for value in members)
