# SPDX-License-Identifier: BSD-3-Clause
"""Runs a batched function itself with NumPy, one element of the batch after the other."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..kernels.on_numpy import LanguageNames, function_of
from ..kernels.types import OBJECTS, Scalar
from ..scalars import SCALAR_TYPES
from . import solving_on_numpy
from .arrays import as_several, one_or_several
from .calls import converted, plan_for

if TYPE_CHECKING:
    from .described import DescribedFunction

Numbers = npt.NDArray[Any]


def _softmax(x: Numbers, axis: int = -1) -> Numbers:
    powers = np.exp(x - x.max(axis, keepdims=True))
    found: Numbers = powers / powers.sum(axis, keepdims=True)
    return found


def _cumsum(x: Numbers, axis: int | None = None, *, reverse: bool = False) -> Numbers:
    if not reverse:
        return np.cumsum(x, axis)
    axis = 0 if axis is None else axis
    return np.flip(np.cumsum(np.flip(x, axis), axis), axis)


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "softmax": _softmax,
    "cumsum": _cumsum,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "expit": lambda x: 1 / (1 + np.exp(-x)),
    "pow": lambda x, y: x**y,
    "re": np.real,
    "im": np.imag,
    "cast": lambda x, dtype: np.asarray(x).astype(dtype)[()],
    "norm": np.linalg.norm,
    **solving_on_numpy.FUNCTIONS,
}


class _Arrays:
    """The namespace `tt` while a function runs.

    Args:
        default: dtype of new arrays.
    """

    def __init__(self, default: Any) -> None:
        self._default = default

    def globals(self) -> dict[str, Any]:
        """Return what Python's own names stand for: the same."""
        return {}

    def rewriter(self, words: Mapping[str, tuple[str, ...]]) -> ast.NodeTransformer:
        """Return what rewrites a function."""
        return LanguageNames(words)

    def __getattr__(self, name: str) -> Any:
        if name in ("zeros", "ones", "empty", "eye"):
            made: Any = np.zeros if name == "empty" else getattr(np, name)
            return lambda *args, dtype=self._default: made(*args, dtype=dtype)
        if name == "linalg":
            return self
        found = OBJECTS.get(name)
        if isinstance(found, Scalar):
            return SCALAR_TYPES[found.name].value_dtype.type
        name = name.removeprefix("native_")
        return _FUNCTIONS.get(name) or getattr(np, name, None) or getattr(np.linalg, name)


def run(function: DescribedFunction, values: Sequence[Any]) -> Any:
    """Run a function for a batch; see `BatchedFunction.python`."""
    arrays = converted(function, values)
    plan = plan_for(function, arrays)
    real = [t.real.dtype for t, _ in plan.types if t.kind in ("floating", "complex")]
    called = function_of(function.source, _Arrays(real[0] if real else np.dtype(float)), {})
    cores = [shape for _, shape in plan.types]
    _, batch = function.batch_of([a.shape for a in arrays], cores)
    wide = [np.broadcast_to(a, (*batch, *core)) for a, core in zip(arrays, cores, strict=True)]
    made = [np.empty((*batch, *shape), type_.dtype) for _, type_, shape in plan.results]
    for at in np.ndindex(*batch):
        results = called(*(a[at].copy() if a[at].ndim else a[at][()] for a in wide))
        for array, result in zip(made, as_several(results), strict=True):
            array[at] = result
    return one_or_several(made)
