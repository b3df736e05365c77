"""Counts the floating-point operations of the BLAS instructions of a kernel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

# Multiplications and additions of one multiply-add on complex numbers.
_COMPLEX_FACTOR = 4


def flops_per_group(module_operation: Any, kernel: str) -> int | None:
    """Return the operations of a kernel's gemm, gemv and ger instructions for one group.

    Args:
        module_operation: the `builtin.module` at the stage of the dialect.
        kernel: name of the kernel.

    Returns:
        The number, or None if it depends on dynamic sizes or control flow.
    """
    function = _find(module_operation, kernel)
    if function is None:
        return None
    total = 0
    for operation, is_nested in _walk(function, is_nested=False):
        if operation.name not in _COUNTERS:
            continue
        count = _count(operation)
        if is_nested or count is None:
            return None
        total += count
    return total


def _find(module_operation: Any, kernel: str) -> Any:
    for operation in module_operation.regions[0].blocks[0].operations:
        attributes = operation.operation.attributes
        if "sym_name" in attributes and attributes["sym_name"].value == kernel:
            return operation.operation
    return None


def _walk(parent: Any, is_nested: bool) -> Iterator[tuple[Any, bool]]:
    for region in parent.regions:
        for block in region:
            for view in block:
                operation = view.operation
                yield operation, is_nested
                yield from _walk(operation, is_nested=True)


def _count(operation: Any) -> int | None:
    from ..dialects.tinytc import MemrefType

    memrefs = [
        MemrefType(operand.type)
        for operand in operation.operands
        if MemrefType.isinstance(operand.type)
    ]
    sizes = _COUNTERS[operation.name](*(memref.shape for memref in memrefs))
    if None in sizes:
        return None
    is_complex = "complex" in str(memrefs[-1].element_type)
    product = 2 * (_COMPLEX_FACTOR if is_complex else 1)
    for size in sizes:
        product *= size
    return product


def _gemm(a: list[Any], _b: list[Any], c: list[Any]) -> list[Any]:
    """Return M, N and K; with or without transposition, K is the mode of A that is not M."""
    rows, columns = c
    if None in a or rows is None:
        return [None]
    return [rows, columns, a[0] * a[1] // rows]


_COUNTERS: dict[str, Any] = {
    "tinytc.gemm": _gemm,
    "tinytc.gemv": lambda a, _b, _c: a,
    "tinytc.ger": lambda _a, _b, c: c,
}
