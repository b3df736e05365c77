"""A function of the components of a matrix that applies another one."""

import random

import pytest

from cases.running import compares, comparison
from device.test_coopmatrix_components import case

NESTED = """
        %r = cooperative_matrix_apply (%i, %j, %x) = %m -> KIND {
            %q = cooperative_matrix_apply (%k, %l, %w) = %m -> KIND {
                %d = add %w, %x : TYPE
                yield (%d)
            }
            %e = cooperative_matrix_extract %q [0] : TYPE
            %y = sub %e, %x : TYPE
            yield (%y)
        }"""


@pytest.mark.parametrize("type_", ["i8", "f64", "c32"])
@compares
def test_nested(type_):
    """No shape has padding, so all work-items run the inner one."""
    rng = random.Random(f"nested apply {type_}")
    return comparison(
        case(rng, "nested apply", type_, shape, NESTED) for shape in ((32, 16), (64, 2))
    )
