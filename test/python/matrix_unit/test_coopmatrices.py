"""Products of coopmatrices on the matrix unit against the reference, which knows no unit."""

import numpy as np
import pytest

import tinytc_mlir as tt
from cases.unit_products import GPUS, TYPES, Gemm
from tinytc_mlir.gpu_stage import GpuStage
from tinytc_mlir.reference import interpret

DEPTHS = {"f16": 16, "bf16": 16, "i8": 32}


def text(type_, result, shape, lanes):
    """Return a program that adds the product of two coopmatrices to a third."""
    m, n, k = shape
    a, b, c = f"{type_}x{m}x{k}", f"{type_}x{k}x{n}", f"{result}x{m}x{n}"
    return f"""
    func @f(%A: memref<{a}>, %B: memref<{b}>, %C: memref<{c}>)
            attributes {{subgroup_size={lanes}, work_group_size=[{lanes},1]}} {{
        %o = constant 0 : index
        parallel {{
            %a = cooperative_matrix_load.n.both_checked %A[%o,%o] : coopmatrix<{a},matrix_a>
            %b = cooperative_matrix_load.n.both_checked %B[%o,%o] : coopmatrix<{b},matrix_b>
            %c = cooperative_matrix_load.n.both_checked %C[%o,%o] : coopmatrix<{c},matrix_acc>
            %d = cooperative_matrix_mul_add %a, %b, %c : coopmatrix<{c},matrix_acc>
            cooperative_matrix_store.n.both_checked %d, %C[%o,%o]
        }}
    }}"""


def uses_unit(module, gpu):
    """Return whether the matrix unit multiplies."""
    return "subgroup_matrix_mul_add" in str(module.lower("gpu", target=f"intel-gpu:{gpu}"))


@pytest.mark.similar
@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize(("type_", "result"), TYPES)
@pytest.mark.parametrize("columns", [1, 8, 15])
def test_products(columns, type_, result, gpu):
    lanes, depth = GPUS[gpu], DEPTHS[type_]
    for rows, steps in ((lanes, 1), (2 * lanes, 2)):
        shape = rows, columns, steps * depth
        module = tt.Context().parse(text(type_, result, shape, lanes))
        gemm = Gemm(type_, result, shape)
        a, b, c = gemm.arrays(np.random.default_rng(3))
        expected = c.copy(order="F")
        interpret(module, "f", [a, b, expected])
        assert uses_unit(module, gpu)
        stage = GpuStage(module, target=f"intel-gpu:{gpu}")
        assert stage.check("f", [a, b, c], 1) == []
        assert gemm.difference(c, gemm.values(expected)) <= 1


@pytest.mark.parametrize(
    ("shape", "lanes"), [((8, 8, 16), 16), ((16, 8, 8), 16), ((16, 8, 24), 16), ((32, 8, 16), 32)]
)
def test_other_shapes_need_no_unit(shape, lanes):
    """Fewer rows than lanes, another depth, other subgroups."""
    module = tt.Context().parse(text("f16", "f32", shape, lanes))
    assert not uses_unit(module, "pvc")


@pytest.mark.parametrize("types", [("f32", "f32"), ("f64", "f64"), ("i16", "i32"), ("i8", "i64")])
def test_other_types_need_no_unit(types):
    module = tt.Context().parse(text(*types, (16, 8, 32), 16))
    assert not uses_unit(module, "pvc")
