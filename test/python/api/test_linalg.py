"""`tt.linalg` returns and raises what `numpy.linalg` does, also for PyTorch and JAX."""

import numpy as np
import pytest

import tinytc_mlir as tt
from nearness import assert_near
from random_matrices import compare, matrices

rng = np.random.default_rng(0)


def definite_matrices(dtype, size, batch=(3, 2)):
    a = matrices(rng, dtype, *batch, size, size)
    return a, (a @ a.conj().mT + size * np.eye(size)).astype(dtype)


def compare_all(a, definite, right):
    compare(tt.linalg.cholesky(definite), np.linalg.cholesky(definite))
    compare(tt.linalg.cholesky(definite, upper=True), np.linalg.cholesky(definite, upper=True))
    compare(tt.linalg.solve(definite, right), np.linalg.solve(definite, right), definite)
    compare(tt.linalg.inv(definite), np.linalg.inv(definite), definite)
    even = definite / max(2 * a.shape[-1], 1)
    compare(tt.linalg.det(even), np.linalg.det(even), even)
    compare(tuple(tt.linalg.slogdet(a)), tuple(np.linalg.slogdet(a)), a)


@pytest.mark.parametrize(
    ("dtype", "size", "batch"),
    [(float, 17, (3,)), (np.complex64, 3, (2, 2)), (np.float32, 1, ()), (float, 0, (2,)),
     (complex, 5, (0,)), (float, 200, ())],
)  # fmt: skip
def test_numpy_agrees(dtype, size, batch):
    a, definite = definite_matrices(dtype, size, batch)
    compare_all(a, definite, rng.standard_normal((4, *(1 for _ in batch), size, 2)).astype(dtype))


def check_orthogonal(q):
    gram = q.conj().mT @ q
    assert_near(gram, np.broadcast_to(np.eye(gram.shape[-1]), gram.shape))


@pytest.mark.parametrize(
    ("dtype", "shape"),
    [(float, (3, 7, 4)), (np.complex64, (2, 1, 3, 5)), (np.float32, (1, 1)), (float, (2, 3, 0)),
     (complex, (0, 2, 2)), (float, (130, 190)), (complex, (20, 8))],
)  # fmt: skip
def test_qr_and_least_squares(dtype, shape):
    a = definite_matrices(dtype, max(shape[-2:]), shape[:-2])[0][..., : shape[-2], : shape[-1]]
    for mode in ("reduced", "complete"):
        q, r = tt.linalg.qr(a, mode)
        expected = np.linalg.qr(a, mode)
        assert [(e.shape, e.dtype) for e in (q, r)] == [(e.shape, e.dtype) for e in expected]
        check_orthogonal(q)
        compare(q @ r, a)
        compare(np.abs(np.triu(r)), np.abs(expected.R))
    compare(tt.linalg.qr(a, "r"), np.array(np.triu(tt.linalg.qr(a).R)))
    right = rng.standard_normal((*shape[:-1], 2)).astype(dtype)
    x, residuals, *_ = tt.linalg.lstsq(a, right)
    for at in np.ndindex(shape[:-2]):
        solution, squares, *_ = np.linalg.lstsq(a[at], right[at])
        compare(x[at], solution, a[at])
        compare(residuals[at], squares if squares.size else np.zeros_like(residuals[at]), a[at])


@pytest.mark.parametrize(
    ("dtype", "size", "batch"),
    [(float, 6, (3,)), (np.complex64, 3, (2, 2)), (np.float32, 1, ()), (float, 0, (2,)),
     (complex, 17, ()), (float, 70, ())],
)  # fmt: skip
def test_eigenvalues(dtype, size, batch):
    _, a = definite_matrices(dtype, size, batch)
    for triangle, given in (("L", np.tril(a)), ("U", np.triu(a))):
        values, vectors = tt.linalg.eigh(given, triangle)
        compare(values, np.linalg.eigvalsh(a))
        compare(tt.linalg.eigvalsh(given, triangle), values)
        check_orthogonal(vectors)
        compare(vectors * values[..., None, :], (a @ vectors).astype(vectors.dtype))


def test_least_squares_of_a_vector():
    a, b = rng.standard_normal((4, 5, 2)), rng.standard_normal(5)
    x, residuals, rank, _ = tt.linalg.lstsq(a, b)
    assert rank.tolist() == [2] * 4
    compare(x, np.linalg.pinv(a) @ b, a)
    compare(residuals[:, 0], np.linalg.norm((a @ x[..., None])[..., 0] - b, axis=1) ** 2)


def test_strides_types_and_vectors():
    a, definite = definite_matrices(float, 3, (5,))
    compare_all(a.mT[::-1], definite[::2], np.ones(3))
    compare(tt.linalg.solve(np.broadcast_to(a[0], (5, 3, 3)), [1, 2, 3]), np.linalg.solve(
        np.broadcast_to(a[0], (5, 3, 3)), [1, 2, 3]), a[0])  # fmt: skip
    whole = np.array([[2, 1], [7, 4]], np.int16)
    compare(tt.linalg.inv(whole), np.linalg.inv(whole), whole)
    compare(tt.linalg.solve(a.astype(">f8"), a), np.linalg.solve(a, a), a)
    with pytest.raises(TypeError, match="float16 is unsupported"):
        tt.linalg.inv(np.eye(2, dtype=np.float16))


def test_backward_errors_of_near_singular_matrices():
    for size in (4, 8, 24):
        q = np.linalg.qr(rng.standard_normal((50, 2, size, size)))[0]
        a = q[:, 0] * np.logspace(0, -13, size) @ q[:, 1]
        b = rng.standard_normal((50, size, 2))
        x = tt.linalg.solve(a, b)
        sizes = np.linalg.norm(a, axis=(1, 2)) * np.linalg.norm(x, axis=(1, 2))
        assert np.all(np.linalg.norm(a @ x - b, axis=(1, 2)) < 10 * size * 2.3e-16 * sizes)


@pytest.mark.parametrize("size", [4, 7, 20])
def test_factors(size):
    scipy = pytest.importorskip("scipy.linalg")
    a, _ = definite_matrices(float, size, ())
    factors, piv = tt.linalg.lu_factor(a)
    expected, places = scipy.lu_factor(a)
    np.testing.assert_array_equal(piv, places)
    compare(factors, expected)
    for words in ({"lower": True}, {"trans": 2}, {"unit_diagonal": True, "lower": True}):
        solved = tt.linalg.solve_triangular(a, a[0], **words)
        compare(solved, scipy.solve_triangular(a, a[0], **words), np.tril(a), np.triu(a))


def test_nan_and_singular():
    a = np.stack([np.full((6, 6), np.nan), np.eye(6)])
    a[0, 0, 0] = 1
    assert np.isnan(tt.linalg.solve(a, np.ones(6))[0]).any()
    assert np.isnan(tt.linalg.det(a)).tolist() == [True, False]
    singular = np.ones((2, 6, 6))
    assert tt.linalg.det(singular).tolist() == [0, 0]
    assert tt.linalg.slogdet(singular).logabsdet.tolist() == [-np.inf, -np.inf]
    assert tt.linalg.slogdet(singular).sign.tolist() == [0, 0]
    assert np.isnan(tt.linalg.logdet(np.diag([1.0, -1.0])))
    assert tt.linalg.logdet(np.zeros((6, 6))) == -np.inf


def test_errors():
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        tt.linalg.inv(np.zeros((2, 3, 3)))
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        tt.linalg.cholesky(-np.eye(3))
    with pytest.raises(np.linalg.LinAlgError, match="must be square"):
        tt.linalg.det(np.ones((2, 3)))
    with pytest.raises(np.linalg.LinAlgError, match="1-dimensional array given"):
        tt.linalg.slogdet(np.ones(3))
    with pytest.raises(ValueError, match="expected 'b' to have 3 rows like 'a', got 2"):
        tt.linalg.solve(np.eye(3), np.ones(2))
    with pytest.raises(ValueError, match="expected 'b' to have 3 rows like 'a', got none"):
        tt.linalg.solve(np.eye(3), 1.0)
    with pytest.raises(np.linalg.LinAlgError, match="Eigenvalues did not converge"):
        tt.linalg.eigvalsh(np.full((2, 3, 3), np.nan))
    with pytest.raises(ValueError, match="expected 'UPLO' to be 'L' or 'U', got 'X'"):
        tt.linalg.eigh(np.eye(3), "X")
    with pytest.raises(ValueError, match="'reduced', 'complete', 'r', 'raw', got 'full'"):
        tt.linalg.qr(np.eye(3), "full")
    with pytest.raises(ValueError, match="expected 'b' to have 3 rows like 'a', got 2"):
        tt.linalg.lstsq(np.ones((3, 2)), np.ones(2))
    with pytest.raises(ValueError, match="expected 'trans' to be"):
        tt.linalg.solve_triangular(np.eye(3), np.ones(3), trans="X")


def symmetric(function):
    return lambda a: function((a + a.mT) / 2)


def same(found, expected, *of):
    jax = pytest.importorskip("jax")
    assert_near(jax.tree.leaves(found), jax.tree.leaves(expected), *of)


def test_jax_agrees():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    theirs, ours = jax.numpy.linalg, tt.linalg
    a, definite = map(jax.numpy.asarray, definite_matrices(float, 3, (2,)))
    pairs = [(ours.solve, theirs.solve, (a, definite)), (ours.inv, theirs.inv, (a,)),
             (lambda x: tuple(ours.slogdet(x)), lambda x: tuple(theirs.slogdet(x)), (a,)),
             (symmetric(ours.cholesky), symmetric(theirs.cholesky), (definite,)),
             (symmetric(ours.eigvalsh), symmetric(theirs.eigvalsh), (a,)),
             (lambda x, y: ours.lstsq(x, y).x, jax.vmap(lambda x, y: theirs.lstsq(x, y)[0]),
              (jax.numpy.concatenate([a, definite], axis=1),
               jax.numpy.ones((2, 6, 2))))]  # fmt: skip
    for one, other, given in pairs:
        same(jax.jit(jax.vmap(one))(*given), other(*given), a, definite)
        (found, back), (expected, theirs_back) = (jax.vjp(f, *given) for f in (one, other))
        same(found, expected, a, definite)
        same(back(expected), theirs_back(expected), a, definite)


def test_torch_agrees_on_orthogonal_matrices():
    torch = pytest.importorskip("torch")
    a, definite = (torch.tensor(e, requires_grad=True) for e in definite_matrices(float, 3, (2,)))
    # Signs of vectors are up to who computes them.
    for function, given in (
        (lambda x: tuple(tt.linalg.qr(x)), (a,)),
        (lambda x, y: tt.linalg.lstsq(torch.cat([x, y], 1), torch.cat([y, x], 1)).x, (a, definite)),
        (symmetric(lambda x: tt.linalg.eigh(x).eigenvectors ** 2), (definite,)),
    ):
        assert torch.autograd.gradcheck(function, given)
        assert torch.autograd.gradgradcheck(function, given)


def test_torch_agrees():
    torch = pytest.importorskip("torch")
    a, definite = (torch.tensor(e, requires_grad=True) for e in definite_matrices(float, 3, (2,)))
    for function, given in ((tt.linalg.solve, (a, definite)), (tt.linalg.logdet, (definite,)),
                            (tt.linalg.cholesky, (definite,))):  # fmt: skip
        assert torch.autograd.gradcheck(function, given)
        assert torch.autograd.gradgradcheck(function, given)
    torch.testing.assert_close(tt.linalg.solve(a, definite), torch.linalg.solve(a, definite))
    plain = [a.detach(), definite.detach()]
    torch.testing.assert_close(torch.vmap(tt.linalg.solve)(*plain), torch.linalg.solve(*plain))
    solved = torch.linalg.solve_triangular(*plain, upper=True)
    torch.testing.assert_close(tt.linalg.solve_triangular(*plain), solved)
    compiled = torch.compile(tt.linalg.solve_triangular, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(*plain), solved)
