"""Kernels of all ways to tell numbers of groups, as operations, and what they compute.

Each function returns the options of the operation, its inputs of random sizes, and the same with
the functions of another library, JAX's or PyTorch's, as `xp`.
"""

import numpy as np

import tinytc_mlir as tt


@tt.kernel
def condition(a: tt.f64, x: tt.f64[None], out: tt.f64[None]):
    i = tt.group_id.x
    v = tt.f64(0)
    if a > 0.0:
        v = a * x[i] * x[i]
    out[i] = v


@tt.kernel
def chosen(s: tt.i32[1], x: tt.f64[None], y: tt.f64[None], out: tt.f64[None]):
    i = tt.group_id.x
    v = tt.f64(0)
    if s[0] > 0:  # noqa: SIM108 (a condition in the kernel)
        v = x[i] * x[i]
    else:
        v = y[i]
    out[i] = v


@tt.kernel
def loop(n: tt.index, w: tt.f64[1], x: tt.f64[None, None], out: tt.f64[None]):
    i = tt.group_id.x
    v = tt.f64(0)
    for k in range(n):
        v = v + w[0] * x[k, i] * x[k, i]
    out[i] = v


@tt.kernel
def difference(w: tt.f64[1], x: tt.f64[None], out: tt.f64[None]):
    i = tt.group_id.x
    out[i] = w[0] * (x[i + 1] - x[i]) * x[i]


@tt.kernel
def convolution(w: tt.f64[None], x: tt.f64[None], out: tt.f64[None]):
    i = tt.group_id.x
    v = tt.f64(0)
    for k in range(w.shape[0]):
        v = v + w[k] * x[i + k] * x[i + k]
    out[i] = v


@tt.kernel
def pairs(x: tt.f64[None], out: tt.f64[None]):
    i = tt.group_id.x
    out[i] = x[2 * i] * x[2 * i + 1]


@tt.kernel
def grid(w: tt.f64[2], x: tt.f64[None, None], out: tt.f64[None, None]):
    i = tt.group_id.x
    j = tt.group_id.y
    out[j, i] = w[0] * x[j, i] * x[j, i] + w[1]


@tt.kernel
def columns(m: tt.f64[3, 3], x: tt.f64[3, None], out: tt.f64[3, None]):
    j = tt.group_id.y
    out[:, j] = m @ x[:, j]


@tt.kernel
def product(x: tt.f64[4, 3], m: tt.f64[3, 3], out: tt.f64[4, 3]):
    out[:] = x @ m


@tt.kernel
def segments(off: tt.i32[None], w: tt.f64[1], x: tt.f64[None], out: tt.f64[None]):
    g = tt.group_id.x
    for k in range(tt.index(off[g]), tt.index(off[g + 1])):
        out[k] = w[0] * x[k] * x[k]


@tt.kernel
def rows(off: tt.i32[None], col: tt.i32[None], a: tt.f64[None], x: tt.f64[None], out: tt.f64[None]):
    g = tt.group_id.x
    v = tt.f64(0)
    for k in range(tt.index(off[g]), tt.index(off[g + 1])):
        v = v + a[k] * x[tt.index(col[k])]
    out[g] = v


@tt.kernel
def update(a: tt.f64, x: tt.f64[None], y: tt.f64[None]):
    i = tt.group_id.x
    y[i] = y[i] * y[i] + a * x[i]


@tt.kernel
def names(x: tt.f64[None], x_batch: tt.f64[None], batch_id: tt.f64, out: tt.f64[None]):
    i = tt.group_id.x
    out[i] = batch_id * x[i] * x_batch[i]


@tt.kernel
def guard(n: tt.index, x: tt.f64[None], out: tt.f64[None]):
    i = tt.group_id.x
    if i < n:
        out[i] = x[i] * x[i]


def _segments(rng):
    off = np.concatenate([[0], np.cumsum(rng.integers(0, 4, rng.integers(1, 6)))]).astype(np.int32)
    return off, int(off[-1])


def _condition(rng, xp, real):
    a = np.asarray(real() * rng.choice([-1, 1]))
    return {}, (a, real(rng.integers(0, 7))), lambda a, x: xp.where(a > 0, a * x * x, 0 * x)


def _chosen(rng, xp, real):
    n, s = rng.integers(0, 7), np.array([rng.integers(0, 2)], np.int32)
    given = s, real(n), real(n)
    return {}, given, lambda _, x, y: x * x if s[0] else y + 0


def _loop(rng, xp, real):
    n, most = int(rng.integers(0, 4)), int(rng.integers(3, 5))
    given = n, real(1), real(most, rng.integers(0, 6))
    options = {"constants": {"n": n}} if rng.integers(2) else {}
    if options:
        return options, given[1:], lambda w, x: (w * x * x)[:n].sum(0)
    return {}, given, lambda n, w, x: (w * x * x)[:n].sum(0)


def _difference(rng, xp, real):
    given = real(1), real(rng.integers(0, 7))
    return {}, given, lambda w, x: w * (x[1:] - x[:-1]) * x[:-1]


def _convolution(rng, xp, real):
    m, n = rng.integers(1, 4), rng.integers(3, 8)

    def function(w, x):
        return sum(w[k] * x[k : n - m + 1 + k] ** 2 for k in range(m))

    return {}, (real(m), real(n)), function


def _pairs(rng, xp, real):
    return {}, (real(2 * rng.integers(0, 6)),), lambda x: x[::2] * x[1::2]


def _grid(rng, xp, real):
    given = real(2), real(rng.integers(0, 5), rng.integers(0, 5))
    return {}, given, lambda w, x: w[0] * x * x + w[1]


def _columns(rng, xp, real):
    n = int(rng.integers(1, 6))
    options = {"groups": (1, n)} if rng.integers(2) else {}
    return options, (real(3, 3), real(3, n)), lambda m, x: m @ x


def _product(rng, xp, real):
    options = {"groups": (1,)} if rng.integers(2) else {}
    return options, (real(4, 3), real(3, 3)), lambda x, m: x @ m


def _segments_case(rng, xp, real):
    off, n = _segments(rng)
    options = {"outputs": ("out",), "shapes": {"out": [("x", 0)]}}
    return options, (off, real(1), real(n)), lambda off, w, x: w * x * x


def _rows(rng, xp, real):
    off, n = _segments(rng)
    m = int(rng.integers(1, 5))
    col = rng.integers(0, m, n).astype(np.int32)
    parts = [range(off[g], off[g + 1]) for g in range(len(off) - 1)]

    def function(off, cols, a, x):
        zero = 0 * x.sum()
        return xp.stack([sum((a[k] * x[int(col[k])] for k in part), zero) for part in parts])

    return {}, (off, col, real(n), real(m)), function


def _update(rng, xp, real):
    n = rng.integers(0, 6)
    return {}, (real(), real(n), real(n)), lambda a, x, y: y * y + a * x


def _names(rng, xp, real):
    n = rng.integers(0, 6)
    return {}, (real(n), real(n), real()), lambda x, y, b: b * x * y


def _guard(rng, xp, real):
    size = int(rng.integers(1, 6))
    n = int(rng.integers(0, size + 1))
    options = {"shapes": {"out": [("x", 0)]}, "groups": [("x", 0)], "outputs": ("out",)}
    mask = np.arange(size) < n

    def function(n, x):
        return xp.stack([x[k] * x[k] if mask[k] else 0 * x[k] for k in range(size)])

    return options, (n, real(size)), function


CASES = {
    condition: _condition,
    chosen: _chosen,
    loop: _loop,
    difference: _difference,
    convolution: _convolution,
    pairs: _pairs,
    grid: _grid,
    columns: _columns,
    product: _product,
    segments: _segments_case,
    rows: _rows,
    update: _update,
    names: _names,
    guard: _guard,
}
