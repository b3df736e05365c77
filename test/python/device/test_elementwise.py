"""axpby, ger and hadamard_product."""

import random

import pytest

from cases.case import SIZES, Case, buffer
from cases.collective_cases import collective_case, combinations, scales, variants
from cases.operands import LAYOUTS, TYPES, Writer
from cases.running import compares, comparison
from program_types import promotable, promote


def axpby(rng, types, transpose, order, number, layout=None):
    a_type, b_type = types
    shape = tuple(rng.choice(SIZES) for _ in range(order))
    layouts = [layout or rng.choice(LAYOUTS) for _ in range(2)]
    (alpha, beta), fill, text = scales(rng, a_type, b_type, number)
    writer = Writer(rng)
    a = writer.operand("A", layouts[0], a_type, shape[::-1] if transpose == "t" else shape)
    b = writer.operand("B", layouts[1], b_type, shape, fill)
    name = f"axpby.{transpose} {types} {shape} {layouts} {text}"
    return collective_case(
        rng, name, f"axpby.{transpose} %alpha, %A, %beta, %B", [alpha, beta, a, b]
    )


def product(rng, types, order, number):
    """Return a case of ger for order 0, else of hadamard_product."""
    a_type, b_type, c_type = types
    shape = tuple(rng.choice(SIZES) for _ in range(order or 2))
    layouts = [rng.choice(LAYOUTS) for _ in range(3)]
    (alpha, beta), fill, text = scales(rng, promote(a_type, b_type), c_type, number)
    writer = Writer(rng)
    a = writer.operand("A", layouts[0], a_type, shape if order else shape[:1])
    b = writer.operand("B", layouts[1], b_type, shape if order else shape[1:])
    c = writer.operand("C", layouts[2], c_type, shape, fill)
    word = "hadamard_product" if order else "ger"
    name = f"{word} {types} {shape} {layouts} {text}"
    instruction = f"{word} %alpha, %A, %B, %beta, %C"
    return collective_case(rng, name, instruction, [alpha, beta, a, b, c])


@pytest.mark.parametrize("result", TYPES)
@compares
def test_axpby_types(result):
    rng = random.Random(f"axpby {result}")
    below = [type_ for type_ in TYPES if promotable(type_, result)]
    return comparison(
        axpby(rng, (type_, result), transpose, order, rng.randrange(8))
        for type_ in below
        for transpose in "nt"
        for order in (0, 1, 2)
    )


@pytest.mark.similar
@pytest.mark.parametrize("layout", LAYOUTS)
@compares
def test_axpby_layouts(layout):
    rng = random.Random(f"axpby {layout}")
    return comparison(
        axpby(rng, (type_, type_), transpose, 2, number, layout)
        for type_ in ("f32", "i64", "c64", "bf16")
        for transpose in "nt"
        for number in range(2)
    )


@pytest.mark.parametrize("result", TYPES)
@compares
def test_ger_and_hadamard_product(result):
    rng = random.Random(f"ger {result}")
    return comparison(
        product(rng, (a, b, result), order, rng.randrange(8))
        for a, b in combinations(result)
        for order in variants(rng, a, b, (0, 1, 2))
    )


@pytest.mark.parametrize("layout", ["", ",strided<1,72>"])
@compares
def test_copies_of_different_width_into_local_memory(layout):
    # With conditions for the last rows inside of the loops over the columns, the CPU driver lost
    # elements of the second copy.
    rng = random.Random(0)
    cases = []
    for rows, wide, narrow in ((33, 67, 5), (51, 67, 7), (67, 67, 7), (70, 33, 2)):
        parameters, body = {}, "%one = constant 1 : i32\n%zero = constant 0 : i32\n"
        for name, columns in (("A", wide), ("B", narrow)):
            shape = (rows, columns)
            type_ = f"memref<i32x{rows}x{columns}"
            for role in "io":
                parameters[name + role] = (f"{type_}>", buffer(rng, "i32", shape))
            body += f"%{name} = alloca : {type_}{layout},local>\n"
            body += f"axpby.n %one, %{name}i, %zero, %{name}\n"
        for name in "BA":
            body += f"axpby.n %one, %{name}, %zero, %{name}o\n"
        cases.append(Case(f"copies {rows} {wide} {narrow}", body, parameters))
    return comparison(cases)
