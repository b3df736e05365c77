"""Random matrices, and how close results of factorisations come to others."""

import numpy as np


def matrices(rng, dtype, *shape):
    """Return normally distributed numbers of a type."""
    a = rng.standard_normal(shape)
    is_complex = np.dtype(dtype).kind == "c"
    return (a + 1j * rng.standard_normal(shape) if is_complex else a).astype(dtype)


def compare(found, expected, condition=1e4):
    """Check shapes, types and numbers of arrays, up to some rounding errors of the largest."""
    for one, other in zip(found, expected, strict=True):
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        tolerance = condition * np.finfo(one.dtype).eps * max(np.abs(other).max(initial=1), 1)
        np.testing.assert_allclose(one, other, rtol=0, atol=tolerance)
