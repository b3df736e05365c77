"""Factorisations and solves in batched functions, against NumPy's reference and JAX."""

import numpy as np
import pytest

import tinytc_mlir as tt
from nearness import assert_near
from tinytc_mlir.batches import programs


@tt.batched
def update(
    x: tt.f64["n"], P: tt.f64["n", "n"], H: tt.f64["m", "n"], R: tt.f64["m", "m"], z: tt.f64["m"]
):
    S = H @ P @ H.T + R
    K = tt.solve(S, H @ P).T
    return x + K @ (z - H @ x), P - K @ H @ P


@tt.batched("(n,n),(n,k)->(n,k),(),(),(n,k),(n,k),(n,k),(n,k),(n,n),(n),(n)")
def lu(A, B):
    X, info = tt.solve_ex(A, B)
    factors, piv = tt.lu_factor(A)
    sign, logarithm = np.linalg.slogdet(A)
    determinant = tt.linalg.det(A) + sign + logarithm
    solved = tt.lu_solve((factors, piv), B)
    turned = tt.lu_solve((factors, piv), B, trans=2)
    one_triangle = tt.solve_triangular(A, B, trans=1, unit_diagonal=True)
    inverse = tt.inv(A) @ B
    return (
        X,
        info,
        determinant,
        solved,
        turned,
        one_triangle,
        inverse,
        factors,
        piv,
        tt.solve(A, tt.sum(B, axis=1)),
    )


@tt.batched("(n,n),(n,k)->(n,n),(n,n),(),(n,k),(n,k),(n,k),(n)")
def spd(A, B):
    S = A @ A.T.conj() + 0.5 * tt.eye(A.shape[0])
    L, info = tt.cholesky_ex(S - 3.0 * tt.eye(A.shape[0]))
    U = np.linalg.cholesky(S, upper=True)
    c, lower = tt.cho_factor(S, True)
    solved = tt.cho_solve((c, lower), B)
    half = tt.solve_triangular(c, B, lower=True)
    return (
        L,
        U,
        info,
        solved,
        half,
        tt.solve(S, B, assume_a="pos"),
        tt.solve(S, tt.sum(B, axis=1), "pos", True),
    )


@pytest.fixture(params=["registers", "memory"])
def form(request, monkeypatch):
    if request.param == "memory":
        monkeypatch.setattr(programs, "MOST_STEPS", 0)
    for each in (update, lu, spd):
        each._kinds.clear()
        each._plans.clear()


def compare(function, *given):
    with np.errstate(all="ignore"):
        expected = function.python(*given)
    for one, other in zip(function(*given), expected, strict=True):
        assert one.dtype == other.dtype
        assert_near(one, other, given[0])


@pytest.mark.parametrize(
    ("dtype", "shape"), [(float, (3, 2)), (complex, (2, 1)), (np.float32, (5, 3)), (float, (0, 2)),
                         (float, (1, 0))]
)  # fmt: skip
@pytest.mark.usefixtures("form")
def test_reference_agrees(dtype, shape):
    n, k = shape
    random = np.random.default_rng(0)
    A, B = random.standard_normal((7, n, n)), random.standard_normal((7, n, k))
    if dtype is complex:
        A = A + 1j * random.standard_normal(A.shape)
    if n > 1:
        A[1, :, 0], A[2, 0, 0] = 0, np.nan
        A[3, 1, 0] = -A[3, 0, 0]  # equal sizes: the first row is the pivot
    A, B = A.astype(dtype), B.astype(dtype)
    compare(lu, A, B)
    compare(spd, A, B)


@pytest.mark.usefixtures("form")
def test_filter_has_all_derivatives():
    jax = pytest.importorskip("jax")
    jnp = jax.numpy
    jax.config.update("jax_enable_x64", True)
    random = np.random.default_rng(1)
    x, P, H = (random.standard_normal(s) for s in ((3, 4), (3, 4, 4), (2, 4)))
    given = x, P @ P.mT + np.eye(4), H, np.eye(2), random.standard_normal((3, 2))

    def one(x, P, H, R, z):
        S = H @ P @ H.T + R
        K = jnp.linalg.solve(S, H @ P).T
        return x + K @ (z - H @ x), P - K @ H @ P

    reference = jax.vmap(one, (0, 0, None, None, 0))

    assert_near(update(*given), reference(*given))
    adjoints = [random.standard_normal(each.shape) for each in given[:2]]
    assert_near(update.vjp()(*given, *adjoints), jax.vjp(reference, *given)[1](tuple(adjoints)))
    tangents = [random.standard_normal(each.shape) for each in given]
    assert_near(update.jvp()(*given, *tangents), jax.jvp(reference, given, tuple(tangents))[1])


def test_torch_differentiates_twice():
    torch = pytest.importorskip("torch")
    random = np.random.default_rng(2)
    A, B = (
        torch.tensor(random.standard_normal(s), requires_grad=True) for s in ((2, 3, 3), (3, 1))
    )

    @tt.batched
    def f(A: tt.f64["n", "n"], B: tt.f64["n", 1]):
        return tt.solve(A, B), tt.slogdet(A)[1], tt.cholesky(A @ A.T + tt.eye(3)), tt.inv(A)

    assert torch.autograd.gradcheck(f, (A, B))
    assert torch.autograd.gradgradcheck(lambda A: f(A, B.detach())[:2], A)


def message(function, *given):
    with pytest.raises(tt.CompileError) as caught:
        function(*given)
    return caught.value.diagnostics[0].message


def test_messages():
    @tt.batched
    def rows(A: tt.f64["n", "n"], b: tt.f64["m"]):
        return tt.solve(A, b)

    @tt.batched
    def square(A: tt.f64["m", "n"]):
        return tt.inv(A)

    @tt.batched
    def kind(A: tt.f64["n", "n"]):
        return tt.solve(A, A, assume_a="sym")

    @tt.batched
    def form(A: tt.f64["n", "n"]):
        return tt.solve_triangular(A, A, trans=3)

    @tt.batched
    def pivots(A: tt.f64["n", "n"]):
        return tt.lu_solve((A, A), A)

    @tt.batched
    def pair(A: tt.f64["n", "n"]):
        return tt.cho_solve(A, A)

    @tt.batched
    def real(A: tt.c64["n", "n"]):
        return tt.logdet(A)

    A = np.eye(3)
    wanted = "expected right sides of 3 rows, got an array of shape (2,)"
    assert message(rows, A, np.ones(2)) == wanted
    wanted = "expected a square matrix, got an array of shape (2, 3)"
    assert message(square, A[:2]) == wanted
    assert message(kind, A) == "expected assume_a to be 'gen' or 'pos', got 'sym'"
    wanted = "expected 'trans' to be 0, 1, 2, 'N', 'T' or 'C', got 3"
    assert message(form, A) == wanted
    wanted = "expected 3 pivots, integers, got an array of f64 and shape (3, 3)"
    assert message(pivots, A) == wanted
    wanted = "expected a factor, and whether it is lower, as a tuple of two, got something else"
    assert message(pair, A) == wanted
    assert message(real, A + 0j) == "expected a matrix of real numbers, got complex ones"
