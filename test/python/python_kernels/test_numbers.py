"""Truth values as numbers, several targets, extremes of many, and integers in arrays, as in Python."""

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.kernels.nodes import types_in_python

sizes = (8, 9)


def same(kernel, *arguments):
    """Check that the kernel stores what the function does."""
    found, expected = (
        [a.copy("F") if isinstance(a, np.ndarray) else a for a in arguments] for _ in range(2)
    )
    kernel(*found, groups=1)
    kernel.python(*expected, groups=1)
    for after, wanted in zip(found, expected, strict=True):
        assert np.array_equal(after, wanted, equal_nan=True)
    assert not all(map(np.array_equal, found, arguments))


def test_truth_values_are_compared_and_converted():
    @tt.kernel
    def compared(n: tt.i64, x: tt.i64[8], y: tt.i32[8, 9], z: tt.c32[8]):
        for i in tt.foreach(8):
            a, b = x[i] < n, x[i] > 4
            y[i, 0] = 1 if a == b else 2
            y[i, 1] = 1 if a != b else 2
            y[i, 2] = tt.i32(a)
            y[i, 3] = tt.i32(b) + tt.i32(tt.f32(a) - tt.f32(b))
            y[i, 4] = 1 if tt.bool(x[i]) else 2
            y[i, 5] = 1 if tt.bool(a) == True else 2  # noqa: E712
            y[i, 6] = 1 if tt.bool(3) != b else 2
            y[i, 7] = 1 if (a == b) != (x[i] == 3) else 2
            y[i, 8] = 1 if a == (i < 6) == b else 2
            z[i] = tt.c32(a)

    for n in range(0, 9, 2):
        same(compared, n, np.arange(8), np.zeros((8, 9), np.int32), np.zeros(8, np.complex64))


def test_extremes_of_many():
    @tt.kernel
    def extremes(a: tt.f64, b: tt.f64, x: tt.f64[8]):
        x[0] = max(a, b, x[0])
        x[1] = min(a, b, x[1], 3)
        x[2] = max(1, 2, 3) + min(3, 2, 1)
        x[3] = max(1, a, 2, b)

    for a, b in ((1.0, 2.0), (9.0, -4.0), (np.nan, 0.5)):
        same(extremes, a, b, np.arange(8.0))


def test_local_memory_by_names():
    @tt.kernel
    def through(x: tt.f64[8]):
        t, u = tt.local(tt.f64, shape=(8,)), tt.local(type=tt.f64, shape=(8,))
        t[:] = 2 * x
        u[:] = 3 * t
        x[:] = u

    same(through, np.arange(8.0))


@pytest.mark.parametrize("type_", ["i8", "i64", "f32", "c64"])
def test_arrays_of_integers(type_):
    @tt.kernel
    def updated(A: "T[4, 4]", B: "T[4, 4]", C: "T[4, 4]", x: "T[4]", T: tt.const):  # noqa: F821
        A[:] += B[...]
        A -= C
        C[:] = 2 * B - C
        B[:] = -A
        C[:] = A @ B + C
        x[...] += C[0, ...]
        B += tt.outer(x, x)
        x[:] = 3 * A.sum(1) - 2 * x

    dtype = {"i8": "i1", "i64": "i8", "f32": "f4", "c64": "c16"}[type_]
    random = np.random.default_rng(0)
    shapes = (4, 4), (4, 4), (4, 4), 4
    same(updated[getattr(tt, type_)], *(random.integers(-2, 3, s).astype(dtype) for s in shapes))


def test_types_in_messages():
    assert types_in_python("got group<memref<f32x3x?,strided<1,?>>x5, offset: ?>, got false") == (
        "got group[f32[3, None].strided(1, None), None, 5], got False"
    )
    assert types_in_python("'A' is of type coopmatrix<f32x16x8,matrix_acc>") == (
        "'A' is of type coopmatrix[f32, 16, 8, 'matrix_acc']"
    )


def test_least_integers_are_divided():
    @tt.kernel
    def divided(x: tt.i32[4], y: tt.i32[4], z: tt.i32[4, 2]):
        for i in tt.foreach(4):
            z[i, 0] = x[i] // y[i]
            z[i, 1] = x[i] % y[i]

    least = np.array([-(2**31), -(2**31), -(2**31), -7], np.int32)
    divisors = np.array([2, 3, -3, 3], np.int32)
    z = np.zeros((4, 2), np.int32, order="F")
    same(divided, least, divisors, z)
    divided(least, divisors, z, groups=1)
    assert z[0].tolist() == [-(2**30), 0]
    assert z[1].tolist() == [-715827882, -2]


def test_powers_of_constants():
    @tt.kernel
    def powers(x: tt.f64[3]):
        x[0], x[1], x[2] = 2**3, 2.0**-1, x.shape[0] ** 2

    same(powers, np.zeros(3))


def test_sizes_are_unpacked():
    @tt.kernel
    def unpacked(A: tt.f32[3, None], x: tt.index[3]):
        m, n = A.shape
        x[0], x[1] = n, m
        _, x[2] = sizes

    x = np.zeros(3, np.int64)
    same(unpacked, np.zeros((3, 5), np.float32), x)
    unpacked(np.zeros((3, 5), np.float32), x, groups=1)
    assert x.tolist() == [5, 3, 9]
