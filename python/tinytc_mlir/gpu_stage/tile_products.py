# SPDX-License-Identifier: BSD-3-Clause
"""Products of packed matrices on tile registers, of which a work-item computes rows."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import numpy as np

from .._tinytc import enum_word
from ..reference.arithmetic import Arithmetic
from ..reference.rounding import Array
from ..reference.shadow import AccessKind
from ..reference.untyped import Ir, Value
from ..scalars import scalar_type_named
from .arithmetic import packed_product, widened_halves
from .memory_ops import access_element, pointee, stored, taken
from .writer import Handler, Writer


def _tile_product(writer: Writer, op: Ir) -> None:
    """Work-items read the words of their rows once, and those of each column."""
    a, stride_a, b, stride_b, c, offset, stride_c, *rest = op.operands
    rows, columns, _ = np.split(rest, np.cumsum(op.attributes["operandSegmentSizes"])[7:9] - 7)
    tile = op.attributes["tile"]
    name, target = writer.name, pointee(c.type)
    zero = writer.arithmetic.constant(target.scalar_type, 0)
    multiply = writer.bind("f", _product(op, writer.arithmetic, tile[2]))
    steps = f"range({name(rest[-1])})"

    def read(memory: Ir, index: str) -> str:
        words, step = writer.fresh("w"), writer.fresh("k")
        writer.put(f"{words} = []")
        with writer.indented(f"for {step} in {steps}:"):
            place = (memory, index.format(step=step))
            address = access_element(writer, op, AccessKind.READ, place)
            writer.put(f"{words}.append({taken(writer, pointee(memory.type), address)})")
        return words

    def multiply_rows(row: str) -> None:
        words = read(a, f"{row} + {{step}} * {name(stride_a)}")
        for first in columns:
            column = writer.fresh("j")
            with writer.indented(
                f"for {column} in range({name(first)}, {name(first)} + {tile[1]}):"
            ):
                others = read(b, f"{{step}} + {column} * {name(stride_b)}")
                before, total = writer.bind("c", zero), writer.fresh("v")
                place = (c, f"{name(offset)} + {row} + {column} * {name(stride_c)}")
                if "accumulate" in op.attributes:
                    address = access_element(writer, op, AccessKind.READ, place)
                    before = taken(writer, target, address)
                writer.put(f"{total} = {multiply}({words}, {others}, {before})")
                bits = stored(writer, target, total)
                access_element(writer, op, AccessKind.WRITE, place, bits)

    for first in rows:
        place, row, some = (writer.fresh(letter) for letter in "ivl")
        head = f"for {place} in range(0, {tile[0]}, {writer.subgroup_size}):"
        with writer.indented(head):
            writer.put(f"{row} = {name(first)} + {place} + at.lane_id")
            writer.put(f"{some}, _ = {writer.lanes}.split({place} + at.lane_id < {tile[0]})")
            before, writer.lanes = writer.lanes, some
            with writer.indented(f"if {some} is not None:"):
                multiply_rows(row)
            writer.lanes = before


def _product(
    op: Ir, arithmetic: Arithmetic, count: int
) -> Callable[[Sequence[Value], Sequence[Value], Value], Value]:
    """Return what adds the product of a row and a column of words, `count` of them at a time."""
    has_halves = enum_word(op.attributes["numbers"]) == "bf16"
    if has_halves and arithmetic.is_plain(scalar_type_named("f32")):
        return functools.partial(_product_of_halves, count)
    add = packed_product(op, arithmetic)
    return lambda a, b, before: functools.reduce(
        lambda total, words: add(*words, total), zip(a, b, strict=True), before
    )


def _product_of_halves(count: int, a: Sequence[Value], b: Sequence[Value], before: Value) -> Value:
    total: Value = _flushed(np.float32(before))
    for first in range(0, len(a), count):
        sums = np.zeros(2, np.float32)
        for words in zip(a[first : first + count], b[first : first + count], strict=True):
            x, y = (_flushed(widened_halves(word)).astype(np.float64) for word in words)
            sums = _flushed(np.float32(sums + x * y))
        total = _flushed(total + _flushed(sums[..., 0] + sums[..., 1]))
    return total


def _flushed(numbers: Value) -> Array:
    """Return numbers of f32 with 0 for subnormal ones."""
    return np.where(np.abs(numbers) < np.finfo(np.float32).tiny, np.float32(0), numbers)


HANDLERS: dict[str, Handler] = {"tinytc.tile_product": _tile_product}
