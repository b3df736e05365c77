"""Run a kernel over the ranks of MPI, each with its share of the batch.

    mpirun -n 4 python examples/08_mpi_ranks.py

The first rank compiles and sends the kernel to the others, which need no compiler. In column-major
order the share of a rank is contiguous, so MPI scatters and gathers it in place.
"""

import pathlib

import numpy as np

import tinytc_mlir as tt  # before MPI, which would load another OpenCL

# isort: split
from mpi4py import MPI

SIZES = {"T": "f32", "M": 16, "N": 4, "K": 8}
BATCH = 1000


def shares(batch, ranks):
    """Return how many groups each rank computes."""
    return [batch // ranks + (rank < batch % ranks) for rank in range(ranks)]


def scattered(world, array, shape, counts):
    """Return this rank's share of an array of the first rank, in memory of the device."""
    elements = [int(np.prod(shape)) * count for count in counts]
    mine = tt.empty((*shape, counts[world.rank]), np.float32)
    world.Scatterv([array, elements] if world.rank == 0 else None, mine.ravel("K"))
    return mine


def main():
    """Compute on all ranks and compare with one launch."""
    world = MPI.COMM_WORLD
    kernel = None
    if world.rank == 0:
        module = tt.Context().parse_file(
            pathlib.Path(__file__).with_name("01_batched_gemm.ir"), defines=SIZES
        )
        kernel = module.compile("cpu")["gemm_nn"]
    kernel = world.bcast(kernel)

    whole = {}
    if world.rank == 0:
        random = np.random.default_rng(0)
        for name, shape in (("a", (16, 8)), ("b", (8, 4)), ("c", (16, 4))):
            array = random.standard_normal((*shape, BATCH)).astype(np.float32)
            whole[name] = np.asfortranarray(array)
    counts = shares(BATCH, world.size)
    a = scattered(world, whole.get("a"), (16, 8), counts)
    b = scattered(world, whole.get("b"), (8, 4), counts)
    c = scattered(world, whole.get("c"), (16, 4), counts)
    kernel(0.5, a, b, 2.0, c)

    found = np.empty((16, 4, BATCH), np.float32, order="F")
    elements = [16 * 4 * count for count in counts]
    world.Gatherv(c.ravel("K"), [found, elements] if world.rank == 0 else None)
    if world.rank == 0:
        kernel(0.5, whole["a"], whole["b"], 2.0, whole["c"])
        assert (found == whole["c"]).all()
        print(f"{BATCH} groups on {world.size} ranks: equal to one launch, bit for bit")


if __name__ == "__main__":
    main()
