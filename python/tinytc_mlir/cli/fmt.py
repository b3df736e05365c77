# SPDX-License-Identifier: BSD-3-Clause
"""`tinytc fmt`: formats programs."""

from __future__ import annotations

import argparse

from .files import (
    EXIT_ERROR,
    EXIT_OK,
    MLIR_SUFFIXES,
    Commands,
    UsageError,
    add_defines,
    command,
    module_in_python,
    name_of,
    read,
    show,
    unused_defines,
    write,
)

_EXAMPLES = (
    ("-i *.ir", "rewrites the files"),
    ("--check *.ir", "lists those that would change, with status 1"),
    ("kernels.py:volume", "the text of a kernel in Python"),
    ("--language 0.4 old.ir", "the program in version 0.4 of the language"),
)


def add(commands: Commands) -> None:
    """Add the command."""
    parser = command(commands, "fmt", run, "format programs, or translate them", _EXAMPLES)
    parser.add_argument("files", nargs="+", metavar="file", help="program, - for stdin")
    parser.add_argument(
        "--language",
        choices=("0.3", "0.4", "0.5"),
        metavar="VERSION",
        help="translate into version 0.3, 0.4 or 0.5 of the language; without it, names stay",
    )
    add_defines(parser)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("-i", "--in-place", action="store_true", help="rewrite the files")
    mode.add_argument("--check", action="store_true", help="only list the files that would change")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    status = EXIT_OK
    for file in arguments.files:
        if file.endswith(MLIR_SUFFIXES):
            raise UsageError(
                f"expected programs of the language, got {file}; `tinytc-opt {file}` prints MLIR"
            )
    kernels = [module_in_python(file, arguments.defines) for file in arguments.files]
    if any(kernels) and (arguments.in_place or arguments.check):
        raise UsageError("expected programs of the language, got a kernel in Python")
    texts = [
        read(file) if kernel is None else kernel.to_text().encode()
        for file, kernel in zip(arguments.files, kernels, strict=True)
    ]
    if not any(kernels):
        show(unused_defines(arguments.defines, texts))
    for file, text in zip(arguments.files, texts, strict=True):
        formatted = _formatted(text, name_of(file), arguments).encode()
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
