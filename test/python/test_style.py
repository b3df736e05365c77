"""The formatter, the linter and the type checker have no complaints."""

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]


@pytest.mark.parametrize(
    "words",
    [["ruff", "check"], ["ruff", "format", "--check"], ["mypy"]],
    ids=["linter", "formatter", "types"],
)
def test_tool(words):
    pytest.importorskip(words[0])
    result = subprocess.run(
        [sys.executable, "-m", *words], cwd=ROOT, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout + result.stderr
