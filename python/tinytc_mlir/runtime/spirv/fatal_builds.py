# SPDX-License-Identifier: BSD-3-Clause
"""Keeps builds that the CPU driver does not survive from ending processes unannounced.

The driver calls `abort` where its code generator fails. A build in another process costs the start
of that process, so only those programs pay for it that were not built to the end before, and
`Program.build`. All others have last words, and leave a file in the cache until they are built.
"""

from __future__ import annotations

import atexit
import contextlib
import contextvars
import fcntl
import os
import pathlib
import tempfile
import threading
from collections.abc import Iterator

from ... import cache, switches, trust
from ..._arrays import LastWords, LongBuild
from ..protocol import Binary, Device
from . import binaries, build_process
from .build_process import BuildEndedError, BuildProcess

_WRITE = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC

_fatal: set[str] = set()  # digests of programs that have ended a process of ours
_is_asked = contextvars.ContextVar("is_asked", default=False)


class _Builder:
    """The process that builds for this one, as long as there is one."""

    def __init__(self) -> None:
        self.lock = threading.RLock()  # it builds one program at a time
        self._process: BuildProcess | None = None
        self._owner = 0  # another process, which was forked from it, starts one of its own

    def build(self, code: bytes, program: Binary, device: Device, path: pathlib.Path) -> None:
        if self._process is None or self._owner != os.getpid():
            self._process, self._owner = BuildProcess(device), os.getpid()
        self._process.build(code, program, path)

    def close(self) -> None:
        with self.lock:
            if self._process is not None and self._owner == os.getpid():
                self._process.close()
            self._process = None


_builder = _Builder()
atexit.register(_builder.close)


@contextlib.contextmanager
def apart() -> Iterator[None]:
    """Let other processes build what this thread builds in the context."""
    token = _is_asked.set(True)
    try:
        yield
    finally:
        _is_asked.reset(token)
        if not switches.BUILD_APART.is_on():
            _builder.close()


def build_apart(
    program: Binary, code: bytes, device: Device, path: pathlib.Path | None
) -> bytes | None:
    """Return what the driver makes of a program in another process.

    Args:
        program: the program.
        code: its SPIR-V for this driver.
        device: the CPU.
        path: where the cache keeps what the driver makes of it, if anywhere.

    Returns:
        The driver's code; None if the program is to be built here, or cannot be built elsewhere.

    Raises:
        DeviceError: the driver refuses the program, or has ended the process.
    """
    goes_on = _is_asked.get() or switches.BUILD_APART.is_on()
    if not (goes_on or program.digest in _fatal or _is_unfinished(path)):
        return None
    try:
        with _builder.lock, contextlib.ExitStack() as stack:
            if not goes_on:
                stack.callback(_builder.close)
            place = path
            if place is None:
                folder = stack.enter_context(tempfile.TemporaryDirectory())
                place = pathlib.Path(folder, f"code.{cache.DEVICE}")
            _builder.build(code, program, device, place)
            _forget(path)
            return cache.load(place)
    except BuildEndedError:
        _builder.close()
        _fatal.add(program.digest)
        _note(path)
        raise
    except OSError:  # no process can be started, or no file be written
        return None


@contextlib.contextmanager
def announced(program: Binary, device: Device, path: pathlib.Path | None) -> Iterator[None]:
    """Have last words about a build here, and note in the cache that it has begun.

    A build that takes long is announced, too.

    Args:
        program: the program that is built in the context.
        device: the CPU.
        path: where the cache keeps what the driver makes of it, if anywhere.
    """
    file = os.path.join(tempfile.gettempdir(), f"tinytc-{program.digest[:16]}.spv")
    text = (
        f"\ntinytc: the driver of {device.name} ended this process while it built "
        f"{binaries.names_of(program.manifest)}. Its SPIR-V is in {file}, for a report to the "
        "maker of the driver. Another schedule or compile(debug=True) may avoid that; with "
        f"{switches.BUILD_APART.name}=1, such a build is an error instead "
        "(tinytc_mlir.DeviceError).\n"
    )
    notice = build_process.long_build(program, device, "this process")
    long_build = LongBuild(notice, build_process.LONG_BUILD_S)
    with LastWords(text, file, program.code), _begun(path), long_build:
        yield


def _marker(path: pathlib.Path) -> pathlib.Path:
    """Return the file that is there while a program is built."""
    return path.with_suffix(f".{cache.UNFINISHED}")


@contextlib.contextmanager
def _begun(path: pathlib.Path | None) -> Iterator[None]:
    """Keep a locked file in the context; the lock ends with the process, the file does not."""
    try:
        descriptor = _locked(path)
    except OSError:  # there is no cache, or another process builds the same
        yield
        return
    try:
        yield
    finally:
        _forget(path)
        os.close(descriptor)


def _locked(path: pathlib.Path | None) -> int:
    if path is None:
        raise FileNotFoundError
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(_marker(path), _WRITE, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _is_unfinished(path: pathlib.Path | None) -> bool:
    """Whether a process that has built a program has not come to its end."""
    if path is None:
        return False
    with contextlib.suppress(OSError), trust.opened(_marker(path)) as descriptor:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return True
    return False


def _note(path: pathlib.Path | None) -> None:
    """Let later processes know that the driver does not survive a program."""
    with contextlib.suppress(OSError):
        os.close(_locked(path))


def _forget(path: pathlib.Path | None) -> None:
    if path is not None:
        with contextlib.suppress(OSError):
            os.unlink(_marker(path))
