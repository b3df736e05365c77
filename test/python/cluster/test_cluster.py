"""Kernels over the blocks of dask arrays in two processes, and over the ranks of MPI."""

import pathlib
import shutil
import subprocess
import sys

import pytest

from tinytc_mlir import child_processes

EXAMPLES = pathlib.Path(__file__).parents[3] / "examples"


def run(*words):
    environment = child_processes.environment()
    return subprocess.run(
        list(map(str, words)), env=environment, capture_output=True, text=True, timeout=600
    )


def test_two_processes():
    result = run(sys.executable, EXAMPLES / "07_dask_blocks.py")
    assert result.returncode == 0, result.stderr
    assert "40 blocks in 2 processes: equal to one launch, bit for bit" in result.stdout


@pytest.mark.skipif(not shutil.which("mpirun"), reason="there is no mpirun")
@pytest.mark.parametrize("ranks", [1, 3])
def test_ranks(ranks):
    words = ["mpirun", "-n", ranks, "--allow-run-as-root", "--oversubscribe", sys.executable]
    result = run(*words, EXAMPLES / "08_mpi_ranks.py")
    assert result.returncode == 0, result.stderr
    assert f"1000 groups on {ranks} ranks: equal to one launch, bit for bit" in result.stdout
