"""A sample of the random programs that test/barrier_check.py compares at length."""

import re

import pytest

import profiles
from cases.barrier_programs import BarrierProgram, check
from tinytc_mlir.compiler import ABIS

COUNT = 100 if profiles.IS_NIGHTLY else 16


@pytest.mark.parametrize("abi", ABIS)
def test_device_agrees_with_numpy(abi):
    first = COUNT * ABIS.index(abi)
    found = check(range(first, first + COUNT), (abi,))
    assert not found, "\n".join(found)


def test_reference_agrees_with_numpy():
    found = check(range(COUNT), (), interpreted=True)
    assert not found, "\n".join(found)


def test_a_maximum_that_was_wrong():
    found = check([374])
    assert not found, "\n".join(found)


def test_all_kinds_of_statements_are_written():
    texts = [BarrierProgram(seed).text("f") for seed in range(200)]
    used = set(re.findall(r"[a-z_]\w*(?:\.\w+)?", "\n".join(texts)))
    assert used >= {"arith.neg", "arith.conj", "subgroup_add.reduce", "subgroup_broadcast"}
    assert used >= {"bitcast", "arith.xor"}
    assert used >= {"for", "if", "cast", "barrier", "barrier.local", "barrier.global"}
    matrices = {"cooperative_matrix_load", "cooperative_matrix_store"}
    assert used >= {"atomic_add", "atomic_max", "atomic_min", "atomic_load", "group"} | matrices
    assert all("barrier" in text for text in texts)
