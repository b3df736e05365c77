"""Device code of programs, kept in files so that the driver need not build it again.

The CPU driver takes 20 to 300 ms to build a kernel and 2 ms to load what it has built. `prebuild`
writes the files; building a program looks for one. The code in them is executed, so files that
another user can have written are not used.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import pathlib
import re
import stat
import time
from collections.abc import Iterator

import platformdirs

from .. import switches
from ..files import is_temporary, write_privately
from .protocol import Device

VERSION = 2
MAX_BYTES = 2**30  # of all files; those that were used longest ago are deleted
_DIGEST_BYTES = 32
_OPTIONS_PREFIX = "CL_CONFIG_"
_NAME = re.compile(r"[0-9a-f]{32}\.bin")
_WRITING_S = 3600.0  # older temporary files are of processes that were killed


def folder() -> pathlib.Path:
    """Return where files are kept: the folder that TINYTC_BINARIES names, or the user's cache."""
    named = switches.BINARIES.text()
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
    """Write a file that only the user can write; it appears whole or not at all.

    Args:
        path: what `path_of` says.
        code: what the driver has built.

    Raises:
        OSError: the file cannot be written.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_privately(path, _digest(path, code) + code)


def load(path: pathlib.Path) -> bytes | None:
    """Return what the driver has built and note the use of the file.

    Args:
        path: what `path_of` says.

    Returns:
        The code; None if there is no file, it is damaged, or another user can have written it.
    """
    with contextlib.suppress(OSError):
        # Without waiting for the writer of a pipe.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            data = _contents(descriptor)
        finally:
            os.close(descriptor)
        digest, code = data[:_DIGEST_BYTES], data[_DIGEST_BYTES:]
        return code if digest == _digest(path, code) else None
    return None


def evict(limit_bytes: int | None = None) -> None:
    """Delete the files that were used longest ago until the others are within a limit.

    Files that cannot be deleted stay, and so do those that `save` has not written.

    Args:
        limit_bytes: greatest size of all files, None for `MAX_BYTES`.
    """
    files: list[tuple[float, int, str]] = []
    now_s = time.time()
    for path, status in _entries():
        if _NAME.fullmatch(os.path.basename(path)):
            files.append((status.st_atime, status.st_size, path))
        elif is_temporary(os.path.basename(path)) and now_s - status.st_mtime > _WRITING_S:
            with contextlib.suppress(OSError):
                os.unlink(path)
    rest_bytes = MAX_BYTES if limit_bytes is None else limit_bytes
    for _, size_bytes, path in sorted(files, reverse=True):
        rest_bytes -= size_bytes
        if rest_bytes < 0:
            with contextlib.suppress(OSError):
                os.unlink(path)


def usage() -> tuple[int, int]:
    """Return the number of files and their size in bytes."""
    sizes = [s.st_size for path, s in _entries() if _NAME.fullmatch(os.path.basename(path))]
    return len(sizes), sum(sizes)


def is_writable_by_others() -> bool:
    """Whether another user than root can put files into the folder, which are then not used."""
    with contextlib.suppress(OSError):
        status = folder().stat()
        return status.st_uid not in (os.geteuid(), 0) or bool(status.st_mode & 0o022)
    return False


def _entries() -> Iterator[tuple[str, os.stat_result]]:
    """Yield what is in the folder."""
    with contextlib.suppress(OSError), os.scandir(folder()) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):  # another process has deleted it
                yield entry.path, entry.stat(follow_symlinks=False)


def _contents(descriptor: int) -> bytes:
    """Return the bytes of an open file and note its use; none if others can have written it."""
    status = os.fstat(descriptor)
    is_own = status.st_uid in (os.geteuid(), 0)
    if not (stat.S_ISREG(status.st_mode) and is_own) or status.st_mode & 0o022:
        return b""
    with open(descriptor, "rb", closefd=False) as file:
        data = file.read()
    with contextlib.suppress(OSError):  # of a file system that is read-only
        os.utime(descriptor, ns=(time.time_ns(), status.st_mtime_ns))
    return data


def _digest(path: pathlib.Path, code: bytes) -> bytes:
    """Return what a file begins with, which no file of another name does."""
    return hashlib.sha256(path.name.encode() + code).digest()
