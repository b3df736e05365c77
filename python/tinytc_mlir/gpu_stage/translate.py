# SPDX-License-Identifier: BSD-3-Clause
"""Turns a `gpu.func` into a Python function that a team of work-items runs together.

The function is a generator: where work-items wait for each other, it yields their operands and gets
back what they take away.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator
from typing import Any

from ..frontend._instructions_gen import DISCARDABLE_ATTRIBUTES
from ..reference.arithmetic import NUMPY, Arithmetic
from ..reference.machine import Geometry
from ..reference.rounding import Array
from ..reference.untyped import Ir
from . import async_copies, block_loads, control_ops, gpu_ops, memory_ops, tile_products, vector_ops
from .accesses import AccessSite
from .lanes import choose
from .memory import access
from .writer import Writer

_HANDLERS = {
    **async_copies.HANDLERS,
    **block_loads.HANDLERS,
    **control_ops.HANDLERS,
    **gpu_ops.HANDLERS,
    **memory_ops.HANDLERS,
    **tile_products.HANDLERS,
    **vector_ops.HANDLERS,
}
_WORDS = ("lanes", "at", "note", "acquire", "forget", "times", "views")


@dataclasses.dataclass(frozen=True)
class Code:
    """A kernel that can be run.

    Args:
        run: generator function of the team's lanes, of what its work-items know of themselves,
            `Accesses.note`, `acquire`, `forget` and `times`, a function from dtypes to views of all
            memory, and the kernel's arguments.
        geometry: the work-group's size.
        sites: the instructions that access memory, by number.
        buffers: sizes of the buffers of local memory in bytes.
        constants: the elements of the constants.
        source: text of the function.
    """

    run: Callable[..., Generator[Any, Any, None]]
    geometry: Geometry
    sites: dict[int, AccessSite]
    buffers: list[int]
    constants: list[Array]
    source: str


def translate(
    func: Ir,
    *,
    is_preemptive: bool = False,
    broadcasts_indices: bool = False,
    needs_whole_subgroups: bool = True,
    arithmetic: Arithmetic = NUMPY,
) -> Code:
    """Translate a kernel.

    Args:
        func: the `gpu.func`.
        is_preemptive: yield before each access to memory, where the work-item
            may be interrupted.
        broadcasts_indices: whether `tinytc.opaque_index` becomes an operation of the subgroup.
        needs_whole_subgroups: whether operations of a subgroup need all its work-items.
        arithmetic: what numbers are.

    Raises:
        InterpreterError: the kernel holds what the gpu stage does not.
    """
    geometry = _geometry(func)
    writer = Writer(
        _HANDLERS,
        geometry.subgroup_size,
        is_preemptive=is_preemptive,
        broadcasts_indices=broadcasts_indices,
        needs_whole_subgroups=needs_whole_subgroups,
        arithmetic=arithmetic,
    )
    block = func.regions[0].blocks[0]
    names = [writer.call(argument, writer.fresh("p")) for argument in block.arguments]
    with writer.indented(f"def run({', '.join([*_WORDS, *names])}):"):
        start = len(writer.lines)
        writer.block(block, "lanes")
        # What comes after the end makes the function a generator.
        writer.put("return")
        writer.put("yield")
        end = len(writer.lines)
        for dtype in sorted(writer.dtypes):
            writer.put(f"view_{dtype} = views({dtype!r})")
            writer.put(f"take_{dtype} = view_{dtype}.take")
        writer.put("copies = AsyncCopies(lanes, note, forget, times)")
    lines = writer.lines
    source = "\n".join([*lines[:start], *lines[end:], *lines[start:end]])
    helpers = {"access": access, "choose": choose, "AsyncCopies": async_copies.AsyncCopies}
    namespace = {**helpers, **writer.namespace}
    try:
        exec(compile(source, "<kernel>", "exec"), namespace)
    except SyntaxError as error:  # Python limits the depth of loops
        writer.fail(func, f"expected loops that Python can run, got {error.msg}")
    memory = (writer.buffers, writer.constants)
    return Code(namespace["run"], geometry, writer.accesses, *memory, source)


def _geometry(func: Ir) -> Geometry:
    rows, columns, _ = func.attributes["known_block_size"]
    subgroup_size = func.attributes[DISCARDABLE_ATTRIBUTES["subgroup_size"]].value
    return Geometry((rows, columns), subgroup_size)
