"""`foreach` at both ends of the ranges of integers on processors."""

import pytest

import profiles
from cases import loop_ends


@pytest.mark.parametrize("lanes", [16, 64])
@pytest.mark.parametrize("type_", loop_ends.BITS)
@pytest.mark.parametrize("target", profiles.some_of(["cpu", "native", "x86-64-v2"], "loop ends"))
def test_ends(target, type_, lanes):
    loop_ends.check(target, type_, lanes)
