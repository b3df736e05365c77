"""Random matrices of the types that instructions factor, and bounds of rounding errors."""

import numpy as np

TYPES = {"f32": np.float32, "f64": np.float64, "c32": np.complex64, "c64": np.complex128}


def wide(a):
    """Return numbers of more bits."""
    return a.astype(np.clongdouble if a.dtype.kind == "c" else np.longdouble)


def bound(type_, terms):
    """Return gamma_n for sums of so many terms; complex products have errors of their own."""
    dtype = np.dtype(TYPES[type_])
    rounding = np.finfo(dtype).eps / 2
    return (terms + 4) * (4 if dtype.kind == "c" else 1) * rounding * 1.01


def is_small(residual, scale, bound):
    """Return whether all elements are smaller than their errors may be."""
    tiny = np.finfo(np.float32).tiny
    return bool(np.all(np.abs(residual) <= bound * scale + tiny))


def random_matrix(rng, type_, *shape):
    """Return normally distributed numbers."""
    dtype = np.dtype(TYPES[type_])
    values = rng.standard_normal(shape)
    if dtype.kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


def apply_form(matrix, word):
    """Return op(X)."""
    matrix = matrix.T if word in "tc" else matrix
    return matrix.conj() if word in "rc" else matrix
