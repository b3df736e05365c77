"""Products of matrices with each other and with vectors, as cases."""

from cases.case import SIZES
from cases.collective_cases import collective_case, scales
from cases.operands import LAYOUTS, Writer
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
