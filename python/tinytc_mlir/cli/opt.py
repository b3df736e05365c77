"""`tinytc-opt`: runs the binary in the package as a console script."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import sys


def main() -> None:
    """Replace this process with `tinytc-opt`, the binary in the package."""
    path = opt_path()
    if not path.is_file():
        sys.exit(f"tinytc-opt: expected the file {path}, got none; was the package built?")
    os.execv(path, [str(path), *sys.argv[1:]])


def opt_path() -> pathlib.Path:
    """Return where the package keeps the binary of `tinytc-opt`.

    It is next to the extension: an editable install keeps what is built in a different folder from
    the sources.
    """
    extension = importlib.util.find_spec("tinytc_mlir._tinytc")
    built = None if extension is None else extension.origin
    folder = pathlib.Path(__file__).parents[1] if built is None else pathlib.Path(built).parent
    return folder / "bin" / "tinytc-opt"
