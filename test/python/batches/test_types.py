"""Type checkers know batched functions and what is in them."""

import ast

import tinytc_mlir as tt
import type_checkers
from tinytc_mlir.batches import reading
from tinytc_mlir.kernels.namespace import names

GOOD = """
# mypy: disable-error-code="name-defined, no-untyped-def"
from collections.abc import Callable
from typing import Any, assert_type

import numpy as np
import tinytc_mlir as tt
from tinytc_mlir import BatchedFunction
from tinytc_mlir.batches.frameworks import BatchedDerivative, BatchedGradient


@tt.batched
def update(x: tt.f64["n"], P: tt.f64["n", "n"], H: tt.f64["m", "n"], z: tt.f64["m"], k: tt.f64):
    K = tt.solve(H @ P @ H.T, H @ P).T
    y = tt.exp(x) + np.exp(k * x) + tt.where(x > 0, x, 0.0) * x.mean()
    y[0] = x.sum() + tt.sum(y, axis=0) + tt.max(P[0]) + np.linalg.norm(x)
    if x[0] > 1:
        y = y * P[0, :]
    return x + K @ (z - H @ x), y


@tt.batched("(n),(n,n)->(n)")
def turned(x: Any, A: Any) -> Any:
    return A @ x


assert_type(update, BatchedFunction)
assert_type(turned, BatchedFunction)
assert_type(turned.signature, str)
assert_type(turned.text, str)
assert_type(turned.vjp(wrt=["x"]), BatchedDerivative)
assert_type(turned.jvp(), BatchedDerivative)
assert_type(tt.grad(turned, "x"), BatchedGradient)
assert_type(turned.torch, Callable[..., Any])
turned(np.ones(3), np.ones((3, 3)), out=np.ones(3), axes=[0, (0, 1), 0])
turned.python(np.ones(3), np.ones((3, 3)))
"""
BAD = """
import tinytc_mlir as tt
import numpy as np

tt.batched(3)  # no function


@tt.batched("(n)->(n)")
def twice(x: object) -> object:
    return tt.sofmax(x)  # no such function


twice.signatur  # no such attribute
twice.signature = "(n)"  # it follows from the function
twice.vjp(by=["x"])  # no such option
twice(np.ones(3), axis="x")  # no number
tt.grad(twice, of="x")  # results have no names
"""


def test_every_function_has_a_type():
    path = type_checkers.PACKAGE / "batches" / "language.pyi"
    (_, _, _, *groups) = ast.parse(path.read_text("utf-8")).body
    found = {target.id for group in groups for target in group.targets}
    assert found == set(reading.FUNCTIONS) - set(names()) - set(tt.__all__)


def test_mypy(tmp_path):
    type_checkers.write_files(tmp_path, GOOD, BAD, type_checkers.PLUGIN)
    output, errors = type_checkers.mypy_errors(tmp_path)
    assert errors == type_checkers.marked(BAD), output
