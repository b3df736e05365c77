"""Emulated barriers order the kinds of memory that they name, if they acquire and release."""

import pytest

import tinytc_mlir as tt
from binaries import changed_words
from tinytc_mlir.certificates import Outcome
from tinytc_mlir.emulators.spirv.words import instructions
from tinytc_mlir.measure.sample_data import SampleOptions, sample_arguments
from tinytc_mlir.verification import machine_code
from tinytc_mlir.verification.exactness import Subject

REVERSED = """
func @f(%A: memref<f32x64>, %B: memref<f32x64>{parameter}) {{
  %one = constant 1.0 : f32
  %zero = constant 0.0 : f32
  {alloca}
  axpby.n %one, %A, %zero, %t
  foreach (%i) = (0), (64) {{
    %j = 63 - %i : index
    %x = load %t[%j] : f32
    store %x, %B[%i]
  }}
}}
"""
THROUGH = {
    "local": REVERSED.format(parameter="", alloca="%t = alloca : memref<f32x64>"),
    "global": REVERSED.format(parameter=", %t: memref<f32x64>", alloca=""),
}
"""Hands numbers over between work-items through either kind of memory."""
ACQUIRE, RELEASE, BOTH, CONSISTENT, LOCAL, GLOBAL = 2, 4, 8, 16, 0x100, 0x200
ORDERS = {
    CONSISTENT | LOCAL | GLOBAL: ("local", "global"),
    BOTH | LOCAL | GLOBAL: ("local", "global"),
    CONSISTENT | LOCAL: ("local",),
    BOTH | GLOBAL: ("global",),
    ACQUIRE | LOCAL | GLOBAL: (),
    RELEASE | LOCAL | GLOBAL: (),
    LOCAL | GLOBAL: (),
    CONSISTENT: (),
    0: (),
}
"""Memory semantics, and what they order."""


def barrier_with(code, semantics):
    """Return a binary whose barriers have other memory semantics."""
    found = {each.words[2] for each in instructions(code) if each.name == "ControlBarrier"}
    assert len(found) == 1
    return changed_words(
        code, lambda words: [*words[:3], semantics] if f"%{words[2]}" in found else words, 43
    )


@pytest.mark.parametrize("kind", THROUGH)
@pytest.mark.parametrize("semantics", ORDERS)
def test_memory_semantics(kind, semantics):
    module = tt.Context().parse(THROUGH[kind])
    program = module.compile("intel-gpu:pvc")
    info = program["f"].info
    changed = tt.Program(barrier_with(program.code, semantics), program.manifest)
    subject = Subject(module, info, sample_arguments(info, SampleOptions(1)), (1,))
    claim = machine_code.claim_for(subject, changed["f"], "intel-gpu:pvc", 0)
    is_right = kind in ORDERS[semantics]
    assert claim.outcome is (Outcome.SHOWN if is_right else Outcome.WRONG), claim.text
    assert is_right or claim.text.startswith("race: ")


def test_a_barrier_of_lanes_orders_nobody_else():
    text = THROUGH["local"].replace("64>) {", "64>) attributes {work_group_size=[64,1]} {")
    module = tt.Context().parse(text)
    program = module.compile("cuda:sm_90")
    changed = program.ptx.replace("bar.sync", "bar.warp.sync").replace("sync \t0", "sync \t-1")
    assert "bar.warp.sync" in changed
    info = program["f"].info
    subject = Subject(module, info, sample_arguments(info, SampleOptions(1)), (1,))
    kernel = tt.Program(changed.encode(), program.manifest)["f"]
    claim = machine_code.claim_for(subject, kernel, "cuda:sm_90", 0)
    assert claim.outcome is Outcome.UNSHOWN
    assert claim.text.startswith("the emulator does not know 'bar.warp.sync")
