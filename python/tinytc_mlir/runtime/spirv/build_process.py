# SPDX-License-Identifier: BSD-3-Clause
"""A process in which the CPU driver builds programs, and which it may end."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence

from ... import child_processes
from ...errors import DeviceError
from ..protocol import Binary, Device
from . import binaries, builder

LONG_BUILD_S = 60
"""After so long, builds are announced."""

_LONGEST_LOG = 4000
_ASKING_S = 0.2  # how often a long build asks whether somebody waits for it
_ADVICE = (
    "another schedule or compile(debug=True) may avoid that; TINYTC_DUMP_DIR=FOLDER writes the "
    "code, for a report to the maker of the driver"
)


def long_build(program: Binary, device: Device, how: str) -> str:
    """Return what to say of a build that takes long."""
    return (
        f"\ntinytc: warning: {device.name} has been building {binaries.names_of(program.manifest)} "
        f"for {LONG_BUILD_S} s. Ctrl-C ends {how}; {_ADVICE}.\n"
    )


class BuildEndedError(DeviceError):
    """The driver has ended the process that built a program."""


class BuildProcess:
    """A process of `builder`.

    Args:
        device: the CPU.
        is_given_up: whether nobody waits any longer for builds that take long.

    Raises:
        OSError: the process, or a file for it, cannot be made.
    """

    def __init__(self, device: Device, is_given_up: Callable[[], bool] = lambda: False) -> None:
        self._device = device
        self._is_given_up = is_given_up
        with contextlib.ExitStack() as files:
            self._log = files.enter_context(tempfile.TemporaryFile())
            self._source = files.enter_context(tempfile.NamedTemporaryFile(suffix=".spv"))
            command = [*child_processes.module_command(builder.__name__), device.name]
            pipe = subprocess.PIPE
            environment = child_processes.environment()
            self._process = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, stderr=self._log, text=True, env=environment
            )
            self._files = files.pop_all()
        self._shown_bytes = 0  # of the log

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self._process.pid

    def build(self, code: bytes, program: Binary, path: pathlib.Path) -> None:
        """Build a program and write what the driver makes of it to a file of the cache.

        Args:
            code: its SPIR-V for this driver.
            program: the program.
            path: name of the file.

        Raises:
            BuildEndedError: the driver has ended the process.
            DeviceError: the driver refuses the program.
            OSError: a file cannot be written.
        """
        pathlib.Path(self._source.name).write_bytes(code)
        request = [self._source.name, os.fspath(path), binaries.note_of(program.manifest)]
        try:
            answer = self._answer(request, program)
        except BaseException:  # an interrupt: the process would go on
            self._process.kill()
            raise
        log = self._new_log()
        if not answer:
            raise BuildEndedError(self._end_of(program), build_log=log[:_LONGEST_LOG].strip())
        if log and sys.stderr is not None:
            sys.stderr.write(log)
        problem = _problem(answer, program, path, self._device)
        if problem is not None:
            raise problem

    def close(self) -> None:
        """Let the process end, and wait for it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()
        self._files.close()

    def _answer(self, request: Sequence[object], program: Binary) -> str:
        """Return what the process says about a program, an empty string if it has ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            print(json.dumps(request), file=self._process.stdin, flush=True)
        except BrokenPipeError:
            return ""
        if not self._has_answered(LONG_BUILD_S):
            if sys.stderr is not None:
                sys.stderr.write(long_build(program, self._device, "the build"))
            while not self._has_answered(_ASKING_S):
                if self._is_given_up():
                    self._process.kill()
        return self._process.stdout.readline()

    def _has_answered(self, within_s: float) -> bool:
        """Return whether the process answers within a time, or ends."""
        assert self._process.stdout is not None
        return bool(select.select([self._process.stdout], [], [], within_s)[0])

    def _new_log(self) -> str:
        """Return what the driver has printed since the last call."""
        descriptor = self._log.fileno()
        size_bytes = os.fstat(descriptor).st_size - self._shown_bytes
        data = os.pread(descriptor, size_bytes, self._shown_bytes)
        self._shown_bytes += len(data)
        return data.decode(errors="replace")

    def _end_of(self, program: Binary) -> str:
        """Return how the process has ended."""
        status = self._process.wait()
        how = f"signal {signal.Signals(-status).name}" if status < 0 else f"status {status}"
        return (
            f"{self._device.name} cannot build {binaries.names_of(program.manifest)}: expected "
            f"device code, got the end of the process that builds it, with {how}; {_ADVICE}"
        )


def _problem(answer: str, program: Binary, path: pathlib.Path, device: Device) -> Exception | None:
    """Return the error that an answer means."""
    try:
        found = json.loads(answer)
    except ValueError:
        found = f"expected an answer of the process that builds it, got {answer!r}"
    if isinstance(found, int):
        return OSError(found, os.strerror(found), os.fspath(path))
    if found is None:
        return None
    return DeviceError(
        f"{device.name} cannot build {binaries.names_of(program.manifest)}", build_log=str(found)
    )
