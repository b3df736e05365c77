# SPDX-License-Identifier: BSD-3-Clause
"""Functions of batched functions that are written as batched functions are: for NumPy."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ..kernels.inline_function import inline
from ..kernels.source import FunctionSource, source_of
from ..kernels.values import Static
from .functions import FUNCTIONS, constant

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


def logical_xor(x: Any, y: Any) -> Any:
    return np.where(x, np.where(y, False, True), np.where(y, True, False))


def fmax(x: Any, y: Any) -> Any:
    return np.where(np.isnan(x), y, np.where(np.isnan(y), x, np.maximum(x, y)))


def fmin(x: Any, y: Any) -> Any:
    return np.where(np.isnan(x), y, np.where(np.isnan(y), x, np.minimum(x, y)))


def trunc(x: Any) -> Any:
    return np.where(x < 0, np.ceil(x), np.floor(x))


def rint(x: Any) -> Any:
    down = np.floor(x)
    apart = x - down
    return np.where((apart > 0.5) | ((apart == 0.5) & (down % 2 == 1)), down + 1, down)


def round_(x: Any, decimals: Any) -> Any:
    return np.rint(x) if decimals == 0 else np.rint(x * 10.0**decimals) / 10.0**decimals


def deg2rad(x: Any) -> Any:
    return x * (np.pi / 180)


def rad2deg(x: Any) -> Any:
    return x * (180 / np.pi)


def vecdot(x: Any, y: Any) -> Any:
    return np.sum(np.conj(x) * y, axis=-1)


def count_nonzero(x: Any, axis: Any) -> Any:
    return np.sum(np.where(x, True, False), axis=axis)


def ptp(x: Any, axis: Any) -> Any:
    return np.max(x, axis=axis) - np.min(x, axis=axis)


def diff(x: Any, n: Any, axis: Any) -> Any:
    found = np.moveaxis(x, axis, -1)
    for _ in range(n):
        found = found[..., 1:] - found[..., :-1]
    return np.moveaxis(found, -1, axis)


def full_like(x: Any, value: Any) -> Any:
    return np.full(x.shape, value, x.dtype)


def append(x: Any, values: Any) -> Any:
    return np.concatenate([np.ravel(x), np.ravel(values)])


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


def argmax(x: Any, axis: Any) -> Any:
    return _place(x, axis, False)


def argmin(x: Any, axis: Any) -> Any:
    return _place(x, axis, True)


@inline
def _place(x: Any, axis: Any, is_least: Any) -> Any:
    line = np.ravel(x) if axis is None else np.moveaxis(x, axis, 0)
    most = line[0]
    place = np.where(most == most, 0, 0)  # noqa: PLR0124, zeros of this shape
    for k in range(1, line.shape[0]):
        is_more = line[k] < most if is_least else line[k] > most
        is_more = is_more | ((line[k] != line[k]) & (most == most))  # noqa: PLR0124, the first NaN
        place = np.where(is_more, k, place)
        most = np.where(is_more, line[k], most)
    return place


@functools.cache
def _source(function: Callable[..., Any]) -> FunctionSource:
    return source_of(function)


def _rule(function: Callable[..., Any], **defaults: Any) -> Callable[..., Any]:
    """Return the rule of a function that is read where it is called.

    Args:
        function: the function, which has no defaults, as all that is read.
        defaults: of its parameters.
    """
    signature = inspect.signature(function)

    def rule(reader: Any, node: Any, *values: Any, **named: Any) -> Any:
        given = signature.bind_partial(*values, **named).arguments
        others = {name: Static(value) for name, value in defaults.items()}
        bound = signature.bind(**others | given).arguments
        for name in {"n", "decimals"} & bound.keys():
            if type(constant(bound[name])) is not int or (name == "n" and bound[name].value < 0):
                raise TypeError(f"expected an integer from 0 on for '{name}'")
        with reader.located(node):
            return reader.inlined(node, _source(function), bound)

    return rule


FUNCTIONS |= {
    each.__name__: _rule(each)
    for each in (
        *(isfinite, isinf, logical_and, logical_or, logical_not, logical_xor, append, full_like),
        *(fmax, fmin, trunc, rint, deg2rad, rad2deg, vecdot),
        *(linspace, matrix_power, multi_dot, polyval),
    )
} | {
    "diff": _rule(diff, n=1, axis=-1),
    "round": _rule(round_, decimals=0),
    **{each.__name__: _rule(each, axis=None) for each in (argmax, argmin, count_nonzero, ptp)},
}
