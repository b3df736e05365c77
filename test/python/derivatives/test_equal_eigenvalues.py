"""What of the derivative of eigenvalues is defined where two of them are equal."""

import numpy as np

import tinytc_mlir as tt
from nearness import assert_near

TEXT = """
func @k(%A: memref<f64x3x3>, %w: memref<f64x3>) {
  eigh.l %A, %w
}
"""


def tangents(change):
    """Return tangents of eigenvalues and vectors of a diagonal matrix with 2, 5 and 5."""
    derivative = tt.Context().parse(TEXT).jvp()
    a, w = np.asfortranarray(np.diag([2.0, 5.0, 5.0])), np.zeros(3)
    da, dw = np.asfortranarray(change), np.zeros(3)
    derivative.compile("native")["k_jvp"](a, w, da, dw)
    return dw, da


def test_a_change_that_keeps_them_equal():
    change = np.zeros((3, 3))
    change[1, 0] = 3.0
    dw, dv = tangents(change)
    assert dw.tolist() == [0, 0, 0]
    assert_near(dv, [[0.0, 1, 0], [-1, 0, 0], [0, 0, 0]])


def test_a_change_that_mixes_their_vectors_is_nan():
    change = np.zeros((3, 3))
    change[2, 1] = 1.0
    dw, dv = tangents(change)
    assert dw.tolist() == [0, 0, 0]
    assert np.isnan(dv[1:, 1:]).any()
    assert np.isfinite(dv[:, 0]).all()
