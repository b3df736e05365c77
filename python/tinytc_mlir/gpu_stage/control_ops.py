# SPDX-License-Identifier: BSD-3-Clause
"""Loops and branches as Python's own, for the work-items that take them."""

from __future__ import annotations

from ..reference.untyped import Ir
from .writer import Handler, Writer


def _if(writer: Writer, op: Ir) -> None:
    """Both branches are executed where work-items disagree, each by its own."""
    then, otherwise = writer.fresh("l"), writer.fresh("l")
    condition = writer.name(op.operands[0])
    writer.put(f"{then}, {otherwise} = {writer.lanes}.split({condition})")
    results = [writer.call(result, writer.fresh("v")) for result in op.results]
    with writer.indented(f"if {then} is not None:"):
        writer.move(results, writer.block(op.regions[0].blocks[0], then))
    if len(op.regions[1].blocks) == 0:
        return
    with writer.indented(f"if {otherwise} is not None:"):
        yielded = writer.block(op.regions[1].blocks[0], otherwise)
        if not results:
            writer.put("pass")
            return
        chosen = [f"choose({condition}, {a}, {b})" for a, b in zip(results, yielded, strict=True)]
        with writer.indented(f"if {then} is None:"):
            writer.move(results, yielded)
        with writer.indented("else:"):
            writer.move(results, chosen)


def _for(writer: Writer, op: Ir) -> None:
    """Work-items that are done keep the values that the loop carries."""
    lower, upper, step, *inits = writer.names(op.operands)
    block = op.regions[0].blocks[0]
    index, lanes = writer.fresh("i"), writer.fresh("l")
    carried = [writer.call(result, writer.fresh("v")) for result in op.results]
    for argument, name in zip(block.arguments, [index, *carried], strict=True):
        writer.call(argument, name)
    writer.move(carried, inits)
    loop = f"{writer.lanes}.loop({lower}, {upper}, {step})"
    with writer.counted(op, f"{index}, {lanes}", loop):
        yielded = writer.block(block, lanes)
        if not carried:
            writer.put("pass")
            return
        kept = [f"choose({lanes}.mask, {a}, {b})" for a, b in zip(yielded, carried, strict=True)]
        with writer.indented(f"if {lanes} is {writer.lanes}:"):
            writer.move(carried, yielded)
        with writer.indented("else:"):
            writer.move(carried, kept)


def _call(writer: Writer, op: Ir) -> None:
    """The function's code takes the place of the call."""
    func = op.parent
    while func.name != "gpu.func":
        func = func.parent
    name = op.attributes["callee"].value
    (callee,) = (
        other.operation
        for other in func.parent.regions[0].blocks[0].operations
        if other.operation.name == "func.func" and other.attributes["sym_name"].value == name
    )
    block = callee.regions[0].blocks[0]
    for argument, given in zip(block.arguments, writer.names(op.operands), strict=True):
        writer.call(argument, given)
    writer.block(block, writer.lanes)


HANDLERS: dict[str, Handler] = {"scf.if": _if, "scf.for": _for, "func.call": _call}
