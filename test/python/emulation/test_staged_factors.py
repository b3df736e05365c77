"""Products with stages in local memory, on the emulator: numbers, races, banks and controls."""

import collections
import itertools
import random

import numpy as np
import pytest

import profiles
import tinytc_mlir as tt
from emulators.comparison import run_cases
from emulators.machines import machine
from emulators.products import product
from staged_products import TYPES, stage
from tinytc_mlir.emulators.findings import FINDINGS, SETTINGS

GPU = "cuda:sm_90"
RANDOM = 500 if profiles.IS_NIGHTLY else 6
TRANSPOSES = ("nn", "nt", "tn", "tt")
DTYPES = {"f32": np.float32, "f64": np.float64}
GROUPS = 2


def text(type_, sizes, transposes):
    rows, columns, summed = sizes
    a, b = (
        shape[:: -1 if transpose == "t" else 1]
        for shape, transpose in zip(((rows, summed), (summed, columns)), transposes, strict=True)
    )

    def matrix(shape, end):
        return f"memref<{type_}x{shape[0]}x{shape[1]}{end}>"

    shapes = {"A": a, "B": b, "C": (rows, columns)}
    parameters = ", ".join(f"%{name}: {matrix(each, 'x?')}" for name, each in shapes.items())
    views = "\n".join(
        f"  %{name.lower()} = subview %{name}[:, :, %g] : {matrix(each, '')}"
        for name, each in shapes.items()
    )
    return f"""
func @gemm({parameters}) {{
  %g = group_id.x : index
{views}
  %one = constant 1.0 : {type_}
  %zero = constant 0.0 : {type_}
  gemm.{transposes[0]}.{transposes[1]} %one, %a, %b, %zero, %c
}}
"""


def arrays(type_, sizes, transposes):
    """Return A, B, a C of NaN, and the product."""
    rows, columns, summed = sizes
    rng = np.random.default_rng(1)

    def factor(shape, transpose):
        shape = shape[:: -1 if transpose == "t" else 1]
        return np.asfortranarray(rng.integers(1, 8, (*shape, GROUPS)), DTYPES[type_])

    a, b = factor((rows, summed), transposes[0]), factor((summed, columns), transposes[1])
    c = np.full((rows, columns, GROUPS), np.nan, DTYPES[type_], "F")
    left = "kmg" if transposes[0] == "t" else "mkg"
    right = "nkg" if transposes[1] == "t" else "kng"
    return a, b, c, np.einsum(f"{left},{right}->mng", a, b)


CASES = [
    (type_, sizes, transposes)
    for type_ in DTYPES
    for sizes in ((64, 64, 64), (56, 40, 48), (128, 32, 24), (33, 31, 35))
    for transposes in profiles.in_turns(TRANSPOSES, f"staged {type_} {sizes}")
]


@pytest.fixture(autouse=True)
def long_launches(monkeypatch):
    monkeypatch.setattr(SETTINGS, "limit", 10_000_000)


@pytest.mark.similar
@pytest.mark.parametrize(("type_", "sizes", "transposes"), CASES, ids=str)
def test_no_bank_conflicts(type_, sizes, transposes, monkeypatch):
    module = stage(tt.Context().parse(text(type_, sizes, transposes)), grid=(1, 1), stages=3)
    program = module.compile(GPU)
    a, b, c, expected = arrays(type_, sizes, transposes)
    monkeypatch.setattr(SETTINGS, "profile", collections.Counter())
    with machine(GPU).installed():
        FINDINGS.start()
        program["gemm"](a, b, c, groups=GROUPS)
    assert not FINDINGS.serious()
    np.testing.assert_array_equal(c, expected)
    assert SETTINGS.profile["shared", "passes"]
    assert SETTINGS.profile["shared", "bank conflicts"] == 0


def test_random_products():
    """All transposes, strides, unknown sizes, groups and factors, on arrays anywhere."""
    rng = random.Random(7)

    def compile_(module, abi):
        return stage(module, rng).compile(GPU, abi=abi)

    cases = (product(seed, TYPES) for seed in itertools.count(100 * profiles.IS_NIGHTLY))
    with machine(GPU).installed() as gpu:
        failures, launches = run_cases(
            # The local memory of all kernels of a module counts on the emulator.
            *(itertools.islice(cases, RANDOM), gpu, random.Random(3)),
            batch=1,
            compile_=compile_,
        )
    assert launches
    assert not failures, "\n".join(failures[:8])


@pytest.mark.parametrize("order", ["warps", "lanes"])
def test_any_order_of_warps(order, monkeypatch):
    monkeypatch.setattr(SETTINGS, "order", order)
    sizes = (70, 40, 40) if order == "warps" else (12, 12, 12)
    module = stage(tt.Context().parse(text("f64", sizes, "nn")), grid=(1, 2), steps=8, stages=3)
    program = module.compile(GPU)
    a, b, c, expected = arrays("f64", sizes, "nn")
    with machine(GPU).installed():
        FINDINGS.start()
        program["gemm"](a, b, c, groups=GROUPS)
    assert not FINDINGS.serious()
    np.testing.assert_array_equal(c, expected)
