"""Operations of arrays for no group: results are empty, and what all groups share has zeros."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from framework_kernels import COMPLEX, ENERGY, GRID, MEMBERS, UPDATE, energy, module

import tinytc_mlir as tt

F64 = {"dtype": torch.float64, "requires_grad": True}
#: The derivative keeps the iterations in a buffer.
LOOP = """
func @powers(%n: index, %x: memref<f64x?>, %y: memref<f64x?>) {
  %g = group_id.x : index
  %first = load %x[%g] : f64
  %zero = constant 0 : index
  %last = for %i = %zero, %n init (%v = %first) -> (f64) {
    %w = arith.mul %v, %v : f64
    yield (%w)
  }
  store %last, %y[%g]
}
"""
numbers = itertools.count()


def operation(text, **options):
    return tt.torch.op(module(text), f"empty::op{next(numbers)}", **options)


@pytest.fixture(autouse=True)
def double_precision():
    with jax.enable_x64(True):
        yield


@pytest.fixture(scope="module")
def op():
    return operation(ENERGY)


@pytest.fixture(scope="module")
def jax_op():
    return tt.jax.op(module(ENERGY))


def parameters(batch=()):
    return torch.tensor(0.7, **F64), torch.eye(3, **F64), torch.ones((*batch, 3, 0), **F64)


def shapes(arrays):
    return [tuple(array.shape) for array in arrays]


def test_forward_and_backward_of_torch(op):
    alpha, matrix, x = parameters()
    result = op(alpha, matrix, x)
    assert result.shape == (0,)
    result.sum().backward()
    assert alpha.grad == 0
    assert torch.equal(matrix.grad, torch.zeros(3, 3, dtype=torch.float64))
    assert x.grad.shape == (3, 0)


def test_forward_mode_and_second_derivatives_of_torch(op):
    given = tuple(value.detach() for value in parameters())
    result, tangent = torch.func.jvp(op, given, given)
    assert shapes((result, tangent)) == [(0,), (0,)]
    alpha, matrix, x = given
    hessian = torch.func.hessian(lambda matrix: op(alpha, matrix, x).sum())(matrix)
    assert torch.equal(hessian, torch.zeros(3, 3, 3, 3, dtype=torch.float64))


@pytest.mark.parametrize("shape", [(2, 3, 0), (0, 3, 4), (0, 3, 0)])
def test_vmap_of_torch(op, shape):
    alpha, matrix, _ = parameters()
    x = torch.ones(shape, **F64)
    result = torch.vmap(op, (None, None, 0))(alpha, matrix, x)
    assert result.shape == torch.vmap(energy, (None, None, 0))(alpha, matrix, x).shape
    result.sum().backward()
    assert not matrix.grad.any()
    assert x.grad.shape == shape


def test_a_batch_of_no_calls_one_by_one():
    op = operation(MEMBERS)  # a batch mode does not fit groups
    assert torch.vmap(op)(torch.ones(0, 2, 4, dtype=torch.float64)).shape == (0, 2, 4)


def test_compiled_torch(op):
    compiled = torch.compile(op, fullgraph=True, backend="aot_eager")
    assert compiled(*parameters()).shape == (0,)


def test_groups_of_arrays():
    x = torch.ones(2, 0, **F64)
    result = operation(MEMBERS)(x)
    assert result.shape == (2, 0)
    result.sum().backward()
    assert x.grad.shape == (2, 0)


def test_an_array_that_is_updated():
    a, x, y = torch.tensor(2.0, **F64), torch.ones(4, 0, **F64), torch.ones(4, 0, **F64)
    result = operation(UPDATE)(a, x, y)
    assert result.shape == (4, 0)
    result.sum().backward()
    assert a.grad == 0
    assert shapes((x.grad, y.grad)) == [(4, 0), (4, 0)]


def test_several_results_in_a_grid_and_of_complex_numbers():
    assert operation(GRID)(0.5, np.eye(3), torch.ones(3, 4, 0, dtype=torch.float64)).shape == (4, 0)
    y, b = operation(COMPLEX)(1j, torch.ones(0, dtype=torch.complex128))
    assert (y.shape, y.dtype, b.shape, b.dtype) == ((0,), torch.complex128, (0,), torch.float64)


def test_a_buffer_of_a_derivative():
    x = torch.ones(0, **F64)
    operation(LOOP)(5, x).sum().backward()
    assert x.grad.shape == (0,)
    op = tt.jax.op(module(LOOP), constants={"n": 5})
    assert jax.grad(lambda x: op(x).sum())(jnp.ones(0)).shape == (0,)


def test_arrays_that_disagree():
    with pytest.raises(tt.ArgumentError, match="because the arrays disagree"):
        operation(UPDATE)(2.0, torch.ones(4, 0).double(), torch.ones(4, 3).double())


def test_a_launch_itself_needs_no_group():
    result = np.ones(0)
    module(ENERGY).compile()["energy"](1.0, np.eye(3), np.ones((3, 0), order="F"), result)
    _, matrix, x = parameters()
    assert operation(ENERGY, groups=0)(0.5, matrix, x).shape == (0,)


@pytest.mark.parametrize("jit", [jax.jit, lambda function: function], ids=["jit", "eager"])
def test_derivatives_of_jax(jax_op, jit):
    given = (jnp.float64(0.7), jnp.eye(3), jnp.ones((3, 0)))
    assert jit(jax_op)(*given).shape == (0,)
    assert shapes(jit(lambda *some: jax.jvp(jax_op, some, some))(*given)) == [(0,), (0,)]
    alpha, matrix, x = jit(jax.grad(lambda *some: jax_op(*some).sum(), (0, 1, 2)))(*given)
    assert shapes((alpha, matrix, x)) == [(), (3, 3), (3, 0)]
    assert not alpha.any()
    assert not matrix.any()


@pytest.mark.parametrize("shape", [(2, 3, 0), (0, 3, 4), (0, 3, 0)])
def test_vmap_of_jax(jax_op, shape):
    x = jnp.ones(shape)
    batched = jax.vmap(jax_op, (None, None, 0))
    expected = jax.vmap(energy, (None, None, 0))(0.5, jnp.eye(3), x)
    assert batched(0.5, jnp.eye(3), x).shape == expected.shape
    gradient = jax.grad(lambda matrix: batched(0.5, matrix, x).sum())(jnp.eye(3))
    assert not gradient.any()


def test_an_array_that_jax_updates():
    op = tt.jax.op(module(UPDATE))
    x = jnp.ones((4, 0))
    gradients = jax.grad(lambda *some: op(*some).sum(), (0, 1, 2))(2.0, x, x)
    assert shapes(gradients) == [(), (4, 0), (4, 0)]
    assert gradients[0] == 0
