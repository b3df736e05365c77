"""Device code of programs, kept in files so that the driver need not build it again.

The CPU driver takes 20 to 300 ms to build a kernel and 2 ms to load what it has built. `prebuild`
writes the files; building a program looks for one.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import pathlib

import platformdirs

from ..files import write_atomically
from .protocol import Device

VERSION = 1
_VARIABLE = "TINYTC_BINARIES"
_DIGEST_BYTES = 32
_OPTIONS_PREFIX = "CL_CONFIG_"


def folder() -> pathlib.Path:
    """Return where files are kept: the folder that TINYTC_BINARIES names, or the user's cache."""
    named = os.environ.get(_VARIABLE)
    return pathlib.Path(named or platformdirs.user_cache_path("tinytc") / "binaries")


def path_of(digest: str, device: Device) -> pathlib.Path:
    """Return the file for a program and a device.

    The name depends on all that the driver's code depends on: the driver, its options in the
    environment, and the processor, whose instructions the driver uses.

    Args:
        digest: SHA-256 of the program's SPIR-V.
        device: the device.
    """
    options = {k: v for k, v in os.environ.items() if k.startswith(_OPTIONS_PREFIX)}
    names = [device.name, device.driver, device.driver_version, _processor()]
    key = json.dumps([VERSION, digest, names, sorted(options.items())])
    return folder() / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.bin"


@functools.cache
def _processor() -> str:
    """Return the model and the instructions of the processor, as far as the system tells."""
    with contextlib.suppress(OSError):
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        known = {line.partition("\t")[0]: line for line in reversed(lines)}
        return "\n".join(known.get(name, "") for name in ("model", "stepping", "flags"))
    return ""


def save(path: pathlib.Path, code: bytes) -> None:
    """Write a file; it is written completely or not at all.

    Args:
        path: what `path_of` says.
        code: what the driver has built.

    Raises:
        OSError: the file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, hashlib.sha256(code).digest() + code)


def load(path: pathlib.Path) -> bytes | None:
    """Return what the driver has built, None if there is no file or it is damaged."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    digest, code = data[:_DIGEST_BYTES], data[_DIGEST_BYTES:]
    return code if hashlib.sha256(code).digest() == digest else None
