"""Verification of emulated code keeps to promises of alignment."""

import pytest

import tinytc_mlir as tt
from tinytc_mlir.certificates import Outcome

ALIGNED = """
func @f(%A: memref<f32x16> {alignment=64}, %B: memref<f32x16>) {
  %two = constant 2.0 : f32
  %one = constant 1.0 : f32
  axpby.n %two, %A, %one, %B
}
"""


@pytest.mark.parametrize("target", ["cuda:sm_90", "intel-gpu:pvc"])
def test_promised_alignment(target):
    found = tt.Context().parse(ALIGNED).verify("f", target=target, parts=["machine"])
    assert [claim.outcome for claim in found.claims] == [Outcome.SHOWN]
