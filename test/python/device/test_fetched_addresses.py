"""Products that fetch the next group where the driver cannot see that all lanes fetch the same."""

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.tuning import Schedule, functions_of, set_schedule

TEXT = """
func @f(%is_first: bool, %c: group<memref<f32x?x?>x?>, %a: memref<f32x9x8x?>,
        %b: group<memref<f32x?x?>x?>, %d: memref<f32x31x9x?>, %e: memref<f32x31x?x?>) {
  %g = group_id.x : index
  %C = load %c[%g] : memref<f32x?x?>
  %A = subview %a[:,:,%g] : memref<f32x9x8>
  %B = load %b[%g] : memref<f32x?x?>
  %D = subview %d[:,:,%g] : memref<f32x31x9>
  %E = subview %e[:,:,%g] : memref<f32x31x?>
  %one = constant 1.0 : f32
  if %is_first {
    gemm.n.n %one, %A, %B, %one, %C
  }
  gemm.t.n %one, %D, %E, %one, %C
}"""


@pytest.mark.parametrize(("rows", "columns", "unroll"), [(1, 2, 3), (2, 2, 1)])
def test_two_products_of_unknown_sizes(rows, columns, unroll):
    """The condition of the second product's tail is that of the first's."""
    module = tt.Context().parse(TEXT)
    for _, function in functions_of(module.operation):
        set_schedule(function, Schedule(rows, columns, unroll))
    program = module.compile("cpu", abi="packed", vector_bytes=64)
    program.build()  # the driver ended the process
    rng = np.random.default_rng(0)
    shapes = {"a": (9, 8, 3), "d": (31, 9, 3), "e": (31, 5, 3)}
    given = {
        name: np.asfortranarray(rng.integers(-2, 3, shape), np.float32)
        for name, shape in shapes.items()
    }
    b = [np.asfortranarray(rng.integers(-2, 3, (8, 5)), np.float32) for _ in range(3)]
    c = [np.zeros((9, 5), np.float32, order="F") for _ in range(3)]
    program["f"](is_first=True, b=b, c=c, groups=3, **given)
    for group, found in enumerate(c):
        a, d, e = (given[name][..., group] for name in "ade")
        np.testing.assert_array_equal(found, a @ b[group] + d.T @ e)
