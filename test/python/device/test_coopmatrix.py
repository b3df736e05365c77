"""Cooperative matrices: loads, stores, products and arithmetic of any shape and component."""

import itertools
import random

import pytest

from cases.case import Case, buffer
from cases.collective_cases import collective_case
from cases.operands import LAYOUTS, TYPES, Writer, literal_of, scalar
from cases.running import compares, comparison
from program_types import promotable, promote

CHECKED = ("", ".rows_checked", ".cols_checked", ".both_checked")
STORES = ("", ".atomic", ".atomic_add")
SHAPES = ((1, 1), (8, 16), (16, 15), (5, 3), (33, 2), (16, 16))
SIZES = tuple(f"subgroup_size={n}, work_group_size=[{n},1]" for n in (4, 8, 16, 32))


def copy_case(rng, type_, shape, transpose, checked, store):
    """Load a matrix at a position that may lie half outside, and store it elsewhere."""
    rows, columns = shape
    source = (rows + 2, columns + 3) if transpose == "n" else (columns + 3, rows + 2)
    x, y = 2, 1
    if checked:
        # Beyond the end in the modes that are checked; the second position is negative.
        x, y = (rows // 2 + 3, 3) if checked == ".rows_checked" else (0, columns // 2 + 4)
        if transpose == "t":
            x, y = (3, rows // 2 + 3) if checked == ".rows_checked" else (columns // 2 + 4, 0)
        if checked == ".both_checked":
            x, y = -1, 2
    stored_at = {"": (1, 2), ".rows_checked": (rows // 2 + 2, 2)}.get(
        checked, (1, columns // 2 + 4)
    )
    if checked == ".both_checked":
        stored_at = (-1, columns // 2 + 4)
    body = f"""
    parallel {{
        %m = cooperative_matrix_load.{transpose}{checked} %A[%x, %y]
            : coopmatrix<{type_}x{rows}x{columns},matrix_acc>
        cooperative_matrix_store{checked}{store} %m, %B[%u, %v]
    }}"""
    destination = (rows + 2, columns + 4)
    parameters = {
        "A": (f"memref<{type_}x{source[0]}x{source[1]}>", buffer(rng, type_, source)),
        "B": (f"memref<{type_}x{destination[0]}x?>", buffer(rng, type_, destination)),
        "x": ("index", x),
        "y": ("index", y),
        "u": ("index", stored_at[0]),
        "v": ("index", stored_at[1]),
    }
    name = f"copy {type_} {shape} {transpose}{checked}{store}"
    return Case(name, body, parameters, 1, rng.choice(SIZES))


@pytest.mark.parametrize("type_", TYPES)
@compares
def test_load_and_store(type_):
    rng = random.Random(f"coopmatrix {type_}")
    return comparison(
        copy_case(rng, type_, shape, transpose, checked, rng.choice(STORES))
        for shape, transpose, checked in itertools.product(SHAPES[:4], "nt", CHECKED)
    )


def product_case(rng, types, shape):
    a, b, c, d = types
    m, n, k = shape
    body = f"""
    %zero = constant 0 : index
    parallel {{
        %a = cooperative_matrix_load.n %A[%zero, %zero] : coopmatrix<{a}x{m}x{k},matrix_a>
        %b = cooperative_matrix_load.n %B[%zero, %zero] : coopmatrix<{b}x{k}x{n},matrix_b>
        %c = cooperative_matrix_load.n %C[%zero, %zero] : coopmatrix<{c}x{m}x{n},matrix_acc>
        %d = cooperative_matrix_mul_add %a, %b, %c : coopmatrix<{d}x{m}x{n},matrix_acc>
        cooperative_matrix_store %d, %D[%zero, %zero]
    }}"""
    parameters = {
        name: (f"memref<{t}x{rows}x{columns}>", buffer(rng, t, (rows, columns)))
        for name, t, rows, columns in (
            ("A", a, m, k),
            ("B", b, k, n),
            ("C", c, m, n),
            ("D", d, m, n),
        )
    }
    return Case(f"mul_add {types} {shape}", body, parameters, 1, rng.choice(SIZES))


def factors(result):
    """Return the types of two factors whose product can be added to a type."""
    return [
        (a, b)
        for a, b in itertools.product(TYPES, TYPES)
        if promote(a, b) and promotable(promote(a, b), result)
    ]


@pytest.mark.parametrize(
    ("result", "half"), [(t, half) for t in TYPES for half in (0, 1) if factors(t)[half::2]]
)
@compares
def test_mul_add(result, half):
    rng = random.Random(f"mul_add {result}")
    cases = [
        product_case(rng, (a, b, result, result), rng.choice(((8, 8, 16), (5, 3, 7), (17, 2, 5))))
        for a, b in factors(result)
    ]
    return comparison(cases[half::2])


def arithmetic_case(rng, type_, shape):
    """Arithmetic, scale, constant, cast, for and if on a matrix."""
    kind = f"coopmatrix<{type_}x{shape[0]}x{shape[1]},matrix_acc>"
    (factor,) = scalar(rng, "factor", type_, 2, constant=False).parameters.items()
    wide = {"bf16": "f32", "f16": "f32", "f32": "f64", "c32": "c64"}.get(type_, type_)
    body = f"""
    %zero = constant 0 : index
    %two = constant 2 : index
    %yes = cmp.lt %zero, %two : bool
    parallel {{
        %a = cooperative_matrix_load.n %A[%zero, %zero] : {kind}
        %b = constant {literal_of(type_, 3)} : {kind}
        %c = arith.add %a, %b : {kind}
        %d = arith.sub %c, %a : {kind}
        %e = arith.mul %d, %a : {kind}
        %f = arith.div %e, %b : {kind}
        %g = arith.neg %f : {kind}
        %h = cooperative_matrix_scale %factor, %g : {kind}
        %l = for %i = %zero, %two init(%s = %h) -> ({kind}) {{
            %t = arith.add %s, %a : {kind}
            yield (%t)
        }}
        %r = if %yes -> ({kind}) {{
            yield (%l)
        }} else {{
            yield (%a)
        }}
        %w = cast %r : {kind.replace(type_, wide, 1)}
        %n = cast %w : {kind}
        cooperative_matrix_store %n, %B[%zero, %zero]
    }}"""
    if wide == type_:
        body = body.replace(f"%w = cast %r : {kind}", "").replace(f"%n = cast %w : {kind}", "")
        body = body.replace("store %n,", "store %r,")
    memref = f"memref<{type_}x{shape[0]}x{shape[1]}>"
    parameters = {
        "A": (memref, buffer(rng, type_, shape)),
        "B": (memref, buffer(rng, type_, shape)),
        factor[0]: factor[1],
    }
    return Case(f"arithmetic {type_} {shape}", body, parameters, 1, rng.choice(SIZES))


@pytest.mark.parametrize("type_", TYPES)
@compares
def test_arithmetic(type_):
    rng = random.Random(f"coopmatrix arithmetic {type_}")
    return comparison(arithmetic_case(rng, type_, shape) for shape in SHAPES)


def layout_case(rng, type_, layouts, attributes):
    """Every subgroup moves its own columns, from one layout to another."""
    writer = Writer(rng)
    a = writer.operand("A", layouts[0], type_, (7, 24))
    b = writer.operand("B", layouts[1], type_, (7, 24))
    kind = f"coopmatrix<{type_}x7x3,matrix_b>"
    instruction = f"""
    %zero = constant 0 : index
    parallel {{
        %sg = builtin.subgroup_id : i32
        %first = arith.mul %sg, 3 : i32
        %column = cast %first : index
        %m = cooperative_matrix_load.n %A[%zero, %column] : {kind}
        cooperative_matrix_store %m, %B[%zero, %column]
    }}"""
    case = collective_case(rng, f"{type_} {layouts} {attributes}", instruction, [a, b])
    case.attributes = attributes
    return case


@pytest.mark.similar
@pytest.mark.parametrize("layout", LAYOUTS)
@compares
def test_layouts_and_several_subgroups(layout):
    rng = random.Random(f"coopmatrix {layout}")
    shapes = ("[16,1]", "[32,2]", "[128,1]")
    return comparison(
        layout_case(rng, type_, pair, f"subgroup_size=16, work_group_size={shape}")
        for type_ in ("i8", "bf16", "f32", "c64")
        for pair in ((layout, "packed"), ("strided", layout))
        for shape in shapes
    )
