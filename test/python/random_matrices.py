"""Random matrices, and how close results of factorisations come to others."""

import numpy as np

from nearness import assert_near


def matrices(rng, dtype, *shape):
    """Return normally distributed numbers of a type."""
    a = rng.standard_normal(shape)
    is_complex = np.dtype(dtype).kind == "c"
    return (a + 1j * rng.standard_normal(shape) if is_complex else a).astype(dtype)


def compare(found, expected, *of):
    """Check types, shapes and numbers of arrays; `of` as in `assert_near`."""
    several = isinstance(found, (tuple, list))
    for one, other in zip(found, expected, strict=True) if several else [(found, expected)]:
        assert (type(one), one.shape, one.dtype) == (type(other), other.shape, other.dtype)
        assert_near(one, other, *of)
