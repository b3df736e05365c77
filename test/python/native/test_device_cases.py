"""The cases of the device tests, run natively: the same kernels, the same judge.

Each file runs in a process of its own, for which TINYTC_TARGET is set. In a commit it is one file,
at night all of them.
"""

import os
import pathlib
import subprocess
import sys

import pytest

import profiles

DEVICE = pathlib.Path(__file__).parents[1] / "device"
# Those whose kernels are compiled for the default target only.
FILES = (
    "test_scalar.py",
    "test_control_flow.py",
    "test_subgroup.py",
    "test_shuffle.py",
    "test_atomics.py",
    "test_elementwise.py",
    "test_gemm.py",
    "test_views.py",
    "test_sum_cumsum.py",
    "test_foreach_tile.py",
    "test_local_memory.py",
    "test_empty_modes.py",
    "test_coopmatrix.py",
    "test_coopmatrix_loops.py",
    "test_coopmatrix_components.py",
    "test_random_programs.py",
)
CHOSEN = FILES if profiles.IS_NIGHTLY else FILES[:1]


@pytest.mark.parametrize("file", CHOSEN)
def test_device_cases_run_natively(file):
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", DEVICE / file]
    environment = os.environ | {"TINYTC_TARGET": "native"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:]
