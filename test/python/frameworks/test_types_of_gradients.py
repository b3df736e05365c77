"""Gradients in half precision, of scalars of a wider type, and of what groups share."""

import itertools

import pytest
import torch
from framework_kernels import COMPLEX, module

import tinytc_mlir as tt

numbers = itertools.count()
DTYPES = {"bf16": torch.bfloat16, "f16": torch.float16}
#: c := a o b, of a constant size.
PRODUCT = """
func @product(%a: memref<{0}x16>, %b: memref<{0}x16>, %c: memref<{0}x16>) {{
  foreach (%i) = (0), (16) {{
    %u = load %a[%i] : {0}
    %v = load %b[%i] : {0}
    %w = arith.mul %u, %v : {0}
    store %w, %c[%i]
  }}
}}
"""
#: y_g := x_0 o x_0 of a group of arrays, whose first one all groups read.
FIRST = """
func @first(%x: group<memref<f64x2>x?>, %y: memref<f64x2x3>) {
  %g = group_id.x : index
  %none = constant 0 : index
  %one = constant 1.0 : f64
  %zero = constant 0.0 : f64
  %u = load %x[%none] : memref<f64x2>
  %v = subview %y[:, %g] : memref<f64x2>
  hadamard_product %one, %u, %u, %zero, %v
}
"""


def operation(text, **options):
    return tt.torch.op(module(text), f"test_types::op{next(numbers)}", **options)


@pytest.mark.parametrize("type_", DTYPES)
def test_half_precision_in_torch(type_):
    torch.manual_seed(2)
    op = operation(PRODUCT.format(type_))
    a, b, adjoint = (torch.randn(16).to(DTYPES[type_]) for _ in range(3))
    a.requires_grad_()
    b.requires_grad_()
    found = torch.autograd.grad(op(a, b), (a, b), adjoint)
    expected = torch.autograd.grad(a * b, (a, b), adjoint)
    assert all(map(torch.equal, found, expected))
    assert [each.dtype for each in found] == [DTYPES[type_]] * 2


@pytest.mark.parametrize("type_", ["bfloat16", "float16"])
def test_half_precision_in_jax(type_):
    import jax
    import jax.numpy as jnp

    op = tt.jax.op(module(PRODUCT.format(type_.replace("loat", ""))))
    keys = jax.random.split(jax.random.key(2), 3)
    a, b, adjoint = (jax.random.normal(key, 16).astype(type_) for key in keys)
    found = jax.vjp(op, a, b)[1](adjoint)
    expected = jax.vjp(jnp.multiply, a, b)[1](adjoint)
    assert all((f == e).all() and f.dtype == type_ for f, e in zip(found, expected, strict=True))


def test_a_real_number_for_a_complex_scalar():
    op = operation(COMPLEX)
    a = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    x = torch.tensor([1 + 2j, 3j, -1.0], dtype=torch.complex128)
    turned, _ = op(a, x)
    torch.testing.assert_close(turned, a * x)
    (found,) = torch.autograd.grad(turned.real.sum(), a)
    assert found == x.real.sum()
    assert found.dtype == torch.float64


def test_a_group_of_arrays_that_groups_share():
    refused = operation(FIRST, groups=3)
    x = torch.randn(2, 4, dtype=torch.float64, requires_grad=True)
    with pytest.raises(tt.LoweringError, match="with 'atomic', groups add to it"):
        refused(x).sum().backward()
    op = operation(FIRST, groups=3, atomic=True)
    op(x).sum().backward()
    expected = torch.zeros_like(x)
    expected[:, 0] = 6 * x[:, 0].detach()
    torch.testing.assert_close(x.grad, expected)


def test_jax_names_the_switch_only_where_it_is_off():
    import jax
    import jax.numpy as jnp

    op = tt.jax.op(module(COMPLEX))
    with jax.enable_x64(True), pytest.raises(tt.ArgumentError, match="expected dtype") as caught:
        op(jnp.float64(2.0), jnp.ones(3, jnp.complex128))
    assert "jax_enable_x64" not in str(caught.value)
    with jax.enable_x64(False), pytest.raises(tt.ArgumentError, match="jax_enable_x64"):
        op(1j, jnp.ones(3, jnp.complex64))
