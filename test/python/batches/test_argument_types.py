"""Types of arguments of batched functions: what is converted, and what is an error."""

import numpy as np
import pytest
import torch

import tinytc_mlir as tt


@tt.batched
def real(x: tt.f64["n"], y: tt.f64):
    return y * x


@tt.batched
def whole(x: tt.i32["n"], y: tt.i32):
    return y * x


@pytest.mark.parametrize("given", ["c16", "f8"])
def test_no_number_is_narrowed(given):
    @tt.batched
    def doubled(x: tt.c32["n"]):
        return 2 * x

    with pytest.raises(tt.ArgumentError, match="expected dtype complex64, got"):
        doubled(np.ones((2, 3), given))


def test_integers_are_narrowed_if_the_type_has_them():
    @tt.batched
    def doubled(x: tt.i32["n"]):
        return 2 * x

    np.testing.assert_array_equal(doubled(np.arange(3)), [0, 2, 4])
    with pytest.raises(tt.ArgumentError, match="expected integers of int32, got some"):
        doubled(np.array([0, 2**40]))


def test_a_parameter_without_annotation_has_a_batch():
    @tt.batched
    def product(A, x):
        return A @ x

    with pytest.raises(
        tt.ParseError, match="'x' has no annotation, so its first mode is that of the batch"
    ):
        product(np.ones((3, 3)), np.ones(3))


@pytest.mark.parametrize(
    ("function", "values", "message"),
    [(real, (np.ones(3), 1j), "'y': expected a number of float64, got 1j"),
     (whole, (np.arange(3), 1.5), "'y': expected a number of int32, got 1.5"),
     (whole, (np.arange(3), 2**40), "'y': expected integers of int32, got some"),
     (whole, (np.array([0, 2**31], np.uint32), 1), "'x': expected integers of int32, got some"),
     (real, (torch.ones(3), 1j), "'y': expected a number of float64, got 1j"),
     (real, (torch.ones(3), np.ones((), complex)), "'y': expected dtype float64, got complex128"),
     (whole, (torch.arange(3, dtype=torch.int32), 1.5), "'y': expected a number of int32, got 1.5"),
     (whole, (torch.arange(3), 1), "'x': expected dtype int32, got int64")],
)  # fmt: skip
def test_numbers_that_a_type_does_not_have(function, values, message):
    whole(np.arange(3), 1)  # what is kept of a call does not count
    with pytest.raises(tt.ArgumentError, match=message):
        function(*values)


def test_bfloat16_is_widened():
    found = real(torch.ones(3, dtype=torch.bfloat16), 2)
    assert found.dtype == torch.float64
    np.testing.assert_array_equal(found, [2, 2, 2])


def test_lists_beside_tensors_keep_their_type():
    @tt.batched
    def total(x, y: tt.f64["n"]):
        return x + y

    np.testing.assert_array_equal(
        total(torch.ones(2, dtype=torch.int64), [1.5, 2.5])[0], [2.5, 3.5]
    )


def test_jax_may_have_no_f64():
    jax = pytest.importorskip("jax")
    x = jax.numpy.ones((2, 3), np.float32)
    for has_f64 in (False, True, False):
        with jax.enable_x64(has_f64):
            assert real(x, 2.0).dtype == (np.float64 if has_f64 else np.float32)
