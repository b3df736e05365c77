"""What the package says of itself: version, licence, metadata."""

import importlib.metadata
import pathlib
import re
import subprocess
import sys

import pytest

import tinytc_mlir

ROOT = pathlib.Path(__file__).parents[2]


@pytest.mark.parametrize("package", ["tinytc_mlir", "tinytc_mlir.cli"])
def test_version_from_the_shell(package):
    words = [sys.executable, "-m", package, "--version"]
    result = subprocess.run(words, capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == f"tinytc {tinytc_mlir.__version__}\n"


def test_there_is_one_version():
    assert re.fullmatch(r"\d+\.\d+\.\d+", tinytc_mlir.__version__)
    assert f"version: {tinytc_mlir.__version__}\n" in (ROOT / "CITATION.cff").read_text()
    of_bench = (ROOT / "bench" / "pyproject.toml").read_text()
    assert f'\nversion = "{tinytc_mlir.__version__}"\n' in of_bench
    assert (
        f'"tinytc-mlir-bench=={tinytc_mlir.__version__}"' in (ROOT / "pyproject.toml").read_text()
    )


def test_metadata():
    try:
        metadata = importlib.metadata.metadata("tinytc-mlir")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("a build tree has no metadata")
    assert metadata["Version"] == tinytc_mlir.__version__
    assert metadata["License-Expression"] == "BSD-3-Clause"
    assert metadata.get_all("Project-URL")
    classifiers = metadata.get_all("Classifier")
    for minor in range(10, 15):
        assert f"Programming Language :: Python :: 3.{minor}" in classifiers


def test_every_file_has_a_licence():
    pytest.importorskip("reuse")
    result = subprocess.run(
        [sys.executable, "-m", "reuse", "--root", ROOT, "lint", "--quiet"],
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout + result.stderr


SCRIPTS = {"opt": "tinytc-opt", "lsp_server": "tinytc-lsp-server"}


@pytest.mark.parametrize("function", SCRIPTS)
def test_console_scripts_of_binaries(function):
    from tinytc_mlir.cli.tools import tool_path

    if not tool_path(SCRIPTS[function]).exists():
        pytest.skip("a build tree has no binaries")
    code = f"from tinytc_mlir.cli.tools import {function}; {function}()"
    words = [sys.executable, "-c", code, "--help"]
    result = subprocess.run(words, capture_output=True, text=True)
    assert result.returncode == 0
    assert SCRIPTS[function] in result.stdout or "OVERVIEW" in result.stdout
