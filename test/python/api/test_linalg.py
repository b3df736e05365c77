"""`tt.linalg` returns and raises what `numpy.linalg` does."""

import numpy as np
import pytest

import tinytc_mlir as tt


def matrices(dtype, size):
    rng = np.random.default_rng(size)
    a = rng.standard_normal((3, 2, size, size)).astype(dtype)
    if a.dtype.kind == "c":
        a = a + (1j * rng.standard_normal(a.shape)).astype(dtype)
    return a, (a @ a.conj().mT + size * np.eye(size)).astype(dtype)


def compare(found, expected):
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    single = found.dtype in (np.float32, np.complex64)
    tolerance = 2e-3 if single else 1e-9
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(("dtype", "size"), [(np.float64, 17), (np.complex64, 3)])
def test_numpy_agrees(dtype, size):
    a, definite = matrices(dtype, size)
    right = np.ones((2, size, 4), dtype)
    compare(tt.linalg.cholesky(definite), np.linalg.cholesky(definite))
    compare(tt.linalg.solve(definite, right), np.linalg.solve(definite, right))
    compare(tt.linalg.det(definite / size), np.linalg.det(definite / size))
    lower = np.tril(definite)
    solved = tt.linalg.solve_triangular(definite, right, lower=True)
    compare(lower @ solved, np.broadcast_to(right, solved.shape))
    for found, expected in zip(tt.linalg.slogdet(a), np.linalg.slogdet(a), strict=True):
        np.testing.assert_allclose(found, expected, rtol=2e-3, atol=2e-3)


def test_errors():
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        tt.linalg.inv(np.zeros((2, 3, 3)))
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        tt.linalg.cholesky(-np.eye(3))
    with pytest.raises(np.linalg.LinAlgError, match="must be square"):
        tt.linalg.det(np.ones((2, 3)))
    with pytest.raises(ValueError, match="expected 'b' to have 3 rows like 'a', got 2"):
        tt.linalg.solve(np.eye(3), np.ones(2))
    with pytest.raises(ValueError, match="expected 'trans' to be"):
        tt.linalg.solve_triangular(np.eye(3), np.ones(3), trans="X")
    assert tt.linalg.solve(np.zeros((0, 3, 3)), np.ones((3, 2))).shape == (0, 3, 2)
