# SPDX-License-Identifier: BSD-3-Clause
"""Writes what TINYTC_TRACE names: launches and builds in the JSON Array Format of trace viewers.

Source: "Trace Event Format" of the Chromium project, whose viewers (chrome://tracing, Perfetto)
also take a file that ends early.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import threading
import time
from collections.abc import Iterator, Mapping
from typing import IO

from ... import switches
from ...errors import TinyTCError
from . import hooks

_PROCESS = "%p"  # stands for the process id in the name of the file


class _Trace:
    """The trace of a process.

    Args:
        path: file to write.
    """

    def __init__(self, path: str) -> None:
        try:
            # Closed when the process ends.
            self._file: IO[str] | None = open(path, "w", encoding="utf-8")  # noqa: SIM115
        except OSError as error:
            name = switches.TRACE.name
            message = f"{path}: expected {name} to name a file to write, got an error"
            raise TinyTCError(f"{message}: {error.strerror}") from None
        self._lock = threading.Lock()
        self._separator = "[\n"
        atexit.register(self.close)
        os.register_at_fork(after_in_child=self._forget)

    def add(self, name: str, start_ns: int, end_ns: int, facts: Mapping[str, object]) -> None:
        """Add a complete event."""
        event = {
            "name": name,
            "ph": "X",
            "ts": start_ns / 1e3,
            "dur": (end_ns - start_ns) / 1e3,
            "pid": os.getpid(),
            "tid": threading.get_native_id(),
            "args": facts,
        }
        with self._lock:
            if self._file is not None:
                self._file.write(self._separator + json.dumps(event))
                self._separator = ",\n"

    def close(self) -> None:
        """Write what is left, and the end."""
        with self._lock:
            if self._file is not None:
                self._file.write("[]\n" if self._separator == "[\n" else "\n]\n")
                self._file.close()
                self._file = None

    def _forget(self) -> None:
        """Leave the file to the parent, whose text in the buffer is not written twice."""
        self._lock = threading.Lock()
        if self._file is not None:
            os.close(self._file.fileno())
            self._file = None


_traces: dict[int, _Trace | None] = {}  # by process


def start() -> None:
    """Begin the trace of this process if there shall be one and there is none.

    Raises:
        TinyTCError: its file cannot be written.
    """
    process = os.getpid()
    path = switches.TRACE.choice()
    if path is None or process in _traces:
        return
    trace = _traces[process] = _Trace(path.replace(_PROCESS, str(process)))
    hooks.add_launch_hook(after=lambda record: _add_launch(trace, record))


def _add_launch(trace: _Trace, record: hooks.LaunchRecord) -> None:
    name = record.kernel if record.waits else f"submit {record.kernel}"
    facts = {"groups": list(record.groups), "device": record.device}
    trace.add(name, record.start_ns, record.end_ns, facts)


@contextlib.contextmanager
def build(kernel: str, device: str) -> Iterator[None]:
    """Add the time that the driver takes to load a kernel."""
    start()
    trace = _traces.get(os.getpid())
    start_ns = time.perf_counter_ns()
    try:
        yield
    finally:
        if trace is not None:
            trace.add(f"load {kernel}", start_ns, time.perf_counter_ns(), {"device": device})
