# SPDX-License-Identifier: BSD-3-Clause
"""Loads object files of kernels as shared libraries, in which debuggers and profilers find names.

The system's linker makes them, and they stay in a folder: `perf report` reads them later.
"""

from __future__ import annotations

import ctypes
import os
import pathlib
import shutil
import subprocess
import tempfile

from ...errors import TinyTCError
from .elf import ObjectFile


class SharedLibrary:
    """The code of an object file, which the system has loaded.

    Raises:
        TinyTCError: there is no linker, or it fails.
        OSError: the library cannot be written.
    """

    def __init__(self, file: ObjectFile, code: bytes, path: pathlib.Path) -> None:
        _link(code, path)
        self._library = ctypes.CDLL(str(path))
        self.addresses = {
            name: ctypes.cast(self._library[name], ctypes.c_void_p).value or 0
            for name in file.exported()
        }


def _link(code: bytes, path: pathlib.Path) -> None:
    """Write the library of an object file."""
    compiler = os.environ.get("CC") or "cc"
    if shutil.which(compiler) is None:
        raise TinyTCError(
            f"expected the program {compiler} (Debian's package gcc) to link libraries in "
            f"{path.parent}, got none"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".tinytc-", dir=path.parent) as folder:
        place = pathlib.Path(folder)
        (place / "code.o").write_bytes(code)
        words = (compiler, "-shared", "-o", path.name, "code.o", "-lm")
        done = subprocess.run(words, cwd=place, capture_output=True, text=True, check=False)
        if done.returncode:
            raise TinyTCError(f"expected {compiler} to link a library, got: {done.stderr.strip()}")
        (place / path.name).replace(path)
