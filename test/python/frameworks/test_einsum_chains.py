"""Derivatives of chains of products, beside `jax.vjp` of the same chains of `jnp.einsum`."""

import random

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tinytc_mlir as tt
from nearness import whole_numbers

SIZES = (2, 3, 4, 5)
GROUPS = 3


@pytest.fixture(autouse=True)
def double_precision():
    with jax.enable_x64(True):
        yield


class Chain:
    """A chain of matrices at random, some of them transposed, some of each group.

    Attributes:
        equation: for the recipe, whose groups have arrays of their own.
        batched: the same for `einsum`, with the index of the groups.
        shapes: of the operands; None is the number of groups.
    """

    def __init__(self, seed):
        rng = random.Random(seed)
        count = rng.randint(2, 5)
        sizes = [rng.choice(SIZES) for _ in range(count + 1)]
        letters = "abcdef"[: count + 1]
        of_groups = {rng.randrange(count)} | {n for n in range(count) if rng.random() < 0.3}
        terms, self.shapes, batched = [], [], []
        for n in range(count):
            order = rng.choice(((n, n + 1), (n + 1, n)))
            terms.append("".join(letters[mode] for mode in order))
            is_own = n in of_groups
            self.shapes.append((*(sizes[mode] for mode in order), *[None] * is_own))
            batched.append(terms[-1] + "n" * is_own)
        result = rng.choice((letters[0] + letters[-1], letters[-1] + letters[0]))
        self.equation = f"{','.join(terms)}->{result}"
        self.batched = f"{','.join(batched)}->{result}n"

    def operands(self, seed):
        """Return numbers for the operands."""
        rng = np.random.default_rng(seed)
        return [
            jnp.asarray(whole_numbers(rng, [GROUPS if size is None else size for size in shape]))
            for shape in self.shapes
        ]


def einsums(chain, operands):
    """Return the chain as one `einsum` after the other."""
    return jnp.einsum(chain.batched, *operands, optimize=True)


def assert_close(found, expected):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.similar
@pytest.mark.parametrize("seed", range(8))
def test_chains(seed):
    """First derivatives in both modes, and the derivative of the reverse derivative."""
    chain = Chain(seed)
    recipe = tt.recipes.einsum(chain.equation, *chain.shapes, dtype="f64", target="native")
    op = tt.jax.op(recipe)
    operands, directions = chain.operands(seed), chain.operands(seed + 1000)

    def derivatives(function):
        value, pull = jax.vjp(function, *operands)
        weight = jnp.arange(value.size, dtype=value.dtype).reshape(value.shape) % 5 - 2

        def gradients(*some):
            return jax.vjp(function, *some)[1](weight)

        tangent = jax.jvp(function, operands, directions)[1]
        second = jax.jvp(gradients, operands, directions)[1]
        return value, tangent, *pull(weight), *second

    assert_close(derivatives(op), derivatives(lambda *some: einsums(chain, some)))
