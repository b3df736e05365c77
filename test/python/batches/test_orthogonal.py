"""QR factors, eigenvalues and least squares in batched functions, against the reference."""

import numpy as np
import pytest

import tinytc_mlir as tt
from random_matrices import compare, matrices

rng = np.random.default_rng(0)


@tt.batched("(m,n),(m,k)->(m,j),(j,n),(m,m),(m,n),(j,n),(n,m),(j),(n,k),(n),(n,m),(j)")
def factored(A, B):
    h, tau = tt.qr(A, "raw")
    solved = tt.lstsq(A, B), tt.lstsq(A, B[:, 0])
    values = np.linalg.pinv(A), tt.svdvals(A)
    reduced, complete = tt.qr(A), tt.linalg.qr(A, mode="complete")
    R = tt.qr(A, mode="r")
    return (
        reduced[0], reduced[1], complete[0], complete[1], R, h, tau,
        solved[0], solved[1], values[0], values[1],
    )  # fmt: skip


@tt.batched("(n,n)->(n),(n,n),(n),(n,n),(n)")
def diagonal(A):
    w, V = tt.eigh(A)
    upper = tt.eigh_ex(A, "U")
    return w, V, upper[0], upper[1], np.linalg.eigvalsh(A)


@pytest.mark.parametrize(
    ("dtype", "rows", "columns"),
    [(float, 3, 3), (complex, 5, 3), (np.complex64, 3, 5), (np.float32, 17, 9), (float, 1, 1),
     (float, 0, 0), (float, 3, 0), (float, 0, 2)],
)  # fmt: skip
def test_batched_functions(dtype, rows, columns):
    a, b = matrices(rng, dtype, 3, rows, columns), matrices(rng, dtype, 3, rows, 2)
    compare(factored(a, b), factored.python(a, b))
    if rows == columns:
        a = a + a.conj().mT
        compare(diagonal(a), diagonal.python(a))


def test_messages():
    @tt.batched
    def mode(A: tt.f64["n", "n"]):
        return tt.qr(A, "full")

    @tt.batched
    def triangle(A: tt.f64["n", "n"]):
        return tt.eigh(A, "X")

    @tt.batched
    def rows(A: tt.f64["n", "n"]):
        return tt.eigvalsh(A)

    @tt.batched
    def several(A: tt.f64["n", "n"]):
        return np.linalg.lstsq(A, A)[0]

    @tt.batched
    def four(A: tt.f64["n", "n"]):
        return tt.linalg.lstsq(A, A)[0]

    for function, size, message in (
        (mode, 3, "expected 'mode' to be 'reduced', 'complete', 'r', 'raw', got 'full'"),
        (triangle, 3, "expected 'UPLO' to be 'L' or 'U', got 'X'"),
        (rows, 65, "expected a matrix of at most 64 rows, got 65"),
        (several, 3, "expected a function that batched functions have, got 'np.linalg.lstsq'"),
        (four, 3, "expected a function that batched functions have, got 'tt.linalg.lstsq'"),
    ):
        with pytest.raises(tt.CompileError) as caught:
            function(np.eye(size))
        assert caught.value.diagnostics[0].message == message
