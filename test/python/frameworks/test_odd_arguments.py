"""Operations refuse what does not fit with its name, whatever has been called before."""

import jax.numpy as jnp
import pytest
import torch

import tinytc_mlir as tt


@tt.kernel
def scaled(n: tt.i64, s: tt.f64, x: tt.f64[None, None], y: tt.f64[None, None]):
    i = tt.group_id.x
    y[:, i] = s * x[:, i]


@tt.kernel
def scaled_jax(s: tt.f64, x: tt.f64[None, None], y: tt.f64[None, None]):
    i = tt.group_id.x
    y[:, i] = s * x[:, i]


X = torch.ones(4, 3, dtype=torch.float64)


@pytest.fixture(scope="module")
def op():
    return tt.torch.op(scaled, "odd_arguments::scaled", groups=[("x", 1)])


ODD = {
    "a number": ((1, "2", X), "argument 's': expected numbers of torch.float64, got '2'"),
    "a complex number": ((1, 1j, X), r"argument 's': expected numbers of torch.float64, got 1j"),
    "nothing": ((1, 1.0, None), "argument 'x': expected numbers of torch.float64, got None"),
    "order": ((1, 1.0, X[0]), r"argument 'x': expected a tensor of 2 modes, got shape \(3,\)"),
    "order on no device": ((1, 1.0, X[0].to("meta")), "expected a tensor of 2 modes"),
    "order of a scalar": ((1, X[0], X), r"'s': expected a number or a tensor of order 0, .*\(3,\)"),
    "a scalar without value": ((1, X[0, 0].to("meta"), X), "expected tensors on one device"),
    "type": ((1, 1.0, X.float()), "argument 'x': expected dtype float64, got float32"),
    "type of none": ((1, 1.0, X[:, :0].float()), "'x': expected dtype float64, got float32"),
    "sparse": ((1, 1.0, X.to_sparse()), "argument 'x': expected a dense tensor"),
}


@pytest.mark.parametrize("odd", ODD)
def test_tensors(odd, op):
    values, message = ODD[odd]
    with pytest.raises(tt.ArgumentError, match=message):
        op(*values)


def test_devices():
    @tt.kernel
    def sums(x: tt.f64[None], z: tt.f64[None], y: tt.f64[None]):
        i = tt.group_id.x
        y[i] = x[i] + z[i]

    add = tt.torch.op(sums, "odd_arguments::sums")
    x = torch.ones(3, dtype=torch.float64)
    with pytest.raises(
        tt.ArgumentError, match="expected tensors on one device, got .* cpu and meta"
    ):
        add(x, x.to("meta"))


def test_numbers_have_values_on_any_default_device(op):
    with torch.device("meta"):
        assert op(1, 2.0, X).tolist() == [[2.0] * 3] * 4
        assert op(1, 2.0, X.tolist()).is_cpu
    assert op(1, 2.0, X.to("meta")).is_meta


def test_adjoints_may_be_several(op):
    x = X.clone().requires_grad_()
    adjoints = torch.rand(5, *X.shape, dtype=X.dtype)
    (found,) = torch.autograd.grad(op(1, 2.0, x), x, adjoints, is_grads_batched=True)
    assert found.equal(2 * adjoints)
    found = torch.autograd.functional.jacobian(lambda x: op(1, 2.0, x), X, vectorize=True)
    assert found.reshape(12, 12).equal(2 * torch.eye(12, dtype=X.dtype))


def test_integers_are_the_same_after_equal_ones(op):
    for number in (1, True, 1, torch.tensor(1)):
        assert op(number, 2.0, X).tolist() == [[2.0] * 3] * 4
    with pytest.raises((TypeError, RuntimeError)):
        op(1.0, 2.0, X)


@pytest.mark.parametrize("value", ["2", None, 1j])
def test_jax(value):
    op = tt.jax.op(scaled_jax)
    with pytest.raises(tt.ArgumentError, match="argument 's': expected numbers of float64, got"):
        op(value, jnp.ones((4, 3)))
