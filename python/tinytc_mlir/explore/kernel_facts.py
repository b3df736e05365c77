# SPDX-License-Identifier: BSD-3-Clause
"""Facts of each kernel in the explorer: sizes, work, and the choice of the cost model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..strategies import strategies_of
from .zero_chains import zero_chains

if TYPE_CHECKING:
    from ..runtime.kernel_info import KernelInfo
    from .program import Explorable


def facts(module: Explorable, prepared: Explorable, info: KernelInfo) -> dict[str, Any]:
    """Return what is known of a kernel, ready for JSON.

    Args:
        module: the program at the first stage that there is.
        prepared: the program, prepared for a target.
        info: what the manifest says of the kernel.
    """
    is_prepared = prepared.stage == "prepared"
    flops, moved = info.flops_per_group, info.bytes_per_group
    intensity = flops / moved if flops is not None and moved else None
    return {
        "name": info.name,
        "signature": info.signature,
        "work_group": list(info.local_size),
        "subgroup": info.subgroup_size,
        "local_bytes": info.local_memory_bytes,
        "groups_per_work_group": info.groups_per_work_group,
        "flops": flops,
        "bytes": moved,
        "intensity": intensity,
        "strategies": strategies_of(prepared.operation, info.name) if is_prepared else [],
        "zeros": zero_chains(module, info.name) if module.stage == "tinytc" else [],
    }
