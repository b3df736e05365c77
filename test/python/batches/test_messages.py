"""What batched functions do not have is an error at its line, which says what to write."""

import importlib.util

import numpy as np
import pytest
from batched_check import check, check_derivatives

import profiles
import tinytc_mlir as tt

HEAD = """import numpy as np
import tinytc_mlir as tt

BYTES = np.zeros(3, np.uint8)


def helper(x):
    return x


@tt.batched
def f(A: tt.f64["n", "n"], x: tt.f64["n"], y: tt.f64["m"]):
"""
WRONG = {
    "return A @ y": "expected (3, 3) @ (4,) with equal inner sizes, got 3 and 4",
    "return x + y": "expected shapes that broadcast, got (3,) and (4,)",
    "return np.uint8(x)": "expected a type such as tt.f32, got uint8",
    "return x + BYTES": "expected a type such as tt.f32, got uint8",
    "return x @ 2.0": "expected arrays around '@', got a number",
    "return tt.softmix(x)": "got 'tt.softmix'\n    return tt.softmix(x)\n           ^~~~~~~~~~~~~\nnote: did you mean 'softmax'?",
    "return np.linalg.svd(A)": "expected a function that batched functions have, got 'np.linalg.svd'",
    "return helper(x)": "note: mark 'helper' with @tt.inline to call it",
    "tt.gemm(1.0, A, A, 0.0, A)\n    return x": "note: instructions are for @tt.kernel",
    "z = x + 1": "expected a value after 'return', got no 'return'",
    "if x[0] > 0:\n        return x": "expected a value of 'f' on all paths, got one on some",
    "if x[0] > 0:\n        z = x\n    else:\n        z = y\n    return z": "expected one shape for 'z' after both branches, got (3,) and (4,)",
    "if x > 0:\n        x = -x\n    return x": "expected one truth value, got an array of shape (3,)",
    "while x[0] > 0:\n        x = x - 1\n    return x": "expected a loop with a number of turns, got 'while'",
    "return x[7]": "expected an index below 3, got 7",
    "return x[0, 0]": "expected at most 1 indices, got 2",
    "x[x > 0] = x\n    return x": "expected a number for a mask, got an array of shape (3,)\n    x[x > 0] = x\n",
    'return np.einsum("ij,jk->k", A, x)': "expected subscripts with a letter for each mode, such as 'ij,j->i', got 'ij,jk->k' for (3, 3), (3,)",
    "return np.sort(x)": "note: nothing sorts; np.min and np.max find extremes",
    "return x[x > 0]": "expected an integer as index, got an array of bool and shape (3,)",
    "s = x\n    for k in range(100):\n        s = x[:k]\n    return s": "note: sizes are known when the function is read: write x[i : i + 3]",
    "r = A[0]\n    A[0, 1] = 5.0\n    return r": "got 'r' whose memory has changed as a part of 'A': write .copy()",
    "s = 0.0\n    for k in range(100):\n        s = s + x\n    return s": "expected one shape for 's' in the loop, got () before and (3,) after a turn",
    "return x + q": "expected a name that has a value, got 'q'",
    "return A.reshape(7, 7)": "expected a shape of 9 elements for (3, 3), got (7, 7)",
    "return tt.sum(x, axes=0)": "expected other arguments of 'sum', got an unexpected keyword argument 'axes'",
    "return tt.sum(A, axis=2)": "expected an axis below 2, got 2",
    "return tt.max(x[:0])": "expected at least one element, got shape (0,)",
    "return A.foo": "of an array, got 'foo'",
    'return "no"': "expected an array or a number, got 'no'",
    "return tt.zeros(x)": "expected a constant that is known now, got an array",
    "return tt.stack([x, y])": "expected rows of one shape, got (3,) and (4,)",
    "a, b = x\n    return a": "expected 2 values, got 3",
    "x.T[0] = 1.0\n    return x": "expected a name before '['",
    "assert x[0] > 0\n    return x": "expected a condition that is known now",
    "with x:\n        pass\n    return x": "expected no 'with' in a batched function",
    "return [v for v in x if v > 0]": "expected one 'for' without 'if' in a list, got more",
    "return x ** -x.sum": "the method 'sum', which is not called",
    "return f(A, x, y)": "expected no recursion, got a call of 'f' in itself",
    "return tt.expm(A)": "expected a function that batched functions have, got 'tt.expm'",
}


def loaded(body, folder):
    path = folder / "wrong.py"
    path.write_text(f"{HEAD}    {body}\n")
    spec = importlib.util.spec_from_file_location("wrong", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


@pytest.mark.parametrize("body", WRONG)
def test_message(body, tmp_path):
    function = loaded(body, tmp_path)
    with pytest.raises(tt.ParseError) as caught:
        function(np.ones((5, 3, 3)), np.ones((5, 3)), np.ones((5, 4)))
    assert WRONG[body] in str(caught.value)
    assert all("Traceback" not in each.message for each in caught.value.diagnostics)


@pytest.mark.parametrize(
    "decorated, message",
    [
        ('@tt.batched("(n),(n")\ndef f(x, y):\n    return x', "expected a signature such as '(n),(n,n)->(n)', got '(n),(n'"),
        ('@tt.batched("(n)->(n)")\ndef f(x, y):\n    return x', "expected a signature of 2 arguments (x, y), got 1"),
        ('@tt.batched\ndef f(x: tt.f64["n/2"]):\n    return x', "expected a size such as n, 'n + 1' or '2 * n', got 'n/2'"),
        ("@tt.batched\ndef f(x: int):\n    return x", "expected a type such as tt.f64['n', 3], got <class 'int'>"),
        ('@tt.kernel\ndef f(x: tt.f64["n"]):\n    x[:] = 0.0', "note: names of sizes are for @tt.batched"),
    ],
)  # fmt: skip
def test_wrong_parameters(decorated, message, tmp_path):
    path = tmp_path / "parameters.py"
    path.write_text(f"import tinytc_mlir as tt\n\n\n{decorated}\n")
    spec = importlib.util.spec_from_file_location("parameters", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(tt.ParseError) as caught:
        _ = module.f.arguments if hasattr(module.f, "arguments") else module.f.module
    assert message in str(caught.value)


def test_random_functions(tmp_path):
    for seed in range(60 if profiles.IS_NIGHTLY else 6):
        assert check(seed, tmp_path) == ""


def test_random_gradients(tmp_path):
    pytest.importorskip("jax")
    for seed in range(40 if profiles.IS_NIGHTLY else 2):
        assert check_derivatives(seed, tmp_path) == ""
