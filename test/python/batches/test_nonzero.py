"""Annotations with patterns of zeros, whose modes are those of NumPy."""

import numpy as np

import tinytc_mlir as tt
from nearness import whole_numbers

LOWER = np.tri(12, dtype=bool)


def test_batched_functions():
    @tt.batched
    def f(A: tt.f64["n", "n"].nonzero(LOWER), x: tt.f64["n"]):
        return A @ x

    rng = np.random.default_rng(0)
    a, x = np.tri(12) * whole_numbers(rng, (5, 12, 12)), whole_numbers(rng, (5, 12))
    np.testing.assert_array_equal(f(a, x), np.einsum("gij,gj->gi", a, x))


def test_rows_and_columns():
    @tt.batched
    def f(A: tt.f64[40, 30].nonzero([(0, 40, 10, 20)]), B: tt.f64[30, 9]):
        return A @ B

    rng = np.random.default_rng(0)
    a, b = np.zeros((5, 40, 30)), whole_numbers(rng, (5, 30, 9))
    a[:, :, 10:20] = whole_numbers(rng, (5, 40, 10))
    np.testing.assert_array_equal(f(a, b), a @ b)
