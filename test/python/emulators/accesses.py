"""What accesses of all machines have in common: where they are in memory, and the checks."""

import numpy as np

from emulators.findings import FINDINGS, Fault
from tinytc_mlir.reference.shadow import AccessKind, Expected

WORD_BYTES = 4


class MachineAccesses:
    """The accesses of a launch.

    Args:
        launch: has `threads`, `order` and `sites`, by name of a memory `spaces`, and for those of
            which threads have parts, the first byte for each thread in `starts`.
    """

    #: Names of the memories that each thread has for itself.
    private = ()

    def __init__(self, launch):
        self._launch = launch

    def threads(self, i):
        """Return the numbers of the threads that run."""
        return self._launch.threads[i]

    def load(self, space, addresses, i, size, text, alignment, *, atomic, constant=False):
        """Check loads; return the memory and where in it they are.

        Of the elements of a vector, some may be nobody's. Atomic accesses to small elements are
        accesses to the aligned word around them.
        """
        kind = AccessKind.CONSTANT if constant else AccessKind.READ
        is_word = atomic and size <= WORD_BYTES
        expected = Expected.ANY_OF_WORD if is_word else Expected.ANY
        place = (space, addresses, i, size, text, alignment)
        return self._access(None if atomic else kind, *place, None, int(expected))

    def store(self, space, addresses, i, values, text, alignment, *, atomic):
        """Check stores, and write the bytes; return as `load` does."""
        place = (space, addresses, i, values.shape[1], text, alignment)
        return self._access(None if atomic else AccessKind.WRITE, *place, values, 0)

    def _access(self, kind, space, addresses, i, size, text, alignment, values, expected):
        launch, threads = self._launch, self.threads(i)
        addresses = np.broadcast_to(addresses, threads.shape)
        rest = addresses % np.uint64(alignment)
        if rest.any():
            first = int(np.argmax(rest != 0))
            place = f"thread {threads[first]} at {int(addresses[first]):#x}"
            FINDINGS.add("misaligned", f"{space}: {place}, no multiple of {alignment}: {text}")
            raise Fault("misaligned")
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


def stored_bytes(values, shape):
    """Return values of the elements of threads as rows of bytes."""
    columns = [np.ascontiguousarray(np.broadcast_to(value, shape)) for value in values]
    return np.concatenate([each.view(np.uint8).reshape(shape[0], -1) for each in columns], 1)
