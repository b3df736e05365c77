"""Kernels see the elements of any view of an array, and change no others."""

import random

import pytest

from profiles import IS_NIGHTLY
from random_views import check, random_view


@pytest.mark.parametrize("target", ["cpu", "native"])
def test_random_views(target):
    count = (2000 if IS_NIGHTLY else 60) if target == "cpu" else (20_000 if IS_NIGHTLY else 250)
    assert [found for found in (check(seed, target) for seed in range(count)) if found] == []


def test_that_reversed_rows_are_among_them():
    """The kind that was copied with other strides than the kernel was told."""
    views = [random_view(random.Random(seed), (1, 5), "f4", True).array for seed in range(99)]
    assert any(view.strides[0] < 0 and view.strides[1] > 8 for view in views)
