# SPDX-License-Identifier: BSD-3-Clause
"""Where control and addresses of a kernel depend on data in memory, read off its IR.

Where they do not, one checked run shows for all data that accesses are in bounds and do not race.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from ..frontend.mlir_diagnostics import file_location
from ..reference.untyped import Ir, operations

_POINTERS = ("memref", "!tinytc.memref", "!tinytc.group")
_FLOATS = ("f16", "bf16", "f32", "f64", "complex<f32>", "complex<f64>")
_EQUALITY = (1, 6, 8, 13)  # oeq, one, ueq, une
_CONSTANTS = ("arith.constant",)
_CONVERSIONS = ("arith.extf", "arith.truncf", "arith.bitcast", "complex.re", "complex.im")
_INDICES = ("index", "i64", "i32", "i1")
# What of a memref or group is no data.
_OF_SHAPES = frozenset(
    {
        *("tinytc.size", "tinytc.stride", "tinytc.associated"),
        *("memref.dim", "memref.extract_aligned_pointer_as_index"),
    }
)
_LOOPS = frozenset(
    {
        *("tinytc.for", "tinytc.foreach", "tinytc.foreach_tile"),
        *("scf.for", "scf.parallel"),
    }
)
_BRANCHES = frozenset({"tinytc.if", "scf.if", "scf.while", "scf.condition", "scf.index_switch"})


def depending_on_data(func: Ir, known: Sequence[Ir] = ()) -> list[str]:
    """Return the instructions of a kernel whose execution or addresses depend on data.

    Args:
        func: a `tinytc.func` or `gpu.func`.
        known: pointers to what is no data.

    Returns:
        Names with lines where these are known; none if neither control nor addresses depend.
    """
    tainted: set[Ir] = {each for each in _parameters(func) if str(each.type) in _FLOATS}
    count = -1
    while count != len(tainted):  # loops carry values from their end to their begin
        count = len(tainted)
        for op in operations(func):
            _spread(op, tainted, known)
    found = [_described(op) for op in operations(func) if _depends(op, tainted)]
    return list(dict.fromkeys(found))


def _parameters(func: Ir) -> list[Ir]:
    return list(func.regions[0].blocks[0].arguments)


def _tests_scalar(op: Ir) -> bool:
    """Return whether an operation compares a parameter with 0, which runs do with both results."""
    if op.name != "arith.cmpf" or op.attributes["predicate"].value not in _EQUALITY:
        return False
    first, second = (_unconverted(each) for each in op.operands)
    return isinstance(first.owner, ir.Block) and getattr(second.owner, "name", "") in _CONSTANTS


def _unconverted(value: Ir) -> Ir:
    """Return the number that a conversion gets."""
    owner = value.owner
    while getattr(owner, "name", "") in _CONVERSIONS:
        value = owner.operands[0]
        owner = value.owner
    return value


def _is_pointer(value: Ir) -> bool:
    return str(value.type).startswith(_POINTERS)


def _spread(op: Ir, tainted: set[Ir], known: Sequence[Ir]) -> None:
    """Add what depends on data because of an operation."""
    pointers = [each for each in op.operands if _is_pointer(each) and each not in known]
    loads = op.name not in _OF_SHAPES and bool(pointers)
    takes = (
        op.name not in _LOOPS
        and not _tests_scalar(op)
        and any(operand in tainted for operand in op.operands)
    )
    if loads or takes:
        tainted.update(result for result in op.results if not _is_pointer(result))
    for region in op.regions:
        for block in region.blocks:
            _spread_through(op, block, tainted)


def _spread_through(op: Ir, block: Ir, tainted: set[Ir]) -> None:
    """Add what a block carries and returns: the last operands and arguments are the results'."""
    results, inside = list(op.results), list(block.operations)
    if not results or not inside:
        return
    yields = list(inside[-1].operation.operands)
    if op.name == "scf.while":  # what is carried, tested and returned need not be the same
        if any(value in tainted for value in (*op.operands, *yields, *block.arguments)):
            tainted.update((*results, *block.arguments))
        return
    count = len(results)
    groups = [results, yields[-count:]]
    if len(block.arguments) >= count:
        groups += [list(block.arguments)[-count:], list(op.operands)[-count:]]
    for same in zip(*groups, strict=True):
        if any(value in tainted for value in same):
            tainted.update((same[0], *same[2:3]))


def _depends(op: Ir, tainted: set[Ir]) -> bool:
    operands, is_loop = list(op.operands), op.name in _LOOPS
    if not is_loop and op.name not in _BRANCHES and not any(map(_is_pointer, operands)):
        return False
    if is_loop:  # what it carries comes last
        operands = operands[: len(operands) - len(op.results)]
    found = [each for each in operands if each in tainted and str(each.type) in _INDICES]
    return bool(found) and not _stores(op, found)


def _stores(op: Ir, found: list[Ir]) -> bool:
    """Whether only the value that is stored depends on data."""
    is_store = op.name.rpartition(".")[2].startswith(("store", "atomic"))
    return is_store and len(found) == 1 and found[0] == op.operands[0]


def _described(op: Ir) -> str:
    at = file_location(op.location)
    where = f" in line {at.start_line}" if at is not None else ""
    return f"'{op.name}'{where}"
