# SPDX-License-Identifier: BSD-3-Clause
"""Functions of batched functions that are written as batched functions are: for NumPy."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ..kernels.source import FunctionSource, source_of
from ..kernels.values import Static
from .functions import FUNCTIONS

__all__ = ["FUNCTIONS"]


def isfinite(x: Any) -> Any:
    return x - x == 0


def isinf(x: Any) -> Any:
    return (x == x) & (x - x != 0)  # noqa: PLR0124, false for NaN


def logical_and(x: Any, y: Any) -> Any:
    return np.where(x, np.where(y, True, False), False)


def logical_or(x: Any, y: Any) -> Any:
    return np.where(x, True, np.where(y, True, False))


def logical_not(x: Any) -> Any:
    return np.where(x, False, True)


def count_nonzero(x: Any) -> Any:
    return np.sum(np.where(x, True, False))


def ptp(x: Any) -> Any:
    return np.max(x) - np.min(x)


def diff(x: Any) -> Any:
    return x[..., 1:] - x[..., :-1]


def full_like(x: Any, value: Any) -> Any:
    return np.full(x.shape, value, x.dtype)


def append(x: Any, values: Any) -> Any:
    return np.concatenate([np.ravel(x), np.ravel(values)])


def tile(x: Any, count: Any) -> Any:
    return np.concatenate([x for _ in range(count)], axis=-1)


def repeat(x: Any, count: Any) -> Any:
    return np.ravel(np.stack([np.ravel(x) for _ in range(count)], axis=1))


def linspace(start: Any, stop: Any, num: Any) -> Any:
    return start + np.arange(float(num)) * ((stop - start) / max(num - 1, 1))


def matrix_power(A: Any, n: Any) -> Any:
    found = np.eye(A.shape[0], dtype=A.dtype) if n == 0 else A
    for _ in range(n - 1):
        found = found @ A
    return found


def multi_dot(arrays: Any) -> Any:
    found = arrays[0]
    for each in arrays[1:]:
        found = found @ each
    return found


def polyval(p: Any, x: Any) -> Any:
    found = np.zeros_like(x)
    for each in p:
        found = found * x + each
    return found


def _place(x: Any, is_least: Any) -> Any:
    line = np.ravel(x)
    place: Any = 0
    most = line[0]
    for k in range(1, line.size):
        is_more = line[k] < most if is_least else line[k] > most
        is_more = is_more | ((line[k] != line[k]) & (most == most))  # noqa: PLR0124, the first NaN
        place = np.where(is_more, k, place)
        most = np.where(is_more, line[k], most)
    return place


@functools.cache
def _source(function: Callable[..., Any]) -> FunctionSource:
    return source_of(function)


def _rule(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the rule of a function that is read where it is called."""
    signature = inspect.signature(function)

    def rule(reader: Any, node: Any, *values: Any, **named: Any) -> Any:
        bound = signature.bind(*values, **named)
        return reader.inlined(node, _source(function), bound.arguments)

    return rule


FUNCTIONS |= {
    each.__name__: _rule(each)
    for each in (
        *(isfinite, isinf, logical_and, logical_or, logical_not, count_nonzero, ptp, diff, append),
        *(full_like, tile, repeat, linspace, matrix_power, multi_dot, polyval),
    )
} | {
    name: lambda r, node, x, is_least=name == "argmin": _rule(_place)(r, node, x, Static(is_least))
    for name in ("argmax", "argmin")
}
