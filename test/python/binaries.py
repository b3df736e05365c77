"""SPIR-V: the tool that checks it, marks for tests that need tools, and changed binaries."""

import pathlib
import shutil
import struct
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

HEAD_WORDS, FUNCTION = 5, 54


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


def instructions_of(spirv):
    """Yield the words of each instruction; the upper half of the first one is their number."""
    words, at = struct.unpack(f"<{len(spirv) // 4}I", spirv), HEAD_WORDS
    while at < len(words):
        yield list(words[at : at + (words[at] >> 16)])
        at += words[at] >> 16


def changed_words(spirv, change, number):
    """Return a binary in which a function has changed the words of some instructions."""
    code = [
        change(words) if words[0] & 0xFFFF == number else words for words in instructions_of(spirv)
    ]
    return spirv[: 4 * HEAD_WORDS] + b"".join(struct.pack(f"<{len(each)}I", *each) for each in code)


def with_instruction(spirv, number, *operands):
    """Return a binary with another instruction before its first function."""
    added = []

    def before(words):
        if added:
            return words
        added.append([(len(operands) + 1) << 16 | number, *operands])
        return [*added[0], *words]

    return changed_words(spirv, before, FUNCTION)
