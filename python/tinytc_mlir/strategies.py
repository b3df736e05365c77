# SPDX-License-Identifier: BSD-3-Clause
"""The strategies of the instructions of a program: how the compiler computes each of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlir import ir

# The passes after which operations of the linalg stage have strategies.
_CHOOSE = "prepared-to-linalg, tinytc-normalize-linalg, tinytc-choose-strategies"
_DIALECT = "tinytc."


def strategies_of(prepared: ir.Operation, kernel: str) -> list[dict[str, Any]]:
    """Return the strategies of a kernel, those of the linalg stage after those of instructions.

    Each is what the attribute `tinytc.strategy` of an operation says: "op", the operation that has
    it, "instruction" and "line" that it comes from, None if they are not known, "kind", "entries"
    as the attribute prints them, and the tile as "rows", "columns" and "unroll". If a cost model
    chose the tile, "shape" and "width" are what it was asked, and "tiles" what it estimates: rows,
    columns and cycles.

    >>> from tinytc_mlir import Context
    >>> text = "func @f(%x: f32, %A: memref<f32x4>, %B: memref<f32x4>) { axpby.n %x, %A, %x, %B }"
    >>> prepared = Context().parse(text).lower("prepared", target="cpu").operation
    >>> [(each["instruction"], each["kind"]) for each in strategies_of(prepared, "f")]
    [('axpby', 'work_items')]
    """
    from mlir.passmanager import PassManager

    from ._tinytc import describe_strategies

    lowered = prepared.clone().operation
    with lowered.context:
        PassManager.parse(f"builtin.module({_CHOOSE})").run(lowered)
    found: list[dict[str, Any]] = []
    for module in (prepared, lowered):
        function = _function(module, kernel)
        found += json.loads(describe_strategies(function)) if function is not None else []
    own = {each["line"]: each["op"] for each in found if each["op"].startswith(_DIALECT)}
    for each in found:
        instruction = each["op"] if each["op"].startswith(_DIALECT) else own.get(each["line"])
        each["instruction"] = instruction and instruction.removeprefix(_DIALECT)
    return [each for each in found if "kind" in each]


def _function(module: ir.Operation, name: str) -> ir.Operation | None:
    """Return the kernel of a name, if there is one."""
    functions = (view.operation for view in module.regions[0].blocks[0].operations)
    kernels = (each for each in functions if each.name in ("tinytc.func", "func.func"))
    return next((each for each in kernels if each.attributes["sym_name"].value == name), None)
