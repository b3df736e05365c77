"""Addresses with indices of narrow integers, which may wrap, on NVIDIA's GPUs.

LLVM 22.1 takes sext(a + b) for sext(a) + sext(b) when it splits addresses.
"""

import random

from cases import compiled_cases
from emulators.comparison import run_cases
from emulators.machines import machine


def atomics_of_bytes():
    """Return the atomic updates of i8, two of which share a word."""
    found = (case for case in compiled_cases.device_cases() if ".atomic " in case.name)
    return [case for case in found if " i8 " in case.name]


def test_bytes_beside_each_other_are_updated():
    cases = atomics_of_bytes()
    assert len(cases) > 50
    with machine("cuda:sm_90").installed() as device:
        failures, launches = run_cases(cases[::6], device, random.Random(0))
    assert not failures
    assert launches >= 8
