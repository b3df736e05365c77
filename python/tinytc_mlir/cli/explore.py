# SPDX-License-Identifier: BSD-3-Clause
"""`tinytc explore`: writes a page that shows a program at all stages."""

from __future__ import annotations

import argparse
import pathlib

from .files import EXIT_OK, Commands, add_file, add_target, command, read_module, write

_EXAMPLES = (
    ("gemm.ir", "writes gemm.html for the first device"),
    ("--target intel-gpu:pvc gemm.ir -o pvc.html", "with the machine code of a GPU, from ocloc"),
)


def add(commands: Commands) -> None:
    """Add the command."""
    parser = command(
        commands, "explore", run, "show all stages of a program side by side", _EXAMPLES
    )
    add_file(parser)
    add_target(parser)
    parser.add_argument(
        "--debug", action="store_true", help="show a debug build, as `tinytc compile --debug` does"
    )
    parser.add_argument(
        "-o", "--output", help="page to write, - for stdout; by default named as the program"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    page = read_module(arguments).explore(arguments.target, debug=arguments.debug)
    source = arguments.file
    default = "-" if source == "-" else pathlib.Path(source).stem + ".html"
    write(arguments.output or default, page.html)
    return EXIT_OK
