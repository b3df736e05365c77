"""Code for GPUs of the whole suite: no spills, and no more instructions than the docs say."""

import dataclasses

import pytest

import accepted_code
from binaries import needs_ocloc
from gpu_checks import (
    ELEMENTWISE,
    SUMS,
    TYPES,
    documented,
    pairs,
    square_checks,
    suite_check,
)
from tinytc_bench.cpp_compiler import INSTRUCTIONS_PER_FMA
from tinytc_mlir.measure.timing import geometric_mean


@pytest.mark.similar
@needs_ocloc
@pytest.mark.parametrize("name, gpu", pairs())
def test_kernels_fit_and_do_not_grow(name, gpu):
    suite_check(name, gpu, 128).run()


@needs_ocloc
@pytest.mark.parametrize("name, gpu", pairs()[::12])
def test_kernels_for_many_registers_fit_and_do_not_grow(name, gpu):
    suite_check(name, gpu, 256).run()


@needs_ocloc
def test_unknown_spirv_is_checked(monkeypatch):
    monkeypatch.setattr(accepted_code, "ACCEPTED", frozenset())
    verified = []
    dataclasses.replace(suite_check("gemm.f32.32", "pvc", 128), verify=verified.append).run()
    assert verified[0]["gemm"]["instructions"] > 0


def test_all_kernels_fit():
    """No table may document a kernel that spills."""
    assert {row["spilled bytes"] for row in documented().values()} == {0}


@pytest.mark.parametrize("gpu, type_", [("pvc", "f32"), ("pvc", "f64"), ("dg2", "f32")])
def test_documented_instructions_beside_those_of_the_cpp_compiler(gpu, type_):
    ratios = [
        float(documented()[name, "gemm", gpu, 128]["an FMA"]) / theirs
        for name, theirs in INSTRUCTIONS_PER_FMA[gpu].items()
        if f".{type_}." in name
    ]
    assert len(ratios) >= 6
    assert geometric_mean(ratios) <= 0.9


def test_doubles_are_left_to_gpus_that_have_them():
    found = set(pairs())
    assert {("gemm.f32.32", "pvc"), ("gemm.f32.32", "dg2"), ("gemm.f64.32", "pvc")} <= found
    assert ("gemm.f64.32", "dg2") not in found


@pytest.mark.similar
@needs_ocloc
@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("instruction", ELEMENTWISE)
def test_messages_of_elementwise_instructions(instruction, type_, is_known):
    """Ten messages at most: loops, no columns written out."""
    for check in square_checks(instruction, type_, is_known):
        check.run()


@pytest.mark.similar
@needs_ocloc
@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("instruction", SUMS)
def test_messages_of_sums(instruction, type_, is_known):
    """As many for sums along lines or columns; an element of c64 is a message."""
    for check in square_checks(instruction, type_, is_known):
        check.run()
