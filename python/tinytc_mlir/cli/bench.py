# SPDX-License-Identifier: BSD-3-Clause
"""`tinytc bench`: the command of the package `tinytc_bench`, or how to get that."""

from __future__ import annotations

import argparse
import functools

from ..errors import TinyTCError
from .files import Commands

_HELP = "compare our kernels with those of libraries, and time the compiler and launches"
_NO_PREFIX = "\0"  # all words are arguments, also those that look like options


def add(commands: Commands) -> None:
    """Add the command."""
    try:
        from tinytc_bench import command
    except ImportError as error:
        parser = commands.add_parser(
            "bench", help=_HELP, description=_HELP, prefix_chars=_NO_PREFIX, add_help=False
        )
        parser.add_argument("words", nargs="*", help="what tinytc-mlir-bench understands")
        parser.set_defaults(run=functools.partial(_refuse, str(error)))
    else:
        command.add(commands)


def _refuse(reason: str, _: argparse.Namespace) -> int:
    raise TinyTCError(
        f"expected the package tinytc_bench for `tinytc bench`, got none ({reason}): "
        "pip install 'tinytc-mlir[bench]', or ./bench of the sources"
    )
