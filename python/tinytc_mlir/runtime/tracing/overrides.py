# SPDX-License-Identifier: BSD-3-Clause
"""Warns of files in the folder of TINYTC_OVERRIDE_DIR that take no program's place."""

from __future__ import annotations

import atexit
import pathlib
import warnings
from collections.abc import Iterable, Sequence

from ... import switches
from ...errors import got

# By the folder of the switch: names of the folders of the programs that this process has compiled.
_programs: dict[pathlib.Path, set[str]] = {}


def note_program(folder: str, names: Sequence[str], stacklevel: int = 1) -> None:
    """Warn of a folder that is missing and of files with other names than a program has.

    What is there for no program of the process is warned of when the process ends.

    Args:
        folder: the folder of a program that is compiled.
        names: the files that a dump of it has.
        stacklevel: frames between this function and the line that the warnings name.
    """
    root = switches.OVERRIDE_DIR.folder()
    if root is None:
        return
    if not _programs:
        atexit.register(_warn_of_others)
    if root not in _programs:
        _programs[root] = set()
        if not root.is_dir():
            _warn(f"to name a folder, got {str(root)!r}, which is none", stacklevel + 1)
    if folder in _programs[root]:
        return
    _programs[root].add(folder)
    for name in _entries(root / folder):
        if name not in names:
            known = ", ".join(names)
            _warn(f"to have the files {known} in {folder!r}, {got(name, names)}", stacklevel + 1)


def others(root: pathlib.Path, programs: Iterable[str]) -> list[str]:
    """Return messages about what is in a folder of overrides and is that of no program."""
    programs = sorted(programs)
    messages = []
    for name in _entries(root):
        if not (root / name).is_dir():
            messages.append(f"to have a folder for each program, got the file {name!r} beside them")
        elif name not in programs:
            kernels = name.rpartition("-")[0]
            similar = [each for each in programs if each.rpartition("-")[0] == kernels]
            why = f": the text, target or options differ from those of {', '.join(similar)}"
            messages.append(
                "to have folders of programs that this process compiles, "
                f"got {name!r}{why if similar else ''}"
            )
    return messages


def _entries(folder: pathlib.Path) -> list[str]:
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError:
        return []
    return [name for name in names if not name.startswith(".") and not name.endswith("~")]


def _warn(message: str, stacklevel: int = 1) -> None:
    warnings.warn(f"expected {switches.OVERRIDE_DIR.name} {message}", stacklevel=stacklevel + 1)


def _warn_of_others() -> None:
    for root, programs in sorted(_programs.items()):
        for message in others(root, programs):
            _warn(message)
