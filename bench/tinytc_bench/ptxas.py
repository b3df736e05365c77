# SPDX-License-Identifier: BSD-3-Clause
"""NVIDIA's assembler, and what it reports about the kernels that it assembles.

Registers, stack and spills are what `ptxas` says; instructions are counted in what `nvdisasm`
prints. Both are Python packages. No GPU is needed, and the counts do not depend on the machine.
"""

from __future__ import annotations

import collections
import functools
import importlib.metadata
import os
import pathlib
import re
import tempfile

from tinytc_mlir._tinytc import targets
from tinytc_mlir.errors import TinyTCError
from tinytc_mlir.explore import assemblers

from .measurements import NvidiaCounts

_PREFIX = "cuda:"
CHIPS = {
    target.name.removeprefix(_PREFIX): target.name
    for target in targets()
    if target.family == "nvidia_gpu"
}
"""The targets that ptxas assembles for, by the names of their chips."""

_PACKAGES = {"ptxas": "nvidia-cuda-nvcc", "nvdisasm": "nvidia-cuda-nvdisasm"}
PACKAGES = tuple(_PACKAGES.values())
_TIMEOUT_S = 300.0
_FUNCTION = re.compile(
    r"Function properties for (\S+)\s+(\d+) bytes stack frame, (\d+) bytes spill stores, "
    r"(\d+) bytes spill loads\s+(?:ptxas)?[^\n]*?Used (\d+) registers"
)
_SECTION = re.compile(r"^\s*\.section\s+\.text\.([\w$]+),", re.MULTILINE)
_INSTRUCTION = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+ )?\s*([A-Z][\w.]*)")
_LOADS = ("LDG", "LDS", "LD")
_OTHER_MESSAGES = ("STG", "STS", "ST", "ATOM", "ATOMG", "ATOMS", "RED", "REDG")
_MULTIPLY_ADDS = ("FFMA", "DFMA", "HFMA2", "FFMA2", "HFMA2.MMA")
_DOT_PRODUCTS = ("HMMA", "DMMA", "HGMMA", "IMMA", "UTCHMMA")


class PtxasError(TinyTCError):
    """A tool is missing, rejected its input or did not finish; the text says which."""


@functools.cache
def find_tool(name: str) -> str | None:
    """Return the path of "ptxas" or "nvdisasm" in its Python package, None if there is none."""
    try:
        files = importlib.metadata.files(_PACKAGES[name]) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    for file in files:
        if file.parts[-2:] == ("bin", name):
            return str(file.locate())
    return None


def is_installed() -> bool:
    """Return whether both tools are there."""
    return all(find_tool(name) is not None for name in _PACKAGES)


def assemble(ptx: str, chip: str, *, timeout_s: float = _TIMEOUT_S) -> tuple[bytes, str]:
    """Return the cubin that ptxas makes, and what it says of the kernels.

    Args:
        ptx: the module.
        chip: a name of `CHIPS`.
        timeout_s: when to give up, in seconds.

    Raises:
        PtxasError: there is no ptxas, it rejects the module, or it does not finish in time.
    """
    with tempfile.TemporaryDirectory() as name:
        source, target = pathlib.Path(name, "kernels.ptx"), pathlib.Path(name, "kernels.cubin")
        source.write_text(ptx)
        words = [f"-arch={chip}", "-v", str(source), "-o", str(target)]
        output = _run("ptxas", words, chip, timeout_s)
        return target.read_bytes(), output


def _run(name: str, words: list[str], chip: str, timeout_s: float) -> str:
    tool = find_tool(name)
    if tool is None:
        raise PtxasError(f"expected {name}, got none; pip install {_PACKAGES[name]}")
    return assemblers.run([tool, *words], f"{name} for {chip}", PtxasError, timeout_s)


def resources(output: str) -> dict[str, tuple[int, int, int]]:
    """Return registers, bytes of stack and bytes of spills of each kernel.

    Args:
        output: what ptxas says.

    >>> resources('''ptxas info    : Function properties for f
    ...     8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads
    ... ptxas info    : Used 10 registers, used 0 barriers
    ... ''')
    {'f': (10, 8, 16)}
    """
    return {
        name: (int(registers), int(stack), int(stores) + int(loads))
        for name, stack, stores, loads, registers in _FUNCTION.findall(output)
    }


def count(assembly: str) -> dict[str, collections.Counter[str]]:
    """Return the instructions of each kernel by kind.

    Args:
        assembly: what nvdisasm prints.

    >>> count('''  .section  .text.f,"ax",@progbits
    ...   /*0030*/     @P0 LDG.E.128 R4, desc[UR4][R2.64] ;
    ...   /*0050*/         FFMA R4, R4, R5, R6 ;
    ...   /*00a0*/         NOP;
    ... ''')["f"].most_common()
    [('instructions', 2), ('messages', 1), ('loads', 1), ('wide_loads', 1), ('multiply_adds', 1)]
    """
    parts = _SECTION.split(assembly)
    return {name: _count_kernel(text) for name, text in zip(parts[1::2], parts[2::2], strict=True)}


def _count_kernel(text: str) -> collections.Counter[str]:
    kinds: collections.Counter[str] = collections.Counter()
    for mnemonic in _INSTRUCTION.findall(text):
        word = mnemonic.split(".")[0]
        if word == "NOP":  # fills the section
            continue
        kinds["instructions"] += 1
        kinds["messages"] += word in _LOADS or word in _OTHER_MESSAGES
        if word in _LOADS:
            kinds["loads"] += 1
            kinds["wide_loads"] += ".128" in mnemonic
        elif word in _MULTIPLY_ADDS:
            kinds["multiply_adds"] += 1
        elif word in _DOT_PRODUCTS:
            kinds["dot_products"] += 1
    return kinds


def measure(ptx: str, chip: str, *, timeout_s: float = _TIMEOUT_S) -> dict[str, NvidiaCounts]:
    """Return, by kernel, what ptxas says of it and how many instructions it has.

    Args:
        ptx: the module.
        chip: a name of `CHIPS`.
        timeout_s: when to give up, in seconds.

    Raises:
        PtxasError: a tool is missing, rejects the module, or does not finish in time.
    """
    cubin, output = assemble(ptx, chip, timeout_s=timeout_s)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kernels.cubin")
        pathlib.Path(path).write_bytes(cubin)
        codes = count(_run("nvdisasm", ["-c", path], chip, timeout_s))
    return {
        name: {
            "instructions": codes[name]["instructions"],
            "messages": codes[name]["messages"],
            "multiply_adds": codes[name]["multiply_adds"],
            "dot_products": codes[name]["dot_products"],
            "spilled_bytes": spilled + stack,
            "registers": registers,
            "loads": codes[name]["loads"],
            "wide_loads": codes[name]["wide_loads"],
        }
        for name, (registers, stack, spilled) in resources(output).items()
    }
