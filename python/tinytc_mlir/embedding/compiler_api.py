# SPDX-License-Identifier: BSD-3-Clause
"""The part of the Tiny Tensor Compiler's C++ interface that code generators call.

Generated C++ code holds programs as raw strings, `R"tinytc(...)tinytc"`, and asks the compiler's
library for their kernels when it runs. The headers that are made here answer from a library that
was built before, so that such code compiles unchanged and runs without a compiler.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .languages import template

_PROGRAM = re.compile(r'R"tinytc\((.*?)\)tinytc"', re.DOTALL)
#: The hash of Fowler, Noll and Vo (FNV-1a).
_OFFSET_BASIS, _PRIME = 0xCBF29CE484222325, 0x100000001B3
SUFFIXES = (".cc", ".cpp", ".cu", ".cxx", ".h", ".hpp")


def embedded_programs(text: str) -> tuple[str, list[str]]:
    """Return the programs of a C++ file: one text with all at their lines, and each by itself.

    Args:
        text: the C++ file. A program that it holds twice counts once.

    >>> embedded_programs('auto a = R"tinytc(func @f() {})tinytc";')
    ('                  func @f() {}         ', ['func @f() {}'])
    """
    begin = 0
    parts: list[str] = []
    programs: list[str] = []
    for found in _PROGRAM.finditer(text):
        parts.append(re.sub(r"\S", " ", text[begin : found.start(1)]))
        program = found.group(1)
        is_known = fingerprint(program) in map(fingerprint, programs)
        parts.append(re.sub(r"\S", " ", program) if is_known else program)
        programs += [] if is_known else [program]
        begin = found.end(1)
    return "".join([*parts, re.sub(r"\S", " ", text[begin:])]), programs


def fingerprint(program: str) -> int:
    """Return a number that tells programs apart, whatever their spaces and lines."""
    value = _OFFSET_BASIS
    for byte in "".join(program.split()).encode():
        value = (value ^ byte) * _PRIME % 2**64
    return value


def compiler_api_files(
    library: str, sources: Sequence[str], options: Mapping[str, str]
) -> Mapping[str, str]:
    """Return the files of the interface by their paths.

    Args:
        library: name of the library.
        sources: its programs.
        options: options for the driver: of "opencl" and of "level_zero".
    """
    prints = ", ".join(f"{fingerprint(source):#x}u" for source in sources)
    values = {"library": library, "prints": prints, **options}
    return {
        "include/tinytc/tinytc.hpp": template("compiler_api/tinytc.hpp.in"),
        "include/tinytc/tinytc_sycl.hpp": template("compiler_api/tinytc_sycl.hpp.in"),
        f"src/{library}_programs.cpp": template("compiler_api/programs.cpp.in", **values),
    }
