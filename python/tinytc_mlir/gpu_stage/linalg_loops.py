# SPDX-License-Identifier: BSD-3-Clause
"""The linalg stage as a gpu stage: upstream makes loops of linalg ops, and all work-items run them.

Where the compiler distributes these ops over work-items, each work-item here computes all elements.
In step they load, compute and store the same, so results are those of the linalg stage; the races
mean nothing.
"""

from __future__ import annotations

import math
from typing import Any

from mlir import ir
from mlir.dialects import arith, memref

from ..reference.untyped import Ir, operations
from ..scalars import scalar_type_named

_LOOPS = "convert-linalg-to-loops"
_REST = "linalg-to-gpu"
_ALIGNMENT = 128
_SUMS = "memref.alloca"
_ATOMIC = ("memref.atomic_rmw", "memref.generic_atomic_rmw", "tinytc.atomic")


def lower_by_loops(context: Any, operation: Ir) -> str:
    """Lower a module of the linalg stage to the gpu stage, in place.

    Args:
        context: `tinytc_mlir.Context`.
        operation: the `builtin.module`.

    Returns:
        why that is not possible; the empty string if it is done.

    Raises:
        mlir.ir.MLIRError: a pass fails.
    """
    for op in list(operations(operation)):
        if op.name in _ATOMIC:
            return "it has atomic updates, which all work-items may repeat"
        users = [use.owner.name for use in op.results[0].uses] if op.name == _SUMS else []
        if not any(name.startswith("linalg.") for name in users):
            continue  # no array, or one of scalar code, of which each work-item has its own
        if not ir.MemRefType(op.results[0].type).has_static_shape:
            return "it has sums of unknown size"
        _share(op)
    context.run_pipeline(_LOOPS, operation)
    context.run_pipeline(_REST, operation)
    return ""


def _share(op: Ir) -> None:
    """Put local memory in place of an array that has a sum for each element of a destination."""
    type_ = ir.MemRefType(op.results[0].type)
    func = op
    while func.name != "func.func":
        func = func.parent
    count = math.prod(type_.shape)
    size_bytes = scalar_type_named(str(type_.element_type)).dtype.itemsize
    space = ir.Attribute.parse("#gpu.address_space<workgroup>", op.context)
    strides, _ = type_.get_strides_and_offset()
    with op.location, ir.InsertionPoint.at_block_begin(func.regions[0].blocks[0]):
        i8 = ir.IntegerType.get_signless(8)
        bytes_ = ir.MemRefType.get([count * size_bytes], i8, memory_space=space)
        flat = ir.MemRefType.get([count], type_.element_type, memory_space=space)
        shared = ir.MemRefType.get(type_.shape, type_.element_type, memory_space=space)
        buffer = memref.AllocOp(bytes_, [], [], alignment=_ALIGNMENT)
        zero = arith.ConstantOp(ir.IndexType.get(), 0)
        view = memref.ViewOp(flat, buffer, zero, [])
        found = memref.ReinterpretCastOp(shared, view, [], [], [], [0], list(type_.shape), strides)
    op.results[0].replace_all_uses_with(found.results[0])
    op.erase()
