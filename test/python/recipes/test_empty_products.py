"""Recipes of empty batches and of products without terms, where only beta counts."""

import itertools

import numpy as np
import pytest

import tinytc_mlir as tt

TARGETS = ("cpu", "native")
BETAS = (0.0, 2.0)


def ones(*shape):
    return np.ones(shape, order="F")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("sizes", list(itertools.product((0, 2), (0, 3), (0, 4))))
def test_small_products(target, sizes):
    m, n, k = sizes
    gemm = tt.recipes.small_gemm_batched("f64", m, n, k, transpose_b=True, target=target)
    for beta, count in itertools.product(BETAS, (0, 5)):
        c = ones(m, n, count)
        c[...] = 1.0 if beta else np.nan
        gemm(1.0, ones(m, k, count), ones(n, k, count), beta, c)
        assert (c == k + beta).all()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("sizes", list(itertools.product((0, 3), (0, 4))))
def test_tall_products(target, sizes):
    n, k = sizes
    gemm = tt.recipes.tall_and_skinny("f64", n, k, target=target)
    for beta, m in itertools.product(BETAS, (0, 33)):
        c = ones(m, n)
        gemm(1.0, ones(m, k), ones(k, n), beta, c)
        assert (c == k + beta).all()


def test_products_of_slices():
    gemm = tt.recipes.ozaki_gemm(3, 4, 5, target="cpu")
    gemm(1.0, ones(3, 5, 0), ones(5, 4, 0), 0.0, ones(3, 4, 0))
    c = ones(3, 4, 2)
    gemm(1.0, ones(3, 5, 2), ones(5, 4, 2), 0.0, c, howmany=0)
    assert (c == 1).all()


def test_a_contraction():
    shapes = {"A": (8, 4, None), "B": (4, 6), "C": (8, 6, None)}
    contract = tt.recipes.contract("C[ik] = A[ij] * B[jk]", shapes, dtype="f64", target="native")
    contract(A=ones(8, 4, 0), B=ones(4, 6), C=ones(8, 6, 0))


CHAINS = {
    "ij,jk->ik": [((3, 0), (0, 2)), ((0, 4), (4, 2)), ((3, 4), (4, 0)), ((3, 1), (0, 2))],
    "ij->": [((0, 3),)],
    "ii->i": [((0, 0),)],
    "ij,jk,kl->il": [((2, 3), (3, 0), (0, 2)), ((2, 3), (3, 1), (0, 2))],
    "i,j->ij": [((0,), (3,))],
    "...i,i->...": [((2, 0), (0,)), ((0, 2), (2,))],
    "ij,kl->": [((0, 2), (3, 4))],
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("subscripts", CHAINS)
def test_chains(target, subscripts):
    for shapes, beta in itertools.product(CHAINS[subscripts], BETAS):
        operands = [ones(*shape) for shape in shapes]
        chain = tt.recipes.einsum(subscripts, *shapes, dtype="f64", target=target)
        expected = np.einsum(subscripts, *operands)
        out = np.full(expected.shape, 1.0 if beta else np.nan, order="F")
        chain(*operands, out=out, beta=beta)
        assert (out == expected + beta).all()
        assert np.array_equal(chain(*operands), expected)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("count", [0, 3])
def test_batches_of_chains(target, count):
    chain = tt.recipes.einsum("ij,jk->ik", (3, 0, None), (0, 2), dtype="f64", target=target)
    result = chain(ones(3, 0, count), ones(0, 2))
    assert result.shape == (3, 2, count)
    assert (result == 0).all()
