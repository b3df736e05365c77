# SPDX-License-Identifier: BSD-3-Clause
"""All environment variables of the package, in one place; docs/switches.md lists them for users.

A switch is read when it is used, so a program may set it in `os.environ` at any time.
"""

from __future__ import annotations

import dataclasses
import functools
import os
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pathlib

_PREFIX = "TINYTC_"
_OFF = ("", "0", "off", "false", "no")
# The dictionary of `os.environ`: its own `get` raises and catches an error if it is unset, which
# costs each launch 0.5 us.
_VARIABLES = getattr(os.environ, "_data", os.environ)


@dataclasses.dataclass(frozen=True)
class Switch:
    """An environment variable.

    Args:
        name: its name.
        values: what it can be set to.
        meaning: what that does, a sentence.
    """

    name: str
    values: str
    meaning: str

    @functools.cached_property
    def _key(self) -> object:
        """The key of its value among the variables."""
        return self.name if _VARIABLES is os.environ else os.environ.encodekey(self.name)

    def text(self) -> str:
        """Return its value, an empty text if it is not set."""
        return os.environ.get(self.name, "") if self._key in _VARIABLES else ""

    def is_on(self) -> bool:
        """Return whether it is set to anything but 0, off, false, no or an empty text."""
        return self._key in _VARIABLES and self.text().lower() not in _OFF

    def is_set(self) -> bool:
        """Return whether the environment has it, even with an empty text."""
        return self.name in os.environ

    def choice(self) -> str | None:
        """Return what it chooses, None if it is off."""
        return self.text() if self.is_on() else None

    def folder(self) -> pathlib.Path | None:
        """Return the folder that it names, None if it is off."""
        if not self.is_on():
            return None
        import pathlib  # 4 ms, and most processes name no folder

        return pathlib.Path(self.text())


CACHE_DIR = Switch(
    "TINYTC_CACHE_DIR",
    "a folder, or 0",
    "Where compiled programs, device code and tuned schedules are kept, instead of the user's "
    "cache; with 0, nothing is read or written.",
)
DUMP_DIR = Switch(
    "TINYTC_DUMP_DIR",
    "a folder",
    "Programs that are compiled are written there at every stage, with the strategies of their "
    "instructions, their code, disassembly, manifest and the driver's build log.",
)
OVERRIDE_DIR = Switch(
    "TINYTC_OVERRIDE_DIR",
    "a folder",
    "An edited file of a dump, in a folder of the same name there, takes the place of what the "
    "compiler has made.",
)
TRACE = Switch(
    "TINYTC_TRACE",
    "a file",
    "Launches and builds are written there as JSON for trace viewers such as Perfetto; `%p` in its "
    "name becomes the process id. Read when a process first loads a kernel.",
)
INTERPRET = Switch(
    "TINYTC_INTERPRET",
    "1",
    "Launches run in the reference interpreter, which finds accesses out of bounds, races and "
    "reads of uninitialised memory.",
)
TARGET = Switch(
    "TINYTC_TARGET",
    "the name of a target",
    "Programs are compiled for it and launched there if no other target is named, such as "
    "`native` for machine code of this processor that needs no driver.",
)
NUM_THREADS = Switch(
    "TINYTC_NUM_THREADS",
    "an integer from 1 to 1024",
    "The most threads that a native launch runs on, instead of one for each processor that the "
    "process may use.",
)
HUGE_PAGES = Switch(
    "TINYTC_HUGE_PAGES",
    "1",
    "Memory of 2 MiB and more that `tt.empty` and its like allocate for native kernels is in huge "
    "pages, if the system has some.",
)
PERF_MAP = Switch(
    "TINYTC_PERF_MAP",
    "1",
    "Native kernels are listed in `/tmp/perf-PID.map` when they are loaded, where `perf report` "
    "finds the names of functions.",
)
DEBUG_DIR = Switch(
    "TINYTC_DEBUG_DIR",
    "a folder",
    "Native programs are compiled with the lines of their text and loaded as shared libraries in "
    "this folder, where gdb and perf find both. It needs a C compiler.",
)
BUILD_APART = Switch(
    "TINYTC_BUILD_APART",
    "1",
    "The CPU driver builds programs in another process. If it ends that process, launches raise a "
    "DeviceError.",
)
VERIFY_EACH = Switch(
    "TINYTC_VERIFY_EACH",
    "1",
    "Compiling verifies the module after each pass, not only before the first and after the last.",
)

#: What users can set.
SWITCHES = (
    CACHE_DIR,
    DUMP_DIR,
    OVERRIDE_DIR,
    TRACE,
    INTERPRET,
    TARGET,
    NUM_THREADS,
    HUGE_PAGES,
    PERF_MAP,
    DEBUG_DIR,
    BUILD_APART,
    VERIFY_EACH,
)
#: What only the project's own tests read.
TEST_SWITCHES = (
    Switch("TINYTC_VENV", "a folder", "The virtual environment that `test/run.sh` uses."),
    Switch(
        "TINYTC_WHEELS", "this, ends or all", "The Pythons that wheels are built and tried for."
    ),
    Switch(
        "TINYTC_TEST_PROFILE", "commit or nightly", "Tests that every commit must pass, or all."
    ),
    Switch(
        "TINYTC_TEST_TURN",
        "a number",
        "Which part of rotating samples tests take; by default the commit decides.",
    ),
    Switch("TINYTC_FUZZ_SECONDS", "a number", "CPU seconds of each fuzzing test, 2 by default."),
    Switch("TINYTC_FUZZ_SEED", "an integer", "Seed of the fuzzing tests, 0 by default."),
    Switch(
        "TINYTC_TEST_LAUNCHES",
        "an integer",
        "Launches of each kernel in `test_idle_lanes.py`, 5 by default.",
    ),
)


def unknown() -> list[str]:
    """Return the variables of the environment that look like switches and are none."""
    known = {switch.name for switch in (*SWITCHES, *TEST_SWITCHES)}
    return sorted(name for name in os.environ if name.startswith(_PREFIX) and name not in known)


def warn_of_unknown(stacklevel: int = 1) -> None:
    """Warn of variables that have no effect; the package calls this once, when it is imported.

    Args:
        stacklevel: frames between this function and the line that the warning names.
    """
    for name in unknown():
        from .errors import hint

        names = [switch.name for switch in SWITCHES]
        message = f"expected one of the switches {', '.join(names)}, got {name}{hint(name, names)}"
        warnings.warn(message, stacklevel=stacklevel + 1)
