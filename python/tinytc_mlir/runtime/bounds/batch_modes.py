# SPDX-License-Identifier: BSD-3-Clause
"""In which mode of an array each group of a launch accesses a part of its own."""

from __future__ import annotations

from collections.abc import Mapping

from ..kernel_info import GroupArgument, KernelInfo
from .disjoint_blocks import DisjointBlocks

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
    unknown = {each.name for each in info.arguments if isinstance(each, GroupArgument)}
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


def modes_of_blocks(rule: DisjointBlocks, modes: BatchModes) -> tuple[int, int | None] | None:
    """Return the modes that count the groups, of the array that is updated and of the other.

    The second is None if all groups read the same block. None alone means that the blocks of
    different groups are not known.
    """
    written, read = modes.get(rule.written), modes.get(rule.read, -1)
    if written is None or read == -1 or rule.written_sizes[written] != 1:
        return None
    if read is not None and rule.read_sizes[read] != 1:
        return None
    return written, read
