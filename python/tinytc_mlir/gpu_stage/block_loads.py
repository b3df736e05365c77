# SPDX-License-Identifier: BSD-3-Clause
"""Loads of blocks of a matrix, of which each work-item of a subgroup gets some elements."""

from __future__ import annotations

import functools

import numpy as np

from ..reference.arithmetic import Arithmetic
from ..reference.rounding import Array
from ..reference.shadow import AccessKind
from ..reference.untyped import Ir
from ..scalars import scalar_type_named
from .memory_ops import access_element, pointee, taken
from .writer import Handler, Writer


def _block_load(writer: Writer, op: Ir) -> None:
    """One load for each element that exists; the others are zero."""
    offset, rows, columns, stride, x, y = writer.names(op.operands[1:])
    is_transposed = "transposed" in op.attributes
    target, scalar_type = pointee(op.operands[0].type), scalar_type_named(str(op.results[0].type))
    # Neighbours have the halves of a number of f32.
    has_halves = target.dtype == "float32" and not is_transposed
    if has_halves:
        scalar_type = scalar_type_named("f32")
    zero = writer.bind("c", writer.arithmetic.value_dtype(scalar_type).type(0))
    # Neighbours of 8 bits may come in pairs.
    pair = 2 if scalar_type.name == "i8" and len(op.results) == 16 else 1
    for number, result in enumerate(op.results):
        entry, element = writer.bind("c", np.int64(number // pair)), writer.fresh("v")
        row, column, some = writer.fresh("i"), writer.fresh("i"), writer.fresh("l")
        lane = "at.lane_id" if pair == 1 else f"{pair} * at.lane_id + {number % pair}"
        lane = "at.lane_id // 2" if has_halves else lane
        along_row, along_column = (lane, entry)[:: -1 if is_transposed else 1]
        writer.put(f"{row}, {column} = {x} + {along_row}, {y} + {along_column}")
        inside = writer.fresh("v")
        exists = f"(0 <= {row}) & ({row} < {rows}) & (0 <= {column}) & ({column} < {columns})"
        writer.put(f"{inside} = {exists}")
        writer.put(f"{some}, _ = {writer.lanes}.split({inside})")
        writer.put(f"{element} = {zero}")
        before, writer.lanes = writer.lanes, some
        with writer.indented(f"if {some} is not None:"):
            index = f"{offset} + {row} + {column} * {stride}"
            address = access_element(writer, op, AccessKind.READ, (op.operands[0], index))
            loaded = taken(writer, target, address, scalar_type)
            writer.put(f"{element} = choose({inside}, {loaded}, {zero})")
        writer.lanes = before
        if has_halves:
            half = writer.bind("f", functools.partial(_half, writer.arithmetic))
            element = f"{half}({element}, at.lane_id % 2)"
        writer.call(result, element)


def _half(arithmetic: Arithmetic, numbers: Array, which: Array) -> Array:
    """Return the lower half of each number where `which` is 0, else the upper one."""
    bits = np.asarray(arithmetic.to_memory(scalar_type_named("f32"), numbers), np.float32)
    halves = np.ascontiguousarray(bits)[..., None].view(np.int16)
    return np.where(which == 0, halves[..., 0], halves[..., 1])


HANDLERS: dict[str, Handler] = {"tinytc.subgroup_block_load": _block_load}
