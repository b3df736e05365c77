"""What all Python tests share: the helpers of this folder can be imported by name."""

import os
import pathlib
import shutil
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

# Tests verify after each pass what users verify before the first and after the last.
os.environ.setdefault("TINYTC_VERIFY_EACH", "1")

#: What some tests need beyond Python packages, and the Debian package that has it.
TOOLS = {"spirv-val": "spirv-tools", "ocloc": "intel-opencl-icd"}


def pytest_configure():
    """Refuse to run without the tools where nobody would see what was skipped."""
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing and os.environ.get("CI"):
        packages = " ".join(TOOLS[tool] for tool in missing)
        raise pytest.UsageError(f"{', '.join(missing)} not found: apt-get install {packages}")


@pytest.fixture
def tinytc(capsys):
    """Return a function that runs a command line and returns status, stdout and stderr."""
    from tinytc_mlir import cli

    def run(*words):
        status = cli.main([str(word) for word in words])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run
