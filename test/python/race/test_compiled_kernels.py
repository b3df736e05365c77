"""A sample of the kernels that the tests compile; test/race_check.py checks all of them."""

import pytest

import profiles
from cases.compiled_cases import (
    CONFIGURATIONS,
    GPUS,
    REGISTERS,
    device_cases,
    failure,
    fitting,
    random_case,
)

PARTS = 10
STEP = 8 if profiles.IS_NIGHTLY else 120
"""One case in so many is checked, on one target."""
RANDOM_PROGRAMS = 60 if profiles.IS_NIGHTLY else 8


def check(cases):
    """Check cases, on the targets in turns, every sixth in a random order of work-items."""
    failures = []
    count = 0
    for number, case in enumerate(cases):
        target, abi = CONFIGURATIONS[number % len(CONFIGURATIONS)]
        fit = fitting(case, target) or case
        target = target if fitting(case, target) else "cpu"
        seed = number if number % 6 == number // 6 % 6 else None
        registers = REGISTERS[number // len(CONFIGURATIONS) % len(REGISTERS)]
        how = {"seed": seed, "registers": registers if target in GPUS else 0}
        failures += filter(None, [failure(fit, target, abi, **how)])
        count += 1
    assert count, "no cases"
    assert not failures, f"{len(failures)} of {count} cases\n" + "\n".join(failures[:8])


@pytest.mark.parametrize("part", range(PARTS))
def test_device_cases(part):
    check(device_cases()[part :: STEP * PARTS])


@pytest.mark.parametrize("part", range(4))
def test_random_programs(part):
    check(map(random_case, range(part, RANDOM_PROGRAMS, 4)))
