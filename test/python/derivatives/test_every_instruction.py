"""Each instruction has a rule that is tested, a reason why not, or carries no derivative."""

import pytest
from differentiated_factors import KERNELS

import instruction_kernels
import ods
import tinytc_mlir as tt
from instruction_kernels import INSTRUCTIONS

_BITS = "bits have no derivative"
_OTHERS = "what others write at the same time is not known later"
_SEVERAL = "which of several values is the result is not known later"
_SCAN = "which of several values is in a scan is not known later"
REFUSED = {
    "bitcast": _BITS,
    "atomic_load": _OTHERS,
    "atomic_store": _OTHERS,
    "atomic_min": _SEVERAL,
    "atomic_max": _SEVERAL,
    "cooperative_matrix_atomic_load": _OTHERS,
    "cooperative_matrix_atomic_store": _OTHERS,
    "cooperative_matrix_atomic_min": _SEVERAL,
    "cooperative_matrix_atomic_max": _SEVERAL,
    "cooperative_matrix_reduce_min.column": _SEVERAL,
    "cooperative_matrix_reduce_max.column": _SEVERAL,
    "subgroup_min.exclusive_scan": _SCAN,
    "subgroup_min.inclusive_scan": _SCAN,
    "subgroup_max.exclusive_scan": _SCAN,
    "subgroup_max.inclusive_scan": _SCAN,
}
"""Instructions without a derivative in either mode, and the reason."""

REFUSED_IN_REVERSE = {
    "atomic_add": "its result depends on the order of updates",
    "expandc2r": "the adjoint of an imaginary part has another sign in a complex number than as a "
    "real number",
}
"""Instructions, as the tiny kernels use them, that have a tangent only."""

WITHOUT_NUMBERS = {
    # Integers, conditions, sizes.
    *("arith." + word for word in ("and", "or", "xor", "not", "shl", "shr")),
    *("cmp." + word for word in ("eq", "ne", "gt", "ge", "lt", "le")),
    *("builtin." + word for word in ("group_id", "group_size", "num_subgroups", "subgroup_id")),
    *("builtin.subgroup_local_id", "builtin.subgroup_size", "associated", "size"),
    # What computes nothing, or nothing of its own.
    *("assert", "barrier", "constant", "cooperative_matrix_prefetch", "func", "lifetime_stop"),
    *("print", "yield"),
}
"""Ops that carry no derivative."""

_TYPES = ("f64", "c64", "i32", "index", "bool")
_ACROSS = " of a parallel region may write the"  # the tiny kernels store what all work-items have


def _refusal(derive):
    try:
        derive()
    except tt.LoweringError as error:
        return error.diagnostics[0].message.partition("one that cannot: ")[2]
    return ""


def _parsed(instruction):
    modules = (instruction_kernels.parse(instruction, type_) for type_ in _TYPES)
    return next(module for module in modules if module is not None)


@pytest.mark.parametrize("instruction", INSTRUCTIONS)
def test_rule_or_reason(instruction):
    module = _parsed(instruction)
    assert _refusal(module.jvp) == REFUSED.get(instruction, "")
    reverse = _refusal(lambda: module.vjp(atomic=True))
    known = REFUSED.get(instruction, REFUSED_IN_REVERSE.get(instruction, ""))
    assert _ACROSS in reverse or reverse == known


def _ops(operation):
    for region in operation.regions:
        for block in region.blocks:
            for op in block.operations:
                yield op.operation.name.removeprefix("tinytc.")
                yield from _ops(op.operation)


def test_all_ops_are_known():
    """An op that is new fails here, and its tiny kernel above, until it has a rule or a reason."""
    tested = {
        name for text in KERNELS.values() for name in _ops(tt.Context().parse(text)._operation)
    }
    refused = {name.partition(".")[0] for name in REFUSED} - {"subgroup_min", "subgroup_max"}
    assert not tested & refused
    in_programs = {
        name for instruction in INSTRUCTIONS for name in _ops(_parsed(instruction)._operation)
    } | {"func"}
    assert in_programs <= set(ods.ops())
    assert in_programs - tested - refused - WITHOUT_NUMBERS == {"expandc2r"}
    assert set(ods.ops()) >= WITHOUT_NUMBERS
