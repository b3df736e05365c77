# SPDX-License-Identifier: BSD-3-Clause
"""Runs the assemblers of GPUs."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence

from ..errors import TinyTCError

_MOST_OUTPUT = 3000  # characters


def run(
    words: Sequence[str],
    what: str,
    error_type: type[TinyTCError],
    timeout_s: float,
    environment: Mapping[str, str] | None = None,
) -> str:
    """Return what a tool prints.

    Args:
        words: the command.
        what: tool and device, as messages name them.
        error_type: type of the errors.
        timeout_s: when to give up, in seconds.
        environment: its environment, None for that of this process.

    Raises:
        TinyTCError: of that type: the tool ends with another status than 0, or not in time.
    """
    try:
        found = subprocess.run(
            words, check=True, capture_output=True, text=True, env=environment, timeout=timeout_s
        )
    except subprocess.TimeoutExpired:
        raise error_type(f"{what}: expected it to finish within {timeout_s:g} s") from None
    except subprocess.CalledProcessError as error:
        output = (error.stdout + error.stderr).strip()[-_MOST_OUTPUT:]
        message = f"{what}: expected status 0, got {error.returncode}\n{output}"
        raise error_type(message) from None
    return found.stdout + found.stderr
