"""The installed binaries: tinytc-opt does what Python does at the same stage."""

import pathlib
import re
import subprocess
import sys

import pytest

import tinytc_mlir as tt
from tinytc_mlir.cli.tools import tool_path
from tinytc_mlir.compiler.version_stamps import stamped

SAMPLE = pathlib.Path(__file__).parents[2] / "examples" / "fused_kernel.ir"

pytestmark = pytest.mark.skipif(
    not tool_path("tinytc-opt").exists(), reason="a build tree has no binaries"
)


@pytest.fixture(scope="module")
def module():
    return tt.Context().parse_file(SAMPLE)


def opt(text, *words, program=None):
    """Run tinytc-opt on a text."""
    command = [*(program or [str(tool_path("tinytc-opt"))]), *words]
    return subprocess.run(command, input=text, capture_output=True, text=True)


@pytest.mark.parametrize("stage", ["linalg", "gpu", "spirv"])
def test_stages_are_those_of_python(module, stage):
    result = opt(str(module), f"--lower-to-{stage}")
    assert result.returncode == 0, result.stderr
    module = tt.Context().parse_mlir(str(module))  # of the same lines
    lowered = str(module.lower(stage, target="cpu", abi="plain", vector_bytes=0))
    assert result.stdout.strip() == stamped(lowered).strip()


def test_sample_becomes_one_spirv_module(module):
    text = opt(str(module), "--lower-to-spirv").stdout
    assert text.count("spirv.module") == 1
    assert not re.search(r"^\s*(%\S+ = )?\"?tinytc\.", text, re.M)


def test_console_script():
    script = [sys.executable, "-c", "from tinytc_mlir.cli.tools import opt; opt()"]
    result = opt("", "--help", program=script)
    assert result.returncode == 0
    assert "--lower-to-spirv" in result.stdout


def test_broken_input(module):
    result = opt("tinytc.func @f(", "--lower-to-spirv")
    assert result.returncode == 1
    assert "error: " in result.stderr
