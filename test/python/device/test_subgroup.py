"""Subgroup operations in their three modes, on every type and subgroup size."""

import random

import pytest

from cases.case import WORK_ITEM, Case, buffer
from cases.running import compares, comparison
from program_types import REALS, SCALARS

SIZES = (4, 8, 16, 32, 64)
MODES = ("exclusive_scan", "inclusive_scan", "reduce")


def case(rng, instruction, type_, size):
    total = 2 * size
    body = f"""
    parallel {{
        {WORK_ITEM}
        %a = load %A[%i] : {type_}
        %b = {instruction} : {type_}
        store %b, %B[%i]
    }}"""
    memref = f"memref<{type_}x{total}>"
    parameters = {
        "A": (memref, buffer(rng, type_, (total,))),
        "B": (memref, buffer(rng, type_, (total,))),
        "source": ("i32", rng.randrange(size)),
    }
    attributes = f"subgroup_size={size}, work_group_size=[{total},1]"
    return Case(f"{instruction} {type_} {size}", body, parameters, 1, attributes)


@pytest.mark.similar
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("word", ["add", "min", "max"])
@compares
def test_subgroup_operation(word, size):
    rng = random.Random(f"{word} {size}")
    return comparison(
        case(rng, f"subgroup_{word}.{mode} %a", type_, size)
        for type_ in (SCALARS if word == "add" else REALS)
        for mode in MODES
    )


@pytest.mark.parametrize("size", SIZES)
@compares
def test_broadcast(size):
    rng = random.Random(f"broadcast {size}")
    return comparison(case(rng, "subgroup_broadcast %a, %source", type_, size) for type_ in SCALARS)
