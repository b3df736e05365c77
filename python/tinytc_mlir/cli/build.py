# SPDX-License-Identifier: BSD-3-Clause
"""`tinytc build`: builds a library of kernels for C, C++ and Fortran."""

from __future__ import annotations

import argparse
import pathlib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..errors import TinyTCError
from .files import EXIT_OK, Commands, add_file, command, module_of, read, read_module

if TYPE_CHECKING:
    from ..compiler import Module

_EXAMPLES = (
    ("gemm.ir -o kernels", "writes kernels/include and kernels/lib for x86-64"),
    ("--target aarch64 gemm.ir -o kernels", "for AArch64, with the cross compiler of Debian"),
    ("--target intel-gpu:pvc gemm.ir -o kernels", "launched by SYCL or OpenCL"),
    ("chains.json -o kernels", "chains of products that are described in JSON"),
    ("--target intel-gpu:pvc gpulike_subroutine.cpp -o kernels", "the programs in generated C++"),
    ("--target native --name flux gemm.ir -o kernels", "libflux.a and flux.h for this processor"),
)


class _PrintCMakeDir(argparse.Action):
    """Prints the folder of the CMake package and ends."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str) -> None:  # noqa: A002
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from .. import embedding

        print(pathlib.Path(embedding.__file__).parent / "cmake")
        parser.exit()


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
    parser.add_argument(
        "--cmake-dir",
        action=_PrintCMakeDir,
        help="print the folder with the CMake package TinyTC, which has tinytc_add_library, and "
        "end",
    )
    parser.add_argument("-o", "--output", metavar="DIR", default=".", help="folder to write")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from ..embedding import build_library
    from ..embedding.library import DEFAULT_TARGETS

    module, name, sources = _program(arguments)
    targets = DEFAULT_TARGETS if arguments.target is None else arguments.target.split(",")
    masks = arguments.masks
    for path in build_library(
        module, arguments.output, name, targets=targets, masks=masks, sources=sources
    ):
        print(path)
    return EXIT_OK


def _program(arguments: argparse.Namespace) -> tuple[Module, str, list[str]]:
    """Return the module, the name of the library, and the programs that a C++ file holds."""
    from ..embedding.chains import read_chains
    from ..embedding.compiler_api import SUFFIXES, embedded_programs
    from ..frontend import decode

    file, name = arguments.file, arguments.name or _name(arguments.file)
    if file.endswith(".json"):
        chains = read_chains(decode(read(file), file), file)
        module = module_of(arguments, chains.text().encode())
        return module, arguments.name or chains.library, []
    if not file.endswith(SUFFIXES):
        return read_module(arguments), name, []
    text, sources = embedded_programs(decode(read(file), file))
    if not sources:
        raise TinyTCError(f'{file}: expected a program in R"tinytc(...)tinytc", got none')
    return module_of(arguments, text.encode()), name, sources


def _name(file: str) -> str:
    return re.sub(r"\W", "_", pathlib.Path(file).stem)
