# SPDX-License-Identifier: BSD-3-Clause
"""Winners of searches in the user's cache directory, one small file for each kernel and device."""

from __future__ import annotations

import hashlib
import json
import pathlib
import warnings
from collections.abc import Mapping

from mlir import ir

from .. import cache, trust
from ..program_cache import compiler_version
from ..runtime.protocol import Device
from .schedule import Schedule, functions_of, has_schedule, set_schedule

VERSION = 2


def folder() -> pathlib.Path | None:
    """Return the directory that winners are stored in, None if nothing is read or written."""
    root = cache.root()
    return None if root is None else root / "schedules"


def describe(device: Device) -> str:
    """Return the properties of a device that a winner depends on."""
    return f"{device.name}, driver {device.driver_version}"


def path_of(function: ir.Operation, target: str, device: str) -> pathlib.Path | None:
    """Return the file of a kernel's winner, None if nothing is read or written.

    The key is what the kernel does, not its locations in the source, and who compiles it: another
    compiler may not need the schedule, or be slower with it.

    Args:
        function: the kernel's `tinytc.func`, without a schedule.
        target: name of the target.
        device: what `describe` says.
    """
    text = function.get_asm(enable_debug_info=False)
    key = json.dumps([VERSION, compiler_version(), text, target, device])
    path = folder()
    name = hashlib.sha256(key.encode()).hexdigest()[:32]
    return None if path is None else path / f"{name}.json"


def save(path: pathlib.Path, schedule: Schedule, notes: Mapping[str, object]) -> None:
    """Write a winner; the file is written completely or not at all.

    Args:
        path: what `path_of` says.
        schedule: the winner; all zeros if the compiler's choice is best.
        notes: what a reader may want to know about the search.

    Raises:
        OSError: the file cannot be written, or would not be used.
    """
    text = json.dumps({"schedule": schedule.to_dict(), **notes}) + "\n"
    trust.write(path, text.encode())


def load(path: pathlib.Path) -> Schedule | None:
    """Return the winner in a file, None if there is none or the file is damaged."""
    try:
        return Schedule.from_dict(json.loads(read(path))["schedule"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def read(path: pathlib.Path) -> bytes:
    """Return what is in a file of the folder; warn if it must not be used.

    Raises:
        OSError: it cannot be read, or another user can have written it.
    """
    try:
        return trust.read(path)
    except trust.UntrustedError as error:
        message = f"expected a file and a folder that only you can write, got {error.filename}"
        warnings.warn(f"{message}: {path} is not used", stacklevel=2)
        raise


def apply_winners(module_operation: ir.Operation, target: str, device: str) -> dict[str, Schedule]:
    """Give the kernels of a module the schedules that searches found for them.

    Kernels with a schedule of their own keep it.

    Args:
        module_operation: the `builtin.module` at the stage of the dialect; changed in place.
        target: name of the target.
        device: what `describe` says.

    Returns:
        The schedules that were set, by kernel.
    """
    found = {}
    for name, function in functions_of(module_operation):
        if has_schedule(function):
            continue
        path = path_of(function, target, device)
        schedule = None if path is None else load(path)
        if schedule is not None:
            set_schedule(function, schedule)
            found[name] = schedule
    return found
