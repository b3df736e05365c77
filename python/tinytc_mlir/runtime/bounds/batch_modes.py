# SPDX-License-Identifier: BSD-3-Clause
"""In which mode of an array each group of a launch accesses a part of its own."""

from __future__ import annotations

from collections.abc import Mapping

from ..manifest import KernelInfo

# The mode of each array that groups index by exactly their id, None if they share the array.
BatchModes = Mapping[str, "int | None"]


def batch_modes(info: KernelInfo) -> BatchModes:
    """Return the modes of those arrays of which it is known, in launches along x.

    Args:
        info: the kernel's entry of the manifest.
    """
    if info.group_accesses is None or info.grid_dimensions != (0,):
        return {}
    found: dict[str, int | None] = {}
    unknown: set[str] = set()
    for access in info.group_accesses:
        name = access.argument
        is_batch = access.index == "group_id" and len(access.modes) == 1
        if access.index == "shared":
            found.setdefault(name, None)
        elif is_batch and found.get(name) is None:
            (found[name],) = access.modes
        else:
            unknown.add(name)
    return {name: mode for name, mode in found.items() if name not in unknown}
