"""Launches that fail or write what they must not are wrong, with what the machine says."""

import re

import pytest

import tinytc_mlir as tt
from tinytc_mlir.certificates import Outcome
from tinytc_mlir.measure.sample_data import SampleOptions, sample_arguments
from tinytc_mlir.verification import machine_code
from tinytc_mlir.verification.exactness import Subject

GATHER = """
func @f(%n: index, %A: memref<f32x4>, %B: memref<f32>) {
  %one = constant 1 : index
  %k = arith.add %n, %one : index
  %x = load %A[%n] : f32
  store %x, %B[]
}"""
GAPS = """
func @f(%x: f32, %C: memref<f32x5x6, strided<1,8>>) {
  foreach (%i, %j) = (0, 0), (5, 6) {
    store %x, %C[%i,%j]
  }
}"""


def claim_of(text, target, *, other=None, change=lambda code: code, **options):
    """Return the claim on the code of another program, or on changed code, of a kernel's type."""
    module = tt.Context().parse(text)
    program = module.compile(target, **options)
    compiled = tt.Context().parse(other or text).compile(target, **options)
    info = program["f"].info
    scalars = {"n": 3} if "%n:" in text else {}
    values = sample_arguments(info, SampleOptions(1, scalars=scalars))
    kernel = tt.Program(change(compiled.code), program.manifest)["f"]
    return machine_code.claim_for(Subject(module, info, values, (1,)), kernel, target, 0)


@pytest.mark.parametrize("target", ["native", "cuda:sm_90", "intel-gpu:pvc"])
def test_errors_of_debug_builds(target):
    other = GATHER.replace("%A[%n]", "%A[%k]")
    assert claim_of(GATHER, target, debug=True).outcome is Outcome.TESTED
    claim = claim_of(GATHER, target, debug=True, other=other)
    assert claim.outcome is Outcome.WRONG
    assert re.search(r"expected .*, got 4", claim.text), claim.text


def test_traps():
    def trapping(code):
        text, count = re.subn(r"\n(\s*)ret;", r"\n\1trap;\n\1ret;", code.decode())
        assert count
        return text.encode()

    claim = claim_of(GAPS, "cuda:sm_90", change=trapping)
    assert claim.outcome is Outcome.WRONG
    assert claim.text == "fault: trap"


@pytest.mark.parametrize("target", ["native", "cpu", "cuda:sm_90", "intel-gpu:pvc"])
def test_gaps_of_results_stay(target):
    assert claim_of(GAPS, target).outcome is Outcome.SHOWN
    more = """}
  foreach (%i, %j) = (5, 0), (7, 5) {
    store %x, %C[%i,%j]
  }
}"""
    other = GAPS.replace("f32x5x6", "f32x8x6").replace("}\n}", more)
    claim = claim_of(GAPS, target, other=other)
    assert claim.outcome is Outcome.WRONG
    assert claim.text.startswith("out of bounds: ")
