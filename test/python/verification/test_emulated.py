"""The code for GPUs, PTX and SPIR-V, as emulated GPUs run it; and PTX with faults."""

import random
import re

import pytest

import profiles
import tinytc_mlir as tt
from tinytc_mlir.certificates import Outcome
from tinytc_mlir.measure.sample_data import SampleOptions, sample_arguments
from tinytc_mlir.verification import default_groups, machine_code
from tinytc_mlir.verification.exactness import Subject

GEMM = """
func @gemm(%alpha: f32, %A: memref<f32x5x7x?>, %B: memref<f32x6x7>, %C: memref<f32x5x6x?>) {
  %g = builtin.group_id : index
  %a = subview %A[0:5,0:7,%g] : memref<f32x5x7>
  %c = subview %C[0:5,0:6,%g] : memref<f32x5x6>
  %beta = constant 0.5 : f32
  gemm.n.t %alpha, %a, %B, %beta, %c
}"""
SHARED = """
func @shared(%A: memref<f32x64>, %B: memref<f32x64>) attributes {work_group_size=[64,1]} {
  %t = alloca : memref<f32x64>
  foreach (%i)=(0),(64) {
    %a = load %A[%i] : f32
    store %a, %t[%i]
  }
  foreach (%i)=(0),(64) {
    %last = constant 63 : index
    %j = sub %last, %i : index
    %x = load %t[%j] : f32
    store %x, %B[%i]
  }
}"""
FAULTS = {
    "product": (r"fma\.rn\.f32 \t?(%\w+), (%\w+), (%\w+), ", r"fma.rn.f32 \1, \2, \2, "),
    "sum": (r"fma\.rn\.f32 \t?(%\w+), (%\w+), (%\w+), %\w+;", r"mul.rn.f32 \1, \2, \3;"),
    "load": (r"(ld\.global\S*\.b32 \t?%\w+, \[%\w+)(?:\+\d+)?\]", r"\1+12]"),
    "store": (r"(st\.global\S*\.b32 \t?\[%\w+)(?:\+\d+)?\]", r"\1+12]"),
}
"""Instructions of PTX, and what replaces them."""
PER_KIND = 5 if profiles.IS_NIGHTLY else 1
PLAIN, ALIGNED = ".entry gemm(", ".entry gemm__aligned("


@pytest.mark.parametrize("target", ["cuda:sm_80", "cuda:sm_90", "intel-gpu:pvc", "intel-gpu:bmg"])
def test_code_for_gpus(target):
    parts = ["machine", "stages"]
    certificate = tt.Context().parse(GEMM).verify(target=target, parts=parts)
    assert certificate.holds, str(certificate)
    (claim,) = (each for each in certificate.claims if each.part == "machine")
    assert f"code for {target}, emulated, by the stage" in claim.subject


def claim_of(text, ptx_of, name):
    """Return the claim on PTX that a function makes of the compiler's."""
    module = tt.Context().parse(text)
    program = module.compile("cuda:sm_90")
    info = program[name].info
    groups = default_groups(info)
    subject = Subject(module, info, sample_arguments(info, SampleOptions(groups)), (groups,))
    changed = tt.Program(ptx_of(program.ptx).encode(), program.manifest)
    return machine_code.claim_for(subject, changed[name], "cuda:sm_90", 0)


@pytest.mark.parametrize("variant", [PLAIN, ALIGNED])
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_in_each_variant_are_found(variant, fault):
    rng, (pattern, replacement) = random.Random(2), FAULTS[fault]
    for _ in range(PER_KIND):

        def changed(text):
            start = text.index(variant)
            end = text.find(".entry", start + 1) % len(text)
            places = [match.start() for match in re.finditer(pattern, text[start:end])]
            place = start + rng.choice(places)
            return text[:place] + re.sub(pattern, replacement, text[place:], count=1)

        assert claim_of(GEMM, changed, "gemm").outcome is Outcome.WRONG


def test_an_access_out_of_bounds_is_named():
    claim = claim_of(GEMM, lambda text: re.sub(FAULTS["store"][0], r"\1+4096]", text), "gemm")
    assert claim.outcome is Outcome.WRONG
    assert claim.text.startswith("out of bounds: global: thread ")


def test_a_lost_barrier_is_a_race():
    def without(text):
        assert "bar.sync" in text
        return re.sub(r"\n.*bar\.sync.*", "", text)

    assert claim_of(SHARED, lambda text: text, "shared").outcome is Outcome.SHOWN
    claim = claim_of(SHARED, without, "shared")
    assert claim.outcome is Outcome.WRONG
    assert claim.text.startswith("race: shared: thread 0 reads what thread 63 writes")


def test_an_unknown_instruction_is_no_fault():
    def changed(text):
        return re.sub(r"fma\.rn\.f32 \t?(%\w+), .*;", r"wonder.f32 \1;", text)

    claim = claim_of(GEMM, changed, "gemm")
    assert claim.outcome is Outcome.UNSHOWN
    assert claim.text.startswith("the emulator does not know 'wonder.f32 %")
