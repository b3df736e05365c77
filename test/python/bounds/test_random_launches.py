"""A sample of `test/launch_check.py`: random launches against brute force."""

import pytest
from launch_verdicts import Counts, check_kernel


@pytest.mark.parametrize("first", range(0, 80, 10))
def test_verdicts(first):
    counts = Counts()
    for seed in range(first, first + 10):
        check_kernel(seed, counts)
    assert not counts.wrong
    assert counts.launches > 0
