"""Intel's offline compiler for GPUs, and what it reports about the kernels that it compiles.

Instructions are counted in the assembly that it dumps; the memory of spilled registers is read
from the binary. No GPU is needed, and the counts do not depend on the machine.
"""

from __future__ import annotations

import collections
import dataclasses
import os
import pathlib
import re
import shutil
import struct
import subprocess
import tempfile

from .._tinytc import targets
from ..errors import TinyTCError
from ..runtime.intel_gpus import INTEL_GPUS
from . import assemblers
from .measurements import Counts

_PREFIX = "intel-gpu:"
DEVICES = {
    target.name.removeprefix(_PREFIX): target for target in targets() if target.name in INTEL_GPUS
}
"""The targets that ocloc may compile for, by their names without the prefix."""

COUNTED = ("pvc", "dg2")
"""Those that the ocloc of Debian 12 knows: their instructions are counted on every machine."""

_DOUBLE = re.compile(r"\b[fc]64")
_TIMEOUT_S = 120.0
_MULTIPLY_ADDS = ("mad", "mac")
_DOT_PRODUCTS = ("dpas", "dpasw")
_FLOATS = ("f", "df", "hf", "bf")
_MESSAGES = ("load", "store", "atomic", "send", "fence")
_NO_MEMORY = ("gtwy", "ts")  # the gateway, of barriers and ends of threads; the thread spawner
# Predicate, mnemonic, the rest of the line; labels begin in the first column.
_INSTRUCTION = re.compile(r"(?:\([^)]*\))?\s+([a-z][\w.]*)\s*(.*)")
_TYPE = re.compile(r":(\w+)")


class OclocError(TinyTCError):
    """There is no ocloc, it rejected a module or did not finish; the text says which."""


@dataclasses.dataclass(frozen=True)
class Assembly:
    """How many instructions of each kind the code of a kernel has.

    Args:
        kernel: name of the kernel.
        instructions: all instructions.
        messages: loads, stores, atomics and fences, including those of spilled registers.
        multiply_adds: multiply-adds of floating-point numbers.
        dot_products: instructions of the matrix unit (dpas).
    """

    kernel: str
    instructions: int
    messages: int
    multiply_adds: int
    dot_products: int


def is_installed() -> bool:
    """Return whether there is a command `ocloc`."""
    return shutil.which("ocloc") is not None


def gpus_for(text: str) -> list[str]:
    """Return the names from `COUNTED` of the GPUs that support all types of a program.

    Args:
        text: program in the language.

    >>> gpus_for("func @f(%x: f32) { }"), gpus_for("func @f(%A: memref<c64x4>) { }")
    (['pvc', 'dg2'], ['pvc'])
    """
    has_double = _DOUBLE.search(text) is not None
    return [name for name in COUNTED if DEVICES[name].has_f64 or not has_double]


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
    timeout_s: float = _TIMEOUT_S,
    dump: pathlib.Path | None = None,
) -> bytes:
    """Return the binary, an ELF file, that ocloc compiles a module to.

    Args:
        spirv: the module.
        gpu: a name of `DEVICES`.
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
        assemblers.run(words, f"ocloc for {gpu}", OclocError, timeout_s, environment)
        (binary,) = folder.glob("kernels_*.bin")
        return binary.read_bytes()


def measure(spirv: bytes, gpu: str, *, timeout_s: float = _TIMEOUT_S) -> dict[str, Counts]:
    """Return, by kernel, the numbers of `Assembly` and `spilled_bytes`.

    Args:
        spirv: the module.
        gpu: a name of `DEVICES`.
        timeout_s: when to give up, in seconds.

    Raises:
        OclocError: there is no ocloc, it rejects the module, or it does not finish in time.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        binary = compile_binary(spirv, gpu, timeout_s=timeout_s, dump=folder)
        # A kernel that spills is compiled again with other options: the last one counts.
        paths = sorted(folder.glob("*.asm"), key=lambda path: path.stat().st_mtime_ns)
        codes = {code.kernel: code for code in (count(path.read_text()) for path in paths)}
    return {
        kernel: {
            "instructions": codes[kernel].instructions,
            "messages": codes[kernel].messages,
            "multiply_adds": codes[kernel].multiply_adds,
            "dot_products": codes[kernel].dot_products,
            "spilled_bytes": size_bytes,
        }
        for kernel, size_bytes in spilled_bytes(binary).items()
    }


def count(assembly: str) -> Assembly:
    """Return the counts for the assembly of a kernel.

    Args:
        assembly: text of a file that ocloc has dumped.

    Raises:
        OclocError: it names no kernel.

    >>> count('''//.kernel f
    ... (W)     load.ugm.d32x8t.a64 (1|M0)  r53:1  [r20:1]  {I@4,$3} // desc:0x210C580
    ...         mad (16|M0)  r7.0<1>:f  r8.0<1;0>:f  r9.0<1;0>:f  r53.0<0>:f  {$3.dst}
    ... (W)     send.gtwy (1|M0)  null  r127  null:0  0x0  0x02000010  {EOT} // end of thread
    ... ''')
    Assembly(kernel='f', instructions=3, messages=1, multiply_adds=1, dot_products=0)
    """
    name = re.search(r"^//\.kernel +(\S+)", assembly, re.M)
    if name is None:
        raise OclocError("expected the assembly of ocloc, got no line of '//.kernel'")
    lines = (line for line in assembly.splitlines() if not line.startswith("//"))
    matches = filter(None, map(_INSTRUCTION.match, lines))
    kinds = collections.Counter(_kind(*match.groups()) for match in matches)
    return Assembly(
        kernel=name[1],
        instructions=kinds.total(),
        messages=kinds["message"],
        multiply_adds=kinds["multiply_add"],
        dot_products=kinds["dot_product"],
    )


def _kind(mnemonic: str, operands: str) -> str:
    word, *modifiers = mnemonic.split(".")
    if word.startswith(_MESSAGES):
        return "other" if modifiers and modifiers[0] in _NO_MEMORY else "message"
    if word in _DOT_PRODUCTS:
        return "dot_product"
    type_ = _TYPE.search(operands)  # that of the result
    if word in _MULTIPLY_ADDS and type_ and type_[1] in _FLOATS:
        return "multiply_add"
    return "other"


def spilled_bytes(binary: bytes) -> dict[str, int]:
    """Return, by kernel, the bytes of memory for values that do not fit into registers.

    Args:
        binary: what `compile_binary` returns.

    Raises:
        OclocError: the binary has no description of kernels.
    """
    info = _section(binary, ".ze_info").decode().split("kernels_misc_info:")[0]
    kernels = re.split(r"^  - name: *", info, flags=re.M)[1:]
    buffer = re.compile(r"- type: *scratch.*?size: *(\d+)", re.S)
    return {text.split()[0]: sum(map(int, buffer.findall(text))) for text in kernels}


def _section(binary: bytes, name: str) -> bytes:
    """Return a section of a 64-bit ELF file."""
    (start,) = struct.unpack_from("<Q", binary, 0x28)
    size, number, names = struct.unpack_from("<3H", binary, 0x3A)
    sections = [struct.unpack_from("<2I4Q", binary, start + size * i) for i in range(number)]
    for section in sections:
        first = sections[names][4] + section[0]
        if binary[first : binary.index(0, first)] == name.encode():
            return binary[section[4] : section[4] + section[5]]
    raise OclocError(f"expected a binary with a section {name!r}, got none")
