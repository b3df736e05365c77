# SPDX-License-Identifier: BSD-3-Clause
"""The command line `tinytc`; every command is a few lines over the Python API."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence

from ..errors import CheckError, CompileError, DeviceError, InterpreterError, TinyTCError
from ..version import __version__
from . import (
    bench,
    build,
    cache,
    check,
    completion,
    devices,
    doctor,
    explore,
    fmt,
    lower,
    lsp,
    man,
    run,
    tune,
    verify,
)
from . import compile as compile_
from .choices import Parser
from .files import (
    EXIT_DEVICE,
    EXIT_ERROR,
    EXIT_STATUSES,
    EXIT_USAGE,
    UsageError,
    describe_error,
    wants_colour,
)

_COMMANDS = (
    *(check, fmt, lower, compile_, build, explore, run, verify, tune, bench),
    *(cache, devices, doctor, lsp, completion, man),
)


_INTERRUPTED = 130  # as shells have it


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return the exit status.

    It is 0, 1 for an error in what the command works on, 2 for wrong usage, 3 for a device that is
    missing or fails.

    Args:
        argv: the words after the command's name; None takes those of the process.
    """
    _print_any_name(sys.stdout)
    try:
        parser = make_parser()
        if not (sys.argv[1:] if argv is None else argv):
            parser.print_help()
            return 0
        arguments = parser.parse_args(argv)  # may import the compiler, for its targets
        status: int = arguments.run(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
        return status
    except (CheckError, CompileError, InterpreterError) as error:
        print(error.format(colour=wants_colour(sys.stderr)), file=sys.stderr)
    except BrokenPipeError:
        _leave_closed_pipe()
    except OSError as error:
        _print_error(describe_error(error))
    except TinyTCError as error:
        _print_error(str(error))
        if isinstance(error, (UsageError, DeviceError)):
            return EXIT_USAGE if isinstance(error, UsageError) else EXIT_DEVICE
    except ImportError as error:
        _print_error(f"{error}; run `tinytc doctor` to find the reason")
    except KeyboardInterrupt:
        _print_error("interrupted")
        return _INTERRUPTED
    return EXIT_ERROR


def _print_error(message: str) -> None:
    colour, reset = ("\x1b[1;31m", "\x1b[0m") if wants_colour(sys.stderr) else ("", "")
    print(f"tinytc: {colour}error:{reset} {message}", file=sys.stderr)


def _print_any_name(stream: object) -> None:
    """Let a stream print names of files that are not text, byte for byte."""
    if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
        stream.reconfigure(errors="surrogateescape")


def _leave_closed_pipe() -> None:
    """Keep Python from a second attempt, at exit, to write what nobody reads."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = Parser(
        prog="tinytc",
        description="Compile and run programs of the Tiny Tensor language.",
        epilog=f"`tinytc COMMAND --help` has examples.\n\n{EXIT_STATUSES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(parser=parser)  # for the commands that print it
    parser.add_argument("--version", action="version", version=f"tinytc {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for each in _COMMANDS:
        each.add(commands)
    return parser
