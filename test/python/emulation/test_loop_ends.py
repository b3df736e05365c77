"""`foreach` at both ends of the ranges of integers on emulated GPUs."""

import pytest

import profiles
from cases import loop_ends
from emulators.machines import TARGETS, machine
from tinytc_mlir.emulators.findings import FINDINGS


@pytest.mark.similar
@pytest.mark.parametrize("type_", loop_ends.BITS)
@pytest.mark.parametrize("target", profiles.some_of(TARGETS, "loop ends"))
def test_ends(target, type_):
    FINDINGS.start()
    with machine(target).installed():
        loop_ends.check(target, type_, 32 if target.startswith("cuda:") else 16)
    assert not FINDINGS.serious()
