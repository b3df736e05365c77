# SPDX-License-Identifier: BSD-3-Clause
"""The cell magic `%%tinytc` of IPython: `%load_ext tinytc_mlir.notebook`.

A cell that begins with it is a program of the language. Its kernels become variables of the
notebook, under their names.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, NoReturn, Protocol

from .errors import CompileError, TinyTCError

if TYPE_CHECKING:
    from .compiler import Module
    from .explore import Page


class Shell(Protocol):
    """The part of IPython's shell that the magic needs."""

    def push(self, variables: Mapping[str, object]) -> None:
        """Set variables of the notebook."""

    def register_magic_function(self, function: object, magic_kind: str, magic_name: str) -> None:
        """Add a magic."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise TinyTCError(f"%%tinytc: {message}")


def load_ipython_extension(shell: Shell) -> None:
    """Add the magic to a shell; `%load_ext` calls this."""

    def tinytc(line: str, cell: str) -> Page | None:
        """Compile the cell, a program of the Tiny Tensor language, and name its kernels."""
        return run_cell(shell, line, cell)

    shell.register_magic_function(tinytc, "cell", "tinytc")


def run_cell(shell: Shell, line: str, cell: str) -> Page | None:
    """Compile a cell and set a variable for each of its kernels.

    An error of the program is printed with its place, without a traceback.

    Args:
        shell: IPython's.
        line: what follows `%%tinytc`: `-D NAME=VALUE`, `--target`, `--debug`, `--explore`, and the
            name of a variable for the module.
        cell: the program.

    Returns:
        The explorer's page with `--explore`, else None.
    """
    from .compiler import Context

    try:
        arguments = _parser().parse_args(shlex.split(line))
        defines = dict(_definition(text) for text in arguments.defines)
        module: Module = Context().parse(cell, "<cell>", defines=defines)
        program = module.compile(arguments.target, debug=arguments.debug)
    except CompileError as error:
        print(error.format(), file=sys.stderr)
        return None
    except TinyTCError as error:
        print(error, file=sys.stderr)
        return None
    kernels = {name: program[name] for name in program}
    shell.push(kernels | ({arguments.name: module} if arguments.name else {}))
    return module.explore(arguments.target) if arguments.explore else None


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="%%tinytc", add_help=False)
    parser.add_argument("name", nargs="?")
    parser.add_argument("-D", dest="defines", action="append", default=[])
    parser.add_argument("--target")
    parser.add_argument("--debug", action="store_true")
    parser.add_argument("--explore", action="store_true")
    return parser


def _definition(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise TinyTCError(f"%%tinytc: expected NAME=VALUE after -D, got {text!r}")
    return name.lstrip("$"), value
