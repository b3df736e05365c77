# SPDX-License-Identifier: BSD-3-Clause
"""The parameters of a kernel as the dialect has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mlir import ir


def function_named(module: ir.Operation, name: str) -> ir.Operation:
    """Return the operation of a kernel of a module."""
    functions = (op.operation for op in module.regions[0].blocks[0].operations)
    return next(op for op in functions if op.attributes["sym_name"].value == name)


def parameter_names(module: ir.Operation, name: str) -> list[str]:
    """Return the names of the parameters of a kernel; numbers where there is none."""
    block = function_named(module, name).regions[0].blocks[0]
    locations = [argument.location for argument in block.arguments]
    return [
        place.name_str if place.is_a_name() else str(number)
        for number, place in enumerate(locations)
    ]


def rename_parameters(module: ir.Operation, name: str, new: Mapping[str, str]) -> None:
    """Give parameters of a kernel other names."""
    from mlir import ir

    block = function_named(module, name).regions[0].blocks[0]
    for argument, old in zip(block.arguments, parameter_names(module, name), strict=True):
        if old in new:
            place = argument.location
            argument.set_location(ir.Location.name(new[old], place.child_loc, place.context))


def parameter_orders(module: ir.Operation, name: str) -> list[int]:
    """Return the numbers of modes of the parameters of a kernel, 0 where there are none."""
    block = function_named(module, name).regions[0].blocks[0]
    return [getattr(argument.type, "order", 0) for argument in block.arguments]


def buffer_names(module: ir.Operation, name: str) -> list[str]:
    """Return the names of the parameters of a kernel that are buffers."""
    function = function_named(module, name)
    if "arg_attrs" not in function.attributes:
        return []
    names = zip(parameter_names(module, name), function.attributes["arg_attrs"], strict=True)
    return [each for each, attributes in names if "tinytc.buffer" in attributes]
