# SPDX-License-Identifier: BSD-3-Clause
"""`tinytc lsp`: a language server for editors."""

from __future__ import annotations

import argparse

from ..errors import TinyTCError
from .files import EXIT_OK, Commands, command

_EXAMPLES = (("", "what an editor starts for programs of the language"),)


def add(commands: Commands) -> None:
    """Add the command."""
    help_ = "serve editors: errors, help, completion, names, formatting (Language Server Protocol)"
    parser = command(commands, "lsp", run, help_, _EXAMPLES)
    parser.add_argument(
        "--stdio", action="store_true", help="talk on stdin and stdout, which is the only way"
    )


def run(_: argparse.Namespace) -> int:
    """Run the command."""
    try:
        from ..lsp.serving import serve
    except ImportError as error:
        if (error.name or "").split(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise TinyTCError(
            f"expected the package {error.name}, got none; pip install 'tinytc-mlir[lsp]'"
        ) from None
    serve()
    return EXIT_OK
