# SPDX-License-Identifier: BSD-3-Clause
"""Writes the Python function that a kernel becomes: names, lines, blocks of operations."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

from ..errors import InterpreterError
from ..frontend.mlir_diagnostics import file_location
from ..reference.arithmetic import NUMPY, Arithmetic
from ..reference.machine import Site
from ..reference.rounding import Array
from ..reference.untyped import Ir
from ..scalars import scalar_type_named
from . import arithmetic
from .accesses import AccessSite

Handler = Callable[["Writer", Any], None]

_INDENT = "  "
_TERMINATORS = ("func.return", "gpu.return", "memref.atomic_yield", "scf.yield")
_INLINE = {
    "arith.addi": "{} + {}",
    "arith.subi": "{} - {}",
    "arith.muli": "{} * {}",
    "arith.addf": "{} + {}",
    "arith.subf": "{} - {}",
    "arith.mulf": "{} * {}",
}
_INLINE_TYPES = ("index", "i8", "i16", "i32", "i64", "f16", "f32", "f64")


class Writer:
    """The lines of a function and what they refer to.

    Args:
        handlers: for each operation with regions or effects the function that writes it.
        subgroup_size: number of work-items in a subgroup.
        is_preemptive: whether work-items may be interrupted before each access to memory.
        broadcasts_indices: whether `tinytc.opaque_index` becomes an operation of the subgroup.
        needs_whole_subgroups: whether operations of a subgroup are undefined where some of its
            work-items do not execute them.
        arithmetic: what numbers are.
    """

    def __init__(
        self,
        handlers: Mapping[str, Handler],
        subgroup_size: int,
        *,
        is_preemptive: bool = False,
        broadcasts_indices: bool = False,
        needs_whole_subgroups: bool = True,
        arithmetic: Arithmetic = NUMPY,
    ) -> None:
        self.arithmetic = arithmetic
        self.lines: list[str] = []
        self.namespace: dict[str, Any] = {}
        self.accesses: dict[int, AccessSite] = {}
        self.buffers: list[int] = []
        """Sizes of the buffers of local memory in bytes."""
        self.constants: list[Array] = []
        """Elements of the constants."""
        self.pieces: dict[str, tuple[int, tuple[int, int]]] = {}
        """Of pointers to local memory, the buffer, and the first byte and end in it."""
        self.private: set[str] = set()
        """Names of arrays in private memory."""
        self.dtypes: set[str] = set()
        """dtypes of the elements in memory."""
        self.lanes = "lanes"
        """Name of the work-items that execute the current block."""
        self.subgroup_size = subgroup_size
        self.is_preemptive = is_preemptive
        self.broadcasts_indices = broadcasts_indices
        self.needs_whole_subgroups = needs_whole_subgroups
        self._handlers = handlers
        self._names: dict[Any, str] = {}
        self._depth = 0
        self._fresh = 0
        self._sites = 0
        self._position = ""

    def fresh(self, letter: str) -> str:
        """Return a new name."""
        self._fresh += 1
        return f"{letter}{self._fresh}"

    def put(self, line: str) -> None:
        """Write a line."""
        self.lines.append(_INDENT * self._depth + line)

    @contextlib.contextmanager
    def indented(self, head: str) -> Iterator[None]:
        """Write what happens inside as the body of a statement."""
        self.put(head)
        self._depth += 1
        yield
        self._depth -= 1

    @contextlib.contextmanager
    def counted(self, op: Ir, names: str, iterations: str) -> Iterator[None]:
        """Write what happens inside as the body of a loop, whose iterations are counted."""
        number, outside = self.fresh("n"), self._position
        self._position += f"{self.site(op).number}, {number}, "
        with self.indented(f"for {number}, ({names}) in enumerate({iterations}):"):
            yield
        self._position = outside

    def position(self, site: Site) -> str:
        """Return the numbers that say how far a work-item is that has come to a place."""
        return f"({self._position}{site.number},)"

    def bind(self, letter: str, value: object) -> str:
        """Return a name by which the function knows a Python object."""
        name = self.fresh(letter)
        self.namespace[name] = value
        return name

    def name(self, value: Ir) -> str:
        """Return the name of an SSA value."""
        return self._names[value]

    def names(self, values: Ir) -> list[str]:
        """Return the names of several SSA values."""
        return [self._names[value] for value in values]

    def call(self, value: Ir, name: str) -> str:
        """Give an SSA value its name."""
        self._names[value] = name
        return name

    def assign(self, value: Ir, text: str) -> str:
        """Write the line that computes an SSA value; return its name."""
        name = self.call(value, self.fresh("v"))
        self.put(f"{name} = {text}")
        return name

    def move(self, names: Sequence[str], values: Sequence[str]) -> None:
        """Assign several values at the same time."""
        self.put(f"{', '.join(names)} = {', '.join(values)}" if names else "pass")

    def site(self, op: Ir) -> Site:
        """Return the place of an operation, with a number of its own."""
        self._sites += 1
        return Site(self._sites, op.name, file_location(op.location))

    def fail(self, op: Ir, message: str) -> NoReturn:
        """Raise the error of an operation that cannot be run."""
        raise InterpreterError([self.site(op).diagnostic("error", message)])

    def block(self, block: Ir, lanes: str) -> list[str]:
        """Write the operations of a block; return the names of what it yields.

        Args:
            block: the block.
            lanes: name of the work-items that execute it.
        """
        before, self.lanes = self.lanes, lanes
        yielded: list[str] = []
        for each in block.operations:
            op = each.operation
            if op.name in _TERMINATORS:
                yielded = self.names(op.operands)
            elif op.name in self._handlers:
                self._handlers[op.name](self, op)
            else:
                self._compute(op)
        self.lanes = before
        return yielded

    def _compute(self, op: Ir) -> None:
        """Write an operation without regions and effects."""
        value = arithmetic.constant(op, self.arithmetic)
        if value is not None:
            self.call(op.results[0], self.bind("c", value))
            return
        operands = self.names(op.operands)
        if op.name in arithmetic.DIVISIONS:
            site = self.bind("s", self.site(op))
            self.put(f"at.check_divisor({site}, {self.lanes}, {operands[1]})")
        type_name = str(op.results[0].type) if op.name in _INLINE else ""
        if type_name in _INLINE_TYPES and self.arithmetic.is_plain(scalar_type_named(type_name)):
            self.assign(op.results[0], _INLINE[op.name].format(*operands))
            return
        function = arithmetic.function(op, self.arithmetic)
        if function is None:
            self.fail(op, f"expected an operation of the gpu stage, got '{op.name}'")
        self.assign(op.results[0], f"{self.bind('f', function)}({', '.join(operands)})")
