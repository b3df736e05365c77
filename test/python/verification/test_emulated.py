"""The code for GPUs, PTX and SPIR-V, as emulated GPUs run it; and PTX with faults."""

import random
import re

import pytest

import profiles
import tinytc_mlir as tt
from emulators.machines import machine
from tinytc_mlir.certificates import Outcome
from tinytc_mlir.measure.sample_data import SampleOptions, sample_arguments
from tinytc_mlir.verification import machine_code
from tinytc_mlir.verification.exactness import Subject

GEMM = """
func @gemm(%alpha: f32, %A: memref<f32x5x7x?>, %B: memref<f32x6x7>, %C: memref<f32x5x6x?>) {
  %g = builtin.group_id : index
  %a = subview %A[0:5,0:7,%g] : memref<f32x5x7>
  %c = subview %C[0:5,0:6,%g] : memref<f32x5x6>
  %beta = constant 0.5 : f32
  gemm.n.t %alpha, %a, %B, %beta, %c
}"""
FAULTS = {
    "product": (r"fma\.rn\.f32 \t?(%\w+), (%\w+), (%\w+), ", r"fma.rn.f32 \1, \2, \2, "),
    "sum": (r"fma\.rn\.f32 \t?(%\w+), (%\w+), (%\w+), %\w+;", r"mul.rn.f32 \1, \2, \3;"),
    "load": (r"(ld\.global\S*\.b32 \t?%\w+, \[%\w+)(?:\+\d+)?\]", r"\1+12]"),
    "store": (r"(st\.global\S*\.b32 \t?\[%\w+)(?:\+\d+)?\]", r"\1+12]"),
}
"""Instructions of PTX, and what replaces them."""
PER_KIND = 5 if profiles.IS_NIGHTLY else 1


@pytest.mark.parametrize("target", ["cuda:sm_90", "intel-gpu:pvc"])
def test_code_for_gpus(target):
    with machine(target).installed():
        certificate = tt.Context().parse(GEMM).verify(target=target, parts=["machine", "stages"])
    assert certificate.holds, str(certificate)


def faults(text):
    """Yield texts with a fault in the variant for aligned arrays, which is what runs."""
    rng, start = random.Random(2), text.index(".entry gemm__aligned")
    for pattern, replacement in FAULTS.values():
        places = [match.start() for match in re.finditer(pattern, text) if match.start() > start]
        assert places, pattern
        for place in rng.sample(places, min(PER_KIND, len(places))):
            yield text[:place] + re.sub(pattern, replacement, text[place:], count=1)


def test_faults_in_ptx_are_found():
    module = tt.Context().parse(GEMM)
    with machine("cuda:sm_90").installed():
        program = module.compile("cuda:sm_90")
        info = program["gemm"].info
        subject = Subject(module, info, sample_arguments(info, SampleOptions(2)), (2,))
        for text in faults(program.ptx):
            changed = tt.Program(text.encode(), program.manifest)
            try:
                claim = machine_code.claim(subject, changed["gemm"], 0, "PTX")
            except tt.TinyTCError:  # an access that the emulator refuses
                continue
            assert claim.outcome is Outcome.WRONG, text
