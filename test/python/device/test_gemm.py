"""gemm and gemv: types, transposes, layouts, sizes, alpha and beta, work-group shapes."""

import random

import pytest

from cases.case import SIZES
from cases.collective_cases import combinations, variants
from cases.operands import LAYOUTS, TYPES
from cases.products import gemm, gemv
from cases.running import compares, comparison


@pytest.mark.parametrize("half", [0, 1])
@pytest.mark.parametrize("result", TYPES)
@compares
def test_gemm_types(result, half):
    rng = random.Random(f"gemm {result}")
    cases = [
        gemm(rng, (a, b, result), transposes, rng.randrange(8))
        for a, b in combinations(result)
        for transposes in variants(rng, a, b, ("n.n", "n.t", "t.n", "t.t"))
    ]
    return comparison(cases[half::2])


@pytest.mark.similar
@pytest.mark.parametrize("layout", LAYOUTS)
@compares
def test_gemm_layouts(layout):
    rng = random.Random(f"gemm {layout}")
    return comparison(
        gemm(rng, (type_,) * 3, transposes, number, (layout,) * 3)
        for number, type_ in enumerate(("f32", "f64", "c32", "i32"))
        for transposes in ("n.n", "n.t", "t.n", "t.t")
    )


@pytest.mark.parametrize("rows", SIZES)
@compares
def test_gemm_sizes(rows):
    rng = random.Random(f"gemm {rows}")
    return comparison(
        gemm(rng, ("f32",) * 3, "n.n", number, ("packed", "packed", layout), (rows, n, 5))
        for layout in ("packed", "dynamic", "divisible")
        for number, n in enumerate((1, 2, 7, 9, 10, 16, 19, 67))
    )


@pytest.mark.parametrize("type_", ["f32", "f64"])
@compares
def test_gemm_packs_colliding_columns(type_):
    rng = random.Random(f"packed {type_}")
    packed = ("packed",) * 3
    return comparison(
        gemm(rng, (type_,) * 3, transposes, number, packed, (128, 35, 128))
        for number, transposes in enumerate(("n.n", "t.n"))
    )


@pytest.mark.parametrize("result", TYPES)
@compares
def test_gemv(result):
    rng = random.Random(f"gemv {result}")
    return comparison(
        gemv(rng, (a, b, result), transpose, rng.randrange(8))
        for a, b in combinations(result)
        for transpose in variants(rng, a, b, "nt")
    )
