"""Names of functions mean what they mean in the library that they are taken from, or are refused."""

import linecache
import math

import numpy as np
import pytest
import scipy.linalg
import scipy.special
import torch

import tinytc_mlir as tt

X = np.random.default_rng(0).integers(-8, 9, (2, 3, 4)) / 4.0
X[0, 0, 1] = X[0, 0, 0]
NAMES = {
    "np": np, "math": math, "scipy": scipy, "torch": torch, "nan": np.where(X[0] > 0, np.nan, X[0])
}  # fmt: skip


def function(expression):
    """Return a batched function that returns an expression of a matrix."""
    text = f"def f(x: tt.f64['m', 'n']):\n    return {expression}\n"
    path = f"<{expression}>"
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    names = NAMES | {"tt": tt}
    exec(compile(text, path, "exec"), names)
    return tt.batched(names["f"])


def same(expression, given):
    found = function(expression)(X)
    wanted = [np.asarray(eval(expression, NAMES | {"x": each})) for each in given]
    assert found.dtype == wanted[0].dtype
    np.testing.assert_array_equal(found, np.stack(wanted))


@pytest.mark.parametrize(
    "expression",
    ["np.roll(x, 1)", "np.roll(x, -3, axis=1)", "np.fmin(x, nan)", "np.fmax(nan, x)", "np.minimum(x, nan)",
     "x[0, 0] or 1.5", "x[0, 0] and x[1, 1]", "x[0, 0] > 0 or x[1, 1] > 0", "0.0 or x[0, 0]", "sum(x)", "sum(x[0])",
     "np.argmax(x, 1)", "np.argmin(x, axis=0)", "x[0].argmax()", "np.argmax(nan * x, axis=-1)", "np.ptp(x, axis=0)",
     "np.diff(x, axis=0)", "np.diff(x, 2)", "np.cumsum(x, 0, np.float32)", "np.sum(x, 0, np.float32)", "np.mean(x, 1, np.float32)",
     "np.average(x, 0, x * x + 1)", "math.prod(x)", "round(x[0, 0], ndigits=1)", "(x > 0) > (x > 1)", "(x > 0) <= (x > 1)",
     "np.argmax(x > 0)", "np.cumsum(x, axis=None)", "np.swapaxes(x, -1, 0)", "np.expand_dims(x, -1)",
     "np.count_nonzero(x, axis=1)", "np.moveaxis(x, 0, -1)",
     "np.round(x)", "np.rint(2 * x)", "round(x[0, 0])", "np.round(x, 1)", "np.trunc(x)", "x.clip(0)", "x.round()",
     "np.clip(x, a_min=None, a_max=1)", "np.clip(x, min=0, max=1)", "np.max(x > 0)", "np.min(x > 0, axis=0)",
     "np.logical_xor(x > 0, x < 1)", "np.tile(x, (2, 1))", "np.tile(x, 2)", "np.tile(x[0], (2, 3))",
     "np.repeat(x, 2)", "np.repeat(x, 3, axis=0)", "np.repeat(x, 2, 1)", "math.floor(x[0, 0])", "math.ceil(x[0, 0])", "math.trunc(x[0, 0])"],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:invalid value")
def test_functions_are_those_of_numpy(expression):
    same(expression, X)


@pytest.mark.parametrize(
    "expression",
    ["torch.roll(x, 1)", "torch.argmax(x, 1)", "torch.sum(x, 0)", "torch.flip(x, (0,))", "torch.fmin(x, -x)"],
)  # fmt: skip
def test_functions_are_those_of_torch(expression):
    same(expression, torch.from_numpy(X))


@pytest.mark.parametrize(
    "expression",
    ["scipy.linalg.cholesky(x @ x.T)", "scipy.linalg.qr(x)[0]", "scipy.special.softmax(x)", "torch.std(x)", "torch.var(x)",
     "torch.max(x, 1)[0]", "torch.transpose(x, 0, 1)", "torch.cross(x, x)", "torch.round(x)"],
)  # fmt: skip
def test_others_of_these_names_are_refused(expression):
    with pytest.raises(
        tt.ParseError, match="expected a function that batched functions have"
    ) as caught:
        function(expression)(X)
    name = expression.partition("(")[0].rpartition(".")[2]
    assert (
        f"write tt.{name}, whose arguments and defaults are NumPy's" in str(caught.value)
        or name == "transpose"
    )


@pytest.mark.parametrize(
    ("expression", "message"),
    [("np.diag(x, 1)", "expected other arguments of 'diag', at most 1, got 2"),
     ("np.repeat(x, (2, 1))", "expected"),
     ("np.clip(x, lower=0)", "got an unexpected keyword argument 'lower'"),
     ("np.average(x, 0, (1.0, 2.0, 3.0))", "expected weights of shape (3, 4), got (3,)"),
     ("np.max(x, 0, np.float64)", "expected at most an axis by position"),
     ("sum(x[0], start=1.0)", "expected no keywords of Python's own sum, got 'start'"),
     ("np.linalg.norm(x, 1, (0, 1))", "expected a norm of order 1, 2 or inf of a vector, got 1"),
     ("np.diff(x, -1)", "expected an integer from 0 on for 'n'"),
     ("np.linalg.matrix_power(x[:, :3], -1)", "expected an integer from 0 on for 'n'"),
     ("np.expand_dims(x, 7)", "expected an axis below 3, got 7"),
     ("np.concatenate([x, x], axis=None)", "expected one axis, got None"),
     ("np.roll(x, (1, 2), axis=(0, 1))", "expected one axis, got (0, 1)"),
     ("np.moveaxis(x, (0, 1), (1, 0))", "expected one axis, got (0, 1)"),
     ("np.swapaxes(x, 0, 5)", "expected an axis below 2, got 5"),
     ("np.argmin(x, axis=5)", "expected an axis below 2, got 5"),
     ("np.tile(x, 0)", "expected"),
     ("max(x)", "expected numbers, of which Python's own max takes one, got rows")],
)  # fmt: skip
def test_other_arguments_are_refused_where_they_stand(expression, message):
    with pytest.raises(tt.ParseError) as caught:
        function(expression)(X)
    assert str(caught.value).startswith(f"<{expression}>:2:12: error: ")
    assert message in str(caught.value)
