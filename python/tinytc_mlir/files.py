# SPDX-License-Identifier: BSD-3-Clause
"""Files of the user: how paths are read, and how a file is written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat

from .errors import TinyTCError, describe

# Links to files that a process has open, such as /dev/stdout: another file of that name would
# not be the one that is open.
_OPEN_FILES = re.compile(r"/proc/[^/]+(/task/[^/]+)?/fd")
_MAX_LINKS = 40

COMPILED_MAGIC = b"\x89TTC\r\n\x1a\n"
"""How files of compiled programs begin, whatever their names."""

COMPILED_SUFFIX = ".tinytcb"
"""How names of files of compiled programs end by default."""

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_TEMPORARY = re.compile(r"\.tinytc-[0-9a-f]{16}\.tmp")


def is_compiled(data: bytes) -> bool:
    """Whether the contents of a file are a compiled program, perhaps a damaged one.

    >>> is_compiled(b"func @f() { }")
    False
    """
    return data[: len(COMPILED_MAGIC)] == COMPILED_MAGIC


def is_text(data: bytes) -> bool:
    """Whether the contents of a file are text, as programs of the language and of MLIR are.

    >>> is_text(b"func @f() { }"), is_text(b"")
    (True, False)
    """
    try:
        return bool(data) and not _CONTROL.search(data.decode())
    except UnicodeDecodeError:
        return False


def path_text(path: str | os.PathLike[str]) -> str:
    """Return a path as text that functions of the system accept.

    Raises:
        TinyTCError: the object is not a path.
        OSError: no file can have such a name.

    >>> path_text("a.ir")
    'a.ir'
    """
    try:
        name = os.fsdecode(path)
    except TypeError:
        raise TinyTCError(f"expected a path, got {describe(path)}") from None
    if not name:
        raise _error(errno.ENOENT, name)
    try:
        has_zero = b"\0" in os.fsencode(name)
    except UnicodeEncodeError:
        raise _error(errno.EILSEQ, name) from None
    if has_zero:
        raise _error(errno.EINVAL, name)
    return name


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the contents of a file.

    Raises:
        TinyTCError: the object is not a path.
        OSError: the file cannot be read.
    """
    with open(path_text(path), "rb") as file:
        return file.read()


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file that appears whole or not at all, whatever happens meanwhile.

    A link is followed and an existing file keeps its mode. What is not a regular file, such as a
    pipe, a device or /dev/stdout, is written in place.

    Raises:
        TinyTCError: the object is not a path.
        OSError: the file cannot be written; an earlier one is as it was.
    """
    name = path_text(path)
    try:
        old = os.stat(name)
    except FileNotFoundError:
        if name.endswith(os.sep):
            raise _error(errno.EISDIR, name) from None
        old = None
    if old is not None and stat.S_ISDIR(old.st_mode):
        raise _error(errno.EISDIR, name)
    target = _followed(name)
    try:
        if target is None or (old is not None and not stat.S_ISREG(old.st_mode)):
            _write_all(os.open(name, os.O_WRONLY | os.O_APPEND), data)
        else:
            _replace(target, old, data)
    except OSError as error:
        raise _error(error.errno or errno.EIO, name) from error


def write_privately(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a new file that only the user can write or read; it appears whole or not at all.

    It takes the place of whatever file or link has its name. Only if the system fails, it may be
    damaged: writing does not wait for the disk.

    Raises:
        TinyTCError: the object is not a path.
        OSError: the file cannot be written; an earlier one is as it was.
    """
    name = path_text(path)
    try:
        _replace(name, None, data, mode=0o600, is_durable=False)
    except OSError as error:
        raise _error(error.errno or errno.EIO, name) from error


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise the error that writing a file would end with, as far as its folder tells.

    Raises:
        TinyTCError: the object is not a path.
        OSError: the file cannot be written.
    """
    name = path_text(path)
    if os.path.isdir(name) or name.endswith(os.sep):
        raise _error(errno.EISDIR, name)
    if os.path.exists(name) and not os.path.isfile(name):
        return
    folder = os.path.dirname(os.path.realpath(name))
    if not os.path.isdir(folder):
        raise _error(errno.ENOTDIR if os.path.exists(folder) else errno.ENOENT, name)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise _error(errno.EACCES, name)


def is_temporary(name: str) -> bool:
    """Whether a name without a folder is that of a temporary file, which is still being written."""
    return _TEMPORARY.fullmatch(name) is not None


def _followed(name: str) -> str | None:
    """Return the path at the end of all links, None if it is an open file of a process."""
    for _ in range(_MAX_LINKS):
        folder = os.path.realpath(os.path.dirname(name))
        if _OPEN_FILES.fullmatch(folder):
            return None
        name = os.path.join(folder, os.path.basename(name))
        if not os.path.islink(name):
            return name
        name = os.path.join(folder, os.readlink(name))
    raise _error(errno.ELOOP, name)


def _replace(
    target: str,
    old: os.stat_result | None,
    data: bytes,
    mode: int = 0o666,
    *,
    is_durable: bool = True,
) -> None:
    """Write a new file beside the target and give it the target's name.

    Args:
        target: path without links.
        old: what is known of the file whose owner and mode the new one gets, None for the mode.
        data: all of its contents.
        mode: mode of a new file, of which the umask takes away.
        is_durable: whether to wait until it is on the disk.
    """
    temporary = os.path.join(os.path.dirname(target), f".tinytc-{os.urandom(8).hex()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    descriptor = os.open(temporary, flags, mode if old is None else 0o600)
    try:
        _write_all(descriptor, data, old, is_durable=is_durable)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _write_all(
    descriptor: int, data: bytes, old: os.stat_result | None = None, *, is_durable: bool = False
) -> None:
    """Write to an open file, give it owner and mode of an old one, and close it."""
    with open(descriptor, "wb", buffering=0) as file:
        rest = memoryview(data)
        while rest:
            rest = rest[file.write(rest) :]
        if old is not None:
            with contextlib.suppress(PermissionError):
                os.fchown(descriptor, old.st_uid, old.st_gid)
            os.fchmod(descriptor, stat.S_IMODE(old.st_mode))
        if is_durable:
            os.fsync(descriptor)


def _error(number: int, name: str) -> OSError:
    return OSError(number, os.strerror(number), name)
