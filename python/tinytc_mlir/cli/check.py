"""`tinytc check`: parses and verifies programs, and asks targets whether they take them."""

from __future__ import annotations

import argparse
import json
import sys

from ..errors import CompileError
from .files import (
    EXIT_ERROR,
    EXIT_OK,
    Commands,
    add_defines,
    add_target,
    command,
    read_module,
    wants_colour,
)


def add(commands: Commands) -> None:
    """Add the command."""
    help_ = "parse and verify programs, and check them against a target"
    parser = command(commands, "check", run, help_)
    parser.add_argument("files", nargs="+", metavar="file", help="program or MLIR, - for stdin")
    parser.add_argument(
        "--diagnostics",
        choices=("text", "json"),
        default="text",
        help="form of the errors: text on stderr, or one JSON array on stdout",
    )
    add_target(parser, "what the programs are for; by default any target")
    add_defines(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    errors: list[CompileError] = []
    for file in arguments.files:
        try:
            module = read_module(argparse.Namespace(file=file, defines=arguments.defines))
            module.check(arguments.target)
        except CompileError as error:
            errors.append(error)
            if arguments.diagnostics == "text":
                print(error.format(colour=wants_colour(sys.stderr)), file=sys.stderr)
    if arguments.diagnostics == "json":
        found = [diagnostic.to_dict() for error in errors for diagnostic in error.diagnostics]
        print(json.dumps(found, indent=2))
    return EXIT_ERROR if errors else EXIT_OK
