"""A sample of the matrices that test/factorization_check.py checks."""

import pytest

import profiles
from cases import random_factors
from cases.matrices import TYPES

SIZES = range(41) if profiles.IS_NIGHTLY else (1, 19)


@pytest.mark.similar
@pytest.mark.parametrize("target", ["native", "interpreter"])
@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("kind", random_factors.KINDS, ids=lambda kind: kind.__name__)
def test_backward_errors(kind, type_, target):
    found = [
        failure
        for size in SIZES
        for is_known in (True, False)
        for failure in random_factors.check(kind, type_, size, is_known, target, range(1))
    ]
    assert not found
