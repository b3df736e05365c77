# SPDX-License-Identifier: BSD-3-Clause
"""Which files that are kept between processes may be used, and how they are written.

What they hold is executed, or chooses what is. A file is used only if nobody but the user and root
can have put it there: it and its folder are no links, belong to one of them, and nobody else can
write them. Folders above do not matter: who can rename the folder has none to take its place.
"""

from __future__ import annotations

import contextlib
import errno
import os
import pathlib
import stat
from collections.abc import Iterator

from .files import write_privately

_FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without waiting for the writer of a pipe.
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC


class UntrustedError(PermissionError):
    """Somebody else can have written a file."""


@contextlib.contextmanager
def opened(path: pathlib.Path) -> Iterator[int]:
    """Open a file to read it, if it may be used, and yield its descriptor.

    Raises:
        UntrustedError: another user can have written it.
        OSError: it cannot be opened; a link is one of the reasons.
    """
    with _opened_folder(path.parent) as folder:
        descriptor = os.open(path.name, _FILE, dir_fd=folder)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or _can_others_write(status):
                raise _error(path)
            yield descriptor
        finally:
            os.close(descriptor)


def read(path: pathlib.Path) -> bytes:
    """Return what is in a file that may be used.

    Raises:
        UntrustedError: another user can have written it.
        OSError: it cannot be read.
    """
    with opened(path) as descriptor, open(descriptor, "rb", closefd=False) as file:
        return file.read()


def write(path: pathlib.Path, data: bytes) -> None:
    """Write a file that `read` takes; it appears whole or not at all.

    Raises:
        UntrustedError: it would not be used, as others can write into its folder.
        OSError: it cannot be written.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _opened_folder(path.parent):
        write_privately(path, data)


def is_usable(folder: pathlib.Path) -> bool:
    """Whether files in a folder may be used, as far as the folder tells."""
    try:
        with _opened_folder(folder):
            return True
    except OSError:
        return False


@contextlib.contextmanager
def _opened_folder(path: pathlib.Path) -> Iterator[int]:
    descriptor = os.open(path, _FOLDER)
    try:
        status = os.fstat(descriptor)
        # In a sticky folder, others cannot replace a file.
        if _can_others_write(status) and not _is_sticky(status):
            raise _error(path)
        yield descriptor
    finally:
        os.close(descriptor)


def _can_others_write(status: os.stat_result) -> bool:
    return status.st_uid not in (os.geteuid(), 0) or bool(status.st_mode & 0o022)


def _is_sticky(status: os.stat_result) -> bool:
    return status.st_uid in (os.geteuid(), 0) and bool(status.st_mode & stat.S_ISVTX)


def _error(path: pathlib.Path) -> UntrustedError:
    return UntrustedError(errno.EPERM, "expected what nobody else can write", str(path))
