"""The formatter, the linter and the type checker have no complaints."""

import ast
import os
import pathlib
import subprocess
import sys

import pytest

import profiles

ROOT = pathlib.Path(__file__).parents[2]
PACKAGES = ("python", "bench")
VERMIN_OPTIONS = ("-t=3.10-", "--violations", "--no-tips", "--eval-annotations")
VERSIONS = profiles.in_turns(("3.10", "3.14"), "mypy")


@pytest.mark.parametrize(
    "words",
    [
        ["ruff", "check"],
        ["ruff", "format", "--check"],
        *(["mypy", "--python-version", version] for version in VERSIONS),
        ["vermin", *VERMIN_OPTIONS, *PACKAGES],
    ],
    ids=lambda words: " ".join(words[:3]),
)
def test_tool(words):
    pytest.importorskip(words[0])
    # A build tree in the path would make mypy read its generated modules in place of ours.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    start = ["-m", words[0]]
    if words[0] == "vermin":  # which is no program to Python
        start = ["-c", "import vermin; vermin.main()"]
    result = subprocess.run(
        [sys.executable, *start, *words[1:]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=environment,
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_named_tuples_have_no_other_base():
    # Python 3.10, the oldest one that the project promises, refuses Generic beside NamedTuple.
    for path in (path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        text = path.read_text()
        for node in ast.walk(ast.parse(text)) if "NamedTuple" in text else ():
            if isinstance(node, ast.ClassDef) and "NamedTuple" in map(ast.unparse, node.bases):
                assert len(node.bases) == 1, f"{path}:{node.lineno}"
