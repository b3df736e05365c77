"""Factors that the matrix unit gets from local memory: other uses of it, and what does not fit."""

import numpy as np
import pytest

import tinytc_mlir as tt
from binaries import needs_spirv_val, validate
from cases.unit_products import Gemm
from tinytc_mlir.gpu_stage import GpuStage

GPU = "intel-gpu:dg2"

CHAIN = """
func @f(%A: memref<f16x40x24>, %B: memref<f16x24x17>, %C: memref<f32x40x17>, %n: index) {
    %zero = constant 0 : index
    %step = constant 1 : index
    %one = constant 1.0 : f16
    %full = constant 1.0 : f32
    %none = constant 0.0 : f32
    %old = alloca : memref<f32x40x17,local>
    axpby.n %full, %C, %none, %old
    lifetime_stop %old
    for %i=%zero,%n,%step {
        gemm.n.n %one, %A, %B, %full, %C
        gemm.n.n %one, %A, %B, %full, %C
    }
    %last = alloca : memref<f32x40x17,local>
    axpby.n %full, %C, %none, %last
    axpby.n %full, %last, %none, %C
}"""


def packs(module):
    """Return whether products have a place in local memory."""
    lines = str(module.lower("prepared", target=GPU)).splitlines()
    return any("tinytc.gemm" in line and "local_offset" in line for line in lines)


def test_products_after_each_other():
    """Each waits for the one before it, also in loops, and keeps allocas as they are."""
    module = tt.Context().parse(CHAIN)
    assert packs(module)
    gemm = Gemm("f16", "f32", (40, 17, 24))
    a, b, c = gemm.arrays(np.random.default_rng(2))
    expected = gemm.expected(6, a, b, 1, c)
    for seed in (None, 3):
        found = c.copy(order="F")
        assert GpuStage(module, target=GPU).check("f", [a, b, found, 3], 1, seed=seed) == []
        assert gemm.difference(found, expected) <= 6


@needs_spirv_val
def test_valid():
    validate(tt.Context().parse(CHAIN).compile(GPU).spirv)


@pytest.mark.parametrize("shape", [(64, 64, 136), (70, 90, 40), (136, 136, 280)])
def test_parts(shape):
    """More steps than fit into local memory, more tiles than subgroups, or both."""
    gemm = Gemm("f16", "f32", shape, "nt")
    assert packs(gemm.parse())
    a, b, c = gemm.arrays(np.random.default_rng(4))
    expected = gemm.expected(1, a, b, 2, c)
    assert gemm.run("dg2", 1, a, b, 2, c) == []
    assert gemm.difference(c, expected) <= 1


def test_what_is_read_by_elements():
    """Few rows make a piece of B worth no more than its elements."""
    assert not packs(Gemm("f16", "f32", (8, 64, 64)).parse())


@pytest.mark.similar
@pytest.mark.parametrize("transpose", ["nn", "tn", "nt", "tt"])
@pytest.mark.parametrize(("type_", "result"), [("f16", "f32"), ("bf16", "bf16"), ("i8", "i32")])
def test_unknown_sizes(type_, result, transpose):
    """One program for more and fewer lines and steps than there is room for, also none."""
    shapes = [(1, 1, 1), (35, 35, 35), (72, 5, 17), (19, 70, 140), (130, 67, 3), (5, 6, 0)]
    for seed, shape in enumerate(shapes):
        gemm = Gemm(type_, result, shape, transpose, is_dynamic=True)
        assert packs(gemm.parse())
        a, b, c = gemm.arrays(np.random.default_rng(5))
        expected = gemm.expected(2, a, b, 3, c)
        assert gemm.run("dg2", 2, a, b, 3, c, seed=seed) == []
        assert gemm.difference(c, expected) <= 1


def test_unknown_sizes_of_some_subgroups():
    """More subgroups than tiles, and a number that blocks are no multiple of."""
    for attributes in ("work_group_size=[24,1]", "work_group_size=[40,1]"):
        gemm = Gemm(
            "f16", "f32", (35, 40, 35), is_dynamic=True, attributes=f"attributes {{{attributes}}}"
        )
        assert packs(gemm.parse())
        a, b, c = gemm.arrays(np.random.default_rng(6))
        expected = gemm.expected(2, a, b, 3, c)
        assert gemm.run("dg2", 2, a, b, 3, c) == []
        assert gemm.difference(c, expected) <= 1


@pytest.mark.similar
@pytest.mark.parametrize("transpose", ["nn", "tn", "nt", "tt"])
@pytest.mark.parametrize(("type_", "result"), [("f16", "f32"), ("bf16", "f32"), ("i8", "i32")])
def test_odd_sizes(type_, result, transpose):
    """Lines that are no multiple of an operation's, and more or fewer of them than work-items."""
    assert packs(Gemm(type_, result, (35, 35, 35), transpose).parse())
    for shape in ((35, 35, 35), (72, 5, 17), (19, 33, 95)):
        gemm = Gemm(type_, result, shape, transpose)
        a, b, c = gemm.arrays(np.random.default_rng(5))
        expected = gemm.expected(2, a, b, 3, c)
        assert gemm.run("dg2", 2, a, b, 3, c) == []
        assert gemm.difference(c, expected) <= 1
