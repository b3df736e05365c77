"""Arguments of batched functions that are called with tensors, or with arrays of JAX."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import tinytc_mlir as tt


@tt.batched
def scaled(x: tt.f64["n"], a: tt.f64):
    return a * x


@tt.batched
def total(x, y):
    return x + y


@tt.batched
def axpy(x, a, y):
    return x * a + y


X = np.arange(1.0, 7).reshape(3, 2)
T = torch.as_tensor(X)


@pytest.mark.parametrize("number", [2.0, np.float64(2), np.array(2.0), np.full(3, 2.0)])
def test_numbers_are_on_the_device_of_tensors(number):
    with torch.device("meta"):
        np.testing.assert_array_equal(scaled.torch(T, number), 2 * X)
    assert scaled.torch(T.to("meta"), number).is_meta


def test_a_number_without_value_is_on_another_device():
    with pytest.raises(tt.ArgumentError, match="on one device"):
        scaled.torch(T, torch.tensor(2.0, dtype=torch.float64, device="meta"))


@pytest.mark.parametrize("dtypes", [("f4", "f8"), ("f8", "f4"), ("i4", "i4"), ("i4", "f4")])
@pytest.mark.parametrize("number", [0.1, 3, True])
def test_numbers_have_the_type_of_all_arrays(dtypes, number):
    x, y = (np.arange(1, 4).astype(dtype) for dtype in dtypes)
    expected = axpy(x, number, y)
    assert expected.dtype == np.result_type(x, number, y)
    np.testing.assert_array_equal(
        axpy.torch(torch.as_tensor(x), number, torch.as_tensor(y)).numpy(), expected, strict=True
    )
    np.testing.assert_array_equal(axpy.torch(torch.as_tensor(x), number, y), expected)
    with jax.enable_x64(True):
        found = axpy.jax(jnp.asarray(x), number, jnp.asarray(y))
        np.testing.assert_array_equal(np.asarray(found), expected, strict=True)


@pytest.mark.parametrize(
    ("dtypes", "number", "wanted"),
    [
        (("bfloat16", "bfloat16"), 0.1, "bfloat16"),
        (("bfloat16", "float32"), 0.1, "float32"),
        (("float32", "bfloat16"), 3, "float32"),
    ],
)
def test_numbers_beside_bfloat16(dtypes, number, wanted):
    tensors = [torch.ones(3, dtype=getattr(torch, each)) for each in dtypes]
    assert axpy.torch(tensors[0], number, tensors[1]).dtype == getattr(torch, wanted)
    arrays = [jnp.ones(3, each) for each in dtypes]
    assert axpy.jax(arrays[0], number, arrays[1]).dtype == wanted


def test_results_without_elements():
    x = torch.ones(3, 0, dtype=torch.float64, requires_grad=True)
    found = scaled.torch(x, 2.0)
    assert found.shape == (3, 0)
    assert found.dtype == torch.float64
    assert torch.autograd.grad(found.sum(), x)[0].shape == (3, 0)
    assert scaled.torch(x[:0], 2.0).shape == (0, 0)
    assert scaled.torch(x[0], torch.ones(4, dtype=torch.float64)).shape == (4, 0)
    assert torch.vmap(scaled.torch, (0, None))(x, 2.0).shape == (3, 0)
    with jax.enable_x64(True):
        array = jnp.ones((3, 0))
        found = jax.jit(scaled.jax)(array, 2.0)
        assert (found.shape, found.dtype) == ((3, 0), np.float64)
        assert jax.grad(lambda a: scaled.jax(array, a).sum())(2.0) == 0
        assert jax.vmap(scaled.jax, (0, None))(array, 2.0).shape == (3, 0)


def test_some_results_without_elements():
    @tt.batched
    def both(x: tt.f64["n"], a: tt.f64):
        return 2 * x, 3 * a

    a = torch.ones(3, dtype=torch.float64, requires_grad=True)
    first, second = both.torch(torch.ones(3, 0, dtype=torch.float64), a)
    assert first.shape == (3, 0)
    assert second.tolist() == [3, 3, 3]
    assert torch.autograd.grad(first.sum() + second.sum(), a)[0].tolist() == [3, 3, 3]
    with jax.enable_x64(True):
        first, second = both.jax(jnp.ones((3, 0)), jnp.ones(3))
        assert first.shape == (3, 0)
        assert second.tolist() == [3, 3, 3]


def test_compiled_calls_with_elements_of_several_sizes():
    compiled = torch.compile(lambda x: scaled.torch(x, 2.0), backend="eager", fullgraph=True)
    for sizes in ((3, 2), (4, 3), (5, 4), (5, 0)):
        assert compiled(torch.ones(sizes, dtype=torch.float64)).equal(
            torch.full(sizes, 2.0, dtype=torch.float64)
        )


def test_arrays_of_any_strides_and_order_of_bytes():
    given = X[:, ::-1].astype(">f8")
    np.testing.assert_array_equal(scaled.torch(given, torch.tensor(2.0)), 2 * given)


@pytest.mark.parametrize("run", [total, total.torch, total.jax])
@pytest.mark.parametrize("count", [1, 3])
def test_too_few_or_too_many(run, count):
    with pytest.raises(tt.ArgumentError, match=rf"expected 2 arguments \(x, y\), got {count}"):
        run(*[X] * count)


@pytest.mark.parametrize("run", [total.torch, total.jax])
@pytest.mark.parametrize("odd", ["two", None, [1.0, [2.0]]])
def test_no_numbers(run, odd):
    array = T if run is total.torch else jnp.asarray(X)
    with pytest.raises(tt.ArgumentError, match="'x': expected numbers, got"):
        run(odd, array)


@pytest.mark.parametrize("run", [total, total.torch, total.jax])
def test_integers_that_the_type_of_arrays_does_not_have(run):
    make = {total.torch: torch.as_tensor, total.jax: jnp.asarray}.get(run, np.asarray)
    with pytest.raises(tt.ArgumentError, match="'y': expected integers of int8, got some"):
        run(make(np.ones(3, np.int8)), 300)


def test_results_have_dtypes_of_jax():
    whole = jnp.arange(3, dtype=jnp.int32)
    with jax.enable_x64(False):
        for run in (total.jax, jax.jit(total.jax)):
            found = run(whole, 2.5)
            assert found.dtype == np.float32
            np.testing.assert_array_equal(found, [2.5, 3.5, 4.5])
        assert jax.grad(lambda a: total.jax(whole, a).sum())(1.0) == 3
    with jax.enable_x64(True):
        assert total.jax(whole, 2.5).dtype == np.float64
