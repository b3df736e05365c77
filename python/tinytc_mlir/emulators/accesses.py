# SPDX-License-Identifier: BSD-3-Clause
"""What accesses of all machines have in common: where they are in memory, and the checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..reference.shadow import AccessKind, Expected
from ..reference.untyped import Value
from .findings import FINDINGS, Fault

if TYPE_CHECKING:
    from .memory import Space

WORD_BYTES = 4


class MachineAccesses:
    """The accesses of a launch.

    Args:
        launch: has `threads`, `orders` and `sites`, by name of a memory `spaces`, and for those of
            which threads have parts, the first byte for each thread in `starts`.
    """

    #: Names of the memories that each thread has for itself.
    private: tuple[str, ...] = ()

    def __init__(self, launch: Any) -> None:
        self._launch = launch

    def memory(self, space: str) -> Space:
        """Return a memory."""
        found: Space = self._launch.spaces[space]
        return found

    def threads(self, i: Value) -> Value:
        """Return the numbers of the threads that run."""
        return self._launch.threads[i]

    @staticmethod
    def check_alignment(
        space: str, addresses: Value, threads: Value, text: str, alignment: int
    ) -> None:
        """Check that addresses, one for each thread, are multiples of an alignment."""
        rest = addresses % np.uint64(alignment)
        if rest.any():
            first = int(np.argmax(rest != 0))
            place = f"thread {threads[first]} at {int(addresses[first]):#x}"
            FINDINGS.add("misaligned", f"{space}: {place}, no multiple of {alignment}: {text}")
            raise Fault("misaligned")

    def load(
        self,
        space: str,
        addresses: Value,
        i: Value,
        size: int,
        text: str,
        alignment: int,
        *,
        atomic: bool,
        constant: bool = False,
    ) -> tuple[Space, Value]:
        """Check loads; return the memory and where in it they are.

        Of the elements of a vector, some may be nobody's. Atomic accesses to small elements are
        accesses to the aligned word around them.
        """
        kind = AccessKind.CONSTANT if constant else AccessKind.READ
        is_word = atomic and size <= WORD_BYTES
        expected = Expected.ANY_OF_WORD if is_word else Expected.ANY
        place = (space, addresses, i, size, text, alignment)
        return self._access(None if atomic else kind, *place, None, int(expected))

    def store(
        self,
        space: str,
        addresses: Value,
        i: Value,
        values: Value,
        text: str,
        alignment: int,
        *,
        atomic: bool,
    ) -> tuple[Space, Value]:
        """Check stores, and write the bytes; return as `load` does."""
        place = (space, addresses, i, values.shape[1], text, alignment)
        return self._access(None if atomic else AccessKind.WRITE, *place, values, 0)

    def _access(
        self,
        kind: AccessKind | None,
        space: str,
        addresses: Value,
        i: Value,
        size: int,
        text: str,
        alignment: int,
        values: Value | None,
        expected: int,
    ) -> tuple[Space, Value]:
        launch, threads = self._launch, self.threads(i)
        addresses = np.broadcast_to(addresses, threads.shape)
        self.check_alignment(space, addresses, threads, text, alignment)
        memory, starts = launch.spaces[space], launch.starts.get(space)
        if starts is None:
            bases, offsets = -1, (addresses - np.uint64(memory.base)).view(np.int64)
        else:
            bases = starts[i]
            offsets = addresses.astype(np.int64) + bases
        if space in self.private:
            kind = None
        memory.access(
            kind, offsets, size, threads, launch, text, values, expected=expected, bases=bases
        )
        return memory, offsets


def stored_bytes(values: Sequence[Value], shape: tuple[int, ...]) -> Value:
    """Return values of the elements of threads as rows of bytes."""
    columns = [np.ascontiguousarray(np.broadcast_to(value, shape)) for value in values]
    return np.concatenate([each.view(np.uint8).reshape(shape[0], -1) for each in columns], 1)
