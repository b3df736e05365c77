# SPDX-License-Identifier: BSD-3-Clause
"""The few lines of C in the benchmark, compiled for this machine when they are needed.

As usual, `CC` names the compiler, and `CFLAGS` more flags for it.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import pathlib
import shlex
import subprocess
import tempfile

from tinytc_mlir import cache

_FLAGS = ("-O3", "-march=native", "-fopenmp", "-shared", "-fPIC")
_LIBXSMM = ("-lxsmm", "-lxsmmnoblas", "-ldl", "-lpthread", "-lm")
_LIBRARIES = {
    "ceilings": (),
    "loops": (),
    "libxsmm_batch": _LIBXSMM,
    "libxsmm_chain": _LIBXSMM,
}


class NativeError(Exception):
    """A C source of the benchmark could not be compiled or loaded; the text says why."""


@functools.cache
def library(name: str, definitions: tuple[str, ...] = ()) -> ctypes.CDLL:
    """Return the library built from a C source next to this module.

    Args:
        name: name of the source without its suffix.
        definitions: macros that are defined, as NAME=VALUE.

    Raises:
        NativeError: there is no C compiler, or a header or library is missing.
    """
    source = pathlib.Path(__file__).with_name(f"{name}.c")
    compiler, flags = (
        shlex.split(os.environ.get(name, default))
        for name, default in (("CC", "cc"), ("CFLAGS", ""))
    )
    macros = (f"-D{definition}" for definition in definitions)
    command = [*compiler, *_FLAGS, *flags, *macros, str(source)]
    libraries = _LIBRARIES[name]
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    entry = cache.path_of(cache.LIBRARY, [command, libraries, _machine(), digest])
    try:
        code = cache.load(entry)
        if code is None:
            code = _compiled(command, libraries)
            cache.keep(entry, code, {"kernels": [source.name], "target": "this machine"})
        return _loaded(name, code)
    except (OSError, subprocess.SubprocessError) as error:
        raise NativeError(_reason(name, error)) from None


def _loaded(name: str, code: bytes) -> ctypes.CDLL:
    """Return a library; its file is only there until it is loaded."""
    with tempfile.TemporaryDirectory(prefix="tinytc-bench-") as folder:
        path = pathlib.Path(folder) / f"{name}.so"
        path.write_bytes(code)
        return ctypes.CDLL(str(path))


def _machine() -> str:
    """Return what determines the instructions that the C compiler may use."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return ""
    return next((line for line in lines if line.startswith("flags")), "")


def _compiled(command: list[str], libraries: tuple[str, ...]) -> bytes:
    """Return the library that the C compiler makes."""
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "library.so"
        words = [*command, "-o", str(output), *libraries]
        subprocess.run(words, check=True, capture_output=True, text=True)
        return output.read_bytes()


def _reason(name: str, error: Exception) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        lines = [line for line in error.stderr.splitlines() if "error" in line or "cannot" in line]
        return f"{name}.c does not compile: {(lines or [error.stderr.strip()])[0]}"
    return f"{name}.c: {error}"
