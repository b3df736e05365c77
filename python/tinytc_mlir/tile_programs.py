# SPDX-License-Identifier: BSD-3-Clause
"""Programs on tiles, assembled by NVIDIA's `tileiras` for the CUDA runtime."""

from __future__ import annotations

import dataclasses
import importlib.util
import pathlib
import shutil
import subprocess
import tempfile
from collections.abc import Collection

from .errors import DeviceError, LoweringError
from .runtime.kernel_info import CUBIN, KernelInfo
from .runtime.manifest import Manifest
from .runtime.program import Program

_TOOL = "tileiras"
_ALIGNED_SUFFIX = "__aligned"


def find_tool(name: str = _TOOL) -> str:
    """Return the path of a tool of NVIDIA, of the package with `tileiras` or on the PATH.

    Raises:
        DeviceError: it is not installed.
    """
    nvidia = importlib.util.find_spec("nvidia")
    for folder in (nvidia.submodule_search_locations if nvidia else None) or ():
        for path in pathlib.Path(folder).glob(f"*/bin/{name}"):
            return str(path)
    found = shutil.which(name)
    if found is None:
        raise DeviceError(
            f"expected NVIDIA's tool {name}, got none: pip install 'tinytc-mlir[tiles]'"
        )
    return found


def assemble(bytecode: bytes, target: str) -> bytes:
    """Return the cubin of a program on tiles.

    Args:
        bytecode: Tile IR bytecode.
        target: name of a target, e.g. "cuda:sm_90".

    Raises:
        DeviceError: there is no assembler.
        LoweringError: the assembler rejects the program.
    """
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = pathlib.Path(folder, "kernels.tileirbc"), pathlib.Path(folder, "cubin")
        source.write_bytes(bytecode)
        architecture = target.partition(":")[2]
        command = [find_tool(), f"--gpu-name={architecture}", str(source), "-o", str(cubin)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise LoweringError(f"{_TOOL} rejects the program for {target}: {done.stderr.strip()}")
        return cubin.read_bytes()


def program_of(bytecode: bytes, entries: Collection[str], manifest: Manifest) -> Program:
    """Return the program of kernels that are programs on tiles.

    Args:
        bytecode: Tile IR bytecode.
        entries: names of its entries.
        manifest: what PTX of the same kernels for the same target says about them.

    Raises:
        DeviceError: there is no assembler.
        LoweringError: the assembler rejects the program.
    """
    names = {info.name for info in manifest.kernels}
    kernels = tuple(_of_tiles(info, set(entries) - names) for info in manifest.kernels)
    described = dataclasses.replace(manifest, kernels=kernels, format=CUBIN)
    return Program(assemble(bytecode, manifest.target), described)


def _of_tiles(info: KernelInfo, variants: Collection[str]) -> KernelInfo:
    """Return what a launch must know of a tile block, which the driver fills with threads."""
    variant = info.name + _ALIGNED_SUFFIX
    return dataclasses.replace(
        info,
        local_size=(1, 1, 1),
        subgroup_size=0,  # any
        local_memory_bytes=0,
        complex_parts=True,
        aligned_variant=variant if variant in variants else None,
        aligned_members_variant=None,
        variant_may_overlap=True,  # tokens order accesses of whatever arrays
    )
