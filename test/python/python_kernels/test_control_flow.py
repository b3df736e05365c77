"""Loops, conditionals and regions: what they carry, yield and hide."""

import numpy as np
import pytest

import tinytc_mlir as tt

WIDTH = 4


@tt.inline
def clamp(x, low, high):
    """Return a number between two bounds."""
    lower = max(x, low)
    return min(lower, high)


@tt.inline
def scale_row(A, i, factor):
    for j in range(WIDTH):
        A[i, j] = factor * A[i, j]


def launched(kernel, *arguments, **named):
    """Return the arrays after a launch on the CPU."""
    arrays = [np.array(a, order="F") if isinstance(a, np.ndarray) else a for a in arguments]
    kernel(*arrays, groups=1, **named)
    return [a for a in arrays if isinstance(a, np.ndarray)]


def test_only_the_branch_of_a_constant_is_read():
    @tt.kernel
    def chosen(x: tt.f32[8], FAST: tt.const):
        if FAST:
            x[:] = 2 * x
        else:
            x[:] = nothing @ here  # noqa: F821

    assert "axpby" in chosen[True].text
    with pytest.raises(tt.ParseError, match="expected a name that has a value, got 'nothing'"):
        chosen[False].text  # noqa: B018


def test_functions_are_inlined():
    @tt.kernel
    def clamped(A: tt.f32[4, 4], low: tt.f32):
        with tt.parallel():
            for i in range(4):
                A[i, 0] = clamp(A[i, 0], low, 2)
                scale_row(A, i, tt.f32(3))

    given = np.arange(16, dtype=np.float32).reshape(4, 4)
    (found,) = launched(clamped, given, 1.0)
    expected = given.copy()
    expected[:, 0] = np.clip(expected[:, 0], 1, 2)
    assert np.array_equal(found, 3 * expected)
    assert clamp(5, 1, 3) == 3


def test_constants_from_outside():
    size, kind = 8, tt.f64

    @tt.kernel
    def doubled(x: kind[size]):
        x[:] = WIDTH / 2 * x

    assert "%x: memref<f64x8>" in doubled.text
    assert launched(doubled, np.ones(8))[0].tolist() == [2.0] * 8


def test_families():
    @tt.kernel
    def product(A: "T[M, K, None]", B: "T[M, K, None]", T: tt.const, M: tt.const, K: tt.const):  # noqa: F821
        i = tt.group_id
        assert M % 2 == 0, "an even number of rows"
        B[:, :, i] = 2 * A[:, :, i]

    assert "%A: memref<f32x8x3x?>" in product[tt.f32, 8, 3].text
    a = np.ones((4, 2, 5), order="F")
    b = np.zeros_like(a, order="F")
    product(a, b, T=tt.f64, M=4, K=2)
    assert np.all(b == 2)
    product[tt.f64, 4, 2](b, a)
    assert np.all(a == 4)
    assert product[tt.f64, 4, 2] is product[tt.f64, 4, 2]
    with pytest.raises(tt.ArgumentError, match=r"expected a value of the constant T, got none"):
        product(a, b)
    with pytest.raises(tt.ParseError, match="expected M % 2 == 0: an even number of rows"):
        product[tt.f32, 3, 3].text  # noqa: B018


def test_types_of_arguments():
    @tt.kernel
    def scale(alpha, x):
        x[:] = 3 * x
        for (i,) in tt.foreach(x.shape[0]):
            x[i] = tt.cast(alpha, tt.f32) * x[i]

    x, y = np.ones(8, np.float32), np.ones(5, np.float32)
    scale(2.0, x)
    scale(2.0, y)
    assert x.tolist() == [6] * 8
    assert y.tolist() == [6] * 5
    assert "%x: memref<f32x5>" in scale.typed(2.0, y).text
    with pytest.raises(tt.ArgumentError, match="expected a type for 'alpha', got none"):
        scale.text  # noqa: B018
    with pytest.raises(tt.ArgumentError, match="expected an array or a number"):
        scale(2.0, "x")


def test_bounds_of_different_types():
    @tt.kernel
    def fill(x: tt.i32[4, 4], m: tt.i16, n: tt.i64):
        for i, j in tt.foreach(m, n):
            x[tt.index(i), tt.index(j)] = tt.i32(i)

    (found,) = launched(fill, np.zeros((4, 4), np.int32), 2, 3)
    assert found.tolist() == [[0] * 4, [1, 1, 1, 0], [0] * 4, [0] * 4]


def test_scalars_of_numpy():
    @tt.kernel
    def store(alpha, x):
        x[0] = alpha

    assert "%alpha: f64" in store.typed(np.float64(2), np.ones(3)).text
    assert "%alpha: c64" in store.typed(np.complex128(2), np.ones(3, complex)).text


def test_values_of_regions_that_have_ended():
    @tt.kernel
    def branches(x: tt.f32[4], n: tt.index):
        s = x[0]
        if n > 0:
            for (i,) in tt.foreach(4):
                s = x[i] + 1
                x[i] = s
        x[0] = s

    @tt.kernel
    def nested(x: tt.f32[4], n: tt.index):
        s = x[0]
        for _ in range(n):
            for (i,) in tt.foreach(4):
                s = x[i] + 1
                x[i] = s
        x[0] = s

    for kernel in (branches, nested):
        with pytest.raises(tt.ParseError, match="got 's' from a region that has ended"):
            kernel.text  # noqa: B018


def test_quotients_of_constants_are_those_of_kernels():
    @tt.kernel
    def divided(x: tt.i32[4]):
        a = -7
        x[0] = a // 2
        x[1] = a % 2
        x[2] = 7 // -2
        x[3] = 7 % -2

    assert launched(divided, np.zeros(4, np.int32))[-1].tolist() == [-3, -1, -3, 1]
