"""An alloca that is read and never written is a warning at its place."""

import warnings

import pytest

import tinytc_mlir as tt

FRAME = """func @f(%x: f32, %A: memref<f32x4x4>, %B: memref<f32x4x4>, %i: index) {{
  %t = alloca : memref<f32x4x4,local>
  {}
}}"""
MESSAGE = "expected local memory to be written before it is read, got an alloca that nothing writes"
READS = {
    "product": "gemm %x, %t, %A, %x, %B",
    "load": "%a = load %t[%i, 0] : f32 store %a, %A[0, 0]",
    "view": "%v = subview %t[0:4, 0] : memref<f32x4,local>"
    " %w = subview %v[1:2] : memref<f32x2,local>"
    " %a = load %w[0] : f32 store %a, %A[0, 0]",
    "matrix": "parallel { %m = cooperative_matrix_load %t[0, 0] : coopmatrix<f32x4x4,matrix_acc> }",
}
OTHERS = {
    "product": "gemm %x, %A, %A, %x, %t gemm %x, %t, %A, %x, %B",
    "view": "%v = fuse %t[0, 1] : memref<f32x16,local> store %x, %v[0]"
    " %a = load %t[%i, 0] : f32 store %a, %A[0, 0]",
    "atomic": "%r = atomic_add %x, %t[0, 0] : f32 store %r, %A[0, 0]",
    "matrix": "parallel { %m = constant 1.0 : coopmatrix<f32x4x4,matrix_acc>"
    " cooperative_matrix_store %m, %t[0, 0]"
    " %a = load %t[0, 0] : f32 store %a, %A[0, 0] }",
    "size": "%n = size %t[0] : index lifetime_stop %t",
}


@pytest.mark.parametrize("name", READS)
def test_warning(name):
    with pytest.warns(tt.ProgramWarning) as caught:
        tt.Context().parse(FRAME.format(READS[name]), "f.ir")
    (found,) = (each.message.diagnostic for each in caught)
    assert (found.message, found.line, found.column) == (MESSAGE, 2, 8)


@pytest.mark.parametrize("name", OTHERS)
def test_no_warning(name):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tt.Context().parse(FRAME.format(OTHERS[name]))
    assert not caught
