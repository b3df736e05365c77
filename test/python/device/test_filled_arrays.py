"""Arrays of zeros and of ones that kernels use in place."""

import numpy as np
import pytest

import tinytc_mlir as tt


@pytest.mark.parametrize(("make", "value"), [(tt.zeros, 0), (tt.ones, 1)])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, np.complex128])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(3, 4), (0, 2), (), 5])
def test_filled_arrays(make, value, dtype, order, shape):
    array = make(shape, dtype, order=order)
    expected = np.full(shape, value, dtype, order)
    assert (array.shape, array.dtype, array.strides) == (
        *(expected.shape, expected.dtype),
        expected.strides if expected.size else array.strides,
    )
    assert (array == expected).all()
    assert tt.asarray(array, order=order) is array


@pytest.mark.parametrize("make", [tt.zeros, tt.ones])
def test_odd_filled_arrays(make):
    with pytest.raises(tt.ArgumentError, match=f"{make.__name__}: argument 'shape': "):
        make(-1)
    with pytest.raises(tt.ArgumentError, match=f"{make.__name__}: argument 'dtype': "):
        make(3, np.datetime64)
    with pytest.raises(tt.ArgumentError, match=f"{make.__name__}: argument 'order': "):
        make(3, order="A")
