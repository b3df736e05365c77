# SPDX-License-Identifier: BSD-3-Clause
"""Memory that the runtime has allocated, found by address.

Other libraries make arrays over it that no longer name their owner, such as tensors of PyTorch.
"""

from __future__ import annotations

import bisect
import threading
import weakref
from collections.abc import Callable

# Addresses of the first bytes in their order, and for each the end and the owner.
_starts: list[int] = []
_owners: dict[int, tuple[int, weakref.ref[object]]] = {}
_lock = threading.RLock()  # collecting garbage may forget memory at any time


def remember(owner: object, address: int, size_bytes: int) -> None:
    """Find an owner by the addresses of its memory, as long as it lives.

    Args:
        owner: an object of a class that supports weak references.
        address: address of its first byte.
        size_bytes: its size.
    """
    reference = weakref.ref(owner, _forgetting(address))
    with _lock:
        if address not in _owners:
            bisect.insort(_starts, address)
        _owners[address] = address + size_bytes, reference


def owner_of(address: int) -> object:
    """Return the owner of the memory at an address, None if the runtime has not allocated it.

    >>> class Memory: pass
    >>> memory = Memory()
    >>> remember(memory, 2**62, 64)
    >>> owner_of(2**62 + 63) is memory, owner_of(2**62 + 64)
    (True, None)
    """
    if not _starts:
        return None
    with _lock:
        position = bisect.bisect_right(_starts, address) - 1
        if position < 0:
            return None
        end, owner = _owners[_starts[position]]
        return owner() if address < end else None


def _forgetting(address: int) -> Callable[[weakref.ref[object]], None]:
    def forget(reference: weakref.ref[object]) -> None:
        with _lock:
            if address in _owners and _owners[address][1] is reference:
                del _owners[address]
                del _starts[bisect.bisect_left(_starts, address)]

    return forget
