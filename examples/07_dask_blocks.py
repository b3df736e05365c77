"""Run a kernel over the blocks of dask arrays, in two processes of a cluster.

    python examples/07_dask_blocks.py

multiplies a batch of matrices block by block and compares with one launch over the whole batch.
On more machines, connect to their scheduler: `Client("tcp://...:8786")`.
"""

import os
import pathlib

import dask.array
import numpy as np
from distributed import Client, LocalCluster

import tinytc_mlir as tt

SIZES = {"T": "f32", "M": 16, "N": 4, "K": 8}
BATCH, BLOCK = 10_000, 250


def block(shape, seed):
    """Return a dask array of random numbers, in blocks of some groups."""
    random = dask.array.random.default_rng(seed)
    array = random.standard_normal((*shape, BATCH), chunks=(*shape, BLOCK), dtype=np.float32)
    return array.persist()  # computed once, and kept by the workers


def main():
    """Start two processes, compute in them and compare."""
    module = tt.Context().parse_file(
        pathlib.Path(__file__).with_name("01_batched_gemm.ir"), defines=SIZES
    )
    kernel = module.compile("cpu")["gemm_nn"]
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        client.wait_for_workers(2)
        a, b, c = block((16, 8), 1), block((8, 4), 2), block((16, 4), 3)
        results = tt.distributed.map_blocks(kernel, 0.5, a, b, 2.0, c)
        found = results["C"].compute()
        processes = len(client.run(os.getpid))

        whole = [np.asfortranarray(array.compute()) for array in (a, b, c)]
        kernel(0.5, whole[0], whole[1], 2.0, whole[2])
    assert (found == whole[2]).all()
    blocks = len(results["C"].chunks[-1])
    print(f"{blocks} blocks in {processes} processes: equal to one launch, bit for bit")


if __name__ == "__main__":  # the processes of the cluster import this file, too
    main()
