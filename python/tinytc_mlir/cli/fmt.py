"""`tinytc fmt`: formats programs."""

from __future__ import annotations

import argparse

from .files import EXIT_ERROR, EXIT_OK, Commands, add_defines, command, read, write


def add(commands: Commands) -> None:
    """Add the command."""
    parser = command(commands, "fmt", run, "format programs, or translate them")
    parser.add_argument("files", nargs="+", metavar="file", help="program, - for stdin")
    parser.add_argument(
        "--language",
        choices=("0.3", "0.4"),
        metavar="VERSION",
        help="translate into version 0.3 or 0.4 of the language; without it, names stay",
    )
    add_defines(parser)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("-i", "--in-place", action="store_true", help="rewrite the files")
    mode.add_argument("--check", action="store_true", help="only list the files that would change")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    status = EXIT_OK
    for file in arguments.files:
        text = read(file)
        formatted = _formatted(text, "<stdin>" if file == "-" else file, arguments).encode()
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


def _formatted(text: bytes, name: str, arguments: argparse.Namespace) -> str:
    """Return the text that a file should have."""
    from ..frontend import format_source

    if arguments.language is None:
        return format_source(text, name)
    from ..frontend.translation import translate

    return translate(text, arguments.language, name, dict(arguments.defines))
