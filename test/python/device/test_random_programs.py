"""Random whole programs with defined behaviour give the same results on device and reference."""

import random

import pytest

from cases.random_program import Program
from cases.running import compares, comparison
from cases.unoptimized import compile_unoptimized


@pytest.mark.parametrize("first", range(0, 120, 10))
@compares
def test_device_agrees_with_reference(first):
    return comparison(Program(random.Random(i)).case(f"seed {i}") for i in range(first, first + 10))


@pytest.mark.parametrize("seed", [1, 2])
@compares
def test_device_agrees_with_reference_without_optimization(seed):
    # Ours only: without its own optimization the CPU driver ignores the subgroup size.
    return comparison(
        (Program(random.Random(1000 * seed + i)).case(f"seed {seed} {i}") for i in range(20)),
        compile_=compile_unoptimized,
    )
