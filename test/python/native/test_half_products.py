"""Products of f16 and bf16 whose sums are of f32: their B is converted before."""

import itertools

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.scalars import SCALAR_TYPES

GROUPS = 3
GEMM = """
func @gemm(%beta: f32, %A: memref<{type}x{A}x?>, %B: memref<{type}x{B}x?>,
           %C: memref<f32x{rows}x{columns}x?>) {{
  %g = builtin.group_id : index
  %a = subview %A[:, :, %g] : memref<{type}x{A}>
  %b = subview %B[:, :, %g] : memref<{type}x{B}>
  %c = subview %C[:, :, %g] : memref<f32x{rows}x{columns}>
  %alpha = constant 2.0 : {type}
  gemm.{ta}.{tb} %alpha, %a, %b, %beta, %c
}}
"""


def factor(kind, rng, rows, columns, transpose):
    """Return small integers for each group, as a factor and as arrays of a type."""
    values = rng.integers(-8, 9, (rows, columns, GROUPS)).astype(np.float32)
    stored = values.swapaxes(0, 1) if transpose == "t" else values
    return values, np.asfortranarray(kind.to_memory(stored.astype(kind.value_dtype)))


@pytest.mark.similar
@pytest.mark.parametrize("target", ["native", "x86-64-v2", "x86-64-v3"])
@pytest.mark.parametrize("type_", ["f16", "bf16"])
@pytest.mark.parametrize("rows, columns, steps", [(1, 1, 1), (5, 3, 7), (35, 9, 20), (33, 16, 8)])
def test_products(type_, target, rows, columns, steps):
    rng = np.random.default_rng(rows)
    kind = SCALAR_TYPES[type_]
    for ta, tb in itertools.product("nt", repeat=2):
        a, stored_a = factor(kind, rng, rows, steps, ta)
        b, stored_b = factor(kind, rng, steps, columns, tb)
        sizes = {
            name: "x".join(map(str, stored.shape[:2]))
            for name, stored in (("A", stored_a), ("B", stored_b))
        }
        text = GEMM.format(type=type_, rows=rows, columns=columns, ta=ta, tb=tb, **sizes)
        gemm = tt.Context().parse(text).compile(target)["gemm"]
        product = 2 * np.einsum("ikg,kjg->ijg", a, b)
        for beta in (0.0, 0.5):
            before = rng.integers(-8, 9, product.shape).astype(np.float32)
            # What is multiplied by zero is not read.
            given = before if beta else np.full_like(before, np.nan)
            memory = np.full((rows, columns, GROUPS + 2), 77, np.float32, order="F")
            memory[..., 1:-1] = given
            gemm(beta, stored_a, stored_b, memory[..., 1:-1], groups=GROUPS)
            np.testing.assert_array_equal(memory[..., 1:-1], product + beta * before)
            assert (memory[..., 0] == 77).all() and (memory[..., -1] == 77).all()


def test_factors_are_as_in_memory():
    """NaN, infinity and subnormal numbers are converted as they are."""
    b = np.array([[np.nan, np.inf, -np.inf, 6e-8, -6e-8, 65504]], np.float16, order="F")
    c = np.zeros((1, 6, 1), np.float32, order="F")
    text = GEMM.format(type="f16", rows=1, columns=6, ta="n", tb="n", A="1x1", B="1x6")
    gemm = tt.Context().parse(text).compile("native")["gemm"]
    gemm(0.0, np.ones((1, 1, 1), np.float16), b.reshape(1, 6, 1, order="F"), c, groups=1)
    np.testing.assert_array_equal(c[0, :, 0], 2 * b[0].astype(np.float32))
