# SPDX-License-Identifier: BSD-3-Clause
"""What the explorer says of each kernel: sizes, work, and what the cost model chose."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mlir import ir

from .._tinytc import describe_tiles

if TYPE_CHECKING:
    from ..runtime.manifest import KernelInfo
    from .program import Explorable


def facts(prepared: Explorable, info: KernelInfo) -> dict[str, Any]:
    """Return what is known of a kernel, ready for JSON.

    Args:
        prepared: the program, prepared for a target.
        info: what the manifest says of the kernel.
    """
    kernel = _kernel(prepared, info.name)
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
        "tiles": [] if kernel is None else json.loads(describe_tiles(kernel)),
    }


def _kernel(module: Explorable, name: str) -> ir.Operation | None:
    """Return the kernel of a name if it is one of the dialect."""
    for each in module.operation.regions[0].blocks[0].operations:
        operation = each.operation
        if operation.name == "tinytc.func" and operation.attributes["sym_name"].value == name:
            return operation
    return None
