# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of kernels whose values are known when a program is compiled."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
from mlir import ir

from ..dialects import tinytc
from ..errors import ArgumentError, got
from .kernel_parameters import parameter_names


def with_constants(module: ir.Operation, constants: Mapping[str, npt.ArrayLike]) -> ir.Operation:
    """Return a copy of a module whose kernels have constants in place of parameters.

    Raises:
        ArgumentError: no kernel has the parameter, or it cannot have the value.
    """
    copy = module.clone().operation
    kernels = [op for op in copy.regions[0].blocks[0].operations if op.name == "tinytc.func"]
    known: list[str] = []
    with copy.context:
        for kernel in kernels:
            names = parameter_names(copy, kernel.attributes["sym_name"].value)
            known += names
            for number in reversed(range(len(names))):
                if names[number] in constants:
                    _replace(kernel, number, names[number], constants[names[number]])
    for name in constants:
        if name not in known:
            raise ArgumentError(f"expected the name of a parameter, {got(name, known)}")
    return copy


def _replace(kernel: ir.Operation, number: int, name: str, value: npt.ArrayLike) -> None:
    block = kernel.regions[0].blocks[0]
    argument = block.arguments[number]
    with ir.InsertionPoint.at_block_begin(block), argument.location:
        constant = _constant(argument.type, name, value)
    argument.replace_all_uses_with(constant)
    block.erase_argument(number)
    inputs = list(ir.FunctionType(ir.TypeAttr(kernel.attributes["function_type"]).value).inputs)
    del inputs[number]
    kernel.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, []))
    if "arg_attrs" in kernel.attributes:
        attributes = list(ir.ArrayAttr(kernel.attributes["arg_attrs"]))
        del attributes[number]
        kernel.attributes["arg_attrs"] = ir.ArrayAttr.get(attributes)


def _constant(type_: ir.Type, name: str, value: npt.ArrayLike) -> ir.Value:
    """Append the value of a parameter, after checking that it can be one."""
    if isinstance(type_, tinytc.GroupType):
        raise ArgumentError(f"expected '{name}' to be a memref or a number, got a group")
    if isinstance(type_, tinytc.MemrefType):
        packed = tinytc.MemrefType.get(type_.shape, type_.element_type)
        if None in type_.shape or type_ != packed:
            shown = str(type_).removeprefix("!tinytc.")
            raise ArgumentError(
                f"expected '{name}' to have a static shape and the packed layout, as constants "
                f"have, got {shown}"
            )
    elif np.ndim(value) != 0:
        shape = np.shape(value)
        raise ArgumentError(f"expected a number for '{name}', got an array of shape {shape}")
    try:
        return tinytc.constant(type_, value)
    except ValueError as error:
        raise ArgumentError(f"argument '{name}': {error}") from None
