"""Truth values, integers, empty and single elements, indices of run time: against NumPy."""

import numpy as np
import pytest

import tinytc_mlir as tt
from nearness import assert_near
from tinytc_mlir.batches import programs

random = np.random.default_rng(0)


@tt.batched
def empty(x: tt.f64["n"]):
    return x[:0], x, tt.sum(x[:0])


@tt.batched
def numbers(a: tt.f64, b: tt.f64):
    return a * b, a > b


@tt.batched
def integers(a: tt.i32["n"], b: tt.i32["n"]):
    return a // b, a % b, a / b, a > b, ~a, a & b, a << 1


@tt.batched
def truths(x: tt.f64["n", "m"], m: tt.bool["m"]):
    p = x > 0
    return (
        p,
        p & (x < 1),
        tt.any(p, axis=0),
        tt.all(p),
        tt.sum(p),
        tt.where(m, 1, x),
        tt.stack([m, m]),
    )


@tt.batched
def indices(x: tt.f64["n"], i: tt.i64):
    return x[i], x[i : i + 2]


@tt.batched
def returns(x: tt.f64["n"]):
    if x[0] > 0:
        return x
    if x[1] > 0:
        return 2 * x
    return tt.zeros(3)


@tt.batched
def turns(x: tt.f64["n"], m: tt.i64):
    s = 0
    for k in range(m):
        if k % 2 == 0:
            s += x[k]
        else:
            s -= 1
    return s


@tt.batched
def single(A: tt.f32[1, 1], x: tt.f32[1]):
    return A @ x, A @ A, x @ x


@tt.batched
def columns(A: tt.f64["n", "n"], X: tt.f64["n", 1], Y: tt.f64[1, "n"]):
    t = tt.exp(X)
    return (
        A @ X + 2 * (A.T @ (A @ t)),
        A @ Y.T,
        A[:, 1:] @ X[1:],
        Y @ X,
        A[:1] @ (X + 1),
        A[:0] @ X,
        A[:, :0] @ X[:0],
    )


@tt.batched
def same(x: tt.f64["n"]):
    return x, x, x + 0


@tt.batched
def complexes(x: tt.c32["n"]):
    return tt.exp(x), abs(x), x.real, x.imag, tt.norm(x), tt.sum(x * tt.conj(x))


@tt.batched
def long(A: tt.f64["n", "n"]):
    B = A
    for _ in range(100):
        B = B @ A / tt.norm(B)
    return B, tt.trace(B)


@tt.batched
def reductions(x: tt.f64["n"], k: tt.i32["n"]):
    p = x > -1
    return (
        tt.max(x),
        tt.min(-x),
        tt.prod(x),
        tt.any(~p),
        tt.all(p),
        tt.max(k),
        tt.sum(x * x),
        k.prod(),
    )


@tt.batched
def in_numpy(A: tt.f64["n", "n"], x: tt.f64["n"], k: tt.i32["n"]):
    y, z = x.copy(), np.append(x, 1.0)
    y[x < 0] = 2
    y[np.isinf(x) | np.logical_not(np.isfinite(x))] = x[0]
    return (
        y, np.argmax(A), np.argmin(x), np.argmax(k), np.ptp(k), np.diff(A), np.tile(x, 2), np.repeat(k, 3), z,
        np.linspace(0, x[0], 4), np.linalg.matrix_power(A, 3), np.linalg.multi_dot([A, A, x]), np.kron(x, z),
        np.polyval([1.0, 2.0, 3.0], x), np.full_like(k, 3), np.count_nonzero(x > 0), np.einsum("ij,j,k->ki", A, x, z),
        np.logical_and(x > 0, k), np.logical_or(x > 0, x < -1), np.einsum("ij,ij", A, A),
    )  # fmt: skip


def normal(*shape):
    return random.standard_normal(shape)


def with_nan(*shape):
    found = normal(*shape)
    found[1, 3] = found[2, -1] = np.nan
    return found


CASES = {
    empty: (normal(3, 4),),
    numbers: (np.arange(3.0), 1.0),
    integers: (
        random.integers(-9, 9, (5, 4)).astype("i4"),
        random.integers(1, 5, (5, 4)).astype("i4"),
    ),
    truths: (normal(4, 2, 5), normal(4, 5) > 0),
    indices: (normal(4, 5), np.array([0, 1, 2, 3])),
    returns: (normal(9, 3),),
    turns: (normal(3, 8), np.array([0, 3, 8])),
    single: (np.ones((4, 1, 1), "f4"), np.ones((4, 1), "f4")),
    columns: (normal(3, 5, 5), normal(3, 5, 1), normal(3, 1, 5)),
    same: (normal(3, 4),),
    complexes: ((normal(3, 4) + 1j).astype("c8"),),
    long: (normal(2, 5, 5),),
    in_numpy: (with_nan(5, 4, 4), normal(5, 4), np.array([3, 1, 3, 2], "i4")),
    reductions: (with_nan(5, 37), np.arange(1, 38, dtype="i4")),
}


@pytest.mark.parametrize("most", [2500, 0], ids=["registers", "memory"])
@pytest.mark.parametrize("function", CASES, ids=lambda each: each.name)
def test_edge(function, most, monkeypatch):
    monkeypatch.setattr(programs, "MOST_STEPS", most)
    function._kinds.clear()
    function._plans.clear()
    found, expected = function(*CASES[function]), function.python(*CASES[function])
    several = zip(found, expected, strict=True) if isinstance(found, tuple) else [(found, expected)]
    for one, other in several:
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        assert_near(one, other)
