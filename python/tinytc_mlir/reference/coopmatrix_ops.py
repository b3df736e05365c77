# SPDX-License-Identifier: BSD-3-Clause
"""The cooperative-matrix instructions; a matrix is one (rows, columns) array per subgroup.

Which work-item holds a component is not known, only that it depends on the position of the
component and on shape and use of the matrix: the race detection treats every combination of
them as one agent.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from .access import block_addresses, memref_of_subgroups
from .checks import Violation
from .kernel import Builder, Handler, Step, element_type, keyword
from .machine import Site, State, subgroup_agents
from .memory import MemrefValue, Storage
from .memory_ops import atomic_of
from .rounding import Array, accumulator_of
from .shadow import AccessKind
from .untyped import Ir

_CHECKED_MODES: dict[str, tuple[bool, bool]] = {
    "none": (False, False),
    "rows_checked": (True, False),
    "cols_checked": (False, True),
    "both_checked": (True, True),
}


@dataclasses.dataclass(frozen=True)
class _Block:
    """The components of all subgroups' matrices that an instruction accesses.

    Args:
        storage: the memory, or a (subgroups,) array of them.
        addresses: (subgroups, M, N) array of elements.
        agents: (subgroups, M, N) array, who accesses them.
        accessed: (subgroups, M, N) bool array, which of them are accessed.
    """

    storage: Any
    addresses: Array
    agents: Array
    accessed: Array

    def parts(self) -> list[tuple[Storage, Array]]:
        """Return every storage with the mask of the components that are in it."""
        if isinstance(self.storage, Storage):
            return [(self.storage, self.accessed)]
        chosen = dict.fromkeys(self.storage[self.accessed.any(axis=(1, 2))])
        here = {one: np.array([s is one for s in self.storage]) for one in chosen}
        return [(one, self.accessed & mask[:, None, None]) for one, mask in here.items()]


class _BlockAccess:
    """Finds the components that an instruction accesses.

    Args:
        builder: the kernel's builder.
        op: a load or store of a cooperative matrix.
        matrix_type: the matrix's type.
        memref: the operand that is accessed.
    """

    def __init__(self, builder: Builder, op: Ir, matrix_type: Ir, memref: Ir) -> None:
        self.site: Site = builder.site(op)
        self.shape = (matrix_type.rows, matrix_type.columns)
        self._memref, self._x, self._y = builder.slots([memref, op.x, op.y])
        self._is_transposed = keyword(op, "transpose", "n") == "t"
        self._is_checked = _CHECKED_MODES[keyword(op, "checked", "none")]
        holder = np.arange(self.shape[0] * self.shape[1]).reshape(self.shape)
        distribution = builder.distribution((*self.shape, matrix_type.use))
        self._holder = holder | distribution << 28

    def find(self, state: State) -> _Block:
        """Return the components of all subgroups."""
        site = self.site
        full = state.full_subgroups(site)
        memref = memref_of_subgroups(state, site, state.values[self._memref])
        x = state.uniform(site, state.values[self._x], "x")[:, None, None]
        y = state.uniform(site, state.values[self._y], "y")[:, None, None]
        i = np.arange(self.shape[0])[:, None]
        j = np.arange(self.shape[1])
        if self._is_transposed:
            row, column = x + j, y + i
            is_row_checked, is_column_checked = self._is_checked[::-1]
        else:
            row, column = x + i, y + j
            is_row_checked, is_column_checked = self._is_checked
        accessed = np.broadcast_to(full[:, None, None], (len(full), *self.shape))
        for mode, index, is_checked in ((0, row, is_row_checked), (1, column, is_column_checked)):
            accessed = self._inside(state, memref, mode, index, is_checked, accessed)
        addresses = np.broadcast_to(block_addresses(memref, row, column), accessed.shape)
        agents = np.broadcast_to(self._agents(state, len(full)), accessed.shape)
        return _Block(memref.storage, addresses, agents, accessed)

    def _inside(
        self,
        state: State,
        memref: MemrefValue,
        mode: int,
        index: Array,
        is_checked: bool,
        accessed: Array,
    ) -> Array:
        """Return what is accessed after the bounds check of a mode; fail if it is unchecked."""
        inside = (index >= 0) & (index < memref.shape[mode])
        if not is_checked:
            outside = np.broadcast_to(~inside, accessed.shape) & accessed
            rule = f"expected index {mode} to lie in [0, {memref.shape[mode].flat[0]})"
            state.check(self.site, Violation(outside, rule, index))
        return np.asarray(accessed & inside)

    def _agents(self, state: State, subgroups: int) -> Array:
        lanes = state.spmd_lanes
        if state.geometry.subgroup_size == 1:
            return lanes.agents[:, None, None]
        numbers = lanes.first_subgroup + np.arange(subgroups, dtype=np.int64)
        return subgroup_agents(numbers[:, None, None], self._holder)


def load(builder: Builder, op: Ir) -> Step:
    """Compile `cooperative_matrix_load`; components out of checked bounds are 0."""
    access = _BlockAccess(builder, op, op.result.type, op.source)
    result = builder.slot(op.result)
    dtype = builder.dtype(op.result.type)

    def run(state: State) -> None:
        block = access.find(state)
        values = np.zeros(block.addresses.shape, dtype)
        for storage, mask in block.parts():
            values[mask] = storage.read(
                state, access.site, block.addresses[mask], block.agents[mask]
            )
        state.values[result] = values

    return run


def store(builder: Builder, op: Ir) -> Step:
    """Compile `cooperative_matrix_store`."""
    access = _BlockAccess(builder, op, op.matrix.type, op.dest)
    matrix = builder.slot(op.matrix)
    flag = keyword(op, "flag", "regular")
    kind = AccessKind.ATOMIC if flag == "atomic" else AccessKind.WRITE

    def run(state: State) -> None:
        block = access.find(state)
        values = np.broadcast_to(state.values[matrix], block.addresses.shape)
        for storage, mask in block.parts():
            where = (block.addresses[mask], block.agents[mask])
            if flag == "atomic_add":
                storage.add(state, access.site, *where, values[mask])
            else:
                storage.write(state, access.site, *where, values[mask], kind=kind)

    return run


def atomic(word: str) -> Handler:
    """Return the function that compiles an atomic access to the components of a matrix."""

    def compile_op(builder: Builder, op: Ir) -> Step:
        memref = op.source if word == "load" else op.dest
        matrix_type = op.result.type if word == "load" else op.matrix.type
        access = _BlockAccess(builder, op, matrix_type, memref)
        matrix = None if word == "load" else builder.slot(op.matrix)
        result = None if word == "store" else builder.slot(op.result)
        dtype = builder.dtype(matrix_type)
        what = atomic_of(op, word)

        def run(state: State) -> None:
            block = access.find(state)
            shape = block.addresses.shape
            before = np.zeros(shape, dtype)
            values = None if matrix is None else np.broadcast_to(state.values[matrix], shape)
            for storage, mask in block.parts():
                where = (block.addresses[mask], block.agents[mask])
                chosen = None if values is None else values[mask]
                found = storage.access(state, access.site, *where, chosen, what)
                if found is not None:
                    before[mask] = found
            if result is not None:
                state.values[result] = before

        return run

    return compile_op


def mul_add(builder: Builder, op: Ir) -> Step:
    """Compile `cooperative_matrix_mul_add`; types of 16 bits accumulate in f32."""
    site = builder.site(op)
    a, b, c, result = builder.slots([op.a, op.b, op.c, op.result])
    c_type, result_type = element_type(op.c.type), element_type(op.result.type)
    accumulator = accumulator_of(c_type)
    arithmetic = builder.arithmetic
    convert, add = arithmetic.cast(c_type, result_type), arithmetic.binary("add", accumulator)

    def run(state: State) -> None:
        state.full_subgroups(site)
        x, y, z = (arithmetic.round_to(accumulator, state.values[slot]) for slot in (a, b, c))
        total = add(arithmetic.matmul(accumulator, x, y), z)
        state.values[result] = convert(arithmetic.round_to(c_type, total))

    return run


def scale(builder: Builder, op: Ir) -> Step:
    """Compile `cooperative_matrix_scale`."""
    site = builder.site(op)
    scalar, matrix, result = builder.slots([op.scalar, op.matrix, op.result])
    multiply = builder.arithmetic.binary("mul", element_type(op.result.type))

    def run(state: State) -> None:
        state.full_subgroups(site)
        factors = state.uniform(site, state.values[scalar], "scalar")
        state.values[result] = multiply(factors[:, None, None], state.values[matrix])

    return run


HANDLERS: dict[str, Handler] = {
    **{
        f"tinytc.cooperative_matrix_atomic_{word}": atomic(word)
        for word in ("load", "store", "add", "min", "max")
    },
    "tinytc.cooperative_matrix_load": load,
    "tinytc.cooperative_matrix_mul_add": mul_add,
    "tinytc.cooperative_matrix_scale": scale,
    "tinytc.cooperative_matrix_store": store,
}
