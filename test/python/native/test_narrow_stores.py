"""Accesses by the first lanes only: elements that follow keep what they have.

LLVM stores too many bytes where an element comes from a wider integer and the other lanes are off.
"""

import numpy as np
import pytest

import tinytc_mlir as tt
from nearness import whole_numbers

CAST = """
func @cast(%A: memref<{source}x33x2>, %B: memref<{result}x33x2>)
    attributes {{subgroup_size={lanes}, work_group_size=[{lanes},1]}} {{
  %zero = constant 0 : index
  parallel {{
    %a = cooperative_matrix_load %A[%zero, %zero] : coopmatrix<{source}x33x2,matrix_acc>
    %b = cast %a : coopmatrix<{result}x33x2,matrix_acc>
    cooperative_matrix_store %b, %B[%zero, %zero]
  }}
}}
"""


@pytest.mark.parametrize("target", ["native", "x86-64-v2", "x86-64-v3"])
@pytest.mark.parametrize("lanes", [4, 8, 16])
@pytest.mark.parametrize(
    "source, result", [("i64", "i32"), ("i64", "i8"), ("i32", "i16"), ("f32", "bf16")]
)
def test_the_last_row_of_a_matrix(source, result, lanes, target):
    dtypes = {"bf16": "uint16", "f32": "float32"}
    a = np.asfortranarray(np.arange(1, 67).reshape(33, 2, order="F"))
    a = a.astype(dtypes.get(source, source.replace("i", "int")))
    b = np.zeros_like(a, dtypes.get(result, result.replace("i", "int")))
    text = CAST.format(source=source, result=result, lanes=lanes)
    tt.Context().parse(text).compile(target)["cast"](a, b)
    expected = a.view(np.uint32) >> 16 if result == "bf16" else a
    np.testing.assert_array_equal(b, expected)


def test_accesses_by_the_first_lanes_have_no_mask():
    """A load beside a masked store waits for it: products of 4 rows took eight times as long."""
    text = """
func @product(%A: memref<f32x4x4x?>, %B: memref<f32x4x4>, %C: memref<f32x4x4x?>) {
  %one = constant 1.0 : f32
  %group = builtin.group_id : index
  %a = subview %A[:,:,%group] : memref<f32x4x4>
  %c = subview %C[:,:,%group] : memref<f32x4x4>
  gemm.n.n %one, %a, %B, %one, %c
}
"""
    vectors = tt.Context().parse(text).lower("vector", target="x86-64-v4")
    assert "masked" in str(vectors)
    lowered = vectors.lower("llvm")
    assert "masked" not in str(lowered)
    rng = np.random.default_rng(1)
    a, c = (np.asfortranarray(whole_numbers(rng, (4, 4, 9)), np.float32) for _ in range(2))
    b = np.asfortranarray(whole_numbers(rng, (4, 4)), np.float32)
    expected = c + np.einsum("mkg,kn->mng", a, b)
    lowered.compile()["product"](a, b, c, groups=9)
    np.testing.assert_array_equal(c, expected)
