"""Operations of JAX: derivatives in both modes, batches, and several devices."""

import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from framework_kernels import COMPLEX, ENERGY, GRID, HALF, UPDATE, energy, module
from jax.test_util import check_grads

import tinytc_mlir as tt
from nearness import assert_near


@pytest.fixture(autouse=True)
def double_precision():
    with jax.enable_x64(True):
        yield


@pytest.fixture(scope="module")
def op():
    return tt.jax.op(module(ENERGY))


def random(seed, *shape):
    return jnp.asarray(np.random.default_rng(seed).standard_normal(shape))


@pytest.fixture
def inputs():
    return jnp.asarray(0.7), random(1, 3, 3), random(2, 3, 5)


def assert_close(found, expected):
    assert_near(jax.tree.leaves(found), jax.tree.leaves(expected))


def test_a_grid_of_two_modes():
    op = tt.jax.op(module(GRID))
    alpha, matrix, x = jnp.asarray(0.7), random(1, 3, 3), random(2, 3, 2, 4)
    check_grads(op, (alpha, matrix, x), order=2)

    def gradient(m):
        return jax.grad(lambda m: (op(alpha, m, x) ** 2).sum())(m)

    matrices = random(3, 5, 3, 3)
    assert_close(jax.vmap(gradient)(matrices), jnp.stack([gradient(m) for m in matrices]))


def squared(function):
    return lambda *values: jnp.sum(function(*values) ** 2)


def test_the_form_of_an_operation(op, inputs):
    assert (op.parameters, op.results) == (("alpha", "A", "x"), ("e",))
    assert repr(op) == "<Op energy(alpha, A, x) -> e>"
    _, matrix, x = inputs
    assert_close(op(x=x, A=matrix, alpha=0.7), energy(*inputs))


def test_derivatives(op, inputs):
    assert_close(
        jax.hessian(squared(op), (0, 1, 2))(*inputs),
        jax.hessian(squared(energy), (0, 1, 2))(*inputs),
    )


def test_jit(op, inputs):
    gradient = jax.jit(jax.grad(squared(op), (0, 1, 2)))
    assert_close(gradient(*inputs), jax.grad(squared(energy), (0, 1, 2))(*inputs))


def test_an_array_that_is_read_and_written():
    op = tt.jax.op(module(UPDATE))
    a, x, y = 2.0, random(3, 4, 3), random(4, 4, 3)
    before = np.array(y)
    assert_close(op(a, x, y), a * x + y)
    assert_close(y, before)
    check_grads(op, (jnp.asarray(a), x, y), order=2)


def test_complex_numbers_and_two_results():
    op = tt.jax.op(module(COMPLEX))
    a, x = jnp.asarray(0.3 + 0.5j), random(5, 4) + 1j * random(6, 4)
    assert_close(op(a, x), (a * x, jnp.abs(x) ** 2))
    cotangents = random(7, 4) + 1j * random(8, 4), random(9, 4)
    expected = jax.vjp(lambda a, x: (a * x, (jnp.conj(x) * x).real), a, x)[1](cotangents)
    assert_close(jax.vjp(op, a, x)[1](cotangents), expected)


def test_half_precision():
    a, b = jnp.arange(16, dtype=jnp.bfloat16), jnp.ones(16, jnp.bfloat16)
    assert (tt.jax.op(module(HALF))(a, b) == a + b).all()


DIMS = [(None, None, 0), (0, 1, 0), (None, 1, None)]


@pytest.mark.parametrize("dims", DIMS)
def test_vmap(op, inputs, dims):
    whole = random(3, 4), random(4, 3, 4, 3), random(5, 4, 3, 5)
    given = [w if d is not None else i for w, i, d in zip(whole, inputs, dims, strict=True)]
    assert_close(jax.vmap(op, dims)(*given), jax.vmap(energy, dims)(*given))

    def inside(function):
        return jax.vmap(jax.grad(squared(function), (0, 1, 2)), dims)(*given)

    def outside(function):
        return jax.grad(squared(jax.vmap(function, dims)), (0, 1, 2))(*given)

    assert_close(inside(op), inside(energy))
    assert_close(outside(op), outside(energy))


def test_vmap_of_vmap(op, inputs):
    alpha, matrix, _ = inputs
    matrices, xs = jnp.stack([matrix, matrix + 1]), random(6, 4, 3, 5)

    def twice(function):
        inner = jax.vmap(function, (None, None, 0))
        return jax.vmap(inner, (None, 0, None))(alpha, matrices, xs)

    assert_close(twice(op), twice(energy))


def test_vmap_of_a_kernel_that_uses_all_dimensions():
    op = tt.jax.op(
        tt.Context().parse("""
func @grid(%x: memref<f64x2x2x?>, %y: memref<f64x2x2x?>) {
  %i = group_id.x : index
  %j = group_id.y : index
  %k = group_id.z : index
  %u = load %x[%i, %j, %k] : f64
  %v = mul %u, %u : f64
  store %v, %y[%i, %j, %k]
}""")
    )
    x = random(8, 3, 2, 2, 4)
    assert_close(jax.vmap(op)(x), x * x)
    value, tangent = jax.jit(lambda x: jax.jvp(jax.vmap(op), (x,), (x,)))(x)
    assert_close((value, tangent), (x * x, 2 * x * x))


def test_transpose_of_a_batch_of_tangents(op, inputs):
    def adjoint(function):
        def tangents(matrix):
            one = lambda x: jax.jvp(function, inputs, (0.0, matrix, x))[1]  # noqa: E731
            batch = jax.vmap(one)(jnp.ones((2, 3, 5)))
            return batch - jax.vmap(one)(jnp.ones((2, 3, 5)))[0] * 0

        linear = jax.linearize(tangents, inputs[1])[1]
        return jax.linear_transpose(linear, inputs[1])(random(7, 2, 5))

    assert_close(adjoint(op), adjoint(energy))


def test_einsum():
    recipe = tt.recipes.einsum(
        "ij,jk,kl->il", (3, 4, None), (4, 5), (5, 2), dtype="f64", target="native"
    )
    op = tt.jax.op(recipe)
    assert op.parameters == ("operand0", "operand1", "operand2")
    operands = random(1, 3, 4, 6), random(2, 4, 5), random(3, 5, 2)

    def gradients(function):
        return jax.grad(squared(function), (0, 1, 2))(*operands)

    assert_close(gradients(op), gradients(lambda *o: jnp.einsum("ijn,jk,kl->iln", *o)))
    check_grads(op, operands, order=2, modes=["rev"])


SHARDED = f"""
import jax, jax.numpy as jnp, numpy as np
import tinytc_mlir as tt
from jax.sharding import AxisType, PartitionSpec as P

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_num_cpu_devices", 4)
op = tt.jax.op(tt.Context().parse('''{ENERGY}'''))
energy = lambda a, A, x: a * (x * (A @ x)).sum(0)
mesh = jax.make_mesh((4,), ("i",), axis_types=(AxisType.Auto,))
sharded = jax.shard_map(op, mesh=mesh, in_specs=(P(), P(), P(None, "i")), out_specs=P("i"))
given = jnp.asarray(0.5), jnp.eye(3), jnp.arange(24.0).reshape(3, 8)
gradient = lambda f: jax.jit(jax.grad(lambda *v: (f(*v) ** 2).sum(), (0, 1, 2)))(*given)
for found, expected in zip(gradient(sharded), gradient(energy)):
    np.testing.assert_array_equal(found, expected)
print(len(sharded(*given).devices()), end="")
"""


def test_shard_map_over_devices():
    done = subprocess.run([sys.executable, "-c", SHARDED], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "4"), done.stderr
