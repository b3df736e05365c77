"""Derivatives of products whose destination is one of their factors."""

import numpy as np
import pytest
from dot_products import Products

import tinytc_mlir as tt

TEXT = """
func @k(%x: memref<f64x{0}>, %c: memref<f64x{0}x?>) {{
  %g = group_id.x : index
  %alpha = constant {3} : f64
  %beta = constant {4} : f64
  %v = subview %c[:,%g] : memref<f64x{0}>
  hadamard_product %alpha, {1}, {2}, %beta, %v
}}
"""
FACTORS = [("%x", "%v"), ("%v", "%x"), ("%v", "%v")]


@pytest.mark.similar
@pytest.mark.parametrize("wrt", [None, ["c"], ["x", "c"]])
@pytest.mark.parametrize("scalars", [(1.0, 1.0), (0.5, 0.0), (2.0, -1.5)])
@pytest.mark.parametrize("factors", FACTORS)
def test_products_in_place(factors, scalars, wrt):
    module = tt.Context().parse(TEXT.format(4, *factors, *scalars))
    products = Products(module) if wrt is None else Products(module, wrt=wrt)
    products.check_differences()
    products.check()


def test_parts_of_one_array():
    """Factor and destination have the same memory, but other elements."""
    module = tt.Context().parse("""
func @k(%c: memref<f64x4x3x?>) {
  %g = group_id.x : index
  %one = constant 1.0 : f64
  %a = subview %c[:,0,%g] : memref<f64x4>
  %b = subview %c[:,1,%g] : memref<f64x4>
  %d = subview %c[:,2,%g] : memref<f64x4>
  hadamard_product %one, %a, %b, %one, %d
}""")
    products = Products(module)
    products.check_differences()
    products.check()


def test_a_function_of_python():
    @tt.kernel
    def scaled(x: tt.f64[3], y: tt.f64[3, None]):
        i = tt.group_id.x
        y[:, i] = x * y[:, i]

    x, y = np.array([2.0, 3.0, 4.0]), np.full((3, 1), 5.0, order="F")
    dy = np.full((3, 1), 7.0, order="F")
    scaled.jvp(wrt=["x", "y"])(x, y, x_tangent=np.ones(3), y_tangent=dy)
    assert dy.ravel().tolist() == [19.0, 26.0, 33.0]


def test_a_square_of_unknown_size():
    module = tt.Context().parse(TEXT.format("?", "%v", "%v", 1.0, 0.0))
    message = "the tangent of a factor that may overlap the destination is copied to local memory"
    with pytest.raises(tt.LoweringError, match=message):
        module.jvp(wrt=["c"])
