"""The command line `tinytc`; every command is a few lines over the Python API."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence

from ..errors import CheckError, CompileError, InterpreterError, TinyTCError
from ..version import __version__
from . import bench, cache, check, devices, doctor, fmt, lower, run, tune
from . import compile as compile_
from .files import EXIT_ERROR, wants_colour

_COMMANDS = (check, fmt, lower, compile_, run, tune, bench, cache, devices, doctor)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return the exit status: 0, 1 for an error, 2 for wrong usage.

    Args:
        argv: the words after the command's name; None takes those of the process.
    """
    arguments = _parser().parse_args(argv)
    _print_any_name(sys.stdout)
    try:
        status: int = arguments.run(arguments)
        sys.stdout.flush()
        return status
    except (CheckError, CompileError, InterpreterError) as error:
        print(error.format(colour=wants_colour(sys.stderr)), file=sys.stderr)
    except (TinyTCError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            return _leave_closed_pipe()
        print(f"tinytc: error: {error}", file=sys.stderr)
    except ImportError as error:
        print(f"tinytc: error: {error}; run `tinytc doctor` to find the reason", file=sys.stderr)
    return EXIT_ERROR


def _print_any_name(stream: object) -> None:
    """Let a stream print names of files that are not text, byte for byte."""
    if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
        stream.reconfigure(errors="surrogateescape")


def _leave_closed_pipe() -> int:
    """Return the status for output that nobody reads, avoiding a second error at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return EXIT_ERROR


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tinytc", description="Compile and run programs of the Tiny Tensor language."
    )
    parser.add_argument("--version", action="version", version=f"tinytc {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for each in _COMMANDS:
        each.add(commands)
    return parser
