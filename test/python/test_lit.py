"""Runs the lit suite of the dialect, passes and tools on the installed package."""

import pathlib
import subprocess
import sys

import pytest

import tinytc_mlir

TESTS = pathlib.Path(__file__).parents[1]
INSTALLED = pathlib.Path(tinytc_mlir.__file__).parent / "bin" / "tinytc-opt"


@pytest.mark.skipif(not INSTALLED.exists(), reason="a build tree: run `lit build/test`")
def test_lit_suite():
    result = subprocess.run(
        [sys.executable, "-m", "lit.main", "--quiet", str(TESTS)],
        capture_output=True,
        text=True,
        cwd=TESTS.parent,
    )
    assert result.returncode == 0, result.stdout + result.stderr
