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
    parser.add_argument(
        "--abi",
        choices=LazyChoices(_abis),
        default="plain",
        help="parameters of the kernels: plain, the default, or packed, as `tinytc compile` does",
    )
    parser.add_argument(
        "--native", action="store_true", help="tune for this machine, as `tinytc compile` does"
    )
    parser.add_argument(
        "--debug", action="store_true", help="report whatever the language leaves undefined"
    )
    add_output(parser, "-")


def _stages() -> Iterable[str]:
    from ..compiler import STAGES

    return STAGES


def _abis() -> Iterable[str]:
    from ..compiler import ABIS

    return ABIS


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    target = arguments.target or default_target()
    options = {name: getattr(arguments, name) for name in ("abi", "native", "debug")}
    lowered = read_module(arguments).lower(arguments.to, target=target, **options)
    write(arguments.output, str(lowered).rstrip() + "\n")
    return EXIT_OK
