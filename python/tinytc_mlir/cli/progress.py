# SPDX-License-Identifier: BSD-3-Clause
"""How long commands say what they are doing."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import TextIO

_INTERVAL_S = 60.0


class Progress:
    """Shows the present step: on a terminal always, in a pipe or a file once a minute.

    On a terminal one line is overwritten, and cleared at the end of the `with` statement. Elsewhere
    a thread writes, so that a long step is shown again.

    Args:
        stream: where to, stderr by default.
        says_first: show the first step at once in a pipe or a file, too.
        interval_s: time between lines there, in seconds.

    >>> with Progress(sys.stdout) as progress:  # less than a minute
    ...     progress("[1/2] gemm")
    >>> with Progress(sys.stdout, says_first=True) as progress:
    ...     progress("about 60 s")
    tinytc: about 60 s
    """

    def __init__(
        self,
        stream: TextIO | None = None,
        *,
        says_first: bool = False,
        interval_s: float = _INTERVAL_S,
    ) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._is_terminal = self._stream is not None and self._stream.isatty()
        self._says_next = says_first
        self._interval_s = interval_s
        self._step = ""
        self._start_s = time.monotonic()
        self._is_over = threading.Event()
        self._writer = threading.Thread(target=self._write_lines, daemon=True)

    def __enter__(self) -> Progress:
        if self._stream is not None and not self._is_terminal:
            self._writer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._is_over.set()
        if self._is_terminal:
            self._overwrite("")
        elif self._writer.is_alive():
            self._writer.join()

    def __call__(self, step: str) -> None:
        """Say which step begins.

        Args:
            step: what is done now, such as `[3/40] gemm.f32.8`.
        """
        self._step = step
        if self._is_terminal:
            self._overwrite(step)
        elif self._says_next and self._stream is not None:
            self._says_next = False
            print(f"tinytc: {step}", file=self._stream, flush=True)

    def _write_lines(self) -> None:
        while not self._is_over.wait(self._interval_s):
            minutes = round((time.monotonic() - self._start_s) / 60)
            if self._step:
                print(f"tinytc: after {minutes} min: {self._step}", file=self._stream, flush=True)

    def _overwrite(self, text: str) -> None:
        print(f"\r\033[K{text}", end="", file=self._stream, flush=True)
