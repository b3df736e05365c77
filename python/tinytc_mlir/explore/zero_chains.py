# SPDX-License-Identifier: BSD-3-Clause
"""Where the products of a kernel may be other than zero, by patterns of zeros."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..frontend.mlir_diagnostics import collected

if TYPE_CHECKING:
    from .program import Explorable

_REPORT = "tinytc.func(tinytc-check-zeros{report=true})"


def zero_chains(module: Explorable, kernel: str) -> list[dict[str, Any]]:
    """Return what the compiler knows of products, those that may be all of their result left out.

    Each has the "line" of the instruction, None if it is not known, and a "text".

    Args:
        module: the program at its first stage; of others nothing is known.
        kernel: name of the kernel.
    """
    from mlir.passmanager import PassManager

    functions = [view.operation for view in module.operation.regions[0].blocks[0].operations]
    found: list[dict[str, Any]] = []
    for function in functions:
        if function.name != "tinytc.func" or function.attributes["sym_name"].value != kernel:
            continue
        with function.context, collected(function.context, module.sources) as remarks:
            PassManager.parse(_REPORT).run(function)
        found += [{"line": each.line, "text": each.message} for each in remarks]
    return found
