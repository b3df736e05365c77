"""How close results of two right programs are that compute them by different formulas.

Most tests need none of this: small whole numbers give equal results, and kernels have bounds of
their own (`cases/rounding_bounds.py`).
"""

import numpy as np

ROUNDINGS = 1024
"""More than there are on the way to a result of a test.

Those are at most one for each term of a sum, of which tests have up to 200, a few units in the last
place for each function, and n for each step of a factorisation of n rows, which is stable: its
results are those of a matrix that is off by a small multiple of n roundings (Higham, Accuracy and
Stability of Numerical Algorithms, theorems 9.3, 10.3 and 19.4).
"""


def whole_numbers(rng, shape=(), dtype=np.float64):
    """Return small whole numbers that are not 0: their sums and products are exact."""
    found = rng.integers(1, 4, shape) * rng.choice((-1, 1), shape)
    if np.dtype(dtype).kind == "c":
        found = found + 1j * rng.integers(1, 4, shape)
    return np.asarray(found, dtype)


def assert_near(found, expected, *of, differences=None):
    """Check numbers up to roundings of the largest one.

    Args:
        found: an array, or a sequence of them.
        expected: likewise.
        of: matrices that systems of equations were solved with, whose condition numbers are how
            much larger the errors of results may be than those of the matrices.
        differences: the step of difference quotients of second order, if one side is computed so.
    """
    factor = max([1.0, *map(_condition, of)])
    several = isinstance(found, (tuple, list))
    pairs = zip(found, expected, strict=True) if several else [(found, expected)]
    for one, other in (map(np.asarray, pair) for pair in pairs):
        kinds = [each.dtype for each in (one, other) if each.dtype.kind in "fc"]
        unit = max((float(np.finfo(kind).eps) for kind in kinds), default=0.0) / 2
        size = max(1.0, np.abs(other[np.isfinite(other)]).max(initial=0))
        tolerance = ROUNDINGS * factor * unit * size
        if differences:  # roundings are divided by the step, and terms of third order are left out
            tolerance = tolerance / differences + differences**2 * size
        np.testing.assert_allclose(one, other, rtol=0, atol=tolerance)


def assert_units(found, exact, units):
    """Check results of functions up to some units in the last place of their type."""
    exact = np.asarray(exact).astype(found.dtype)
    np.testing.assert_allclose(found, exact, rtol=units * float(np.finfo(found.dtype).eps))


def _condition(matrix):
    """Return the largest condition number of matrices, singular ones left out."""
    matrix = np.asarray(matrix)
    if 0 in matrix.shape:
        return 1.0
    values = np.linalg.svd(np.where(np.isfinite(matrix), matrix, 0), compute_uv=False)
    least, most = values.min(-1), values.max(-1)
    is_regular = least > most * np.finfo(values.dtype).eps
    return float(np.max(most[is_regular] / least[is_regular], initial=1))
