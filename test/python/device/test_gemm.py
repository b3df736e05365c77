"""gemm and gemv: types, transposes, layouts, sizes, alpha and beta, work-group shapes."""

import random

import pytest
from cases import SIZES, run_cases
from collective_cases import collective_case, combinations, scales, variants
from operands import LAYOUTS, TYPES, Writer

from program_types import promote


def gemm(rng, types, transposes, number, layouts=None, sizes=None):
    a_type, b_type, c_type = types
    m, n, k = sizes or (rng.choice(SIZES), rng.choice(SIZES), rng.choice(SIZES))
    a_layout, b_layout, c_layout = layouts or [rng.choice(LAYOUTS) for _ in range(3)]
    (alpha, beta), fill, text = scales(rng, promote(a_type, b_type), c_type, number)
    writer = Writer(rng)
    a = writer.operand("A", a_layout, a_type, (k, m) if transposes[0] == "t" else (m, k))
    b = writer.operand("B", b_layout, b_type, (n, k) if transposes[2] == "t" else (k, n))
    c = writer.operand("C", c_layout, c_type, (m, n), fill)
    name = f"gemm.{transposes} {types} {(m, n, k)} {a_layout} {b_layout} {c_layout} {text}"
    instruction = f"gemm.{transposes} %alpha, %A, %B, %beta, %C"
    return collective_case(rng, name, instruction, [alpha, beta, a, b, c])


def gemv(rng, types, transpose, number):
    a_type, b_type, c_type = types
    m, k = rng.choice(SIZES), rng.choice(SIZES)
    layouts = [rng.choice(LAYOUTS) for _ in range(3)]
    (alpha, beta), fill, text = scales(rng, promote(a_type, b_type), c_type, number)
    writer = Writer(rng)
    a = writer.operand("A", layouts[0], a_type, (k, m) if transpose == "t" else (m, k))
    b = writer.operand("B", layouts[1], b_type, (k,))
    c = writer.operand("C", layouts[2], c_type, (m,), fill)
    name = f"gemv.{transpose} {types} {(m, k)} {layouts} {text}"
    return collective_case(
        rng, name, f"gemv.{transpose} %alpha, %A, %B, %beta, %C", [alpha, beta, a, b, c]
    )


@pytest.mark.parametrize("half", [0, 1])
@pytest.mark.parametrize("result", TYPES)
def test_gemm_types(result, half):
    rng = random.Random(f"gemm {result}")
    cases = [
        gemm(rng, (a, b, result), transposes, rng.randrange(8))
        for a, b in combinations(result)
        for transposes in variants(rng, a, b, ("n.n", "n.t", "t.n", "t.t"))
    ]
    run_cases(cases[half::2])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_gemm_layouts(layout):
    rng = random.Random(f"gemm {layout}")
    run_cases(
        gemm(rng, (type_,) * 3, transposes, number, (layout,) * 3)
        for number, type_ in enumerate(("f32", "f64", "c32", "i32"))
        for transposes in ("n.n", "n.t", "t.n", "t.t")
    )


@pytest.mark.parametrize("rows", SIZES)
def test_gemm_sizes(rows):
    rng = random.Random(f"gemm {rows}")
    run_cases(
        gemm(rng, ("f32",) * 3, "n.n", number, ("packed", "packed", layout), (rows, n, 5))
        for layout in ("packed", "dynamic", "divisible")
        for number, n in enumerate((1, 2, 7, 9, 10, 16, 19, 67))
    )


@pytest.mark.parametrize("type_", ["f32", "f64"])
def test_gemm_packs_colliding_columns(type_):
    rng = random.Random(f"packed {type_}")
    packed = ("packed",) * 3
    run_cases(
        gemm(rng, (type_,) * 3, transposes, number, packed, (128, 35, 128))
        for number, transposes in enumerate(("n.n", "t.n"))
    )


@pytest.mark.parametrize("result", TYPES)
def test_gemv(result):
    rng = random.Random(f"gemv {result}")
    run_cases(
        gemv(rng, (a, b, result), transpose, rng.randrange(8))
        for a, b in combinations(result)
        for transpose in variants(rng, a, b, "nt")
    )
