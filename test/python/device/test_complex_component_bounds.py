"""Launches check the index of the parts of complex numbers, as that of any mode."""

import numpy as np
import pytest

import tinytc_mlir as tt

PART = """func @f(%A: memref<c32x4x?>, %B: memref<f32x?>, %p: index) {
  %i = group_id.x : index
  %zero = constant 0 : index
  %P = expandc2r %A : memref<f32x2x4x?>
  %x = load %P[%p, %zero, %i] : f32
  store %x, %B[%i]
}"""
FUSED = """func @f(%A: memref<c32x4>, %B: memref<f32x?>) {
  %i = group_id.x : index
  %P = expandc2r %A : memref<f32x2x4>
  %F = fuse %P[0,1] : memref<f32x8>
  %x = load %F[%i] : f32
  store %x, %B[%i]
}"""
MEMBER = """func @f(%A: group<memref<c32>x?>, %B: memref<f32x?>, %p: index) {
  %i = group_id.x : index
  %a = load %A[%i] : memref<c32>
  %P = expandc2r %a : memref<f32x2>
  %x = load %P[%p] : f32
  store %x, %B[%i]
}"""


def arrays(groups=3):
    a = np.zeros((4, groups), np.complex64, order="F")
    a[0] = np.arange(groups) - 1j
    return a, np.zeros(groups, np.float32)


def test_parts_inside():
    kernel = tt.Context().parse(PART).compile()["f"]
    for part, expected in ((0, [0, 1, 2]), (1, [-1, -1, -1])):
        a, b = arrays()
        kernel(a, b, part, groups=3)
        assert b.tolist() == expected


@pytest.mark.parametrize("text", [PART, MEMBER])
@pytest.mark.parametrize("part", [2, -1])
def test_parts_outside_are_refused(text, part):
    kernel = tt.Context().parse(text).compile()["f"]
    a, b = arrays()
    first = a if text is PART else [np.zeros((), np.complex64) for _ in range(3)]
    with pytest.raises(tt.LaunchError, match=r"'A': expected .*the mode for the parts"):
        kernel(first, b, part, groups=3)
    assert not b.any()


def test_parts_that_are_fused():
    kernel = tt.Context().parse(FUSED).compile()["f"]
    a, b = np.arange(4, dtype=np.complex64) + 1j, np.zeros(9, np.float32)
    kernel(a, b, groups=8)
    assert b.tolist() == [0, 1, 1, 1, 2, 1, 3, 1, 0]
    rule = "at most 8 groups .the mode for the parts and mode 0 of 'A' have 8 elements"
    with pytest.raises(tt.LaunchError, match=rule):
        kernel(a, b, groups=9)


def test_batches_are_still_counted():
    kernel = tt.Context().parse(PART).compile()["f"]
    a, b = arrays(5)
    kernel(a, b, 0)
    assert b.tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(tt.LaunchError, match="mode 1 of 'A' has 5 elements"):
        kernel(a, np.zeros(9, np.float32), 0, groups=6)
