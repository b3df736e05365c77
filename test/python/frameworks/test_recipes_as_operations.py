"""Recipes as operations: results, derivatives and batches beside those of JAX and PyTorch."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import tinytc_mlir as tt
from nearness import whole_numbers

# Sums of at most 300 products of two factors, and their derivatives.
SQUARE = (300, 300)


@pytest.fixture(autouse=True)
def double_precision():
    with jax.enable_x64(True):
        yield


def tall(rows, **options):
    return (
        lambda: tt.recipes.tall_and_skinny("f64", 3, 4, target="native", **options),
        lambda a, b: a @ b,
        [(rows, 4), (4, 3)],
    )


CASES = {
    "tall": tall(300),
    "tall of a block": tall(128),
    "tall of few rows": tall(5),
    "tall of known sizes": tall(300, m=300, m_block_size=64),
    "batched": (
        lambda: tt.recipes.small_gemm_batched("f64", 2, 3, 4, target="native"),
        lambda a, b: jnp.einsum("ijn,jkn->ikn", a, b),
        [(2, 4, 5), (4, 3, 5)],
    ),
    "contract": (
        lambda: tt.recipes.contract(
            "C[ik] = 2 * A[ij] * B[jk]",
            {"A": (8, 4, None), "B": (4, 6), "C": (8, 6, None)},
            dtype="f64",
            target="native",
        ),
        lambda a, b: 2 * jnp.einsum("ijn,jk->ikn", a, b),
        [(8, 4, 3), (4, 6)],
    ),
    "contract with factors": (
        lambda: tt.recipes.contract(
            "T[ik] = A[ij] * B[jk]\nC[i] += alpha * T[ik] * T[ik]",
            {"A": (3, 4, None), "B": (4, 2), "C": (3, None)},
            dtype="f64",
            target="native",
        ),
        lambda alpha, a, b, c: c + alpha * (jnp.einsum("ijn,jk->ikn", a, b) ** 2).sum(1),
        [(), (3, 4, 5), (4, 2), (3, 5)],
    ),
    "einsum of large temporaries": (
        lambda: tt.recipes.einsum(
            "ij,jk,kl->il",
            ((*SQUARE, None)),
            SQUARE,
            (300, 2, None),
            dtype="f64",
            target="native",
            optimize=False,
        ),
        lambda a, b, c: jnp.einsum("ijn,jk,kln->iln", a, b, c),
        [(*SQUARE, 2), SQUARE, (300, 2, 2)],
    ),
}


@pytest.fixture(params=CASES)
def case(request):
    recipe, function, shapes = CASES[request.param]
    rng = np.random.default_rng(3)
    return recipe(), function, [whole_numbers(rng, shape) for shape in shapes], request.param


def assert_close(found, expected):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def norm(function):
    return lambda *arrays: (function(*arrays) ** 2).sum()


@pytest.mark.similar
def test_jax(case):
    recipe, function, arrays, _ = case
    op = tt.jax.op(recipe)
    given = list(map(jnp.asarray, arrays))
    assert_close([op(*given)], [function(*given)])
    every = tuple(range(len(given)))
    gradients = [jax.grad(norm(each), every)(*given) for each in (op, function)]
    assert_close(*gradients)
    several = jnp.stack([given[0], 2 * given[0]])
    dims = (0, *[None] * (len(given) - 1))
    assert_close(*([jax.vmap(each, dims)(several, *given[1:])] for each in (op, function)))


@pytest.mark.similar
def test_torch(case):
    recipe, function, arrays, name = case
    op = tt.torch.op(recipe, f"recipes::{name.replace(' ', '_')}")
    tensors = [torch.from_numpy(each.copy()).requires_grad_() for each in arrays]
    found = op(*tensors)
    expected = function(*arrays)
    assert_close([found.detach().numpy()], [expected])
    (found**2).sum().backward()
    every = tuple(range(len(arrays)))
    assert_close([each.grad.numpy() for each in tensors], jax.grad(norm(function), every)(*arrays))


def test_a_recipe_that_is_no_operation():
    recipe = tt.recipes.ozaki_gemm(8, 8, 8, target="native")
    with pytest.raises(tt.ArgumentError, match="of one kernel, got ozaki_gemm, which launches sev"):
        tt.jax.op(recipe)
