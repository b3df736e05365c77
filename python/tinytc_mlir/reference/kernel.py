# SPDX-License-Identifier: BSD-3-Clause
"""Turns the ops of a kernel into Python functions, once; then each work-group calls them.

A handler gets the builder and an op and returns a step: a function that changes the state.
Attributes are decoded by handlers, never by steps.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .._tinytc import enum_word
from ..dialects import tinytc
from ..errors import InterpreterError
from ..frontend.mlir_diagnostics import file_location
from ..scalars import ScalarType, scalar_type_named
from .arithmetic import NUMPY, Arithmetic
from .machine import Site, State
from .untyped import Ir

Step = Callable[[State], None]
Handler = Callable[["Builder", Any], Step]
Reader = Callable[[State], Any]


@dataclasses.dataclass(frozen=True)
class Block:
    """The steps of a region and the slots of what its `yield` returns."""

    steps: tuple[Step, ...]
    yielded: tuple[int, ...]

    def run(self, state: State) -> None:
        """Execute the steps in order."""
        for step in self.steps:
            step(state)


class Builder:
    """Gives SSA values their slots and ops their steps.

    Args:
        handlers: for each name of an op the function that compiles it.
        arithmetic: what numbers are.
        has_empty_views: whether views may have modes of size 0, as those that the compiler makes
            for what is left of a factorisation; programs may not.
    """

    def __init__(
        self,
        handlers: Mapping[str, Handler],
        arithmetic: Arithmetic = NUMPY,
        *,
        has_empty_views: bool = False,
    ) -> None:
        self._handlers = handlers
        self.arithmetic = arithmetic
        self.has_empty_views = has_empty_views
        self._slots: dict[Any, int] = {}
        self._distributions: dict[tuple[Any, ...], int] = {}
        self.sites: list[Site] = []

    @property
    def slot_count(self) -> int:
        """Number of SSA values seen so far."""
        return len(self._slots)

    def slot(self, value: Ir) -> int:
        """Return the slot of an SSA value."""
        return self._slots.setdefault(value, len(self._slots))

    def slots(self, values: Ir) -> tuple[int, ...]:
        """Return the slots of several SSA values."""
        return tuple(self.slot(value) for value in values)

    def reader(self, value: Ir) -> Reader:
        """Return the function that reads an SSA value from the state."""
        slot = self.slot(value)
        return lambda state: state.values[slot]

    def site(self, op: Ir) -> Site:
        """Return the place of an op, for messages."""
        name = op.operation.name.removeprefix("tinytc.")
        site = Site(len(self.sites), name, file_location(op.location))
        self.sites.append(site)
        return site

    def dtype(self, mlir_type: Ir) -> np.dtype[Any]:
        """Return the dtype of the values of a type, or of its elements."""
        return self.arithmetic.value_dtype(element_type(mlir_type))

    def distribution(self, kind: tuple[Any, ...]) -> int:
        """Return the number of one way of distributing matrices over a subgroup."""
        return self._distributions.setdefault(kind, len(self._distributions))

    def block(self, region: Ir) -> Block:
        """Compile the only block of a region."""
        steps: list[Step] = []
        yielded: tuple[int, ...] = ()
        for op in region.blocks[0].operations:
            name = op.operation.name
            if name == "tinytc.yield":
                yielded = self.slots(op.operation.operands)
                continue
            handler = self._handlers.get(name)
            if handler is None:
                message = f"expected an instruction that the interpreter has, got '{name}'"
                raise InterpreterError([self.site(op).diagnostic("error", message)])
            steps.append(handler(self, op))
        return Block(tuple(steps), yielded)


def keyword(op: Ir, name: str, default: str) -> str:
    """Return the keyword of an enum attribute, e.g. `atomic_add` of `flag`."""
    attributes = op.operation.attributes
    return enum_word(attributes[name]) if name in attributes else default


def has_attribute(op: Ir, name: str) -> bool:
    """Return whether an op has a unit attribute."""
    return name in op.operation.attributes


def element_type(mlir_type: Ir) -> ScalarType:
    """Return the scalar, element or component type of a type."""
    if isinstance(mlir_type, (tinytc.MemrefType, tinytc.CoopMatrixType)):
        mlir_type = mlir_type.element_type
    return scalar_type_named(str(mlir_type))


def is_coopmatrix(mlir_type: Ir) -> bool:
    """Return whether a type is that of cooperative matrices."""
    return isinstance(mlir_type, tinytc.CoopMatrixType)
