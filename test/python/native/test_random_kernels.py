"""Random kernels, native and in the reference interpreter or NumPy.

They are samples of test/device_check.py and, of several subgroups that wait at barriers, of
test/barrier_check.py.
"""

import os
import pathlib
import subprocess
import sys

import pytest

import profiles
from tinytc_mlir.runtime.native.processor import NativeLoader

TEST = pathlib.Path(__file__).parents[2]
# Kernels in a commit and at night.
COUNTS = {"native": (12, 400), "x86-64-v2": (4, 100), "x86-64-v3": (4, 100), "x86-64-v4": (4, 100)}
(DEVICE,) = NativeLoader().devices()


def run(name, target, count, first=0):
    """Return what a check of random kernels prints about some of them."""
    command = [sys.executable, TEST / name, "--first", str(first), "--count", str(count)]
    environment = os.environ | {"TINYTC_TARGET": target}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    return done.stdout


@pytest.mark.similar
@pytest.mark.parametrize("target", [target for target in COUNTS if target in DEVICE.runs])
def test_random_kernels_agree_with_the_reference(target):
    done = run(
        "device_check.py", target, COUNTS[target][profiles.IS_NIGHTLY], profiles.FIRST_KERNEL
    )
    assert ", 0 not built, 0 wrong" in done


def test_random_kernels_with_barriers_agree_with_numpy():
    count = 3000 if profiles.IS_NIGHTLY else 50
    assert f"up to {count}: 0 wrong" in run("barrier_check.py", "native", count)
