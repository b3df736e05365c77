# SPDX-License-Identifier: BSD-3-Clause
"""Intel's offline compiler for GPUs, `ocloc`, and the assembly that it dumps. No GPU is needed."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from .._tinytc import targets
from ..errors import TinyTCError
from ..runtime.spirv.intel_gpus import INTEL_GPUS, build_options
from . import assemblers

_PREFIX = "intel-gpu:"
DEVICES = {
    target.name.removeprefix(_PREFIX): target for target in targets() if target.name in INTEL_GPUS
}
"""The targets that ocloc may compile for, by their names without the prefix."""

REGISTERS = (128, 256)
"""The numbers of registers that a thread may have."""

_TIMEOUT_S = 120.0


class OclocError(TinyTCError):
    """There is no ocloc, it rejected a module or did not finish; the text says which."""


def is_installed() -> bool:
    """Return whether there is a command `ocloc`."""
    return shutil.which("ocloc") is not None


def knows(gpu: str) -> bool:
    """Return whether the ocloc of this machine is there and compiles for a GPU.

    Args:
        gpu: a name of `DEVICES`.
    """
    if not is_installed():
        return False
    words = ["ocloc", "ids", INTEL_GPUS[DEVICES[gpu].name].ocloc_device]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def compile_binary(
    spirv: bytes,
    gpu: str,
    *,
    registers: int = 128,
    timeout_s: float = _TIMEOUT_S,
    dump: pathlib.Path | None = None,
) -> bytes:
    """Return the binary, an ELF file, that ocloc compiles a module to.

    Args:
        spirv: the module.
        gpu: a name of `DEVICES`.
        registers: how many a thread may have, one of `REGISTERS`.
        timeout_s: when to give up, in seconds.
        dump: an empty folder for everything that ocloc can write about a compilation.

    Raises:
        OclocError: there is no ocloc, it rejects the module, or it does not finish in time.
    """
    if not is_installed():
        raise OclocError("expected a command 'ocloc', got none; apt install intel-opencl-icd")
    environment = dict(os.environ)
    if dump is not None:
        environment |= {"IGC_ShaderDumpEnable": "1", "IGC_DumpToCustomDir": str(dump)}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        source = folder / "kernels.spv"
        source.write_bytes(spirv)
        words = ["ocloc", "compile", "-file", str(source), "-spirv_input"]
        words += [
            "-device",
            INTEL_GPUS[DEVICES[gpu].name].ocloc_device,
            "-out_dir",
            name,
            "-output",
            "kernels",
        ]
        words += ["--format", "zebin"]
        if options := build_options(registers, DEVICES[gpu].name, "opencl"):
            words += ["-options", options]
        assemblers.run(words, f"ocloc for {gpu}", OclocError, timeout_s, environment)
        (binary,) = folder.glob("kernels_*.bin")
        return binary.read_bytes()


def assemblies(dump: pathlib.Path) -> dict[str, str]:
    """Return the assembly of each kernel, by name.

    Args:
        dump: folder that `compile_binary` has filled.

    Raises:
        OclocError: a file of assembly names no kernel.
    """
    # A kernel that spills is compiled again with other options: the last one counts.
    paths = sorted(dump.glob("*.asm"), key=lambda path: path.stat().st_mtime_ns)
    texts = [path.read_text(errors="replace") for path in paths]
    return {kernel_of(text): text for text in texts}


def kernel_of(assembly: str) -> str:
    """Return the name of the kernel that the assembly is of.

    Args:
        assembly: text of a file that ocloc has dumped.

    Raises:
        OclocError: it names no kernel.

    >>> kernel_of("//.kernel f")
    'f'
    """
    name = re.search(r"^//\.kernel +(\S+)", assembly, re.M)
    if name is None:
        raise OclocError("expected the assembly of ocloc, got no line of '//.kernel'")
    return name[1]
