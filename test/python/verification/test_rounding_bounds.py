"""Tests that compare rounded numbers allow what counts of roundings certify, where they do."""

import functools
import random

import numpy as np
import pytest

import tinytc_mlir as tt
from cases.case import Case, buffer, parse
from cases.kernel_check import random_kernel, reference
from cases.memory import GUARD, Memory
from cases.rounding_bounds import beyond_rounding, certified_bounds
from tinytc_mlir.reference import interpret

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


@pytest.mark.parametrize("word", ["exp", "log", "sin", "sqrt", "rsqrt", "tanh", "native_exp"])
def test_functions(word):
    case = case_of("f32", f"%x = {word} %alpha : f32\n  gemm.n.n %x, %A, %B, %beta, %C")
    expected, actual, run = runs(case)
    assert beyond_rounding(case, expected, actual, run) == ""
    (_, _, bound) = certified_bounds(case, run)
    most = 0.5 if "native" in word else 2.0**-11
    assert (bound[GUARD:-GUARD] > 0).all() and (bound < most).all()


def scalar_case(lines):
    """Return a kernel that stores %y, which lines compute of %x."""
    y = buffer(random.Random(1), "f32", (1,))
    return Case(
        "scalar", f"{lines}\nstore %y, %C[0]", {"x": ("f32", 7.0), "C": ("memref<f32x1>", y)}
    )


DIVIDED = "%three = constant 3.0 : f32\n%q = arith.div %x, %three : f32\n"


@pytest.mark.parametrize(
    ("lines", "is_exact"),
    [
        ("%h = constant 0.5 : f32\n%y = arith.div %x, %h : f32", True),
        ("%y = sqrt %x : f32", False),
        ("%z = arith.sub %x, %x : f32\n%y = exp %z : f32", True),
        (DIVIDED + "%y = arith.mul %x, %three : f32", True),
        (DIVIDED + "%y = arith.add %q, %q : f32", False),  # 7/3 times 3 is 7 after rounding
        (DIVIDED + "%i = cast %q : i32\n%y = cast %i : f32", True),
        (
            DIVIDED + "%c = cmp.lt %q, %x : bool\n"
            "%y = if %c -> (f32) { yield (%x) } else { yield (%three) }",
            True,
        ),
    ],
)
def test_exact_results(lines, is_exact):
    _, _, run = runs(case := scalar_case(lines))
    (bound,) = certified_bounds(case, run)
    assert (bound == 0).all() == is_exact


@pytest.mark.parametrize(
    "lines",
    [
        "%i = cast %p : i32\n%y = cast %i : f32",
        "%c = cmp.lt %p, %x : bool\n%y = if %c -> (f32) { yield (%x) } else { yield (%three) }",
    ],
)
def test_rounding_must_not_decide(lines):
    """The product of 7/3 and 3 may be less than 7."""
    lines = DIVIDED + "%p = arith.mul %q, %three : f32\n" + lines
    _, _, run = runs(case := scalar_case(lines))
    assert certified_bounds(case, run) is None


def test_no_number_instead_of_one():
    expected, actual, run = runs(case := case_of("f32"))
    actual.arguments["C"][2, 3] = np.nan
    assert "C: 1 elements differ" in beyond_rounding(case, expected, actual, run)


def test_most_random_kernels_have_bounds():
    found = []
    for seed in range(24):
        case = random_kernel(seed)
        run = functools.partial(interpret, parse([case]), "k0", groups=case.groups)
        try:
            run(args=Memory(case.parameters, np.copy).arguments)
        except tt.InterpreterError:
            continue  # the kernel is undefined
        found.append(certified_bounds(case, run) is not None)
    assert sum(found) > 0.8 * len(found) > 15
