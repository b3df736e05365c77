"""Which arrays an operation takes, and which of its results it need not clear."""

import numpy as np
import pytest
import torch

import tinytc_mlir as tt
from tinytc_mlir.frameworks import torch_calls
from tinytc_mlir.frameworks.ops import functional_kernel

OPTIONS = {"name": None, "target": "native", "atomic": False, "constants": None}
#: Bodies that write all of y, an array of 4 rows with a column for each group.
ALL = [
    "foreach (%r) = (0), (4) { store %one, %y[%r, %g] }",
    "foreach (%r) = (%zero), (%m) { store %one, %y[%r, %g] }",
    "for %r = 0, %m { store %one, %y[%r, %g] }",
    "%v = subview %y[:, %g] : memref<f64x?>  axpby %two, %u, %none, %v",
    "%v = subview %y[0:%m, %g] : memref<f64x?>  foreach (%r) = (0), (%m) { store %one, %v[%r] }",
    "for %r = 0, %m { %v = subview %y[%r, %g] : memref<f64>  store %one, %v[] }",
]
#: Bodies that do not, or not for each size.
NOT_ALL = [
    "foreach (%r) = (0), (3) { store %one, %y[%r, %g] }",
    "for %r = 1, %m { store %one, %y[%r, %g] }",
    "for %r = 0, %m, 2 { store %one, %y[%r, %g] }",
    "for %r = 0, %m { store %one, %y[%zero, %g] }",
    "for %r = 0, %m { for %s = 0, %n { store %one, %y[%r, %g] } }",
    "for %r = 0, %m { %c = less_than %r, %n : bool  if %c { store %one, %y[%r, %g] } }",
    "for %r = 0, %m { store.atomic_add %one, %y[%r, %g] }",
    "for %r = 0, %m { store %one, %y[%r, %r] }",
    "store %one, %y[%g, %g]",
    "%v = subview %y[:, %g] : memref<f64x?>  axpby %two, %u, %one, %v",
    "%v = subview %y[0:2, %g] : memref<f64x2>  foreach (%r) = (0), (2) { store %one, %v[%r] }",
    "%v = subview %y[1:2, %g] : memref<f64x2>  foreach (%r) = (0), (2) { store %one, %v[%r] }",
]


def function_of(body, **options):
    text = f"""
func @f(%n: index, %x: memref<f64x?x?>, %y: memref<f64x?x?>) {{
  %zero = constant 0 : index
  %none = constant 0.0 : f64
  %one = constant 1.0 : f64
  %two = constant 2.0 : f64
  %g = group_id.x : index
  %u = subview %x[:, %g] : memref<f64x?>
  %first = load %x[%zero, %g] : f64
  %m = size %y[0] : index
  {body.replace("  ", chr(10)).replace("{ ", "{" + chr(10)).replace(" }", chr(10) + "}")}
}}"""
    given = {"shapes": {"y": [4, ("x", 1)]}, "outputs": None, "groups": None, **options}
    return functional_kernel(tt.Context().parse(text), **OPTIONS, **given)


def launched(function, x):
    y = np.full(x.shape, np.nan, order="F")
    function.launch({"n": 2, "x": x, "y": y}, (x.shape[1], 1, 1))
    return y


@pytest.mark.parametrize("body", ALL)
def test_arrays_that_are_overwritten(body):
    function = function_of(body)
    assert "y" not in function.inputs
    assert not function.cleared({"x": (4, 5), "n": 2})
    assert not np.isnan(launched(function, np.ones((4, 5), order="F"))).any()


@pytest.mark.parametrize("body", NOT_ALL)
def test_arrays_that_are_cleared(body):
    assert function_of(body, outputs="y").cleared({"x": (4, 5), "n": 2}) == {"y"}


@pytest.mark.parametrize(
    ("options", "cleared"),
    [
        ({"shapes": {"y": [4, 5]}}, set()),
        ({"shapes": {"y": [5, ("x", 1)]}}, {"y"}),
        ({"shapes": {"y": [4, 7]}, "groups": 7}, set()),
        ({"shapes": {"y": [4, 7]}, "groups": 5}, {"y"}),
    ],
)
def test_numbers_of_groups_matter(options, cleared):
    assert function_of(ALL[0], **options).cleared({"x": (4, 5), "n": 2}) == cleared


@tt.kernel
def twice(a: tt.f64[4, 4, None], y: tt.f64[4, 4, None]):
    i = tt.group_id.x
    y[:, :, i] = a[:, :, i] @ a[:, :, i]
    y[:, :, i] += a[:, :, i]


@tt.kernel
def dynamic(a: tt.f64[None, None, None], b: tt.f64[None, None], c: tt.f64[None, None, None]):
    i = tt.group_id.x
    c[:, :, i] = a[:, :, i] @ b


@tt.kernel
def other(a: tt.f64[4, 4, None], y: tt.f64[4, 4, None]):
    i = tt.group_id.x
    y[:, :, i] = a[:, :, i] @ a[:, :, i]
    y[:, :, i + 1] += a[:, :, i]


def test_equal_views_are_one():
    a = torch.rand(4, 4, 3, dtype=torch.float64)
    op = tt.torch.op(twice, "overwriting::twice")
    assert op.parameters == ("a",)
    expected = torch.einsum("ijn,jkn->ikn", a, a) + a
    torch.testing.assert_close(op(a), expected)
    assert tt.jax.op(other).parameters == ("a", "y")


def test_a_size_is_no_read():
    op = tt.jax.op(dynamic)
    assert op.parameters == ("a", "b")


def test_calls_of_known_shapes_are_remembered():
    op = tt.torch.op(twice, "overwriting::remembered")
    plan = torch_calls.TensorCalls._plan
    misses = plan.cache_info().misses
    for seed in range(5):
        a = torch.full((4, 4, 3), float(seed), dtype=torch.float64)
        torch.testing.assert_close(op(a), 4 * a * a + a)
    assert plan.cache_info().misses == misses + 1
    op(torch.ones(4, 4, 2, dtype=torch.float64))
    assert plan.cache_info().misses == misses + 2
