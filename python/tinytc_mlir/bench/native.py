"""The few lines of C in the benchmark, compiled for this machine when they are needed.

As usual, `CC` names the compiler, and `CFLAGS` more flags for it.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import hashlib
import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile

from .. import cache

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
    key = hashlib.sha256(repr((command, libraries, _machine())).encode() + source.read_bytes())
    path = _folder() / f"{name}-{key.hexdigest()[:16]}.so"
    try:
        if not path.exists():
            _compile(command, libraries, path)
        return ctypes.CDLL(str(path))
    except (OSError, subprocess.SubprocessError) as error:
        raise NativeError(_reason(name, error)) from None


@functools.cache
def _folder() -> pathlib.Path:
    """Return where libraries are kept, at least as long as this process runs."""
    root = cache.root()
    if root is not None:
        return root / "bench"
    folder = tempfile.mkdtemp(prefix="tinytc-bench-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return pathlib.Path(folder)


def _machine() -> str:
    """Return what determines the instructions that the C compiler may use."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return ""
    return next((line for line in lines if line.startswith("flags")), "")


def _compile(command: list[str], libraries: tuple[str, ...], path: pathlib.Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        output = pathlib.Path(folder) / path.name
        words = [*command, "-o", str(output), *libraries]
        subprocess.run(words, check=True, capture_output=True, text=True)
        output.replace(path)


def _reason(name: str, error: Exception) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        lines = [line for line in error.stderr.splitlines() if "error" in line or "cannot" in line]
        return f"{name}.c does not compile: {(lines or [error.stderr.strip()])[0]}"
    return f"{name}.c: {error}"
