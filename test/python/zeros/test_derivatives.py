"""Derivatives of kernels with patterns of zeros keep to the patterns."""

import numpy as np
import pytest

import tinytc_mlir as tt
from nearness import assert_near
from tinytc_mlir.zero_patterns import mask_of

A_BOXES, S_BOXES = [(0, 5, 0, 3), (3, 9, 2, 7)], [(0, 4, 4, 6), (4, 6, 0, 4)]
TEXT = f"""
func @k(%A: memref<f64x9x7> {{nonzero={[list(b) for b in A_BOXES]}}}, %X: memref<f64x7x6>,
        %S: memref<f64x6x6> {{nonzero={[list(b) for b in S_BOXES]}}}, %Y: memref<f64x9x6>) {{
  %zero = constant 0.0 : f64
  %half = constant 0.5 : f64
  %one = constant 1.0 : f64
  %T = alloca : memref<f64x9x6,local>
  gemm.n.n %half, %A, %X, %zero, %T
  gemm.n.n %one, %T, %S, %one, %Y
}}"""


def arrays(seed):
    rng = np.random.default_rng(seed)
    a, x, s, y = (rng.standard_normal(shape) for shape in ((9, 7), (7, 6), (6, 6), (9, 6)))
    a, s = a * mask_of(A_BOXES, a.shape), s * mask_of(S_BOXES, s.shape)
    return [np.asfortranarray(each) for each in (a, x, s, y)]


@pytest.mark.parametrize("target", ["native", "cpu"])
def test_adjoint(target):
    module = tt.Context().parse(TEXT)
    (a, x, s, _), w = arrays(0), arrays(1)[3]
    reverse = module.vjp("k").compile(target)
    values = {"A": a, "X": x, "S": s, "Y": w.copy("F")}
    name = next(iter(reverse.kernels))
    adjoints = {f"{n}_adjoint": np.zeros_like(v) for n, v in values.items()}
    adjoints["Y_adjoint"] = w.copy("F")
    kernel = reverse[name]
    names = [each.name for each in kernel.info.arguments]
    given = {n: v for n, v in (values | adjoints).items() if n in names}
    given |= {
        n: np.zeros((*values[n[0]].shape, 1), order="F") for n in names if n[1:] == "_partial"
    }
    kernel(**given, groups=1)
    expected = {
        "A": 0.5 * mask_of(A_BOXES, a.shape) * (w @ s.T @ x.T),
        "X": 0.5 * a.T @ w @ s.T,
        "S": 0.5 * mask_of(S_BOXES, s.shape) * ((a @ x).T @ w),
    }
    for name, value in expected.items():
        found = given.get(f"{name}_partial", given.get(f"{name}_adjoint"))
        assert_near(found.reshape(value.shape, order="F"), value)


def test_tangent():
    module = tt.Context().parse(TEXT)
    values, directions = arrays(0), arrays(1)
    kernel = module.jvp("k").compile("native")["k_jvp"]
    (a, x, s, _), (da, dx, ds, dy) = values, directions
    expected = dy + 0.5 * ((da @ x + a @ dx) @ s + a @ x @ ds)
    names = ("A", "X", "S", "Y")
    given = dict(zip(names, values, strict=True))
    given |= {f"{n}_tangent": v for n, v in zip(names, directions, strict=True)}
    kernel(**given)
    assert_near(given["Y_tangent"], expected)
    text = module.jvp("k").text
    assert text.count(f"nonzero={[list(b) for b in A_BOXES]}") >= 2
