"""Tests that compare rounded numbers allow what counts of roundings certify, where they do."""

import random

import numpy as np
import pytest

from cases.case import Case, buffer, parse
from cases.kernel_check import beyond_rounding, reference
from cases.memory import GUARD, Memory
from cases.rounding_bounds import certified_bounds

SHAPES = {"A": (6, 33), "B": (33, 5), "C": (6, 5)}
PRODUCT = "gemm.n.n %alpha, %A, %B, %beta, %C"


def case_of(type_, body=PRODUCT):
    """Return a product of numbers that are rounded."""
    rng = np.random.default_rng(3)
    parameters = {"alpha": (type_, 1.1), "beta": (type_, -0.3)}
    for name, shape in SHAPES.items():
        found = buffer(random.Random(1), type_, shape)
        numbers = rng.standard_normal(found.data.shape)
        if type_.startswith("c"):
            numbers = numbers + 1j * rng.standard_normal(found.data.shape)
        found.data[...] = numbers
        parameters[name] = (f"memref<{type_}x{shape[0]}x{shape[1]}>", found)
    return Case("product", body, parameters, may_round=True)


def runs(case):
    """Return the memory after the reference and after native code, and what runs the former."""
    module = parse([case])
    kernel = module.compile("native")["k0"]
    run = reference(module, kernel.info, case.groups)
    expected, actual = Memory(case.parameters, np.copy), Memory(case.parameters, np.copy)
    run(args=expected.arguments)
    kernel(actual.arguments, groups=case.groups)
    return expected, actual, run


@pytest.mark.parametrize("type_", ["f16", "f32", "f64", "c32", "c64"])
def test_products(type_):
    case = case_of(type_)
    expected, actual, run = runs(case)
    assert beyond_rounding(case, expected, actual, run) == ""
    bounds = dict(zip(SHAPES, certified_bounds(case, run), strict=True))
    unit = np.finfo(np.dtype(expected.arguments["C"].dtype)).eps / 2
    inside = bounds["C"][GUARD:-GUARD]
    assert (inside > 2 * unit).all()
    # About 40 roundings of sums of 33 products; for complex numbers, each factor is 2 to 3 times.
    assert (inside < (40_000 if type_.startswith("c") else 3000) * unit).all()
    assert not bounds["C"][:GUARD].any()
    actual.arguments["C"][2, 3] += 2 * inside.max()
    assert "C: 1 elements differ" in beyond_rounding(case, expected, actual, run)


def test_functions_have_no_certified_bound():
    case = case_of("f32", "%x = exp %alpha : f32\n  gemm.n.n %x, %A, %B, %beta, %C")
    expected, actual, run = runs(case)
    assert certified_bounds(case, run) is None
    assert beyond_rounding(case, expected, actual, run) == ""
