# SPDX-License-Identifier: BSD-3-Clause
"""Files that are kept between processes: what was compiled or built before, to be used again.

An entry is one file that appears whole or not at all, so processes need no locks. It begins with a
checksum: what is damaged counts as missing, and is written again. Those that another user can have
written are not used.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import json
import os
import pathlib
import re
import struct
import time
from collections.abc import Iterable, Iterator, Mapping

from . import switches, trust
from .files import is_temporary

MAX_BYTES = 2**30  # of all entries; those that were used longest ago are deleted
SOURCE, PROGRAM, DEVICE = "source", "program", "device"
LIBRARY, UNFINISHED, ROOF = "library", "unfinished", "roof"
#: Kinds of entries, and what they are.
KINDS: Mapping[str, str] = {
    SOURCE: "texts that are known to be valid",
    PROGRAM: "compiled programs",
    DEVICE: "device code of the CPU driver",
    LIBRARY: "C code of the benchmark, compiled",
    UNFINISHED: "builds that the CPU driver did not survive",
    ROOF: "rates that devices reach at most, measured",
}

_MAGIC = b"\x89TTK\r\n\x1a\n"
_VERSION = 1
# magic, version, SHA-256 of the file's name and all that follows the digest
_HEAD = struct.Struct("<8sI32s")
_NOTE_SIZE = struct.Struct("<I")
_MOST_NOTE_BYTES = 2**16
_NAME = re.compile(rf"[0-9a-f]{{32}}\.({'|'.join(KINDS)})")
_WRITING_S = 3600.0  # older temporary files are of processes that were killed
_LOOKS = 16  # how often files are deleted while the bytes of the limit are written


@dataclasses.dataclass(frozen=True)
class Entry:
    """A file of the cache.

    Args:
        path: the file.
        kind: one of `KINDS`.
        size_bytes: its size.
        used_s: when it was used last, in seconds since 1970.
    """

    path: pathlib.Path
    kind: str
    size_bytes: int
    used_s: float


def root() -> pathlib.Path | None:
    """Return the folder of all that is kept, None if nothing is read or written.

    It is what TINYTC_CACHE_DIR names, or `tinytc` in the user's cache.
    """
    if switches.CACHE_DIR.is_set():
        return switches.CACHE_DIR.folder()
    return _default_root()


def _default_root() -> pathlib.Path | None:
    import platformdirs

    path = platformdirs.user_cache_path("tinytc")
    return path if path.is_absolute() else None  # not that of a user without a home


def folder() -> pathlib.Path | None:
    """Return the folder of the entries, None if nothing is read or written."""
    path = root()
    return None if path is None else path / "compiled"


def path_of(kind: str, key: object) -> pathlib.Path | None:
    """Return the file of an entry, None if nothing is read or written.

    Args:
        kind: one of `KINDS`.
        key: all that the entry depends on, as JSON takes it.
    """
    path = folder()
    if path is None:
        return None
    name = hashlib.sha256(json.dumps([_VERSION, kind, key]).encode()).hexdigest()[:32]
    return path / f"{name}.{kind}"


def save(path: pathlib.Path, data: bytes, note: Mapping[str, object]) -> None:
    """Write an entry, and delete others if there are too many.

    Args:
        path: what `path_of` says.
        data: its contents.
        note: what people may want to know about it, as JSON takes it.

    Raises:
        OSError: the file cannot be written, or would not be used.
    """
    text = json.dumps(note).encode()
    if len(text) > _MOST_NOTE_BYTES:
        text = b"{}"
    body = _NOTE_SIZE.pack(len(text)) + text + data
    trust.write(path, _HEAD.pack(_MAGIC, _VERSION, _digest(path, body)) + body)
    _writer.count(len(body))


def keep(path: pathlib.Path | None, data: bytes, note: Mapping[str, object]) -> None:
    """Write an entry like `save` if that is possible: not to a full or read-only disk.

    Args:
        path: what `path_of` says.
        data: its contents.
        note: what people may want to know about it, as JSON takes it.
    """
    if path is not None:
        with contextlib.suppress(OSError):
            save(path, data, note)


def load(path: pathlib.Path | None) -> bytes | None:
    """Return the contents of an entry and note its use.

    Args:
        path: what `path_of` says.

    Returns:
        The contents; None if there is no file, it is damaged, or another user can have written it.
    """
    if path is None:
        return None
    with contextlib.suppress(OSError), trust.opened(path) as descriptor:
        return _contents(path, _bytes_of(descriptor))
    return None


def note_of(entry: Entry) -> Mapping[str, object] | None:
    """Return what was noted about an entry, None if it is not used or its head is damaged."""
    with contextlib.suppress(OSError, ValueError, struct.error):
        with trust.opened(entry.path) as descriptor, open(descriptor, "rb", closefd=False) as file:
            magic, version, _ = _HEAD.unpack(file.read(_HEAD.size))
            (size,) = _NOTE_SIZE.unpack(file.read(_NOTE_SIZE.size))
            if (magic, version) != (_MAGIC, _VERSION) or size > _MOST_NOTE_BYTES:
                return None
            note = json.loads(file.read(size))
        return note if isinstance(note, dict) else None
    return None


def entries() -> list[Entry]:
    """Return all entries, the one that was used last first."""
    found = []
    for path, status in _files():
        match = _NAME.fullmatch(os.path.basename(path))
        if match:
            used_s = status.st_atime_ns / 1e9
            found.append(Entry(pathlib.Path(path), match[1], status.st_size, used_s))
    return sorted(found, key=lambda entry: -entry.used_s)


def evict(limit_bytes: int | None = None) -> None:
    """Delete the entries that were used longest ago until the others are within a limit.

    Files that cannot be deleted stay, and so do those that `save` has not written.

    Args:
        limit_bytes: greatest size of all entries, None for `MAX_BYTES`.
    """
    rest_bytes = MAX_BYTES if limit_bytes is None else limit_bytes
    for entry in entries():
        rest_bytes -= entry.size_bytes
        if rest_bytes < 0:
            _delete(entry.path)
    now_s = time.time()
    for path, status in _files():
        if is_temporary(os.path.basename(path)) and now_s - status.st_mtime > _WRITING_S:
            _delete(path)


def clear(kinds: Iterable[str] = tuple(KINDS)) -> tuple[int, int]:
    """Delete entries and return how many there were and their bytes.

    Args:
        kinds: which kinds to delete, by default all.

    Raises:
        OSError: an entry cannot be deleted.
    """
    found = [entry for entry in entries() if entry.kind in set(kinds)]
    for entry in found:
        with contextlib.suppress(FileNotFoundError):  # another process was faster
            os.unlink(entry.path)
    return len(found), sum(entry.size_bytes for entry in found)


def is_usable() -> bool:
    """Whether entries may be used: another user cannot put them into the folder."""
    path = folder()
    return path is not None and (trust.is_usable(path) or not os.path.lexists(path))


def is_writable() -> bool:
    """Whether entries can be added, as far as the folders tell."""
    path = folder()
    while path is not None and not path.exists() and path != path.parent:
        path = path.parent
    return path is not None and path.is_dir() and os.access(path, os.W_OK | os.X_OK)


@functools.cache
def processor() -> str:
    """Return the model and the instructions of the processor, as far as the system tells."""
    known: dict[str, str] = {}
    with contextlib.suppress(OSError), open("/proc/cpuinfo") as file:
        for line in file:  # the first processor; to list hundreds would take the system long
            if not line.strip():
                break
            known.setdefault(line.partition("\t")[0], line)
    return "".join(known.get(name, "") for name in ("model", "model name", "stepping", "flags"))


class _Writer:
    """Looks now and then whether this process has written too much.

    The first time is after its first entry, so that many short processes keep the limit too.
    """

    def __init__(self) -> None:
        self._rest_bytes = 0

    def count(self, size_bytes: int) -> None:
        self._rest_bytes -= size_bytes
        if self._rest_bytes < 0:
            self._rest_bytes = MAX_BYTES // _LOOKS
            evict()


_writer = _Writer()


def _files() -> Iterator[tuple[str, os.stat_result]]:
    """Yield what is in the folder."""
    path = folder()
    with contextlib.suppress(OSError):
        if path is not None:
            with os.scandir(path) as found:
                for each in found:
                    with contextlib.suppress(OSError):  # another process has deleted it
                        yield each.path, each.stat(follow_symlinks=False)


def _delete(path: str | pathlib.Path) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)


def _bytes_of(descriptor: int) -> bytes:
    """Return the bytes of an open file and note its use."""
    with open(descriptor, "rb", closefd=False) as file:
        data = file.read()
    with contextlib.suppress(OSError):  # of a file system that is read-only
        os.utime(descriptor, ns=(time.time_ns(), os.fstat(descriptor).st_mtime_ns))
    return data


def _contents(path: pathlib.Path, data: bytes) -> bytes | None:
    """Return the contents of an entry, None if one byte is not as it was written."""
    body = data[_HEAD.size :]
    if data[: _HEAD.size] != _HEAD.pack(_MAGIC, _VERSION, _digest(path, body)):
        return None
    (size,) = _NOTE_SIZE.unpack_from(body)
    return body[_NOTE_SIZE.size + size :]


def _digest(path: pathlib.Path, body: bytes) -> bytes:
    """Return what a file begins with, which no file of another name does."""
    return hashlib.sha256(path.name.encode() + body).digest()
