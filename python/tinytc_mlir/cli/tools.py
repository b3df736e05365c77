# SPDX-License-Identifier: BSD-3-Clause
"""`tinytc-opt` and `tinytc-lsp-server`: run the binaries in the package as console scripts."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import sys


def opt() -> None:
    """Replace this process with `tinytc-opt`, the binary in the package."""
    _become("tinytc-opt")


def lsp_server() -> None:
    """Replace this process with `tinytc-lsp-server`, the binary in the package."""
    _become("tinytc-lsp-server")


def tool_path(name: str) -> pathlib.Path:
    """Return where the package keeps a binary.

    It is next to the extension: an editable install keeps what is built in a different folder from
    the sources.

    Args:
        name: of the binary, such as `tinytc-opt`.

    >>> tool_path("tinytc-opt").name
    'tinytc-opt'
    """
    extension = importlib.util.find_spec("tinytc_mlir._tinytc")
    built = None if extension is None else extension.origin
    folder = pathlib.Path(__file__).parents[1] if built is None else pathlib.Path(built).parent
    return folder / "bin" / name


def _become(name: str) -> None:
    path = tool_path(name)
    if not path.is_file():
        sys.exit(f"{name}: expected the file {path}, got none; was the package built?")
    os.execv(path, [str(path), *sys.argv[1:]])
