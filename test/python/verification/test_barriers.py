"""Emulated SPIR-V orders memory by what its barriers name."""

import pytest

import tinytc_mlir as tt
from tinytc_mlir.certificates import Outcome
from tinytc_mlir.emulators.spirv.convergence import ConvergencePoints

REVERSED = """
func @f(%A: memref<f32x64>, %B: memref<f32x64>) {
  %one = constant 1.0 : f32
  %zero = constant 0.0 : f32
  %t = alloca : memref<f32x64>
  axpby.n %one, %A, %zero, %t
  foreach (%i) = (0), (64) {
    %j = 63 - %i : index
    %x = load %t[%j] : f32
    store %x, %B[%i]
  }
}
"""


@pytest.mark.parametrize(("orders", "outcome"), [(True, Outcome.SHOWN), (False, Outcome.WRONG)])
def test_a_barrier_that_orders_no_memory(monkeypatch, orders, outcome):
    real = ConvergencePoints._scope
    if not orders:
        monkeypatch.setattr(
            ConvergencePoints, "_scope", lambda self, ins, k: 0 if k == 2 else real(self, ins, k)
        )
    found = tt.Context().parse(REVERSED).verify(target="intel-gpu:pvc", parts=["machine"])
    assert [claim.outcome for claim in found.claims] == [outcome]
