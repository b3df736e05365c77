"""Kernels that are right, and that fields or the target's choices could make look wrong."""

import pytest

import tinytc_mlir as tt
from tinytc_mlir.certificates import Outcome
from tinytc_mlir.gpu_stage import GpuStage
from tinytc_mlir.measure.sample_data import SampleOptions, sample_arguments
from tinytc_mlir.verification.exactness import NO_SQUARES, Subject
from tinytc_mlir.verification.stages import LINALG, Comparison

PARTS = ("stages", "accesses", "derivatives")
#: A sum over a subgroup, whose size the target chooses.
OF_SUBGROUP = """
func @f(%A: memref<f32x64>, %S: memref<f32>) {
  parallel {
    %l = subgroup_local_id : i32
    %i = cast %l : index
    %x = load %A[%i] : f32
    %y = subgroup_add.inclusive_scan %x : f32
    store.atomic_add %y, %S[]
  }
}"""
#: Its factor has zeros, which compiled code does not multiply by NaN.
TRIANGLE = """
func @f(%alpha: f64, %J: memref<f64x5x5>, %B: memref<f64x5x3>) {
  trmm.l.n %alpha, %J, %B
}"""
#: Lengths of complex numbers are roots of sums that are no squares at most points.
LENGTHS = """
func @f(%x: memref<c64x9>, %y: memref<f64x9>) {
  foreach (%i) = (0), (9) {
    %a = load %x[%i] : c64
    %b = abs %a : f64
    store %b, %y[%i]
  }
}"""
SOLVE = """
func @f(%J: memref<f64x4x4>, %B: memref<f64x4x3>) {
  %one = constant 1.0 : f64
  %zero = constant 0.0 : f64
  %A = alloca : memref<f64x4x4>
  gemm.n.t %one, %J, %J, %zero, %A
  @shift
  cholesky.l %A
  trsm.l.n %one, %A, %B
}"""
SHIFT = """foreach (%i) = (0), (4) {
    %x = load %A[%i,%i] : f64
    %y = arith.add %x, %one : f64
    store %y, %A[%i,%i]
  }"""


def verified(text):
    options = SampleOptions(1)
    return tt.Context().parse(text).verify(target="native", options=options, parts=PARTS)


@pytest.mark.parametrize("text", [OF_SUBGROUP, TRIANGLE, LENGTHS])
def test_nothing_is_wrong(text):
    certificate = verified(text)
    assert not certificate.is_wrong, str(certificate)


def test_derivatives_of_roots_are_not_shown():
    (claim,) = (each for each in verified(LENGTHS).claims if each.subject == "jvp against jets")
    assert (claim.outcome, claim.text) == (Outcome.UNSHOWN, NO_SQUARES)


def test_pivots_of_a_product_are_squares():
    found = {each.subject: each.outcome for each in verified(SOLVE.replace("@shift", "")).claims}
    assert found["gpu stage"] is Outcome.TESTED


def test_results_without_numbers_show_nothing():
    claims = {each.subject: each for each in verified(SOLVE.replace("@shift", SHIFT)).claims}
    assert claims["gpu stage"].outcome is Outcome.UNSHOWN
    assert claims["gpu stage"].text == NO_SQUARES


@pytest.mark.parametrize(("made_of", "outcome"), [("1.0", Outcome.SHOWN), ("2.0", Outcome.WRONG)])
def test_the_linalg_stage(made_of, outcome):
    text = """
    func @f(%A: memref<f32x4x3>, %B: memref<f32x3x5>, %C: memref<f32x4x5>) {
      %one = constant 1.0 : f32
      gemm.n.n %one, %A, %B, %one, %C
    }"""
    module = tt.Context().parse(text)
    info = module.compile("native").kernels["f"]
    subject = Subject(module, info, sample_arguments(info, SampleOptions(1)), (1,))
    other = tt.Context().parse(text.replace("1.0", made_of))
    claims = Comparison(subject, GpuStage(other, target="native"), 0).claims()
    assert {each.subject: each.outcome for each in claims}[LINALG] is outcome
