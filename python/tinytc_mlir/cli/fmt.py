"""`tinytc fmt`: formats programs."""

from __future__ import annotations

import argparse

from .files import EXIT_ERROR, EXIT_OK, Commands, command, read, write


def add(commands: Commands) -> None:
    """Add the command."""
    parser = command(commands, "fmt", run, "format programs")
    parser.add_argument("files", nargs="+", metavar="file", help="program, - for stdin")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("-i", "--in-place", action="store_true", help="rewrite the files")
    mode.add_argument("--check", action="store_true", help="only list the files that would change")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from ..frontend import format_source

    status = EXIT_OK
    for file in arguments.files:
        text = read(file)
        formatted = format_source(text, "<stdin>" if file == "-" else file).encode()
        if arguments.check:
            if formatted != text:
                print(file)
                status = EXIT_ERROR
        elif arguments.in_place and file != "-":
            if formatted != text:
                write(file, formatted)
        else:
            write("-", formatted)
    return status
