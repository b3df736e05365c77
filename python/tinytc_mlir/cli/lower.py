"""`tinytc lower`: prints a program at a stage of compilation."""

from __future__ import annotations

import argparse
from typing import Any

from .files import EXIT_OK, add_file, add_output, add_target, command, read_module, write

_STAGES = ("tinytc", "linalg", "gpu", "spirv")


def add(commands: Any) -> None:
    """Add the command."""
    parser = command(commands, "lower", run, "print a program at a stage of compilation")
    add_file(parser)
    parser.add_argument("--to", choices=_STAGES, default="spirv", help="the stage")
    add_target(parser, "cpu", "what to compile for")
    add_output(parser, "-")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    lowered = read_module(arguments).lower(arguments.to, target=arguments.target)
    write(arguments.output, str(lowered).rstrip() + "\n")
    return EXIT_OK
