"""Products of cooperative matrices that are too large to be written out."""

import random

import pytest
from cases import Case, buffer, run_cases
from operands import TYPES

#: Both tiles of columns and blocks of rows leave some over, for most sizes of subgroups; the
#: last one has columns side by side.
SHAPES = ((35, 13, 37), (16, 40, 20), (64, 3, 24), (3, 33, 20))
MIXED = (("bf16", "bf16", "f32"), ("f16", "f16", "f32"), ("i8", "i8", "i32"), ("f32", "f32", "c32"))


def product_case(rng, types, shape, size):
    """A product in a loop and in a conditional, whose result is carried."""
    a, b, c = types
    m, n, k = shape
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
        }}
        cooperative_matrix_store %d, %C[%zero, %zero]
    }}"""
    parameters = {
        name: (f"memref<{t}x{rows}x{columns}>", buffer(rng, t, (rows, columns)))
        for name, t, rows, columns in (("A", a, m, k), ("B", b, k, n), ("C", c, m, n))
    }
    attributes = f"subgroup_size={size}, work_group_size=[{size},1]"
    return Case(f"mul_add {types} {shape} {size}", body, parameters, 1, attributes)


@pytest.mark.parametrize("types", [(t, t, t) for t in TYPES] + list(MIXED))
def test_looped_products(types):
    rng = random.Random(f"looped {types}")
    run_cases(product_case(rng, types, shape, rng.choice((4, 8, 16, 32))) for shape in SHAPES)
