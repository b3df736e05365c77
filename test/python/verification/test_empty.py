"""Arguments without elements, and views of them."""

import numpy as np
import pytest

import tinytc_mlir as tt
from nearness import assert_near
from tinytc_mlir.certificates import Outcome
from tinytc_mlir.gpu_stage import GpuStage
from tinytc_mlir.measure.sample_data import SampleOptions, sample_arguments
from tinytc_mlir.reference import interpret
from tinytc_mlir.verification import derivatives, machine_code
from tinytc_mlir.verification.exactness import Subject
from tinytc_mlir.verification.stages import Comparison

GROUPS = """
func @f(%alpha: f32, %A: group<memref<f32x4x4> x ?>, %B: group<memref<f32x4x4> x ?>) {
  %one = constant 1.0 : f32
  %zero = constant 0 : index
  %n = size %A[0] : index
  for %i = %zero, %n {
    %a = load %A[%i] : memref<f32x4x4>
    %b = load %B[%i] : memref<f32x4x4>
    axpby.n %alpha, %a, %one, %b
  }
}"""
ARRAYS = """
func @f(%A: memref<f32x?x?>, %C: memref<f32x?x?>) {
  %one = constant 1.0 : f32
  axpby.n %one, %A, %one, %C
}"""
QR = """
func @f(%A: memref<c64x?x?>, %tau: memref<c64x5>)
    attributes {subgroup_size=8, work_group_size=[8,3]} {
  qr %A, %tau
}"""


@pytest.mark.parametrize("count", [0, 2])
def test_groups(count):
    module = tt.Context().parse(GROUPS)
    kernel = module.compile("native")["f"]
    values = sample_arguments(kernel.info, SampleOptions(1))
    for name in "AB":
        values[name] = tt.Group([np.ones((4, 4), np.float32, order="F") for _ in range(count)])
    subject = Subject(module, kernel.info, values, (1,))
    claims = list(Comparison(subject, GpuStage(module, target="native"), 0).claims())
    claims += derivatives.claims(module, subject, 0)
    claims.append(machine_code.claim(subject, kernel, 0, "code"))
    assert {claim.outcome for claim in claims} == {Outcome.SHOWN}
    assert subject.roundings()["B"] == pytest.approx(3 if count else 0)


def test_arrays():
    options = SampleOptions(1, sizes={("A", 0): 0, ("C", 0): 0})
    certificate = tt.Context().parse(ARRAYS).verify(target="native", options=options)
    assert certificate.holds, str(certificate)


def test_what_is_left_of_a_factorisation():
    """Programs have no views of size 0, but the compiler makes some behind the last block."""
    options = SampleOptions(1, sizes={("A", 0): 5, ("A", 1): 17})
    stage = GpuStage(tt.Context().parse(QR), target="cpu")
    values, written = (sample_arguments(stage.info("f"), options) for _ in range(2))
    interpret(stage.prepared, "f", values, 1)
    interpret(tt.Context().parse(QR), "f", written, 1)
    assert_near(values["tau"], written["tau"])
