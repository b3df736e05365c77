"""Strategies that are in a program, and not chosen: refused, or followed to the right numbers."""

import pathlib
import subprocess
import sys

from profiles import IS_NIGHTLY

SCRIPT = pathlib.Path(__file__).parents[2] / "strategy_check.py"


def test_random_strategies():
    count = 1000 if IS_NIGHTLY else 60
    words = [sys.executable, SCRIPT, "--first", "100000", "--count", str(count)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "'right'" in done.stdout
    assert "'refused'" in done.stdout
