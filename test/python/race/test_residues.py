"""Stages of a program on residues modulo a prime: equal polynomials have equal values.

Two stages whose results agree at a random point modulo a large prime compute the same polynomial,
however their sums are ordered; rounding has no part in it.
"""

import re

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.gpu_stage import GpuStage
from tinytc_mlir.reference import interpret
from tinytc_mlir.verification.residues import Residues

PRIME = 2**31 - 1
PRODUCT = """
func @f(%alpha: f32, %A: memref<f32x5x7>, %B: memref<f32x6x7>, %C: memref<f32x5x6>) {
  %beta = constant -0.5 : f32
  %two = constant 2.0 : f32
  %T = alloca : memref<f32x5x6>
  %zero = constant 0.0 : f32
  gemm.n.t %alpha, %A, %B, %zero, %T
  hadamard_product %two, %T, %C, %beta, %C
}"""
SCALARS = """
func @f(%alpha: f64, %A: memref<f64x12>, %B: memref<f64x12>) {
  %0 = constant 0 : index
  %12 = constant 12 : index
  foreach (%i)=(%0),(%12) {
    %a = load %A[%i] : f64
    %b = load %B[%i] : f64
    %sum = arith.add %a, %alpha : f64
    %quotient = arith.div %b, %sum : f64
    %third = arith.sub %quotient, %a : f64
    store %third, %B[%i]
  }
}"""

FACTORS = """
func @f(%alpha: f32, %A: memref<f32x19x19>, %C: memref<f32x19x19>, %B: memref<f32x3x19>) {
  lu %A
  trsm.right.l.n.unit %alpha, %A, %B
  trmm.right.u.t %alpha, %A, %B
  syrk.l.t %alpha, %A, %alpha, %C
  trsm.right.l.n %alpha, %C, %B
}"""


def arguments(shapes, dtype):
    """Return a number and arrays, in Fortran's order, whose bits are random residues."""
    rng, bits = np.random.default_rng(5), f"u{np.dtype(dtype).itemsize}"
    found = [rng.integers(PRIME, size=shape).astype(bits).view(dtype) for shape in shapes]
    return [3.0, *map(np.asfortranarray, found)]


def run(text, shapes, dtype, target, change=None):
    """Return the last argument after the reference and after the gpu stage."""
    module, numbers = tt.Context().parse(text), Residues(PRIME)
    expected, actual = arguments(shapes, dtype), arguments(shapes, dtype)
    interpret(module, "f", expected, arithmetic=numbers)
    if change is None:
        assert GpuStage(module, target=target, arithmetic=numbers).check("f", actual) == []
    else:
        changed = tt.Context().parse_mlir(change(str(module.lower("gpu", target=target))))
        number_of_groups = 1  # the last value of the ABI
        GpuStage(changed, arithmetic=numbers).check("f", [*actual, number_of_groups])
    bits = f"u{np.dtype(dtype).itemsize}"
    return expected[-1].view(bits), actual[-1].view(bits)


CASES = [
    (PRODUCT, [(5, 7), (6, 7), (5, 6)], "f4"),
    (SCALARS, [12, 12], "f8"),
    (FACTORS, [(19, 19), (19, 19), (3, 19)], "f4"),
]


@pytest.mark.parametrize("target", ["cpu", "intel-gpu:pvc", "cuda:sm_90"])
@pytest.mark.parametrize("case", CASES, ids=["product", "scalars", "factors"])
def test_the_gpu_stage_computes_the_same_polynomial(case, target):
    expected, actual = run(*case, target)
    np.testing.assert_array_equal(actual, expected)
    assert (expected < PRIME).all()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (r"math\.fma (%\w+), (%\w+), (%\w+)", r"math.fma \1, \1, \3"),
        (r"arith\.mulf (%\w+), (%\w+)", r"arith.addf \1, \2"),
        (r"constant -5\.0+e-01 : f32", "constant 5.000000e-01 : f32"),
    ],
    ids=["another factor", "a sum in place of a product", "another sign"],
)
def test_a_wrong_instruction_is_found(old, new):
    def change(stage):
        found, count = re.subn(old, new, stage, count=1)
        assert count
        return found

    expected, actual = run(*CASES[0], "cpu", change)
    assert (actual != expected).any()


def test_a_prime_that_memory_cannot_hold():
    module = tt.Context().parse(PRODUCT.replace("f32", "f16"))
    given = [3.0, *(np.zeros(shape, np.float16, order="F") for shape in CASES[0][1])]
    with pytest.raises(ValueError, match=r"expected a prime below 2\^16 - 2 for f16"):
        interpret(module, "f", given, arithmetic=Residues(PRIME))
