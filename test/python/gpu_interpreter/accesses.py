"""The log of memory accesses, and its entries as arrays with one element for each work-item."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from tinytc_mlir.reference.machine import Site
from tinytc_mlir.reference.rounding import Array

from .lanes import Lanes
from .shadow import Access

Entry = tuple[int, Any, Any, Lanes, Any]
"""An instruction's number, its pointer, the element, who accesses it, what is stored."""


@dataclasses.dataclass(frozen=True)
class AccessSite:
    """An instruction that accesses memory.

    Args:
        site: its place.
        access: what it does.
        width: size of the element in bytes.
        is_local: whether it accesses local memory.
        buffer: number of the local buffer that its pointer is for, None if unknown.
        piece: first byte and end of the part of the buffer that its pointer is for.
        scope: for whom an atomic access is one step.
    """

    site: Site
    access: Access
    width: int
    is_local: bool = False
    buffer: int | None = None
    piece: tuple[int, int] = (0, 0)
    scope: str = "device"

    def name_in_piece(self, offset: int) -> str:
        """Return what a message calls the element at a byte of the buffer."""
        first, end = self.piece
        count = (end - first) // self.width
        return f"element {(offset - first) // self.width} of a local tensor of {count}"


@dataclasses.dataclass(frozen=True)
class Accesses:
    """Accesses of one kind and width, one entry for each work-item.

    Args:
        addresses: (n,) array of first bytes.
        bases: (n,) array of where the pointers point to.
        agents: (n,) array of work-items, SEVERAL for more than one.
        sites: (n,) array of numbers of the instructions.
        times: (n,) array of places in the log.
        values: (n,) array of the bytes that are stored, None if nothing is.
    """

    addresses: Array
    bases: Array
    agents: Array
    sites: Array
    times: Array
    values: Array | None

    def where(self, chosen: Array) -> Accesses:
        """Return some of the accesses."""
        return Accesses(
            self.addresses[chosen],
            self.bases[chosen],
            self.agents[chosen],
            self.sites[chosen],
            self.times[chosen],
            None if self.values is None else self.values[chosen],
        )

    def first_of_sites(self) -> list[int]:
        """Return the index of each instruction's first access."""
        return [int(index) for index in np.unique(self.sites, return_index=True)[1]]


def gather(log: Sequence[tuple[int, Entry]], width: int) -> Accesses:
    """Return the accesses of one kind and width in a log.

    Args:
        log: entries and their places in the whole log.
        width: size of an element in bytes.

    >>> lanes = Lanes(np.arange(3))
    >>> gather([(0, (7, np.int64(8), np.arange(8, 11), lanes, None))], 4).addresses.tolist()
    [32, 36, 40]
    """
    uniform: list[tuple[Any, ...]] = []
    varying: list[tuple[Any, ...]] = []
    for time, (number, base, address, lanes, value) in log:
        # As bytes, since elements of one width may be of different types.
        value = None if value is None else np.asarray(value).view(f"V{width}")  # noqa: PLW2901
        is_uniform = address.ndim == 0 and base.ndim == 0 and (value is None or value.ndim == 0)
        (uniform if is_uniform else varying).append((address, base, lanes, number, time, value))
    parts = []
    if uniform:
        parts.append(_uniform(uniform))
    if varying:
        parts.append(_varying(varying))
    addresses, bases, agents, sites, times = (
        np.concatenate([part[column] for part in parts]) for column in range(5)
    )
    stored = [part[5] for part in parts if part[5] is not None]
    values = np.concatenate(stored) if stored else None
    return Accesses(addresses * width, bases * width, agents, sites, times, values)


def _uniform(entries: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Return the columns of accesses in which all work-items do the same."""
    address, base, lanes, site, time, value = zip(*entries, strict=True)
    agents = [each.agent for each in lanes]
    values = None if value[0] is None else np.array(value)
    return (*map(np.array, (address, base, agents, site, time)), values)


def _varying(entries: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Return the columns of accesses that differ between work-items."""
    address, base, lanes, site, time, value = zip(*entries, strict=True)
    counts = [each.count for each in lanes]
    columns = [
        np.concatenate([each.spread(one) for each, one in zip(lanes, address, strict=True)]),
        np.concatenate([each.spread(one) for each, one in zip(lanes, base, strict=True)]),
        np.concatenate([each.active for each in lanes]),
        np.repeat(site, counts),
        np.repeat(time, counts),
    ]
    if value[0] is None:
        return (*columns, None)
    spread = [each.spread(one) for each, one in zip(lanes, value, strict=True)]
    return (*columns, np.concatenate(spread))
