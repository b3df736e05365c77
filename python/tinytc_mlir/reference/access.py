# SPDX-License-Identifier: BSD-3-Clause
"""Maps the indices of an instruction to elements of memory and checks bounds.

Three kinds of access: one element per lane (`load`, `store`), a whole tensor (collective
instructions) and one block per subgroup (cooperative matrices).
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .checks import Violation
from .machine import Site, State
from .memory import Atomic, MemrefValue, Storage
from .rounding import Array
from .shadow import AccessKind
from .untyped import Value

_NO_AGENTS = np.zeros(1, np.int64)


@dataclasses.dataclass(frozen=True)
class Place:
    """Elements of one storage that lanes access.

    Args:
        storage: the memory.
        addresses: (n,) array of elements.
        agents: (n,) array, who accesses each element.
        positions: (n,) array of the lanes, None in a collective region.
    """

    storage: Storage
    addresses: Array
    agents: Array
    positions: Array | None


def load_element(state: State, site: Site, memref: MemrefValue, indices: Sequence[Any]) -> Value:
    """Return the element that each lane asks for."""
    address = _checked_address(state, site, memref, indices)
    if state.lanes is None:
        return memref.storage.read(state, site, np.array([address]), _NO_AGENTS)[0]
    result = np.zeros(state.lanes.count, state.arithmetic.value_dtype(memref.scalar_type))
    for place in _places(state, memref, address):
        result[place.positions] = place.storage.read(state, site, place.addresses, place.agents)
    return result


def store_element(
    state: State,
    site: Site,
    memref: MemrefValue,
    indices: Sequence[Any],
    value: Value,
    *,
    flag: str,
) -> None:
    """Store the value of each lane; in a collective region all work-items store the same."""
    address = _checked_address(state, site, memref, indices)
    if state.lanes is None:
        count = state.geometry.work_items if flag == "atomic_add" else 1
        place = Place(memref.storage, np.full(count, address), np.zeros(count, np.int64), None)
        _store(state, site, place, np.full(count, value), flag=flag)
        return
    values = np.broadcast_to(value, state.lanes.count)
    for place in _places(state, memref, address):
        _store(state, site, place, values[place.positions], flag=flag)


def access_element(
    state: State,
    site: Site,
    memref: MemrefValue,
    indices: Sequence[Any],
    value: Value | None,
    atomic: Atomic,
) -> Value | None:
    """Access one element for each lane atomically; return the elements before.

    In a collective region all work-items make the access, one after the other. Where they get
    different elements, the result is an array of them.
    """
    address = _checked_address(state, site, memref, indices)
    if state.lanes is None:
        count = state.geometry.work_items if atomic.word in ("add", "min", "max") else 1
        addresses, agents = np.full(count, address), np.zeros(count, np.int64)
        values: Array | None = None if value is None else np.full(count, value)
        before = memref.storage.access(state, site, addresses, agents, values, atomic)
        is_same = before is None or all(each.tobytes() == before[0].tobytes() for each in before)
        return before[0] if before is not None and is_same else before
    values = None if value is None else np.broadcast_to(value, state.lanes.count)
    result = np.zeros(state.lanes.count, state.arithmetic.value_dtype(memref.scalar_type))
    for place in _places(state, memref, address):
        chosen = None if values is None else values[place.positions]
        before = place.storage.access(state, site, place.addresses, place.agents, chosen, atomic)
        if before is not None:
            result[place.positions] = before
    return None if atomic.word == "store" else result


def read_tensor(state: State, site: Site, memref: MemrefValue, *, is_update: bool = False) -> Array:
    """Return all elements of a tensor in a collective region, in its shape."""
    memref.check_usable(state, site)
    addresses = tensor_addresses(memref)
    agents = np.zeros(addresses.size, np.int64)
    values: Array = memref.storage.read(
        state, site, addresses.reshape(-1), agents, is_update=is_update
    )
    return values.reshape(addresses.shape)


def write_tensor(
    state: State, site: Site, memref: MemrefValue, values: Array, *, is_atomic: bool
) -> None:
    """Write all elements of a tensor in a collective region."""
    memref.check_usable(state, site)
    addresses = tensor_addresses(memref).reshape(-1)
    agents = np.zeros(addresses.size, np.int64)
    kind = AccessKind.ATOMIC if is_atomic else AccessKind.WRITE
    memref.storage.write(state, site, addresses, agents, values.reshape(-1), kind=kind)


def tensor_addresses(memref: MemrefValue) -> Array:
    """Return the addresses of all elements of a tensor, in its shape."""
    addresses: Array = memref.offset + _grid(memref.shape, memref.stride)
    return addresses


def block_addresses(memref: MemrefValue, rows: Array, columns: Array) -> Array:
    """Return the addresses of a block of a matrix, one block for each subgroup.

    Args:
        memref: a matrix whose fields are numbers or (subgroups, 1, 1) arrays.
        rows: row index of every component; (subgroups, M, N) array or smaller.
        columns: column index of every component, of the same form.
    """
    offset: Array = memref.offset + rows * memref.stride[0] + columns * memref.stride[1]
    return offset


def memref_of_subgroups(state: State, site: Site, memref: MemrefValue) -> MemrefValue:
    """Return a memref with one entry per subgroup, in arrays of shape (subgroups, 1, 1)."""
    memref.check_usable(state, site)

    def entries(value: Value, what: str) -> Array:
        return state.uniform(site, value, what)[:, None, None]

    storage: Any = memref.storage
    if isinstance(storage, np.ndarray):
        storage = state.uniform(site, storage, "the memref")
    return dataclasses.replace(
        memref,
        storage=storage,
        offset=entries(memref.offset, "the memref's offset"),
        shape=tuple(entries(size, "the memref's shape") for size in memref.shape),
        stride=tuple(entries(stride, "the memref's stride") for stride in memref.stride),
    )


def check_bounds(state: State, site: Site, index: Value, size: Value, mode: int) -> None:
    """Fail if an index is outside its mode."""
    outside = (index < 0) | (index >= size)
    if np.any(outside):
        state.check(site, Violation(outside, _bounds_rule(mode, size), index))


def _bounds_rule(mode: int, size: Value) -> str:
    limit = size if np.ndim(size) == 0 else "size"
    return f"expected index {mode} to lie in [0, {limit})"


def _checked_address(
    state: State, site: Site, memref: MemrefValue, indices: Sequence[Any]
) -> Value:
    memref.check_usable(state, site)
    address = memref.offset
    modes = zip(indices, memref.shape, memref.stride, strict=True)
    for mode, (index, size, stride) in enumerate(modes):
        check_bounds(state, site, index, size, mode)
        address = address + index * stride
    return address


def _places(state: State, memref: MemrefValue, address: Value) -> Iterator[Place]:
    """Yield the accesses of the active lanes, one for each storage."""
    lanes = state.spmd_lanes
    addresses = np.broadcast_to(address, lanes.count)
    for storage, positions in _lanes_by_storage(memref.storage, lanes.positions):
        yield Place(storage, addresses[positions], lanes.agents[positions], positions)


def _lanes_by_storage(
    storage: Storage | Array, positions: Array
) -> Iterator[tuple[Storage, Array]]:
    if isinstance(storage, Storage):
        yield storage, positions
        return
    by_storage: dict[Storage, list[int]] = {}
    for position in positions:
        by_storage.setdefault(storage[position], []).append(position)
    for one, chosen in by_storage.items():
        yield one, np.array(chosen)


def _store(state: State, site: Site, place: Place, values: Array, *, flag: str) -> None:
    if flag == "atomic_add":
        place.storage.add(state, site, place.addresses, place.agents, values)
        return
    kind = AccessKind.ATOMIC if flag == "atomic" else AccessKind.WRITE
    place.storage.write(state, site, place.addresses, place.agents, values, kind=kind)


@functools.lru_cache(maxsize=256)
def _grid(shape: tuple[int, ...], stride: tuple[int, ...]) -> Array:
    """Return the offsets of all elements of a tensor."""
    grid = np.zeros(shape, np.int64)
    for mode, (size, step) in enumerate(zip(shape, stride, strict=True)):
        axis = np.arange(size, dtype=np.int64) * step
        grid += axis.reshape([-1 if k == mode else 1 for k in range(len(shape))])
    grid.flags.writeable = False
    return grid
