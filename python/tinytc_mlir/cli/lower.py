"""`tinytc lower`: prints a program at a stage of compilation."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from .files import (
    EXIT_OK,
    Commands,
    LazyChoices,
    add_file,
    add_output,
    add_target,
    command,
    default_target,
    read_module,
    write,
)


def add(commands: Commands) -> None:
    """Add the command."""
    parser = command(commands, "lower", run, "print a program at a stage of compilation")
    add_file(parser)
    parser.add_argument(
        "--to",
        choices=LazyChoices(_stages),
        default="spirv",
        metavar="STAGE",
        help="the stage: %(choices)s; by default the last",
    )
    add_target(parser, "what to compile for")
    add_output(parser, "-")


def _stages() -> Iterable[str]:
    from ..compiler import STAGES

    return STAGES


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    target = arguments.target or default_target()
    lowered = read_module(arguments).lower(arguments.to, target=target)
    write(arguments.output, str(lowered).rstrip() + "\n")
    return EXIT_OK
