"""What the commands share: their files, and the options that name them."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TextIO, TypeAlias

from ..files import read_bytes, write_atomically

if TYPE_CHECKING:
    from ..compiler import Module

EXIT_OK, EXIT_ERROR, EXIT_USAGE = 0, 1, 2

# What `ArgumentParser.add_subparsers` returns.
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


class LazyChoices:
    """Names to choose from, which are imported when they are needed.

    Args:
        names: returns them.
    """

    def __init__(self, names: Callable[[], Iterable[str]]) -> None:
        self._names = names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __contains__(self, name: object) -> bool:
        return name in tuple(self._names())


def command(
    commands: Commands, name: str, run: Callable[[argparse.Namespace], int], help_: str
) -> argparse.ArgumentParser:
    """Add a command and return its parser."""
    parser = commands.add_parser(name, help=help_, description=help_)
    parser.set_defaults(run=run)
    return parser


def add_file(parser: argparse.ArgumentParser) -> None:
    """Add the program and the values of its preprocessor variables."""
    parser.add_argument("file", help="program (.ir), MLIR (.mlir, .mlirbc) or - for stdin")
    add_defines(parser)


def add_defines(parser: argparse.ArgumentParser) -> None:
    """Add the values of preprocessor variables."""
    parser.add_argument(
        "-D",
        dest="defines",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        type=_define,
        help="value of the preprocessor variable $NAME",
    )


def add_target(parser: argparse.ArgumentParser, help_: str) -> None:
    """Add the choice of a target, None by default."""
    parser.add_argument("--target", type=_target, help=help_)


def add_build_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `Module.compile` besides the target."""
    parser.add_argument(
        "--tuned", action="store_true", help="use the schedules stored by `tinytc tune`"
    )
    parser.add_argument(
        "--debug",
        action="store_true",
        help="report accesses out of bounds and whatever else the language leaves undefined",
    )
    parser.add_argument(
        "--vector-bytes",
        metavar="N",
        type=_natural,
        help="bytes of a vector register that schedules are for: 16, 32 or 64 for the target cpu; "
        "0 is typical for the target; by default those of this machine",
    )


def build_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return what the options of `add_build_options` specify."""
    return {name: getattr(arguments, name) for name in ("tuned", "debug", "vector_bytes")}


def add_output(parser: argparse.ArgumentParser, default: str) -> None:
    """Add the file to write."""
    parser.add_argument("-o", "--output", default=default, help="file to write, - for stdout")


def _target(name: str) -> str:
    """Return the name if it is that of a target; only now is the compiler needed."""
    from ..compiler import TARGETS

    if name not in TARGETS:
        raise argparse.ArgumentTypeError(
            f"expected the target to be one of {', '.join(TARGETS)}, got {name!r}"
        )
    return name


def default_target() -> str:
    """Return the target of commands that need no device."""
    from ..compiler import TARGETS

    return TARGETS[0]


def positive(text: str) -> int:
    """Return the positive integer of an option."""
    value = int(text) if text.isdecimal() else 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected a positive integer, got {text!r}")
    return value


def _natural(text: str) -> int:
    """Return the natural number of an option."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a natural number, got {text!r}")
    return int(text)


def show_progress(text: str) -> None:
    """Overwrite one line of a terminal."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def _define(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.lstrip("$"):
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, got {text!r}")
    return name.lstrip("$"), value


def read_module(arguments: argparse.Namespace) -> Module:
    """Return the module of the file that a command names."""
    from ..compiler import Context

    defines = dict(arguments.defines)
    if arguments.file == "-":
        return Context().parse(sys.stdin.buffer.read(), "<stdin>", defines=defines)
    return Context().parse_file(arguments.file, defines=defines)


def read(path: str) -> bytes:
    """Return the contents of a file, or of stdin for `-`."""
    return sys.stdin.buffer.read() if path == "-" else read_bytes(path)


def write(path: str, data: str | bytes) -> None:
    """Write a file, or stdout for `-`."""
    data = data.encode() if isinstance(data, str) else data
    if path == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
    else:
        write_atomically(path, data)


def wants_colour(stream: TextIO) -> bool:
    """Whether a stream is a terminal that shows colours."""
    return stream.isatty() and not os.environ.get("NO_COLOR")
