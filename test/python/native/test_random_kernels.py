"""Random kernels, native and in the reference interpreter: a sample of test/device_check.py."""

import os
import pathlib
import subprocess
import sys

import profiles

CHECK = pathlib.Path(__file__).parents[2] / "device_check.py"
COUNT = 400 if profiles.IS_NIGHTLY else 12


def test_random_kernels_agree_with_the_reference():
    command = [sys.executable, CHECK, "--count", str(COUNT)]
    environment = os.environ | {"TINYTC_TARGET": "native"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert ", 0 not built, 0 wrong" in done.stdout
