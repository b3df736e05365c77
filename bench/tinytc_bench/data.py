# SPDX-License-Identifier: BSD-3-Clause
"""The arrays of a case, and the check of what a candidate computes."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

from tinytc_mlir.runtime.arrays.memory import empty
from tinytc_mlir.scalars import SCALAR_TYPES

from .case import Array, Case

_PERIOD = 251  # groups that differ; a prime, so that no tiling hides a wrong group
_EPSILONS = 8.0


class Data:
    """The arrays of a case for a number of groups.

    The values repeat after some groups, which keeps setting up and checking cheap.

    Args:
        case: the case.
        groups: number of groups.
        seed: seed of the random values.
        queue: name of the target whose launches use the arrays in place.
    """

    def __init__(self, case: Case, groups: int, seed: int = 0, queue: str = "cpu") -> None:
        self.case = case
        self.groups = groups
        self._queue = queue
        self._period = min(groups, _PERIOD)
        random = np.random.default_rng(seed)
        self._blocks = {
            array.name: random_values(random, array, self._period) for array in case.arrays
        }
        self.arrays = {array.name: self._allocate(array) for array in case.arrays}
        self._batches = {array.name: self._batch(array) for array in case.arrays}
        for array in case.arrays:
            self._fill(array)
        self._expected = case.expected(self._blocks)

    def values(self, names: Iterable[str]) -> dict[str, Any]:
        """Return arguments for parameters by their names."""
        known: dict[str, Any] = {**self.case.scalars, **self.arrays}
        return {name: known[name] for name in names}

    def reset(self) -> None:
        """Reset the arrays that kernels write to their initial values; results become NaN."""
        for array in self.case.arrays:
            if array.role != "in":
                self._fill(array)

    def error(self) -> float:
        """Return the largest error of the results, relative to what rounding explains."""
        worst = 0.0
        for array in self.case.arrays:
            if array.role not in ("in", "scratch"):
                worst = max(worst, self._error_of(array))
        return worst

    def _error_of(self, array: Array) -> float:
        expected = np.asarray(self._expected[array.name])
        scale = float(np.abs(expected).max()) or 1.0
        epsilon = SCALAR_TYPES[self.case.type].epsilon
        # Rounding errors of a sum grow with the root of its length if they are independent.
        allowed = _EPSILONS * epsilon * scale * max(self.case.terms, 1) ** 0.5
        actual, worst = self._batches[array.name], 0.0
        for begin in range(0, self.groups, self._period):
            part = actual[..., begin : begin + self._period]
            difference = np.abs(part - expected[..., : part.shape[-1]]).max()
            if not np.isfinite(difference):
                return sys.float_info.max  # JSON has no infinity
            worst = max(worst, float(difference))
        return float(worst / allowed)

    def _allocate(self, array: Array) -> np.ndarray[Any, Any]:
        if array.is_shared:
            return self._empty(array, array.shape)
        if array.is_tall:
            return self._empty(array, (array.shape[0] * self.groups, *array.shape[1:]))
        rows = (array.leading,) if array.leading else array.shape[:1]
        shape = (*rows, *array.shape[1:], self.groups)
        memory = self._empty(array, shape)
        return memory[: array.shape[0]] if array.leading else memory

    def _empty(self, array: Array, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
        return empty(shape, self._blocks[array.name].dtype, queue=self._queue)

    def _batch(self, array: Array) -> np.ndarray[Any, Any]:
        """Return an array with the groups as its last mode, unless all share it."""
        whole = self.arrays[array.name]
        if not array.is_tall:
            return whole
        rows = array.shape[0]
        blocks = whole.reshape((rows, self.groups, *array.shape[1:]), order="F")
        return np.moveaxis(blocks, 1, -1)

    def _fill(self, array: Array) -> None:
        target, block = self._batches[array.name], self._blocks[array.name]
        if array.role in ("out", "scratch"):
            target[...] = np.nan
        elif array.is_shared:
            target[...] = block
        else:
            for begin in range(0, self.groups, self._period):
                part = target[..., begin : begin + self._period]
                part[...] = block[..., : part.shape[-1]]


def random_values(random: np.random.Generator, array: Array, groups: int) -> np.ndarray[Any, Any]:
    """Return normally distributed values for some groups, in column-major order."""
    shape = array.shape if array.is_shared else (*array.shape, groups)
    values: np.ndarray[Any, Any] = random.standard_normal(shape[::-1], np.float32).T
    scalar_type = SCALAR_TYPES[array.type]
    if scalar_type.is_bits:
        return np.asarray(scalar_type.to_memory(values))
    dtype = scalar_type.dtype
    if dtype.kind == "c":
        values = values + 1j * random.standard_normal(shape[::-1], np.float32).T
    result: np.ndarray[Any, Any] = values.astype(dtype)
    return result
