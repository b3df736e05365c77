# SPDX-License-Identifier: BSD-3-Clause
"""`tinytc lower`: prints what `tinytc compile` makes of a program, up to a stage."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from .files import (
    EXIT_OK,
    TARGET_HELP,
    Commands,
    LazyChoices,
    add_build_options,
    add_file,
    add_output,
    add_target,
    build_options,
    check_stage,
    command,
    read_module,
    write,
)

_EXAMPLES = (
    ("--to linalg gemm.ir", "the program as linalg ops"),
    ("--to gpu --target intel-gpu:pvc gemm.ir -o gemm.mlir", "for a GPU, into a file"),
    ("--to tile gemm.ir", "as a program on tiles, for NVIDIA's assembler"),
    ("--to tinytc -", "a program from stdin as MLIR"),
)


def add(commands: Commands) -> None:
    """Add the command."""
    parser = command(commands, "lower", run, "print a program at a stage of compilation", _EXAMPLES)
    add_file(parser)
    parser.add_argument(
        "--to",
        choices=LazyChoices(_stages),
        metavar="STAGE",
        help="the stage: %(choices)s; by default the last one for the target",
    )
    add_target(parser, f"{TARGET_HELP}; a lowered program keeps its own")
    add_build_options(parser)
    add_output(parser, "-")


def _stages() -> Iterable[str]:
    from ..compiler import STAGES

    return STAGES


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from ..compiler import stages_of, target_name
    from ..compiler.stages import stages_without_target
    from ..compiler.version_stamps import stamped

    module = read_module(arguments)
    target = arguments.target
    if module.stage != "tinytc":  # the module says what it was lowered for
        stages = module.stages
    else:
        stages = () if target else stages_without_target(arguments.to)
        if not stages:
            target = target or target_name(None)
            stages = stages_of(target)
    options = build_options(arguments, module)
    stage = arguments.to or stages[-1]
    check_stage(stage, stages, "--to")
    text = str(module.lower(stage, target=target, **options)).rstrip() + "\n"
    write(arguments.output, text if stage == "ptx" else stamped(text))  # PTX is no MLIR
    return EXIT_OK
