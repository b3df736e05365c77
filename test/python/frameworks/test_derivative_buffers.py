"""Buffers of derivatives in operations: what local memory cannot hold of loops."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from framework_kernels import LOOP

import tinytc_mlir as tt
from nearness import assert_near

STEPS = 6
LIKE_X = {"outputs": "y", "shapes": {"y": [("x", 0), ("x", 1)]}}
# Products of at most 12 factors.


@pytest.fixture(autouse=True)
def double_precision():
    with jax.enable_x64(True):
        yield


@pytest.fixture(scope="module")
def module():
    return tt.Context().parse(LOOP)


@pytest.fixture
def xs():
    return np.random.default_rng(7).uniform(-0.5, 0.5, (2, 5, 3))


def stepped(x):
    for _ in range(STEPS):
        x = x + x * x / 2
    return x


def gradients(function, grad, vmap):
    """Return the function of a gradient, of a batch of them, and of the second derivative."""
    first = grad(lambda x: function(x).sum())
    return (
        lambda xs: first(xs[0]),
        vmap(first),
        lambda xs: grad(lambda x: (grad(lambda x: (function(x) ** 2).sum())(x)).sum())(xs[0]),
    )


@pytest.fixture
def expected(xs):
    found = gradients(stepped, jax.grad, jax.vmap)
    return [np.asarray(each(jnp.asarray(xs))) for each in found]


def test_jax(module, xs, expected):
    op = tt.jax.op(module, constants={"n": STEPS}, **LIKE_X)
    found = gradients(op, jax.grad, jax.vmap)
    for each, value in zip(found, expected, strict=True):
        assert_near(jax.jit(each)(jnp.asarray(xs)), value)


def test_jax_does_not_know_scalars(module, xs):
    op = tt.jax.op(module, **LIKE_X)
    with pytest.raises(tt.ArgumentError, match="expected n, on which .* as constants"):
        jax.grad(lambda x: op(jnp.asarray(STEPS), x).sum())(jnp.asarray(xs[0]))


def test_jax_computes_again(xs, expected):
    text = LOOP.replace("f64x?x?", "f64x5x?").replace("memref<f64x?>", "memref<f64x5>")
    op = tt.jax.op(tt.Context().parse(text), outputs="y", shapes={"y": [5, ("x", 1)]})
    found = jax.grad(lambda x: op(jnp.asarray(STEPS), x).sum())(jnp.asarray(xs[0]))
    assert_near(found, expected[0])


def test_the_derivative_as_an_operation(module, xs, expected):
    derivative = module.vjp(wrt=["x"])
    op = tt.jax.op(derivative, constants={"n": STEPS}, outputs=())
    zeros = jnp.zeros_like(xs[0])
    x_adjoint, _ = op(jnp.asarray(xs[0]), zeros, zeros, jnp.ones_like(zeros))
    assert_near(x_adjoint, expected[0])


@pytest.mark.parametrize("is_constant", [True, False])
def test_torch(module, xs, expected, is_constant):
    constants = {"n": STEPS} if is_constant else {}
    op = tt.torch.op(module, f"buffers::steps{is_constant}", constants=constants, **LIKE_X)

    def function(x):
        return op(x) if is_constant else op(STEPS, x)

    found = gradients(function, torch.func.grad, torch.vmap)
    for each, value in zip(found, expected, strict=True):
        assert_near(each(torch.tensor(xs)), value)
