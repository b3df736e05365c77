# SPDX-License-Identifier: BSD-3-Clause
"""Functions that Intel's compilers know by name: dpas and two-dimensional block reads.

Sources: cl_intel_subgroup_matrix_multiply_accumulate; cl_intel_subgroup_2d_block_io and
SPV_INTEL_2d_block_io, with the limits that upstream's XeGPU tables give.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...reference.shadow import AccessKind, Expected
from ...reference.untyped import Value
from ..findings import FINDINGS, Unsupported, matched
from ..memory import ARENA
from ..numbers import from_bf16
from .arithmetic import function, multiply_add

#: Of a row of A: that of each product of matrices.
DEPTH_BYTES = 32
ELEMENT_BYTES = {"f16": 2, "bf16": 2, "i8": 1, "tf32": 4}
BLOCK_READ = "__builtin_IB_subgroup_block_read_flat_"
#: What memory is read for elements of a block that are outside of the matrix: none of it is used.
NOWHERE = ARENA.GAP_BYTES


def call(launch: Any, name: str, operands: Sequence[Value], threads: Value) -> Value:
    """Return what a function gives some work-items, whole subgroups where it needs them."""
    if name.startswith(BLOCK_READ):
        return read_block(launch, name.removeprefix(BLOCK_READ), operands, threads)
    if name.startswith("llvm.prefetch"):
        return None
    if name.startswith("llvm.fma."):
        return multiply_add(*operands)
    match = matched(r"_Z(\d+)(\w+)", name)
    base = match[2][: int(match[1])]
    if "_matrix_mad_" in base:
        return multiply(launch, base, operands, threads)
    if len(operands) != 1:
        raise Unsupported(name)
    return function(base, operands[0])


def _subgroups(launch: Any, threads: Value) -> Value:
    """Return the places of each subgroup's lanes among some work-items."""
    order = np.lexsort((launch.lane[threads], launch.subgroup_of[threads]))
    return order.reshape(-1, launch.subgroup_size)


def _numbers(raw: Value, kind: str) -> Value:
    if kind == "bf16":
        return from_bf16(raw.view(np.uint16)).astype(np.float64)
    if kind == "tf32":
        return (raw.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32).astype(np.float64)
    if kind == "i8":
        return raw.view(np.int8).astype(np.int64)
    return raw.view(np.float16).astype(np.float64)


def _bytes(values: Value) -> Value:
    return np.ascontiguousarray(values).view(np.uint8).reshape(-1)


def multiply(launch: Any, base: str, operands: Sequence[Value], threads: Value) -> Value:
    """Multiply and add matrices: rows of A over the lanes, a column of B and C in each lane.

    Source: cl_intel_subgroup_matrix_multiply_accumulate, "New OpenCL C Functions" (sizes of
    subgroups, K, types) and the code of functions in it (places of elements).
    """
    match = re.fullmatch(r"intel_sub_group_(\w+)_\1_matrix_mad_k(\d+)", base)
    if not match or int(match[2]) * ELEMENT_BYTES.get(match[1], 0) != DEPTH_BYTES:
        raise Unsupported(base)
    kind, depth = match[1], int(match[2])
    a, b, c = (x[:, None] if x.ndim == 1 else x for x in operands)
    if (c.dtype.kind == "f") == (kind == "i8"):  # such as sums of bf16, which are integers
        raise Unsupported(base)
    expected = 16 if a.dtype.itemsize == 2 or kind == "tf32" else 8
    if launch.subgroup_size != expected:
        FINDINGS.add("matrix unit", f"{base} with subgroups of {launch.subgroup_size}")
    per_word, lanes = 4 // ELEMENT_BYTES[kind], launch.subgroup_size
    result = np.empty_like(c)
    for mine in _subgroups(launch, threads):
        rows = _numbers(_bytes(a[mine].T), kind).reshape(-1, depth)[: c.shape[1]]
        words = _numbers(_bytes(b[mine]), kind).reshape(lanes, 8, per_word)
        product = (rows @ words.transpose(1, 2, 0).reshape(depth, lanes)).T
        if kind == "i8":
            result[mine] = (product + c[mine].view(np.int32)).astype(np.int32).view(c.dtype)
        else:
            result[mine] = (product + c[mine].astype(np.float64)).astype(c.dtype)
    FINDINGS.counts["matrix operations"] += len(threads) // lanes
    return result[:, 0] if operands[2].ndim == 1 else result


def _shape(name: str) -> tuple[str, int, int, int]:
    """Return mode, bits, rows and columns of a block."""
    match = re.fullmatch(r"u(\d+)_m(\d+)k(\d+)v1", name)
    if match:
        return "", int(match[1]), int(match[2]), int(match[3])
    match = re.fullmatch(r"(transform|transpose)_u(\d+)_k(\d+)(?:v1)?", name)
    if not match:
        raise Unsupported(f"block read {name}")
    count = int(match[3])
    rows, columns = (count, 16) if match[1] == "transform" else (16, count)
    return match[1], int(match[2]), rows, columns


def _problems(base: int, width: int, height: int, pitch: int, x: int, size: int) -> Iterator[str]:
    """Yield what a block read must not have.

    Source: SPV_INTEL_2d_block_io, "Restrictions"; limits of sizes are those of upstream's XeGPU.
    """
    if base % 64:
        yield f"base {base:#x} is no multiple of 64"
    if width < 64 or width % max(4, size):
        yield f"width of {width} bytes"
    if pitch < width or pitch % 16:
        yield f"pitch of {pitch} bytes with a width of {width}"
    if max(width, height, pitch) > 2**24:
        yield f"width {width}, height {height} or pitch {pitch} above 2^24"
    if x * size % 4:
        yield f"x of {x} elements of {size} bytes"


def read_block(launch: Any, name: str, operands: Sequence[Value], threads: Value) -> Value:
    """Return what lanes get of a block of a matrix in memory; outside of it is 0.

    Source: SPV_INTEL_2d_block_io, "Mapping Block Data to Invocations"; "Overview" (transposed and
    transformed blocks).
    """
    mode, bits, rows, columns = _shape(name)
    if launch.subgroup_size != 16:
        raise Unsupported(f"block read {name} by {launch.subgroup_size} lanes")
    dtype = np.uint16 if not mode and bits == 16 else np.uint32
    result = np.empty((len(threads), 8), dtype)
    for mine in _subgroups(launch, threads):
        if any((operand[mine] != operand[mine][0]).any() for operand in operands):
            FINDINGS.add("block read", "operands differ between lanes")
        values = _read(launch, name, [operand[mine[0]] for operand in operands], threads[mine])
        if mode == "transform":
            per_word = 32 // bits
            values = values.reshape(rows // per_word, per_word, columns, -1).transpose(2, 0, 1, 3)
        elif not mode:
            values = values.reshape(rows, 16, -1).transpose(1, 0, 2)
        result[mine] = np.ascontiguousarray(values.reshape(16, -1)).view(dtype)
    FINDINGS.counts["block reads"] += 1
    return result


def _read(launch: Any, name: str, operands: Sequence[Value], threads: Value) -> Value:
    """Return the bytes of a block: [row, column, byte].

    Source: SPV_INTEL_2d_block_io, "Out-of-Bounds Behavior".
    """
    _, bits, rows, columns = _shape(name)
    size, base = bits // 8, int(operands[0])
    width, height, pitch = (int(operand.astype(np.uint32)) + 1 for operand in operands[1:4])
    x, y = (int(place) for place in operands[4].view(np.int32))
    for problem in _problems(base, width, height, pitch, x, size):
        FINDINGS.add("block read", f"{name}: {problem}")
    row, column = y + np.arange(rows), (x + np.arange(columns)) * size
    inside = ((row >= 0) & (row < height))[:, None] & ((column >= 0) & (column + size <= width))
    offsets = np.where(inside, base - ARENA.base + row[:, None] * pitch + column, NOWHERE)
    items = threads[np.flatnonzero(inside.ravel()) % 16]
    place = f"x {x}, y {y}, width {width}, height {height}, pitch {pitch}"
    text = f"block read {name} at {base:#x}: {place}"
    expected = int(Expected.ANY)
    ARENA.access(AccessKind.READ, offsets[inside], size, items, launch, text, expected=expected)
    raw = ARENA.bytes[offsets[..., None] + np.arange(size)]
    return np.where(inside[..., None], raw, 0).astype(np.uint8)
