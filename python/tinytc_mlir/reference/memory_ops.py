# SPDX-License-Identifier: BSD-3-Clause
"""The instructions that make memory, read it and write it element by element; barriers."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ..dialects.dense import constant_array
from ..dialects.tinytc import MemrefType
from ..shapes import extent
from .access import access_element, check_bounds, load_element, store_element
from .arithmetic import stored_constants
from .kernel import Builder, Handler, Step, element_type, has_attribute, keyword
from .machine import Site, State
from .memory import Atomic, GroupValue, MemrefValue, Storage
from .rounding import Array
from .scalar_ops import constant as number_constant
from .shadow import AccessKind
from .untyped import Ir, Value
from .zero_patterns import promise_zeros, promised_boxes

KIND_OF_SCOPE = {
    "cross_device": AccessKind.ATOMIC,
    "device": AccessKind.ATOMIC,
    "work_group": AccessKind.ATOMIC_IN_GROUP,
    "subgroup": AccessKind.ATOMIC_IN_SUBGROUP,
}
"""What an atomic access is by its scope."""

ACQUIRING = ("acquire", "acquire_release", "sequentially_consistent")
"""The semantics that order later accesses."""


def alloca(builder: Builder, op: Ir) -> Step:
    """Compile `alloca`."""
    site, result = builder.site(op), builder.slot(op.result)
    scalar_type = element_type(op.result.type)
    shape, stride = tuple(op.result.type.shape), tuple(op.result.type.stride)
    boxes = None if op.nonzero is None else promised_boxes(op.nonzero)

    def run(state: State) -> None:
        flat = np.zeros(extent(shape, stride), scalar_type.dtype)
        storage = Storage(flat, scalar_type, "local", "the local memory", site)
        memref = MemrefValue(storage, 0, shape, stride, scalar_type)
        if boxes is not None:
            promise_zeros(memref, boxes)
        state.values[result] = memref

    return run


def constant(builder: Builder, op: Ir) -> Step:
    """Compile `constant` of a memref, or of a number."""
    type_ = op.result.type
    if not isinstance(type_, MemrefType):
        return number_constant(builder, op)
    scalar_type, result = element_type(type_), builder.slot(op.result)
    shape, stride = tuple(type_.shape), tuple(type_.stride)
    elements = constant_array(op).reshape(-1, order="F")
    flat = stored_constants(builder.arithmetic, scalar_type, elements)
    flat.flags.writeable = False

    def run(state: State) -> None:
        storage = Storage(flat, scalar_type, "global", "a constant")
        state.values[result] = MemrefValue(storage, 0, shape, stride, scalar_type)

    return run


def lifetime_stop(builder: Builder, op: Ir) -> Step:
    """Compile `lifetime_stop`."""
    site, memref = builder.site(op), builder.slot(op.memref)

    def run(state: State) -> None:
        storage: Storage = state.values[memref].storage
        if storage.end_of_life is not None:
            storage.fail_dead(state, site)
        storage.end_of_life = site

    return run


def load(builder: Builder, op: Ir) -> Step:
    """Compile `load` from a memref or from a group."""
    site, source, result = builder.site(op), builder.slot(op.source), builder.slot(op.result)
    indices = builder.slots(op.indices)

    def run(state: State) -> None:
        operand: MemrefValue | GroupValue = state.values[source]
        index = [state.values[slot] for slot in indices]
        if isinstance(operand, GroupValue):
            state.values[result] = _load_member(state, site, operand, index[0])
        else:
            state.values[result] = load_element(state, site, operand, index)

    return run


def store(builder: Builder, op: Ir) -> Step:
    """Compile `store`, `store.atomic` and `store.atomic_add`."""
    site, value, dest = builder.site(op), builder.slot(op.value), builder.slot(op.dest)
    indices = builder.slots(op.indices)
    flag = keyword(op, "flag", "regular")

    def run(state: State) -> None:
        index = [state.values[slot] for slot in indices]
        store_element(state, site, state.values[dest], index, state.values[value], flag=flag)

    return run


def atomic_of(op: Ir, word: str) -> Atomic:
    """Return what an atomic instruction does, with its scope and its semantics."""
    kind = KIND_OF_SCOPE[keyword(op, "scope", "work_group")]
    semantics = keyword(op, "semantics", "relaxed")
    return Atomic(word, kind, word != "store" and semantics in ACQUIRING)


def atomic(word: str) -> Handler:
    """Return the function that compiles an atomic access to one element."""

    def compile_op(builder: Builder, op: Ir) -> Step:
        site, indices = builder.site(op), builder.slots(op.indices)
        memref = builder.slot(op.source if word == "load" else op.dest)
        value = None if word == "load" else builder.slot(op.value)
        result = None if word == "store" else builder.slot(op.result)
        is_used = result is not None and any(True for _ in op.result.uses)
        access = atomic_of(op, word)

        def run(state: State) -> None:
            index = [state.values[slot] for slot in indices]
            values = None if value is None else state.values[value]
            before = access_element(state, site, state.values[memref], index, values, access)
            if result is None or before is None:
                return
            if state.lanes is None and np.ndim(before) != 0:
                if is_used:
                    _fail_divergent(state, site, before)
                before = before[0]
            state.values[result] = before

        return run

    return compile_op


def _fail_divergent(state: State, site: Site, before: Array) -> NoReturn:
    message = (
        f"expected all work-items of a collective region to get the same result of '{site.name}', "
        f"got {before[0]} and {before[1]}"
    )
    state.fail(site, message)


def barrier(builder: Builder, op: Ir) -> Step:
    """Compile `barrier`; only a fence orders the accesses to its address space."""
    site = builder.site(op)
    fences = [space for space in ("global", "local") if has_attribute(op, f"fence_{space}")]

    def run(state: State) -> None:
        lanes = state.lanes
        if lanes is not None and not lanes.active.all():
            count = int(lanes.active.sum())
            state.fail(
                site,
                f"expected all {lanes.count} work-items to reach the barrier, got {count}",
            )
        state.synchronise(*fences)

    return run


def _load_member(state: State, site: Site, group: GroupValue, index: Value) -> MemrefValue:
    """Return the member of a group, one for each lane if the index differs between them."""
    check_bounds(state, site, index, len(group.members), 0)
    if np.ndim(index) == 0:
        return group.members[int(index)]
    lanes = state.spmd_lanes
    chosen = np.where(lanes.active, index, 0)
    first = group.members[0]
    members = [group.members[int(i)] for i in chosen]
    return MemrefValue(
        _objects([member.storage for member in members]),
        np.array([member.offset for member in members]),
        tuple(np.array([m.shape[k] for m in members]) for k in range(first.order)),
        tuple(np.array([m.stride[k] for m in members]) for k in range(first.order)),
        first.scalar_type,
    )


def _objects(values: list[Any]) -> Array:
    """Return an array of objects, which NumPy must not look into."""
    result = np.empty(len(values), object)
    result[:] = values
    return result


HANDLERS: dict[str, Handler] = {
    "tinytc.alloca": alloca,
    **{f"tinytc.atomic_{word}": atomic(word) for word in ("load", "store", "add", "min", "max")},
    "tinytc.barrier": barrier,
    "tinytc.constant": constant,
    "tinytc.lifetime_stop": lifetime_stop,
    "tinytc.load": load,
    "tinytc.store": store,
}
