# SPDX-License-Identifier: BSD-3-Clause
"""How the package starts Python processes of its own."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable

from . import switches


def module_command(module: str) -> list[str]:
    """Return the command that runs a module of this package with this interpreter."""
    return [sys.executable, "-m", module]


def answers() -> Callable[[object], None]:
    """Return a function that prints lines of JSON; what others print goes to stderr from now on."""
    lines = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return lambda answer: print(json.dumps(answer), file=lines, flush=True)


def environment() -> dict[str, str]:
    """Return the environment of a process that finds the modules that this one finds.

    It finds none that only happen to be in its folder, and warns of nothing that this process has
    warned of.
    """
    unknown = switches.unknown()
    return {
        **{name: value for name, value in os.environ.items() if name not in unknown},
        "PYTHONPATH": os.pathsep.join(os.path.abspath(path) for path in sys.path),
        "PYTHONSAFEPATH": "1",
    }
