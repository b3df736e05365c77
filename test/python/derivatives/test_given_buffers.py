"""Buffers of derivatives at indices that no launch knows: no warning, and checked sizes."""

import warnings

import numpy as np
import pytest

import tinytc_mlir as tt
from nearness import assert_near

#: Iterations have a step: the number of the iteration does not follow from a size alone.
STEP = """
func @k(%n: index, %x: memref<f64x2x?>) {
  %g = group_id.x : index
  %one = constant 1.0 : f64
  %v = subview %x[:, %g] : memref<f64x2>
  for %i = 0, %n, 2 {
    hadamard_product %one, %v, %v, %one, %v
  }
}"""
#: A branch of which no launch knows whether it is taken.
BRANCH = """
func @k(%n: index, %s: memref<i64x?>, %x: memref<f64x2x?>) {
  %g = group_id.x : index
  %one = constant 1.0 : f64
  %zero = constant 0 : i64
  %v = subview %x[:, %g] : memref<f64x2>
  %t = load %s[%g] : i64
  %taken = less_than %zero, %t : bool
  if %taken {
    for %i = 0, %n, 2 {
      hadamard_product %one, %v, %v, %one, %v
    }
  }
}"""
#: The user's own array at an index of which no launch knows anything.
INDIRECT = """
func @k(%n: index, %s: memref<index x?>, %x: memref<f64x2x?>) {
  %g = group_id.x : index
  %one = constant 1.0 : f64
  %v = subview %x[:, %g] : memref<f64x2>
  for %i = 0, %n, 2 {
    %j = load %s[%i] : index
    %k = load %s[%j] : index
    %f = cast %k : f64
    hadamard_product %f, %v, %v, %one, %v
  }
}""".replace("index x?", "indexx?")
ONES = np.ones(6, np.int64)


def launched(text, n=5, **named):
    """Return the adjoints of ones."""
    x, adjoint = np.full((2, 3), 0.1, order="F"), np.ones((2, 3), order="F")
    tt.Context().parse(text).vjp(wrt=["x"])(n=n, x=x, x_adjoint=adjoint, **named)
    return adjoint


def expected(n=5):
    x, slope = 0.1, 1.0
    for _ in range(0, n, 2):
        x, slope = x + x * x, slope * (1 + 2 * x)
    return np.full((2, 3), slope)


def test_no_warning_of_what_the_launch_allocates():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_near(launched(STEP), expected())


def test_a_warning_of_the_own_array():
    with pytest.warns(tt.UncheckedWarning, match="'s'") as found:
        launched(INDIRECT, s=ONES)
    assert not any("kept" in str(each.message) for each in found)


@pytest.mark.parametrize("shape", [(2, 3, 3), (2, 4, 3)])
def test_a_buffer_that_fits(shape):
    assert_near(launched(STEP, kept=np.empty(shape, order="F")), expected())


@pytest.mark.parametrize("given", [{}, {"s": ONES[:3]}], ids=["step", "branch"])
def test_a_buffer_for_too_few_iterations(given):
    with pytest.raises(tt.ArgumentError, match="argument 'kept': expected .* at least"):
        launched(BRANCH if given else STEP, kept=np.empty((2, 2, 3), order="F"), **given)


def test_a_buffer_that_is_no_array():
    with pytest.raises(tt.ArgumentError, match="argument 'kept': expected"):
        launched(STEP, kept=7)
