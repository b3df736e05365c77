"""Launches with the arguments of the one before are not checked again, and see every change."""

import gc
import math
import weakref

import numpy as np
import pytest

import tinytc_mlir as tt

TEXT = """func @scale(%a: f64, %X: memref<f64x4x?>, %Y: memref<f64x4x?>) {
  %g = group_id : index
  %x = subview %X[:,%g] : memref<f64x4>
  %y = subview %Y[:,%g] : memref<f64x4>
  %zero = constant 0.0 : f64
  axpby.n %a, %x, %zero, %y
}"""


@pytest.fixture(scope="module")
def program():
    return tt.Context().parse(TEXT).compile("cpu")


@pytest.fixture
def kernel(program):
    """A kernel of its own for each test, which has launched nothing yet."""
    return type(program["scale"])(program, program["scale"].info)


@pytest.fixture
def arrays():
    x = tt.asarray(np.arange(12.0).reshape(4, 3, order="F"))
    return x, tt.asarray(np.zeros((4, 3)))


def is_known(kernel, *values, groups=3):
    return kernel.repeats.find(values, groups, None) is not None


@pytest.fixture
def repeated(kernel, arrays):
    """A kernel that remembers a launch, the factor of which is 2."""
    for _ in range(2):
        kernel(2.0, *arrays, groups=3)
    assert is_known(kernel, 2.0, *arrays)
    return kernel


def test_the_third_launch_is_known(kernel, arrays):
    x, y = arrays
    known = []
    for _ in range(3):
        known.append(is_known(kernel, 2.0, x, y))
        y[:] = -1
        kernel(2.0, x, y, groups=3)
        assert np.array_equal(y, 2 * x)
    assert known == [False, False, True]
    y[:] = -1
    x[1, 2] = 100  # contents may change
    kernel.submit(2.0, x, y, groups=3).wait()
    assert np.array_equal(y, 2 * x)


@pytest.mark.parametrize("form", ["mapping", "keywords"])
def test_names(repeated, arrays, form):
    x, y = arrays
    y[:] = -1
    named = {"a": 2.0, "X": x, "Y": y}
    if form == "mapping":
        repeated(named, groups=3)
    else:
        repeated(groups=3, **named)
    assert np.array_equal(y, 2 * x)


def test_other_arguments_are_not_known(repeated, arrays):
    x, y = arrays
    for factor in (3.0, 0.0, -0.0, 2, np.float64(2), math.nan):
        assert not is_known(repeated, factor, x, y)
    assert not is_known(repeated, 2.0, y, x)
    assert not is_known(repeated, 2.0, x.copy(), y)
    assert not is_known(repeated, 2.0, x, y, groups=2)
    assert not is_known(repeated, 2.0, x, y, groups=None)
    assert repeated.repeats.find((2.0, x), 3, None) is None
    assert repeated.repeats.find((2.0, x, y), 3, "cpu") is None


def test_signs_of_zeros(kernel, arrays):
    x, y = arrays
    x[:] = 1
    for zero in (0.0, 0.0, -0.0, float("-0"), 0.0):
        kernel(zero, x, y, groups=3)
        assert math.copysign(1, y[0, 0]) == math.copysign(1, zero)


def test_a_changed_array_is_checked_again(repeated, arrays):
    x, y = arrays
    y.flags.writeable = False
    with pytest.raises(tt.ArgumentError, match="writable"):
        repeated(2.0, x, y, groups=3)
    y.flags.writeable = True
    x.dtype = np.int64
    with pytest.raises(tt.ArgumentError, match="argument .X.: expected dtype float64"):
        repeated(2.0, x, y, groups=3)


def test_dropped_arrays_are_released(repeated):
    gc.collect()
    x, y = tt.asarray(np.ones((4, 3))), tt.asarray(np.zeros((4, 3)))
    for _ in range(2):
        repeated(2.0, x, y, groups=3)
    base = weakref.ref(x)
    assert is_known(repeated, 2.0, x, y)
    del x
    gc.collect()
    assert base() is None
    assert repeated.repeats._repeat is None


def test_host_arrays_are_copied_each_time(kernel):
    x, y = np.ones((4, 3), order="F"), np.zeros((4, 3), order="F")
    for factor in (2.0, 2.0, 2.0):
        x += 1
        kernel(factor, x, y, groups=3)
        assert np.array_equal(y, factor * x)
    assert not is_known(kernel, 2.0, x, y)
