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


def test_carried_values():
    @tt.kernel
    def fibonacci(x: tt.i64[10]):
        with tt.parallel():
            a, b = tt.i64(0), tt.i64(1)
            unused = tt.i64(7)
            for k in range(10):
                x[k] = a
                a, b = b, a + b
                unused = a  # noqa: F841

    (found,) = launched(fibonacci, np.zeros(10, np.int64))
    assert found.tolist() == [0, 1, 1, 2, 3, 5, 8, 13, 21, 34]
    assert fibonacci.text.count(" -> (i64, i64)") == 1


def test_branches_yield():
    @tt.kernel
    def sign(x: tt.f32[8]):
        with tt.parallel():
            for k in range(0, 8, 2):
                if x[k] > 1:
                    y = tt.f32(1)
                elif x[k] < -1:
                    y = tt.f32(-1)
                else:
                    y = x[k]
                x[k] = y
                x[k + 1] = 2 * y

    given = np.array([-3, 0, 5, 0, 0.5, 0, 1, 0], np.float32)
    (found,) = launched(sign, given)
    assert found.tolist() == [-1, -2, 1, 2, 0.5, 1, 1, 2]


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


def test_foreach():
    @tt.kernel
    def add(A: tt.f64[5, 7], B: tt.f64[5, 7]):
        for i, j in tt.foreach(5, 7):
            A[i, j] += 2 * B[i, j]
        for (i,) in tt.foreach((1,), (3,)):
            A[i, 0] = 0

    a, b = np.ones((5, 7)), np.arange(35.0).reshape(5, 7)
    found, _ = launched(add, a, b)
    expected = a + 2 * b
    expected[1:3, 0] = 0
    assert np.array_equal(found, expected)


def test_foreach_tile():
    @tt.kernel
    def scale(A: tt.f32[13, 7]):
        for i, j, m, n in tt.foreach_tile(13, 7, (8, 4)):
            for k in range(m):
                for p in range(n):
                    A[i + k, j + p] = 2

    assert "foreach_tile (%i, %j)" in scale.text
    a = np.ones((13, 7), np.float32)
    assert np.all(launched(scale, a)[0] == 2)


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


def test_updates_of_arrays_after_regions():
    @tt.kernel
    def add(A: tt.f32[4, 4], B: tt.f32[4], n: tt.index):
        for k in range(4):
            B += A[:, k]
        if n > 0:
            B += A[:, 0]
        for k in range(4):
            B += A[:, k]

    (_, found) = launched(add, np.ones((4, 4), np.float32, order="F"), np.zeros(4, np.float32), 1)
    assert found.tolist() == [9] * 4


def test_rebound_arrays_and_values():
    @tt.kernel
    def arrays(A: tt.f32[4, 4], B: tt.f32[4]):
        a = A[:, 0]
        for k in range(1, 4):
            B += a
            a = A[:, k]

    @tt.kernel
    def loops(x: tt.f32[4]):
        s = x[0]
        for (i,) in tt.foreach(4):
            s = s + 1
            x[i] = s

    with pytest.raises(tt.ParseError, match="expected a number for 'a', which the loop changes"):
        arrays.text  # noqa: B018
    with pytest.raises(tt.ParseError, match="expected no value of 's' from before the region"):
        loops.text  # noqa: B018


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
