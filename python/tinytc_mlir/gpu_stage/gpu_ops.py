# SPDX-License-Identifier: BSD-3-Clause
"""What a work-item knows of itself, and where it waits for others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._tinytc import enum_word
from ..frontend._instructions_gen import DISCARDABLE_ATTRIBUTES
from ..reference.kernel import keyword
from ..reference.untyped import Ir
from ..scalars import scalar_type_named
from .arithmetic import combination
from .convergence import (
    Barrier,
    Broadcast,
    ConvergencePoint,
    MatrixProduct,
    Reduction,
    Shuffle,
    WarpProduct,
)
from .writer import Handler, Writer

_NUMBERS = ("lane_id", "subgroup_id", "subgroup_size", "num_subgroups")
_NUMBERS_BY_MODE = ("thread_id", "block_id", "block_dim", "grid_dim")
_MODES = {"x": 0, "y": 1, "z": 2}
_REDUCTIONS = {
    **{word: word for word in ("add", "mul", "and", "or", "xor")},
    **dict.fromkeys(("minsi", "minnumf"), "min"),
    **dict.fromkeys(("maxsi", "maxnumf"), "max"),
}
_FENCES = DISCARDABLE_ATTRIBUTES["fences"]


def _number(writer: Writer, op: Ir) -> None:
    word = op.name.removeprefix("gpu.")
    mode = f"[{_MODES[keyword(op, 'dimension', 'x')]}]" if word in _NUMBERS_BY_MODE else ""
    writer.assign(op.results[0], f"at.{word}{mode}")


def _barrier(writer: Writer, op: Ir) -> None:
    """A barrier without a list of fences has both."""
    fences = ["global", "local"]
    if _FENCES in op.attributes:
        fences = [enum_word(space) for space in op.attributes[_FENCES]]
    _converge(writer, op, Barrier(writer.site(op), "global" in fences, "local" in fences))


def _shuffle(writer: Writer, op: Ir) -> None:
    needs_all = writer.needs_whole_subgroups
    _converge(writer, op, Shuffle(writer.site(op), keyword(op, "mode", ""), needs_all=needs_all))


def _broadcast(writer: Writer, op: Ir) -> None:
    if keyword(op, "broadcast_type", "") != "specific_lane":
        writer.fail(op, f"expected a broadcast from a work-item with a number, got {op}")
    needs_all = writer.needs_whole_subgroups
    _converge(writer, op, Broadcast(writer.site(op), writer.subgroup_size, needs_all=needs_all))


def _opaque_index(writer: Writer, op: Ir) -> None:
    """Where a driver must not know the index, it is broadcast from the first work-item."""
    if not writer.broadcasts_indices:
        writer.call(op.results[0], writer.name(op.operands[0]))
        return
    broadcast = Broadcast(writer.site(op), writer.subgroup_size)
    _converge_with(
        writer, op, broadcast, [writer.name(op.operands[0]), writer.bind("c", np.int32(0))]
    )


def _reduce(writer: Writer, op: Ir) -> None:
    word = _REDUCTIONS.get(keyword(op, "op", ""))
    if word is None or "cluster_size" in op.attributes:
        writer.fail(op, f"expected a reduction of the whole subgroup, got {op}")
    type_name = scalar_type_named(str(op.results[0].type)).name
    combine = combination(word, type_name, writer.arithmetic)
    needs_all = writer.needs_whole_subgroups
    _converge(writer, op, Reduction(writer.site(op), combine, needs_all=needs_all))


def _matrix_product(writer: Writer, op: Ir) -> None:
    depth, _, columns = op.attributes["operandSegmentSizes"]
    type_name = scalar_type_named(str(op.operands[0].type)).name
    has_halves = str(op.operands[depth].type) == "i16"
    numbers = writer.arithmetic
    product = MatrixProduct(writer.site(op), numbers, type_name, depth, columns, has_halves)
    _converge(writer, op, product, len(op.operands))


def _warp_product(writer: Writer, op: Ir) -> None:
    type_name = scalar_type_named(str(op.operands[0].type)).name
    product = WarpProduct(writer.site(op), writer.arithmetic, type_name)
    _converge(writer, op, product, len(op.operands))


def _converge(writer: Writer, op: Ir, point: ConvergencePoint, count: int = 2) -> None:
    """The last operand of a shuffle is the subgroup's size."""
    _converge_with(writer, op, point, writer.names(op.operands)[:count])


def _converge_with(
    writer: Writer, op: Ir, point: ConvergencePoint, operands: Sequence[str]
) -> None:
    brought = "".join(f"{name}, " for name in operands)
    results = "".join(f"{writer.call(result, writer.fresh('v'))}, " for result in op.results)
    head = f"{results}= " if results else ""
    where = writer.position(point.site)
    writer.put(f"{head}yield {writer.bind('m', point)}, {writer.lanes}, ({brought}), {where}")


HANDLERS: dict[str, Handler] = {
    **{f"gpu.{word}": _number for word in (*_NUMBERS, *_NUMBERS_BY_MODE)},
    "gpu.barrier": _barrier,
    "gpu.shuffle": _shuffle,
    "gpu.subgroup_broadcast": _broadcast,
    "gpu.subgroup_reduce": _reduce,
    "tinytc.opaque_index": _opaque_index,
    "tinytc.subgroup_matrix_mul_add": _matrix_product,
    "tinytc.warp_matrix_mul_add": _warp_product,
}
