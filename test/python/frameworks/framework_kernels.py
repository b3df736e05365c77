"""Kernels that tests of frameworks make operations of, and what they compute."""

import tinytc_mlir as tt

#: e_g = alpha sum(x_g A x_g): a scalar, an array that all groups share, arrays of groups.
ENERGY = """
func @energy(%alpha: f64, %A: memref<f64x3x3>, %x: memref<f64x3x?>, %e: memref<f64x?>) {
  %zero = constant 0.0 : f64
  %one = constant 1.0 : f64
  %g = group_id.x : index
  %v = subview %x[0:3, %g] : memref<f64x3>
  %y = alloca : memref<f64x3, local>
  gemv %one, %A, %v, %zero, %y
  %square = alloca : memref<f64x3, local>
  hadamard_product %alpha, %v, %y, %zero, %square
  %sum = subview %e[%g] : memref<f64>
  sum %one, %square, %zero, %sum
}
"""
#: The same in a grid of two modes.
GRID = """
func @grid(%alpha: f64, %A: memref<f64x3x3>, %x: memref<f64x3x?x?>, %e: memref<f64x?x?>) {
  %zero = constant 0.0 : f64
  %one = constant 1.0 : f64
  %g = group_id.x : index
  %h = group_id.y : index
  %v = subview %x[0:3, %g, %h] : memref<f64x3>
  %y = alloca : memref<f64x3, local>
  gemv %one, %A, %v, %zero, %y
  %square = alloca : memref<f64x3, local>
  hadamard_product %alpha, %v, %y, %zero, %square
  %sum = subview %e[%g, %h] : memref<f64>
  sum %one, %square, %zero, %sum
}
"""
#: y := a x + y, an array that is read and written.
UPDATE = """
func @update(%a: f64, %x: memref<f64x4x?>, %y: memref<f64x4x?>) {
  %one = constant 1.0 : f64
  %g = group_id.x : index
  %u = subview %x[0:4, %g] : memref<f64x4>
  %v = subview %y[0:4, %g] : memref<f64x4>
  axpby %a, %u, %one, %v
}
"""
#: y := a x of complex numbers, and b := |x|^2.
COMPLEX = """
func @rotate(%a: c64, %x: memref<c64x?>, %y: memref<c64x?>, %b: memref<f64x?>) {
  %i = group_id.x : index
  %u = load %x[%i] : c64
  %p = arith.mul %a, %u : c64
  store %p, %y[%i]
  %c = arith.conj %u : c64
  %q = arith.mul %c, %u : c64
  %r = arith.re %q : f64
  store %r, %b[%i]
}
"""
#: Each iteration needs what the one before left; sizes and their number are those of the launch.
LOOP = """
func @steps(%n: index, %x: memref<f64x?x?>, %y: memref<f64x?x?>) {
  %g = group_id.x : index
  %a = subview %x[:, %g] : memref<f64x?>
  %b = subview %y[:, %g] : memref<f64x?>
  %one = constant 1.0 : f64
  %half = constant 0.5 : f64
  %zero = constant 0.0 : f64
  axpby %one, %a, %zero, %b
  %m = size %b[0] : index
  %c0 = constant 0 : index
  for %i = 0, %n {
    foreach (%j) = (%c0), (%m) {
      %v = load %b[%j] : f64
      %s = mul %v, %v : f64
      %h = mul %s, %half : f64
      %r = add %v, %h : f64
      store %r, %b[%j]
    }
  }
}
"""
#: c := a + b in half precision, of a constant size.
HALF = """
func @add(%a: memref<bf16x16>, %b: memref<bf16x16>, %c: memref<bf16x16>) {
  foreach (%i) = (0), (16) {
    %u = load %a[%i] : bf16
    %v = load %b[%i] : bf16
    %w = arith.add %u, %v : bf16
    store %w, %c[%i]
  }
}
"""
#: y_g := 2 x_g o x_g, of arrays of a group.
MEMBERS = """
func @squares(%x: group<memref<f64x2>x?>, %y: memref<f64x2x?>) {
  %g = group_id.x : index
  %two = constant 2.0 : f64
  %zero = constant 0.0 : f64
  %u = load %x[%g] : memref<f64x2>
  %v = subview %y[:, %g] : memref<f64x2>
  hadamard_product %two, %u, %u, %zero, %v
}
"""


def energy(alpha, matrix, x):
    """Return what ENERGY computes, of arrays of any library."""
    return alpha * (x * (matrix @ x)).sum(0)


def module(text):
    """Return the module of a text."""
    return tt.Context().parse(text)
