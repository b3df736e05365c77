# SPDX-License-Identifier: BSD-3-Clause
"""How long commands say what they are doing."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TextIO

_INTERVAL_S = 60.0


class Progress:
    """Shows the present step: on a terminal always, in a pipe or a file once a minute.

    On a terminal one line is overwritten, and cleared at the end of the `with` statement.

    Args:
        stream: where to, stderr by default.
        clock: returns the time in seconds.

    >>> with Progress(sys.stdout) as progress:  # less than a minute
    ...     progress("[1/2] gemm")
    """

    def __init__(
        self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._is_terminal = self._stream is not None and self._stream.isatty()
        self._clock = clock
        self._start_s = self._last_s = clock()

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._is_terminal:
            self._overwrite("")

    def __call__(self, step: str) -> None:
        """Say which step begins.

        Args:
            step: what is done now, such as `[3/40] gemm.f32.8`.
        """
        if self._is_terminal:
            self._overwrite(step)
            return
        now_s = self._clock()
        if now_s - self._last_s >= _INTERVAL_S:
            self._last_s = now_s
            minutes = int(now_s - self._start_s) // 60
            print(f"tinytc: after {minutes} min: {step}", file=self._stream, flush=True)

    def _overwrite(self, text: str) -> None:
        print(f"\r\033[K{text}", end="", file=self._stream, flush=True)
