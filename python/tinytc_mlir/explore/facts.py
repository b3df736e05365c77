# SPDX-License-Identifier: BSD-3-Clause
"""What the explorer says of each kernel: sizes, work, and what the cost model chose."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from mlir import ir

from .._tinytc import count_flops, describe_tiles
from ..dialects.tinytc import GroupType, MemrefType
from ..scalars import SCALAR_TYPES

if TYPE_CHECKING:
    from ..runtime.manifest import KernelInfo
    from .program import Explorable

_COLLECTIVE = ("axpby", "cumsum", "gemm", "gemv", "ger", "hadamard_product", "sum")
_SIZES = {each.mlir: each.size_bytes for each in SCALAR_TYPES.values()}


def facts(module: Explorable, prepared: Explorable, info: KernelInfo) -> dict[str, Any]:
    """Return what is known of a kernel, ready for JSON.

    Args:
        module: the program as it was written.
        prepared: the same, prepared for a target.
        info: what the manifest says of the kernel.
    """
    kernel = _kernel(prepared, info.name)
    original = _kernel(module, info.name)
    flops = None if original is None else count_flops(module.operation, info.name)
    moved = None if original is None else bytes_per_group(original)
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


def bytes_per_group(kernel: ir.Operation) -> int | None:
    """Return the bytes of global memory that one group reads and writes at least.

    Each view that a collective instruction reads or writes counts once for either.

    Returns:
        The number, None if it depends on dynamic sizes, loops or SPMD regions.
    """
    read: dict[ir.Value, int] = {}
    written: dict[ir.Value, int] = {}
    for each in kernel.regions[0].blocks[0].operations:
        operation = each.operation
        name = operation.name.removeprefix("tinytc.")
        if len(operation.regions) > 0:
            return None
        if name in ("store", "atomic_store", "atomic_add", "atomic_min", "atomic_max"):
            return None
        if name not in _COLLECTIVE:
            continue
        operands = list(operation.operands)
        *inputs, destination = [o for o in operands if isinstance(o.type, MemrefType)]
        beta = [o for o in operands if not isinstance(o.type, MemrefType)][-1]
        for value in inputs if _is_zero(beta) else [*inputs, destination]:
            read[value] = _size_bytes(value)
        written[destination] = _size_bytes(destination)
    sizes = [*read.values(), *written.values()]
    return None if any(size < 0 for size in sizes) else sum(sizes)


def _is_zero(value: ir.Value) -> bool:
    owner = value.owner
    if not isinstance(owner, (ir.OpView, ir.Operation)) or owner.name != "tinytc.constant":
        return False
    attribute = owner.attributes["value"]
    return isinstance(attribute, (ir.FloatAttr, ir.IntegerAttr)) and attribute.value == 0


def _size_bytes(value: ir.Value) -> int:
    """Return the size of a view in global memory, 0 in local memory, -1 if it is dynamic."""
    type_ = value.type
    if isinstance(type_, GroupType) or type_.address_space == "local":
        return 0
    if any(size is None for size in type_.shape):
        return -1
    elements: int = math.prod(type_.shape)
    return elements * _SIZES[str(type_.element_type)]
