"""The cases of device tests, recipes, chains and the benchmark, natively: with the same judges.

Each file runs in a process of its own, for which TINYTC_TARGET is set. In a commit it is one file,
at night all of them.
"""

import os
import pathlib
import subprocess
import sys

import pytest

import profiles

TESTS = pathlib.Path(__file__).parents[1]
DEVICE = TESTS / "device"
# Those that are about the driver, dpctl or code for GPUs.
OTHERS = {
    "test_environment.py",
    "test_gpu_compile.py",
    "test_gpu_schedules.py",
    "test_large_programs.py",
    "test_launch.py",
    "test_lost_lanes.py",
}
# And files some of whose tests are about that.
SELECTED = {
    "test_abi.py": "not usm_slices and not asarray",
    "test_random_programs.py": "not without_optimization",
    "test_sample.py": "not usm",
    "test_shared_exchanges.py": "not built",
    "test_strided_bytes.py": "not built",
}
FILES = [
    *(DEVICE / name for name in sorted({path.name for path in DEVICE.glob("test_*.py")} - OTHERS)),
    *sorted((TESTS / "recipes").glob("test_*.py")),
    TESTS / "seissol" / "test_launches.py",
    TESTS / "bench" / "test_cases.py",
]
CHOSEN = FILES if profiles.IS_NIGHTLY else [DEVICE / "test_scalar.py"]


def test_others_exist():
    assert all((DEVICE / name).exists() for name in (*OTHERS, *SELECTED))


@pytest.mark.parametrize("file", CHOSEN, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_device_cases_run_natively(file):
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", file]
    command += ["-k", SELECTED.get(file.name, "")]
    environment = os.environ | {"TINYTC_TARGET": "native"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:]
