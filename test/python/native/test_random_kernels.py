"""Random kernels, native and in the reference interpreter: a sample of test/device_check.py."""

import os
import pathlib
import subprocess
import sys

import pytest

import profiles
from tinytc_mlir.runtime.native.processor import NativeLoader

CHECK = pathlib.Path(__file__).parents[2] / "device_check.py"
# Kernels in a commit and at night.
COUNTS = {"native": (12, 400), "x86-64-v2": (4, 100), "x86-64-v3": (4, 100), "x86-64-v4": (4, 100)}
(DEVICE,) = NativeLoader().devices()


@pytest.mark.parametrize("target", [target for target in COUNTS if target in DEVICE.runs])
def test_random_kernels_agree_with_the_reference(target):
    command = [sys.executable, CHECK, "--count", str(COUNTS[target][profiles.IS_NIGHTLY])]
    environment = os.environ | {"TINYTC_TARGET": target}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert ", 0 not built, 0 wrong" in done.stdout
