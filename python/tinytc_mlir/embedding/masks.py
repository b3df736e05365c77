# SPDX-License-Identifier: BSD-3-Clause
"""Adds kernels that leave out elements of a batch, as flags of a launch say."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mlir import ir

from ..dialects import tinytc as dialect
from ..errors import TinyTCError

if TYPE_CHECKING:
    from ..compiler import Module

tinytc: Any = dialect  # whose functions are generated
#: What ends the names of such kernels, and what their last parameter is called.
ENDING = "_masked"
FLAGS = "flags"


def with_masks(module: Module) -> Module:
    """Return a program with a second kernel for each, which runs the groups whose flag is not 0.

    The second one has the name `<kernel>_masked` and one more parameter, `flags: memref<i32x?>`.

    Args:
        module: the program.

    Raises:
        TinyTCError: a kernel has the name of a second one.
    """
    operation = module.operation.clone()
    body = operation.regions[0].blocks[0]
    kernels = [op for op in body.operations if isinstance(op, tinytc.FuncOp)]
    names = {kernel.sym_name.value for kernel in kernels}
    with operation.context:
        for kernel in kernels:
            name = kernel.sym_name.value + ENDING
            if name in names:
                raise TinyTCError(
                    f"expected no kernel {name}, as {kernel.sym_name.value} with flags is called, "
                    "got one"
                )
            _mask(kernel.operation.clone(ip=ir.InsertionPoint(body)), name)
    return module.context.adopt(operation)


def _names() -> Iterator[str]:
    yield FLAGS
    yield from (f"{FLAGS}_{number}" for number in itertools.count(2))


def _mask(kernel: ir.Operation, name: str) -> None:
    """Give a kernel flags, and let its body depend on that of its group."""
    type_ = tinytc.MemrefType.get([None], ir.IntegerType.get_signless(32))
    inputs = ir.FunctionType(ir.TypeAttr(kernel.attributes["function_type"]).value).inputs
    kernel.attributes["sym_name"] = ir.StringAttr.get(name)
    kernel.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get([*inputs, type_], []))
    if "arg_attrs" in kernel.attributes:
        attributes = [*ir.ArrayAttr(kernel.attributes["arg_attrs"]), ir.DictAttr.get({})]
        kernel.attributes["arg_attrs"] = ir.ArrayAttr.get(attributes)
    block = kernel.regions[0].blocks[0]
    *instructions, _ = block.operations
    taken = set(
        re.findall(r'loc\("(\w+)"', " ".join(str(each.location) for each in block.arguments))
    )
    name = next(each for each in _names() if each not in taken)
    flags = block.add_argument(type_, ir.Location.name(name, kernel.location))
    with ir.InsertionPoint.at_block_begin(block), kernel.location:
        flag = tinytc.load(flags, [tinytc.builtin_group_id()])
        zero = tinytc.constant(ir.IntegerType.get_signless(32), 0)
        chosen = tinytc.IfOp(tinytc.cmp_ne(flag, zero))
        with ir.InsertionPoint(chosen.then_block):
            end = tinytc.YieldOp([])
    for instruction in instructions:
        instruction.move_before(end)
