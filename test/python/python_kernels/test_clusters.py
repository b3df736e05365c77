"""Kernels in Python over the blocks of dask arrays, in processes of dask, and on ranks of MPI."""

import shutil
import subprocess
import sys

import dask.array
import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir import child_processes

DASK = """
import dask.array
import numpy as np
from distributed import Client, LocalCluster

import tinytc_mlir as tt

FACTOR = 2.0


@tt.kernel
def scale(A: "T[4, None]", T: tt.const):
    i = tt.group_id
    A[:, i] = FACTOR * A[:, i]


def scaled(kernel, array):
    \"""Return what a worker computes.\"""
    kernel(array)
    return array


if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            arrays = [np.full((4, 3), each, np.float32, order="F") for each in range(4)]
            futures = [client.submit(scaled, scale[tt.f32], each) for each in arrays]
            assert all((f.result() == 2 * a).all() for f, a in zip(futures, arrays))
            blocks = dask.array.ones((4, 40), dtype=np.float32, chunks=(4, 10))
            found = tt.distributed.map_blocks(scale, blocks, T=tt.f32)["A"].compute()
    assert (found == 2).all()
    print("done")
"""
MPI = """
import numpy as np

import tinytc_mlir as tt  # before MPI, which would load another OpenCL
from mpi4py import MPI


def main():
    world = MPI.COMM_WORLD
    kernel = None
    if world.rank == 0:
        factor = 2.0

        @tt.kernel
        def scale(A: tt.f32[4, None]):
            i = tt.group_id
            A[:, i] = factor * A[:, i]

        kernel = scale  # a function inside of another, which the other ranks do not have
    kernel = world.bcast(kernel)
    array = np.full((4, 5), world.rank, np.float32, order="F")
    kernel(array)
    found = world.gather(array)
    if world.rank == 0:
        assert all((a == 2 * rank).all() for rank, a in enumerate(found))
        print("done", len(found))


main()
"""


def run(*words):
    """Return the output of a new process."""
    found = subprocess.run(
        list(map(str, words)),
        env=child_processes.environment(),
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert found.returncode == 0, found.stderr
    return found.stdout.split()


def test_processes_of_dask(tmp_path):
    path = tmp_path / "blocks.py"
    path.write_text(DASK)
    assert run(sys.executable, path) == ["done"]


@pytest.mark.skipif(not shutil.which("mpirun"), reason="there is no mpirun")
def test_ranks_of_mpi(tmp_path):
    path = tmp_path / "ranks.py"
    path.write_text(MPI)
    words = ("mpirun", "-n", 3, "--allow-run-as-root", "--oversubscribe", sys.executable)
    assert run(*words, path) == ["done", "3"]


@tt.kernel
def product(alpha: tt.f32, A: tt.f32[16, 8, None], B: tt.f32[8, 4], C: tt.f32[16, 4, None]):
    i = tt.group_id
    C[:, :, i] += alpha * A[:, :, i] @ B


def test_blocks_are_those_of_one_launch():
    random = np.random.default_rng(1)
    a, b, c = (
        np.asfortranarray(random.normal(size=shape).astype(np.float32))
        for shape in ((16, 8, 23), (8, 4), (16, 4, 23))
    )
    blocks = [dask.array.from_array(x, chunks=(*x.shape[:-1], 5)) for x in (a, c)]
    assert tt.distributed.batch_modes(product) == {"A": 2, "C": 2}
    results = tt.distributed.map_blocks(product, 0.5, blocks[0], b, blocks[1])
    found = results["C"].compute()
    product(0.5, a, b, c)
    assert (found == c).all()


def test_bench():
    x = tt.ones((16, 4, 23), np.float32)
    arguments = (0.5, tt.ones((16, 8, 23), np.float32), tt.ones((8, 4), np.float32), x)
    timing = tt.do_bench(product, *arguments, rounds=3, round_s=0.001)
    assert timing.median_ns > 0
