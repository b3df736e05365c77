"""`continue` and `return` in branches, also with values, and what to write for `while` and `break`."""

import numpy as np
import pytest

import tinytc_mlir as tt


def same(kernel, *arguments):
    """Check that the kernel stores what the function does."""
    found, expected = (
        [a.copy() if isinstance(a, np.ndarray) else a for a in arguments] for _ in range(2)
    )
    kernel(*found, groups=1)
    kernel.python(*expected, groups=1)
    for after, wanted in zip(found, expected, strict=True):
        assert np.array_equal(after, wanted)


@tt.kernel
def skipped(n: tt.index, x: tt.i64[8], y: tt.i64[8]):
    """`continue` in loops of each kind, between changes of numbers that loops carry."""
    s, last = tt.i64(1), tt.i64(0)
    for i in range(8):
        last = x[i]
        if x[i] == 2:
            s += 100
            continue
        if x[i] > 5:
            if x[i] == 7:
                s = s * 2
                continue
            continue
        if x[i] < 1:
            continue
        s = s + x[i]
        last = s
        for j in range(n):
            if j == 1:
                continue
            s += 1
        y[i] = s
    y[7] = last
    for i in tt.foreach(8):
        if x[i] != 4:
            continue
        y[i] = 3 * y[i] + s


@tt.kernel
def skipped_at_the_end(n: tt.index, x: tt.i64[8], y: tt.i64[8]):
    for _ in range(3):
        continue
    for k in range(3):
        if k > n:
            y[k] += x[k]
        else:
            continue


@tt.kernel
def skipped_on_some_paths(n: tt.index, x: tt.i64[8], y: tt.i64[8]):
    s = tt.i64(0)
    for i in range(8):
        if x[i] > 3:
            if i > n:
                continue
            s += x[i]
        elif x[i] == 2:
            continue
        s = 2 * s + 1
        if i < n:
            y[i] = s
        elif x[i] < 4:
            continue
        y[i] += s


@tt.kernel
def guarded(n: tt.index, x: tt.i64[8], y: tt.i64[8]):
    """`return` in branches, and at the end."""
    y[0] = x[1]
    if n == 0:
        return
    s = x[2]
    if n > 2:
        if n > 5:
            y[1] = 7
            return
        y[2] = s
        s = s + 1
    elif n == 2:
        return
    y[3] = s
    return


@tt.kernel
def guarded_deeper(n: tt.index, x: tt.i64[8], y: tt.i64[8]):
    if n > 2:
        if n > 5:
            return
        return
    y[3] = x[4]
    if n == 1:
        pass
    else:
        return
    y[4] = x[5]


@tt.inline
def limited(x, n):
    if x > n:
        return n
    if x == 3:
        y = x * 10
        return y + 1
    if x == 2:
        return -5
    return x + 2


@tt.inline
def stored(y, n):
    if n > 3:
        return
    y[5] = 9


@tt.kernel
def called(n: tt.i64, x: tt.i64[8], y: tt.i64[8]):
    for i in range(8):
        y[i] = limited(x[i], n) + limited(tt.i64(3), n)
    stored(y, n)


@tt.kernel
def of_constants(N: tt.const, x: tt.i64[8], y: tt.i64[8]):
    if N > 3:
        y[0] = 1
        return
    y[1] = x[1]


@tt.kernel
def without_while(n: tt.index, x: tt.i64[8], y: tt.i64[8]):
    done, s, i = False, tt.i64(0), n
    for k in range(8):
        if not done:
            s += x[k]
            if s > 6:
                done = True
    for k in range(8):
        if i > 2:
            i = i // 2
            y[k] = tt.i64(i)
    y[7] = s


KERNELS = (
    skipped,
    skipped_at_the_end,
    skipped_on_some_paths,
    guarded,
    guarded_deeper,
    called,
    without_while,
)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
@pytest.mark.parametrize("n", [0, 1, 2, 3, 7])
def test_results(kernel, n):
    same(kernel, n, np.array([4, 2, 0, 7, 1, 6, 3, 4]), np.full(8, -1))


@pytest.mark.parametrize("n", [2, 5])
def test_constants(n):
    same(of_constants[n], np.arange(8), np.full(8, -1))


def test_the_text_is_read_back():
    text = called.text
    assert tt.Context().parse(text).to_text() == text


@tt.inline  # noqa: RET503
def partly(x):
    if x > 1:
        return x


@tt.inline
def of_two_types(x):
    if x > 1:
        return x
    return 1.5 if x > 0 else tt.f64(2.5)


@tt.inline  # noqa: RET503
def from_a_loop(x):
    for _ in range(3):
        return x


def message_of(body):
    """Return the message and the hint of a kernel that calls a function."""

    @tt.kernel
    def calls(x: tt.f32[8]):
        x[0] = body(x[1])

    with pytest.raises(tt.ParseError) as caught:
        calls.text  # noqa: B018
    diagnostic = caught.value.diagnostics[0]
    return diagnostic.message, diagnostic.excerpt.strip()


def test_values_on_some_paths():
    expected = "expected a value of 'partly' on all paths, got one on some"
    assert message_of(partly) == (expected, "return x")


def test_values_of_two_types():
    message, _ = message_of(of_two_types)
    assert message == "expected one type for 'return' after both branches, got f32 and f64"


def test_return_in_a_loop():
    message, excerpt = message_of(from_a_loop)
    where = "in the body of the function or in one of at most 40 conditionals there"
    assert (message, excerpt) == (f"expected 'return' {where}, got it deeper", "return x")
