"""Runs the lit suite of the dialect, passes and tools on the installed package."""

import pathlib
import subprocess
import sys

import pytest

from tinytc_mlir.cli.tools import tool_path

TESTS = pathlib.Path(__file__).parents[1]


@pytest.mark.skipif(
    not tool_path("tinytc-opt").exists(), reason="a build tree: run `lit build/test`"
)
def test_lit_suite():
    result = subprocess.run(
        [sys.executable, "-c", "from lit.main import main; main()", str(TESTS)],
        capture_output=True,
        text=True,
        cwd=TESTS.parent,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    files = [*TESTS.rglob("*.mlir"), *TESTS.rglob("*.ir")]
    parts = [file.relative_to(TESTS).parts for file in files]
    count = sum({"python", "Inputs"}.isdisjoint(names) for names in parts)
    assert f"Passed: {count} " in result.stdout, result.stdout
