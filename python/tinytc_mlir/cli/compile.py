"""`tinytc compile`: compiles a program ahead of time."""

from __future__ import annotations

import argparse
import pathlib
from typing import TYPE_CHECKING

from .files import (
    EXIT_OK,
    Commands,
    UsageError,
    add_build_options,
    add_file,
    add_target,
    build_options,
    command,
    default_target,
    read_module,
    write,
)

if TYPE_CHECKING:
    from ..runtime.program import Program

_EXAMPLES = (
    ("gemm.ir", "writes gemm.tinytc for the CPU"),
    ("--target intel-gpu:pvc --emit spirv gemm.ir -o gemm.spv", "a SPIR-V binary for a GPU"),
    ("--emit manifest gemm.ir -o -", "prints the parameters of the kernels"),
    ("--build gemm.ir", "also lets the CPU driver build the kernels, for their first launch"),
)


def add(commands: Commands) -> None:
    """Add the command."""
    parser = command(commands, "compile", run, "compile a program ahead of time", _EXAMPLES)
    add_file(parser)
    add_target(parser, "what to compile for")
    parser.add_argument(
        "--emit",
        choices=("tinytc", "spirv", "manifest"),
        default="tinytc",
        help="a file that `tinytc run` and tinytc_mlir.load read, or one of its parts",
    )
    add_build_options(parser)
    parser.add_argument(
        "--build",
        action="store_true",
        help="let the CPU driver build all kernels and keep its code, so that no launch waits for "
        "it: 20 to 300 ms for each kernel",
    )
    parser.add_argument("-o", "--output", help="file to write, - for stdout")


def _build(program: Program) -> None:
    """Build a program and keep the driver's code."""
    from .. import cache, switches

    if program.target != "cpu":
        raise UsageError(
            "expected the target cpu for --build, whose device code can be kept, "
            f"got {program.target}"
        )
    if cache.folder() is None:
        name = switches.CACHE_DIR.name
        raise UsageError(f"expected a cache for --build, got {name} that turns it off")
    program.build()


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from ..runtime import container

    module = read_module(arguments)
    target = arguments.target
    if target is None and module.stage == "tinytc":  # a later stage names its own
        target = default_target()
    program = module.compile(target, **build_options(arguments))
    if arguments.emit == "spirv":
        suffix, data = ".spv", program.spirv
    elif arguments.emit == "manifest":
        suffix, data = ".json", program.manifest.to_json().encode() + b"\n"
    else:
        suffix, data = ".tinytc", container.pack(program.code, program.manifest)
    if arguments.build:
        _build(program)
    source = arguments.file
    write(arguments.output or ("-" if source == "-" else pathlib.Path(source).stem + suffix), data)
    return EXIT_OK
