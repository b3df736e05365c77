# SPDX-License-Identifier: BSD-3-Clause
"""The work-items that run translated code together, and the control flow that parts them.

A value is a NumPy scalar where all work-items of a team agree, else an array with one entry
for each. A team is all work-items of a work-group or, to run them one after the other, one.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import Diagnostic, InterpreterError
from ..reference.rounding import Array
from ..reference.shadow import MANY
from ..reference.untyped import Value


class TooManyIterationsError(Exception):
    """Loops take more iterations than `limited_iterations` allows."""


class _Budget:
    """A number of iterations that loops may still take."""

    def __init__(self, most: float) -> None:
        self._left = most

    def take(self) -> None:
        """Count an iteration."""
        self._left -= 1
        if self._left < 0:
            raise TooManyIterationsError


_UNLIMITED = _Budget(math.inf)
_BUDGET: contextvars.ContextVar[_Budget] = contextvars.ContextVar("_BUDGET")


@contextlib.contextmanager
def limited_iterations(most: float) -> Iterator[None]:
    """Let all loops inside of the block together take so many iterations of teams at most.

    Raises:
        TooManyIterationsError: they take more.

    >>> with limited_iterations(3):
    ...     loop = Lanes(np.arange(4)).loop(np.int64(0), np.int64(3), np.int64(1))
    ...     [int(index) for index, _ in loop]
    [0, 1, 2]
    """
    token = _BUDGET.set(_Budget(most))
    try:
        yield
    finally:
        _BUDGET.reset(token)


class Lanes:
    """The work-items of a team that execute the current instruction.

    Args:
        numbers: (team,) array of the work-items' numbers, active or not.
        mask: (team,) bool array of the active ones, None for all.

    >>> lanes = Lanes(np.arange(4))
    >>> some, others = lanes.split(np.array([True, False, False, False]))
    >>> some.active.tolist(), others.active.tolist()
    ([0], [1, 2, 3])
    """

    def __init__(self, numbers: Array, mask: Array | None = None) -> None:
        self.numbers = numbers
        self.mask = mask

    @functools.cached_property
    def active(self) -> Array:
        """Numbers of the active work-items."""
        return self.numbers if self.mask is None else self.numbers[self.mask]

    @functools.cached_property
    def count(self) -> int:
        """Number of the active work-items."""
        return len(self.active)

    @functools.cached_property
    def agent(self) -> int:
        """The active work-item, MANY for more than one."""
        return int(self.active[0]) if self.count == 1 else MANY

    def spread_mask(self) -> Array:
        """Return which work-items of the team are active."""
        return np.ones(len(self.numbers), bool) if self.mask is None else self.mask

    def pick(self, values: Value) -> Value:
        """Return the values of the active work-items, a scalar where they agree."""
        return values if self.mask is None or values.ndim == 0 else values[self.mask]

    def spread(self, values: Value) -> Array:
        """Return the values of the active work-items as an array."""
        picked = self.pick(values)
        return np.full(self.count, picked) if picked.ndim == 0 else picked

    def split(self, condition: Value) -> tuple[Lanes | None, Lanes | None]:
        """Return the work-items for which a condition holds, and the others; None for nobody."""
        if condition.ndim == 0:
            return (self, None) if condition else (None, self)
        holds = condition if self.mask is None else condition & self.mask
        count = np.count_nonzero(holds)
        if count == 0:
            return None, self
        if count == self.count:
            return self, None
        fails = ~holds if self.mask is None else self.mask & ~condition
        return Lanes(self.numbers, holds), Lanes(self.numbers, fails)

    def each(self) -> Iterator[Lanes]:
        """Yield the active work-items one by one."""
        for number in self.active:
            yield self if len(self.numbers) == 1 else Lanes(self.numbers, self.numbers == number)

    def loop(self, lower: Value, upper: Value, step: Value) -> Iterator[tuple[Any, Lanes]]:
        """Yield the induction variable and the work-items of each iteration of a loop."""
        lower, upper, step = (self._agreed(bound) for bound in (lower, upper, step))
        smallest = np.min(self.pick(step))
        if smallest <= 0:
            message = f"expected a loop with a positive step, got {smallest}"
            raise InterpreterError([Diagnostic("error", message)])
        budget = _BUDGET.get(_UNLIMITED)
        if lower.ndim == upper.ndim == step.ndim == 0:
            dtype = lower.dtype.type
            for index in range(int(lower), int(upper), int(step)):
                budget.take()
                yield dtype(index), self
            return
        index = lower + np.zeros(len(self.numbers), lower.dtype)
        lanes, _ = self.split(index < upper)
        while lanes is not None:
            budget.take()
            yield index, lanes
            index = index + step
            lanes, _ = lanes.split(index < upper)

    def _agreed(self, values: Value) -> Value:
        """Return the value that all active work-items have, the array if there is none."""
        if values.ndim == 0:
            return values
        picked = self.pick(values)
        return picked[0] if (picked == picked[0]).all() else values


def choose(condition: Value, then: Value, otherwise: Value) -> Value:
    """Return for each work-item one of two values.

    >>> choose(np.array([True, False]), np.int32(1), np.int32(2)).tolist()
    [1, 2]
    """
    if condition.ndim == 0:
        return then if condition else otherwise
    return np.where(condition, then, otherwise)
