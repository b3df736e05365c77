"""Truth values: what is computed in any case, what only where it decides, and in which order."""

import numpy as np

import tinytc_mlir as tt


@tt.inline
def increment(x):
    x[0] += 1
    return x[0]


def test_right_sides_are_computed_only_if_they_decide():
    @tt.kernel
    def guarded(x: tt.i64[8], n: tt.index, d: tt.i64):
        with tt.parallel():
            for k in range(n):
                if k + 1 < n and x[k + 1] > 4:
                    x[k] = -1
            if n == 0 or increment(x) > 100 or d == 0 or 10 // d > 3:
                x[1] = -2
            if 0 < d < increment(x) < increment(x):
                x[2] = -3

    assert "arith.and" not in guarded.text
    for n, d in ((8, 0), (8, 2), (8, 5), (0, 0), (2, 1)):
        given = np.arange(8)
        found = given.copy()
        guarded(found, n, d, groups=1)
        guarded.python(given, n, d, groups=1)
        assert np.array_equal(found, given)


def test_truth_values_that_can_be_computed_need_no_branch():
    @tt.kernel
    def between(x: tt.f32[8], s: tt.f32):
        with tt.parallel():
            x[0] = 1.0 if 0 < s < 4 and s != 2 else x[0]

    assert between.text.count("arith.and") == 2
    assert between.text.count("if ") == 1


def test_order_of_evaluation():
    @tt.kernel
    def ordered(x: tt.i64[8]):
        with tt.parallel():
            x[0] += increment(x)
            x[tt.index(x[0])] = increment(x)

    found, expected = np.ones(8, np.int64), np.ones(8, np.int64)
    ordered(found, groups=1)
    ordered.python(expected, groups=1)
    assert found.tolist() == expected.tolist() == [4, 1, 1, 1, 4, 1, 1, 1]


def test_updates_by_quotients_compute_their_places_once():
    @tt.kernel
    def updated(x: tt.i64[8], y: tt.f64[8]):
        with tt.parallel():
            x[tt.index(increment(x))] //= increment(x)
            x[tt.index(increment(x))] %= -increment(x)
            y[tt.index(increment(x))] %= -tt.f64(increment(x))

    found, expected = ([-9 * np.arange(8), np.arange(8) - 9.5] for _ in range(2))
    updated(*found, groups=1)
    updated.python(*expected, groups=1)
    assert list(map(list, found)) == list(map(list, expected))
    assert expected[0].tolist() == [6, -4, -18, -3, -36, -45, -54, -63]


def test_starts_of_slices_with_effects_are_computed_again_for_ends():
    @tt.kernel
    def sliced(x: tt.f64[8], w: tt.f64[8]):
        y = x[tt.index(increment(x)) : tt.index(increment(x)) + 2]
        for k in tt.foreach(y.shape[0]):
            y[k] = w[k]

    found, expected = ([np.arange(8.0), np.arange(8) - 9.5] for _ in range(2))
    sliced(*found, groups=1)
    sliced.python(*expected, groups=1)
    assert list(map(list, found)) == list(map(list, expected))
    assert expected[0].tolist() == [2, -9.5, -8.5, -7.5, 4, 5, 6, 7]


def test_maxima_and_minima_leave_out_nan():
    @tt.kernel
    def extremes(x: tt.f64[10]):
        with tt.parallel():
            for k in range(2):
                a, b = x[k], x[1 - k]
                x[4 * k + 2] = max(a, b)
                x[4 * k + 3] = min(a, b)
                x[4 * k + 4] = tt.max(a, b)
                x[4 * k + 5] = tt.min(a, b)

    found = np.array([np.nan, 1] + 8 * [0.0])
    expected = found.copy()
    extremes(found, groups=1)
    extremes.python(expected, groups=1)
    assert found[1:].tolist() == expected[1:].tolist() == 9 * [1.0]
