# SPDX-License-Identifier: BSD-3-Clause
"""Counts from the code that Intel's offline compiler for GPUs makes of kernels.

Instructions are counted in the assembly that it dumps, for whole kernels and for the loop that does
most of the work; the memory of spilled registers is read from the binary. No GPU is needed, and the
counts do not depend on the machine.
"""

from __future__ import annotations

import collections
import dataclasses
import pathlib
import re
import struct
import tempfile

from tinytc_mlir.explore.ocloc import DEVICES, OclocError, assemblies, compile_binary, kernel_of

from .measurements import IntelCounts

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
_LABEL = re.compile(r"([\w.]+):\s*(?://.*)?$")
_LANES = re.compile(r"\((\d+)\|M\d+\)")
_JUMPS = ("jmpi", "goto", "while", "brc", "brd")
_FMA_LANES = 16


@dataclasses.dataclass(frozen=True)
class Code:
    """How many instructions of each kind some code has.

    Args:
        instructions: all instructions.
        messages: loads, stores, atomics and fences, including those of spilled registers.
        multiply_adds: multiply-adds of floating-point numbers.
        dot_products: instructions of the matrix unit (dpas).
        multiply_adds_of_16: the multiply-adds, in units of 16 lanes.
    """

    instructions: int
    messages: int
    multiply_adds: int
    dot_products: int
    multiply_adds_of_16: float


@dataclasses.dataclass(frozen=True)
class Assembly:
    """How many instructions the code of a kernel has.

    Args:
        kernel: name of the kernel.
        all: all of its code.
        hottest: its innermost loop with the most multiply-adds and dot products; all of its code
            if it has no loop with any.
    """

    kernel: str
    all: Code
    hottest: Code


def gpus_for(text: str) -> list[str]:
    """Return the names from `COUNTED` of the GPUs that support all types of a program.

    Args:
        text: program in the language.

    >>> gpus_for("func @f(%x: f32) { }"), gpus_for("func @f(%A: memref<c64x4>) { }")
    (['pvc', 'dg2'], ['pvc'])
    """
    has_double = _DOUBLE.search(text) is not None
    return [name for name in COUNTED if DEVICES[name].has_f64 or not has_double]


def measure(
    spirv: bytes, gpu: str, *, registers: int = 128, timeout_s: float = _TIMEOUT_S
) -> dict[str, IntelCounts]:
    """Return, by kernel, the counts of `Assembly`, `lanes` of a subgroup and `spilled_bytes`.

    Args:
        spirv: the module.
        gpu: a name of `DEVICES`.
        registers: how many a thread may have, one of `REGISTERS`.
        timeout_s: when to give up, in seconds.

    Raises:
        OclocError: there is no ocloc, it rejects the module, or it does not finish in time.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        binary = compile_binary(spirv, gpu, registers=registers, timeout_s=timeout_s, dump=folder)
        codes = {kernel: count(text) for kernel, text in assemblies(folder).items()}
    lanes = _numbers(binary, r"simd_size")
    return {
        kernel: {
            "registers": registers,
            "lanes": lanes[kernel],
            "instructions": codes[kernel].all.instructions,
            "messages": codes[kernel].all.messages,
            "multiply_adds": codes[kernel].all.multiply_adds,
            "dot_products": codes[kernel].all.dot_products,
            "loop_instructions": codes[kernel].hottest.instructions,
            "loop_messages": codes[kernel].hottest.messages,
            "loop_dot_products": codes[kernel].hottest.dot_products,
            "loop_multiply_adds_of_16": codes[kernel].hottest.multiply_adds_of_16,
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

    >>> found = count('''//.kernel f
    ... _main:
    ... (W)     load.ugm.d32x8t.a64 (1|M0)  r53:1  [r20:1]  {I@4,$3} // desc:0x210C580
    ...         mad (32|M0)  r7.0<1>:f  r8.0<1;0>:f  r9.0<1;0>:f  r53.0<0>:f  {$3.dst}
    ... (W&f0.1) jmpi                 _main
    ... (W)     send.gtwy (1|M0)  null  r127  null:0  0x0  0x02000010  {EOT} // end of thread
    ... ''')
    >>> found.all
    Code(instructions=4, messages=1, multiply_adds=1, dot_products=0, multiply_adds_of_16=2.0)
    >>> found.hottest.instructions
    3
    """
    kinds: list[str] = []
    lanes: list[int] = []
    labels: dict[str, int] = {}
    loops: list[tuple[int, int]] = []
    for line in assembly.splitlines():
        if line.startswith("//"):
            continue
        if label := _LABEL.match(line):
            labels[label[1]] = len(kinds)
        elif match := _INSTRUCTION.match(line):
            kinds.append(_kind(*match.groups()))
            width = _LANES.search(line)
            lanes.append(int(width[1]) if width else 1)
            if match[1].split(".")[0] in _JUMPS:
                places = (labels.get(word) for word in match[2].split())
                loops += [(place, len(kinds)) for place in places if place is not None]
    pieces = [_code(kinds[first:last], lanes[first:last]) for first, last in _innermost(loops)]
    whole = _code(kinds, lanes)
    hottest = max(pieces, key=_work, default=whole)
    return Assembly(kernel_of(assembly), whole, hottest if any(_work(hottest)) else whole)


def _innermost(loops: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the ranges that contain no other one."""

    def contains(outer: tuple[int, int], inner: tuple[int, int]) -> bool:
        return outer != inner and outer[0] <= inner[0] and inner[1] <= outer[1]

    return [loop for loop in loops if not any(contains(loop, other) for other in loops)]


def _code(kinds: list[str], lanes: list[int]) -> Code:
    counts = collections.Counter(kinds)
    widths = (width for kind, width in zip(kinds, lanes, strict=True) if kind == "multiply_add")
    return Code(
        instructions=len(kinds),
        messages=counts["message"],
        multiply_adds=counts["multiply_add"],
        dot_products=counts["dot_product"],
        multiply_adds_of_16=sum(widths) / _FMA_LANES,
    )


def _work(code: Code) -> tuple[int, float]:
    return code.dot_products, code.multiply_adds_of_16


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
    return _numbers(binary, r"- type: *scratch.*?size")


def _numbers(binary: bytes, name: str) -> dict[str, int]:
    """Return, by kernel, the sum of the entries of this name in its description."""
    info = _section(binary, ".ze_info").decode().split("kernels_misc_info:")[0]
    kernels = re.split(r"^  - name: *", info, flags=re.M)[1:]
    entry = re.compile(name + r": *(\d+)", re.S)
    return {text.split()[0]: sum(map(int, entry.findall(text))) for text in kernels}


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
