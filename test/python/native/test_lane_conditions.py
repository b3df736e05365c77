"""A sample of test/lane_condition_check.py: instructions in branches that some lanes take."""

import pathlib
import subprocess
import sys

import pytest

import profiles
from tinytc_mlir.runtime.native.processor import NativeLoader

SCRIPT = pathlib.Path(__file__).parents[2] / "lane_condition_check.py"
TARGETS = ("x86-64-v2", "x86-64-v3", "x86-64-v4")
"""The first settings of the script are those of each, for 16, 32 and 64 lanes."""
(DEVICE,) = NativeLoader().devices()


@pytest.mark.parametrize(
    "target", profiles.in_turns([each for each in TARGETS if each in DEVICE.runs], "lanes")
)
def test_instructions_agree_with_the_reference(target):
    last = 3 * TARGETS.index(target) + 2
    for setting in (last - 2, last - 1, last, last + 9) if profiles.IS_NIGHTLY else (last,):
        words = ["--setting", str(setting), "--every", "1" if profiles.IS_NIGHTLY else "50"]
        done = subprocess.run([sys.executable, SCRIPT, *words], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr[-2000:]
