"""The tool that checks SPIR-V, and marks for tests that need it or ocloc."""

import pathlib
import shutil
import subprocess
import tempfile

import pytest

import accepted_code
import tinytc_mlir as tt
from tinytc_mlir.compiler import TARGETS, stages_of
from tinytc_mlir.explore import ocloc

SPIRV_TARGETS = tuple(target for target in TARGETS if stages_of(target)[-1] == "spirv")
CAN_VALIDATE = shutil.which("spirv-val") is not None

needs_spirv_val = pytest.mark.skipif(not CAN_VALIDATE, reason="spirv-val is not installed")
needs_ocloc = pytest.mark.skipif(not ocloc.is_installed(), reason="ocloc is not installed")


def validate(spirv):
    """Raise a TinyTCError with the messages of spirv-val if a module is invalid."""
    accepted_code.check_once("spirv-val spv1.4", spirv, lambda: _run_spirv_val(spirv))


def _run_spirv_val(spirv):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "kernels.spv")
        path.write_bytes(spirv)
        command = ["spirv-val", "--target-env", "spv1.4", str(path)]
        result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        raise tt.TinyTCError(f"spirv-val: {result.stdout}{result.stderr}")
