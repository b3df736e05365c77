# SPDX-License-Identifier: BSD-3-Clause
"""`tinytc build`: builds a library of kernels for C, C++ and Fortran."""

from __future__ import annotations

import argparse
import pathlib
import re

from ..errors import TinyTCError
from .files import EXIT_OK, Commands, add_file, command, module_of, read, read_module

_EXAMPLES = (
    ("gemm.ir -o kernels", "writes kernels/include and kernels/lib for x86-64"),
    ("--target aarch64 gemm.ir -o kernels", "for AArch64, with the cross compiler of Debian"),
    ("--target intel-gpu:pvc gemm.ir -o kernels", "launched by SYCL or OpenCL"),
    ("--target intel-gpu:pvc gpulike_subroutine.cpp -o kernels", "the programs in generated C++"),
    ("--target native --name flux gemm.ir -o kernels", "libflux.a and flux.h for this processor"),
)


def add(commands: Commands) -> None:
    """Add the command."""
    parser = command(commands, "build", run, "build a library for C, C++ and Fortran", _EXAMPLES)
    add_file(parser)
    parser.add_argument(
        "--target",
        metavar="TARGETS",
        help="targets of native code, with commas between them, of which the library takes the "
        "best that the processor can run, by default x86-64-v3,x86-64-v4; or one other target, "
        "whose kernels are launched by OpenCL and SYCL, or by CUDA's driver",
    )
    parser.add_argument(
        "--name",
        help="name of the library, with which all names in C begin; by default that of the file",
    )
    parser.add_argument(
        "--masks",
        action="store_true",
        help="let functions that take a batch by position leave out elements by their flags on "
        "devices, too",
    )
    parser.add_argument("-o", "--output", metavar="DIR", default=".", help="folder to write")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from ..embedding import build_library
    from ..embedding.compiler_api import SUFFIXES, embedded_programs
    from ..embedding.library import DEFAULT_TARGETS

    sources: list[str] = []
    if arguments.file.endswith(SUFFIXES):
        text, sources = embedded_programs(read(arguments.file).decode(errors="replace"))
        if not sources:
            raise TinyTCError(
                f'{arguments.file}: expected a program in R"tinytc(...)tinytc", got none'
            )
        module = module_of(arguments, text.encode())
    else:
        module = read_module(arguments)
    targets = DEFAULT_TARGETS if arguments.target is None else arguments.target.split(",")
    name = arguments.name or re.sub(r"\W", "_", pathlib.Path(arguments.file).stem)
    masks = arguments.masks
    for path in build_library(
        module, arguments.output, name, targets=targets, masks=masks, sources=sources
    ):
        print(path)
    return EXIT_OK
