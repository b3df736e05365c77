# SPDX-License-Identifier: BSD-3-Clause
"""Searches for the fastest schedule of a kernel on a device, and remembers it.

`schedule` is the space of choices, `search` explores it, `worker` compiles and times some of the
choices in a separate process, `store` keeps the winners in the user's cache directory.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mlir import ir

from ..errors import LaunchError, got
from ..measure.sample_data import SampleOptions
from ..runtime import devices
from . import store as winners
from .schedule import Schedule, functions_of, has_tiles, set_schedule, subgroup_sizes
from .search import Task, Trial, Tuning

__all__ = ["Schedule", "Trial", "Tuning", "chosen", "tune"]


def tune(  # noqa: PLR0913, options by keyword
    module_operation: ir.Operation,
    name: str,
    target: str,
    options: SampleOptions,
    *,
    device: object = None,
    strategies: Sequence[Mapping[str, Any]],
    store: bool,
    search: Callable[[Task], Tuning],
) -> Tuning:
    """Return what a search for a kernel's schedule has found.

    Args:
        module_operation: the `builtin.module` at the stage of the dialect.
        name: name of the kernel.
        target: name of the target.
        options: what the kernel is launched with.
        device: dpctl device or queue; None for the default device.
        strategies: the strategies of the kernel's instructions.
        store: whether to remember the winner, or that there is none.
        search: returns what it finds. If that is not complete, no more than a winner is stored.

    Raises:
        DeviceError: there is no device, or the kernel does not run.
    """
    operation = module_operation.clone().operation
    function = dict(functions_of(operation))[name]
    set_schedule(function, Schedule())
    description = winners.describe(devices.device_of(device) or devices.default_device(target))
    path = winners.path_of(function, target, description)
    sizes = subgroup_sizes(function, target)
    # Locations have the names of parameters, by which options name them.
    text = operation.get_asm(enable_debug_info=True)
    task = Task(text, name, target, options, sizes, has_tiles(strategies))
    tuning = dataclasses.replace(search(task), device=description)
    if not store or path is None or not (tuning.is_complete or tuning.is_reliable):
        return tuning
    notes = {"kernel": name, "target": target, "device": description, "speedup": tuning.speedup}
    winners.save(path, tuning.best, notes)
    return dataclasses.replace(tuning, path=str(path))


def chosen(names: list[str], kernel: str | None) -> str:
    """Return the name of the kernel to tune.

    Args:
        names: names of all kernels.
        kernel: name of the kernel; None if there is only one.

    Raises:
        LaunchError: there are several kernels, or none of that name.
    """
    if kernel is None and len(names) == 1:
        return names[0]
    if kernel is None:
        raise LaunchError(
            f"expected the name of one of the kernels {', '.join(names) or 'none'}, got nothing"
        )
    if not isinstance(kernel, str) or kernel not in names:
        raise LaunchError(f"expected one of the kernels {', '.join(names)}, {got(kernel, names)}")
    return kernel
