"""Products of cooperative matrices that are too large to be written out."""

import random

import pytest

from cases.case import Case, buffer
from cases.operands import TYPES
from cases.running import compares, comparison, compiler_of, run_cases

#: Both tiles of columns and blocks of rows leave some over, for most sizes of subgroups; the
#: last one has columns side by side.
SHAPES = ((35, 13, 37), (16, 40, 20), (64, 3, 24), (3, 33, 20))
MIXED = (("bf16", "bf16", "f32"), ("f16", "f16", "f32"), ("i8", "i8", "i32"), ("f32", "f32", "c32"))


LARGE = "coopmatrix<f32x128x128,matrix_acc>"
#: So much that the kernel writes nothing out, and products leave matrices in arrays.
BESIDE = f"""
        %p = cooperative_matrix_load.n %P[%zero, %zero] : {LARGE}
        %q = add %p, %p : {LARGE}
        cooperative_matrix_store %q, %P[%zero, %zero]"""


def product_case(rng, types, shape, size, beside=""):
    """A product in a loop, whose result is carried, and two more beside other instructions."""
    a, b, c = types
    m, n, k = shape
    last, more = "%d", ""
    if beside:
        last, more = (
            "%g",
            f"""
        %f = cooperative_matrix_mul_add %a, %b, %d : coopmatrix<{c}x{m}x{n},matrix_acc>
        %g = cooperative_matrix_mul_add %a, %b, %f : coopmatrix<{c}x{m}x{n},matrix_acc>{beside}""",
        )
    body = f"""
    %zero = constant 0 : index
    %two = constant 2 : index
    parallel {{
        %a = cooperative_matrix_load.n %A[%zero, %zero] : coopmatrix<{a}x{m}x{k},matrix_a>
        %b = cooperative_matrix_load.n %B[%zero, %zero] : coopmatrix<{b}x{k}x{n},matrix_b>
        %c = cooperative_matrix_load.n %C[%zero, %zero] : coopmatrix<{c}x{m}x{n},matrix_acc>
        %d = for %i = %zero, %two init(%s = %c) -> (coopmatrix<{c}x{m}x{n},matrix_acc>) {{
            %e = cooperative_matrix_mul_add %a, %b, %s : coopmatrix<{c}x{m}x{n},matrix_acc>
            yield (%e)
        }}{more}
        cooperative_matrix_store {last}, %C[%zero, %zero]
    }}"""
    parameters = {
        name: (f"memref<{t}x{rows}x{columns}>", buffer(rng, t, (rows, columns)))
        for name, t, rows, columns in (("A", a, m, k), ("B", b, k, n), ("C", c, m, n))
    }
    if beside:
        parameters["P"] = ("memref<f32x128x128>", buffer(rng, "f32", (128, 128)))
    attributes = f"subgroup_size={size}, work_group_size=[{size},1]"
    return Case(f"mul_add {types} {shape} {size} {len(beside)}", body, parameters, 1, attributes)


@pytest.mark.similar
@pytest.mark.parametrize("types", [(t, t, t) for t in TYPES] + list(MIXED))
@compares
def test_looped_products(types):
    rng = random.Random(f"looped {types}")
    return comparison(
        product_case(rng, types, shape, rng.choice((4, 8, 16, 32))) for shape in SHAPES
    )


def run_on_cpu(cases):
    """Compare with the reference; code for GPUs does not depend on what is beside."""
    pending = list(cases)
    run_cases(pending, compile_=compiler_of(pending))


@pytest.mark.similar
@pytest.mark.parametrize("types", [(t, t, t) for t in TYPES] + list(MIXED))
def test_products_beside_other_instructions(types):
    rng = random.Random(f"beside {types}")
    sizes = rng.sample((4, 8, 16, 32), 4)
    run_on_cpu(
        product_case(rng, types, shape, size, BESIDE)
        for shape, size in zip(SHAPES, sizes, strict=True)
    )


@pytest.mark.similar
@pytest.mark.parametrize("size", [4, 8, 16, 32, 64])
def test_columns_side_by_side_beside_other_instructions(size):
    rng = random.Random(size)
    run_on_cpu(
        product_case(rng, types, shape, size, BESIDE)
        for types in (("f32", "f32", "f32"), ("f16", "f16", "f32"))
        for shape in ((3, 33, 20), (2, 32, 40), (16, 24, 5), (5, 7, 3))
    )
