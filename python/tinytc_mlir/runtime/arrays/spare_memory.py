# SPDX-License-Identifier: BSD-3-Clause
"""Keeps the memory of a launch's copies for later launches.

The system clears each page of new memory when it is first touched, which takes longer than a copy.
"""

from __future__ import annotations

from collections.abc import Hashable

from ..._arrays import address_of
from ..protocol import Memory, Queue

MOST_BYTES = 256 << 20  # that are kept for the queues of a place

_spare: dict[Hashable, tuple[int, Memory]] = {}


def take(queue: Queue, size_bytes: int) -> Memory:
    """Return memory of undefined contents that nothing else uses, of at least that many bytes."""
    known_bytes, memory = _spare.pop(queue.place, (0, None))
    if memory is not None and known_bytes >= size_bytes:
        return memory
    del memory  # frees it before more is allocated
    return queue.allocate(size_bytes)


def give_back(queue: Queue, memory: Memory) -> None:
    """Keep memory that no launch uses any more, unless the device has a copy of it."""
    size_bytes = memory.host.nbytes
    known_bytes, _ = _spare.get(queue.place, (0, None))
    is_shared = address_of(memory.host) == memory.address
    if is_shared and known_bytes < size_bytes <= MOST_BYTES:
        _spare[queue.place] = size_bytes, memory
