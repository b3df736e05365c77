"""Products of coopmatrices on tensor cores against the reference, which knows none."""

import numpy as np
import pytest

import tinytc_mlir as tt
from cases.unit_products import Gemm
from matrix_unit.test_coopmatrices import text
from tinytc_mlir.gpu_stage import GpuStage
from tinytc_mlir.reference import interpret

TARGET = "cuda:sm_90"
TYPES = (("f16", "f32"), ("bf16", "f32"), ("f16", "f16"), ("i8", "i32"))
SHAPES = ((32, 8, 32), (64, 15, 64), (32, 1, 32), (32, 9, 16), (96, 16, 16))


def uses_tensor_cores(module):
    return "warp_matrix_mul_add" in str(module.lower("gpu", target=TARGET))


@pytest.mark.similar
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize(("type_", "result"), TYPES)
def test_products(type_, result, shape):
    if type_ == "i8":  # twice as many numbers in a register
        shape = (*shape[:2], 2 * shape[2])
    module = tt.Context().parse(text(type_, result, shape, 32))
    assert uses_tensor_cores(module)
    gemm = Gemm(type_, result, shape)
    a, b, c = gemm.arrays(np.random.default_rng(3))
    expected = c.copy(order="F")
    interpret(module, "f", [a, b, expected])
    assert GpuStage(module, target=TARGET).check("f", [a, b, c], 1, seed=1) == []
    assert gemm.difference(c, gemm.values(expected)) <= 1


@pytest.mark.parametrize("shape", [(16, 8, 16), (40, 8, 16), (32, 8, 8), (32, 8, 24), (32, 8, 48)])
def test_padding_is_not_multiplied(shape):
    """Whole blocks of 32 rows of A, B and C, or 16 of B: what else lanes hold may be NaN."""
    assert not uses_tensor_cores(tt.Context().parse(text("f16", "f32", shape, 32)))


def test_large_products_stay_in_loops():
    for columns, expected in ((64, True), (72, False)):
        module = tt.Context().parse(text("f16", "f32", (64, columns, 64), 32))
        assert uses_tensor_cores(module) == expected


@pytest.mark.parametrize("types", [("f32", "f32"), ("f64", "f64"), ("i16", "i32"), ("i8", "i64")])
def test_other_types_stay_as_they_were(types):
    assert not uses_tensor_cores(tt.Context().parse(text(*types, (32, 8, 32), 32)))


def test_other_subgroups_stay_as_they_were():
    assert not uses_tensor_cores(tt.Context().parse(text("f16", "f32", (32, 8, 32), 16)))
