"""Numbers that a conditional expression chooses have the type of what they meet."""

import numpy as np
import pytest

import tinytc_mlir as tt

ONE = 1


def same(kernel, *arguments, groups=1):
    """Check that the kernel stores what the function does; return the arguments after it."""
    found, expected = (
        [a.copy() if isinstance(a, np.ndarray) else a for a in arguments] for _ in range(2)
    )
    kernel(*found, groups=groups)
    kernel.python(*expected, groups=groups)
    for a, b in zip(found, expected, strict=True):
        assert np.array_equal(a, b)
    return found


@pytest.mark.parametrize("type_", ["i8", "i64", "f32", "f64", "c64"])
def test_stored_and_combined(type_):
    @tt.kernel
    def chosen(n: tt.i64, x: tt.i64[8], y: "T[8, 8]", T: tt.const):  # noqa: F821
        for i in tt.foreach(8):
            is_low = x[i] < n
            y[i, 0] = 1 if is_low else 0
            y[i, 1] += 3 if is_low else -ONE
            y[i, 2] = y[i, 2] * (2 if is_low else 0 if x[i] > 5 else 1)
            y[i, 3] = (1 if is_low else 0) - (1 if x[i] > 4 else 0)
            factor = 2 if is_low else 3
            y[i, 4] = factor * y[i, 4]
            y[i, 4] += factor if x[i] > 5 else 9
            y[i, 5] = T(1 if is_low else 0) + y[i, 5]
            y[i, 6] = y[i, 6] if is_low else (1 if x[i] == 6 else 2)
            y[i, 7] = -(5 if not is_low else 4 + ONE * 2)

    dtype = {"i8": "i1", "i64": "i8", "f32": "f4", "f64": "f8", "c64": "c16"}[type_]
    same(chosen[getattr(tt, type_)], 3, np.arange(8), np.full((8, 8), 7, dtype))


def test_in_all_places():
    @tt.kernel
    def places(n: tt.index, x: tt.f32[8], A: tt.f32[8, 8], B: tt.f32[8, 8], k: tt.i32[8]):
        A[:] = (2.0 if n > 2 else 0.5) * B
        A += -(1 if n > 3 else 3) * B
        with tt.parallel():
            x[1 if n > 2 else 0] += 1 if n > 2 else 4
            for j in range(0 if n < 2 else 1, 8, 1 if n < 4 else 2):
                x[j] = max(x[j], 9.0 if j < 4 else 2)
            s: tt.f32 = 1 if n > 2 else 2
            for j in range(8):
                s = s + (1.0 if j < n else -1.0)
            x[7] = s
            count = 0 if n < 3 else 10
            for j in range(8):
                count += 1 if x[j] > 1 else 0
            k[0] = tt.i32(count)
            x[6] = tt.fma(x[6], 2.0 if n < 3 else 1, x[5])
            if (1 if n > 2 else 0) < n:
                x[5] = 1.5 if n > 2 and x[5] > 0 else 0

    for n in range(6):
        arrays = np.arange(8, dtype="f4"), np.ones((8, 8), "f4"), np.eye(8, dtype="f4")
        same(places, n, *arrays, np.zeros(8, "i4"))


def test_conditions_are_computed_only_if_they_decide():
    @tt.kernel
    def guarded(n: tt.index, x: tt.f64[4], y: tt.f64[4]):
        with tt.parallel():
            for j in range(4):
                y[j] = -1 if j >= n else 1 if x[j % n] > 0 else 0
                y[j] += (4 if x[j // n] > 0 else 8) if n > 0 else 16

    for n in range(4):
        same(guarded, n, np.array([1.0, -1, 2, -2]), np.zeros(4))


def test_the_program():
    @tt.kernel
    def chosen(s: tt.f32, x: tt.f32[8]):
        i = tt.group_id
        x[i] = 1.0 if s > 0 else 0.0

    assert "if" not in chosen.text.replace("group_id", "")
    assert "select" in chosen.text
