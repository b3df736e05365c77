"""sum and cumsum in all orders and modes."""

import random

import pytest

from cases.case import SIZES, Case, buffer
from cases.collective_cases import collective_case, scales
from cases.operands import LAYOUTS, TYPES, Writer
from cases.running import compares, comparison
from program_types import promotable
from tinytc_mlir.scalars import SCALAR_TYPES


def total(rng, types, transpose, order, number):
    a_type, b_type = types
    shape = tuple(rng.choice(SIZES) for _ in range(order))
    layouts = [rng.choice(LAYOUTS) for _ in range(2)]
    (alpha, beta), fill, text = scales(rng, a_type, b_type, number)
    writer = Writer(rng)
    a = writer.operand("A", layouts[0], a_type, shape)
    rows = (shape[::-1] if transpose == "t" else shape)[: order - 1]
    b = writer.operand("B", layouts[1], b_type, rows, fill)
    name = f"sum.{transpose} {types} {shape} {layouts} {text}"
    return collective_case(rng, name, f"sum.{transpose} %alpha, %A, %beta, %B", [alpha, beta, a, b])


def running(rng, types, order, mode, number, shape=None, reverse=False):
    a_type, b_type = types
    shape = shape or tuple(rng.choice(SIZES[:7]) for _ in range(order))
    layouts = [rng.choice(LAYOUTS) for _ in range(2)]
    if order > 2:  # local copies are made by axpby, which takes no more modes
        layouts = [layout if layout != "local" else "packed" for layout in layouts]
    (alpha, beta), fill, text = scales(rng, a_type, b_type, number)
    writer = Writer(rng)
    a = writer.operand("A", layouts[0], a_type, shape)
    b = writer.operand("B", layouts[1], b_type, shape, fill)
    word = "cumsum.reverse" if reverse else "cumsum"
    name = f"{word} {types} {shape} mode {mode} {layouts} {text}"
    return collective_case(rng, name, f"{word} %alpha, %A, {mode}, %beta, %B", [alpha, beta, a, b])


@pytest.mark.parametrize("result", TYPES)
@compares
def test_sum(result):
    rng = random.Random(f"sum {result}")
    return comparison(
        total(rng, (type_, result), transpose, order, rng.randrange(8))
        for type_ in TYPES
        if promotable(type_, result)
        for transpose in "nt"
        for order in (1, 2)
    )


@pytest.mark.similar
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("result", TYPES)
@compares
def test_cumsum(result, reverse):
    rng = random.Random(f"cumsum {result}")
    return comparison(
        running(rng, (type_, result), order, mode, rng.randrange(8), reverse=reverse)
        for type_ in TYPES
        if promotable(type_, result)
        for order in (1, 2, 3, 4)
        for mode in range(order)
    )


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("type_", ["bf16", "f32", "f64", "i8", "c32"])
@compares
def test_cumsum_of_several_lines_at_once(type_, reverse):
    """A work-item walks through several lines, the last of which may be another one's."""
    rng = random.Random(f"several lines {type_}")
    shapes = [((rows, 3), 1) for rows in (16, 37, 96, 257, 300)]
    shapes += [((5, 7, 4), 2), ((20, 3, 6), 1), ((9, 5, 3, 2), 2)]
    return comparison(
        running(rng, (type_, type_), len(shape), mode, number, shape, reverse)
        for shape, mode in shapes
        for number in range(2)
    )


@pytest.mark.parametrize(("type_", "count"), [("bf16", 1000), ("f16", 2500)])
@compares
def test_narrow_types_accumulate_in_f32(type_, count):
    """In the type itself, a sum of ones would get stuck at 256 or 2048."""
    rng = random.Random(type_)
    matrix = f"memref<{type_}x1x{count}>"
    kernels = {
        "sum.n %one, %A, %one, %B": (f"memref<{type_}x1>", (1,)),
        "gemv.n %one, %A, %V, %one, %B": (f"memref<{type_}x1>", (1,)),
        "gemm.n.t %one, %A, %A, %one, %B": (f"memref<{type_}x1x1>", (1, 1)),
        "cumsum %one, %A, 1, %one, %B": (matrix, (1, count)),
    }
    cases = []
    for instruction, (result, shape) in kernels.items():
        parameters = {
            "A": (matrix, buffer(rng, type_, (1, count), fill=1)),
            "V": (f"memref<{type_}x{count}>", buffer(rng, type_, (count,), fill=1)),
            "B": (result, buffer(rng, type_, shape, fill=0)),
        }
        body = f"%one = constant 1.0 : {type_}\n{instruction}"
        cases.append(Case(instruction, body, parameters))
    assert SCALAR_TYPES[type_].round(float(count)) == count  # is what the reference has
    return comparison(cases)
