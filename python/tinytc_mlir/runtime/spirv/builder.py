# SPDX-License-Identifier: BSD-3-Clause
"""A process of `prebuild`: the driver builds programs in it, one after the other.

As a program it takes the driver's name of the device, and reads lines of JSON, each with the names
of a SPIR-V file and of a file for what the driver makes of it, and a note for the cache. It answers
each by a line of JSON that says what went wrong, if anything.

It needs neither dpctl nor NumPy, which take longer to import than a small kernel to build.
"""

from __future__ import annotations

import errno
import json
import pathlib
import signal
import sys
from collections.abc import Mapping

from ... import cache, child_processes
from .build_log import build
from .vectors import lost_lanes, problem


def outcome(source: str, path: str, note: Mapping[str, object], device: str) -> str | int | None:
    """Build a program; return the driver's log or the number of the system's error, if any.

    Args:
        source: name of the file with the SPIR-V.
        path: name of the cache's file for the driver's code.
        note: what the cache notes about it.
        device: the driver's name of the device.
    """
    spirv = pathlib.Path(source).read_bytes()
    built = build(spirv, device)
    if built is None or built.code is None:
        return f"no device {device!r}" if built is None else built.log or "no message"
    lost = lost_lanes(spirv, built.log)
    if lost is not None:
        return problem(lost)
    try:
        cache.save(pathlib.Path(path), built.code, note)
    except OSError as error:
        return error.errno or errno.EIO
    return None


def main() -> None:
    """Build programs until stdin ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the caller is interrupted, too, and closes stdin
    answer = child_processes.answers()
    for line in sys.stdin:
        source, path, note = json.loads(line)
        answer(outcome(source, path, note, sys.argv[1]))


if __name__ == "__main__":
    main()
