"""QR factors, eigenvalues and least squares of `tt.linalg`."""

import numpy as np
import pytest

import tinytc_mlir as tt
from nearness import assert_near
from random_matrices import compare, matrices

rng = np.random.default_rng(0)


@pytest.mark.parametrize(("dtype", "size"), [(float, 5), (np.complex64, 3), (float, 100)])
def test_numpy_agrees(dtype, size):
    a = matrices(rng, dtype, 2, 2, size, 3)
    compare(tt.linalg.qr(a.mT, "raw"), np.linalg.qr(a.mT, "raw"))
    compare([tt.linalg.pinv(a), tt.linalg.pinv(a.mT)], [np.linalg.pinv(a), np.linalg.pinv(a.mT)], a)


def test_least_squares_of_all_ranks():
    low = rng.standard_normal((5, 1)) @ rng.standard_normal((1, 3))
    for a in (rng.standard_normal((5, 3)), rng.standard_normal((3, 5)), low, np.zeros((3, 3)),
              rng.standard_normal((100, 70))):  # fmt: skip
        for b in (rng.standard_normal(len(a)), rng.standard_normal((len(a), 2))):
            x, residuals, rank, s = tt.linalg.lstsq(a, b)
            expected = np.linalg.lstsq(a, b)
            compare([x, residuals, s], [*expected[:2], expected[3]], a)
            assert rank == expected[2]
    both = np.stack([low, rng.standard_normal((5, 3))])
    x, residuals, rank, s = tt.linalg.lstsq(both, np.ones(5))
    expected = [np.linalg.lstsq(each, np.ones(5)) for each in both]
    compare([x, s], [np.stack([e[0] for e in expected]), np.stack([e[3] for e in expected])])
    assert residuals.shape == (2, 1)
    assert rank.tolist() == [1, 3]
    for rows, columns in ((4, 3), (50, 40)):  # by instructions and by NumPy
        found = tt.linalg.lstsq(np.ones((rows, columns)), np.ones((2, rows, 1)))
        assert found.rank.tolist() == [1, 1]
        assert found.s.shape == (2, columns)
    cut = tt.linalg.pinv(np.diag([1.0, 1e-3]), 1e-2)
    np.testing.assert_array_equal(cut, np.diag([1.0, 0.0]))


def test_negative_rcond_is_the_rounding_error():
    a, b = np.ones((3, 2)), np.array([1.0, 2, 3])
    found, expected = tt.linalg.lstsq(a, b, -1), np.linalg.lstsq(a, b, -1)
    assert_near(found.x, expected[0])
    assert found.rank == expected[2] == 1


def test_many_right_sides_need_no_memory_of_a_group():
    a, b = np.random.default_rng(0).standard_normal((10, 3)), np.ones((10, 5000))
    assert_near(tt.linalg.lstsq(a, b).x, np.linalg.lstsq(a, b)[0], a)
    square = a[:3] + 3 * np.eye(3)
    wide = np.ones((3, 20000))
    assert_near(tt.linalg.solve(square, wide), np.linalg.solve(square, wide), square)


def test_integers_of_frameworks_are_named():
    torch = pytest.importorskip("torch")
    with pytest.raises(TypeError, match="expected 'a' of float32, float64, .* got int64"):
        tt.linalg.pinv(torch.ones((2, 2), dtype=torch.int64))


def test_errors():
    nan = np.full((2, 3, 3), np.nan)
    for function in (tt.linalg.eigh, tt.linalg.pinv):
        with pytest.raises(np.linalg.LinAlgError, match="did not converge"):
            function(nan)
    with pytest.raises(np.linalg.LinAlgError, match="SVD did not converge"):
        tt.linalg.lstsq(np.array([[np.inf], [1.0]]), np.ones(2))
    for rcond in (np.full(2, 1e-3), "0"):
        with pytest.raises(TypeError, match="expected 'rcond' to be a number, got"):
            tt.linalg.pinv(np.ones((2, 3, 2)), rcond)
    with pytest.raises(ValueError, match="expected 'mode' to be"):
        tt.linalg.qr(np.eye(2), ["r"])


def symmetric(function):
    return lambda a: function((a + a.mT) / 2)


def test_jax_agrees():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    theirs, ours = jax.numpy.linalg, tt.linalg
    a, square = (jax.numpy.asarray(matrices(rng, float, 2, *s)) for s in ((4, 3), (3, 3)))

    def sizes(library):
        return symmetric(lambda x: abs(library.eigh(x)[1]))

    pairs = [
        (lambda x: tuple(ours.qr(x)), lambda x: tuple(theirs.qr(x)), (a,)),
        (sizes(ours), sizes(theirs), (square,)),
        (ours.pinv, theirs.pinv, (a.mT,)),
    ]
    for one, other, given in pairs:
        (found, back), (expected, theirs_back) = (jax.vjp(f, *given) for f in (one, other))
        vmapped = jax.jit(jax.vmap(one))(*given)
        same = [(found, expected), (vmapped, expected), (back(expected), theirs_back(expected))]
        for pair in same:
            assert_near(*map(jax.tree.leaves, pair), *given)
    with pytest.raises(ValueError, match="expected 'a' to have at most 64 rows or columns, got 65"):
        ours.eigh(jax.numpy.eye(65))


def test_torch_agrees():
    torch = pytest.importorskip("torch")
    plain = torch.tensor(matrices(rng, float, 2, 3, 2))
    torch.testing.assert_close(torch.vmap(tt.linalg.pinv)(plain), torch.linalg.pinv(plain))
    square = plain @ plain.mT
    values = torch.linalg.eigvalsh(square)
    torch.testing.assert_close(tt.linalg.eigvalsh(square), values)
    compiled = torch.compile(tt.linalg.eigvalsh, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(square), values)
