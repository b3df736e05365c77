"""The kernels that hosts in other languages call."""

GEMM = """
func @gemm(%alpha: f32, %A: memref<f32x?x9x?>, %B: memref<f32x9x7>, %beta: f32,
           %C: memref<f32x?x7x?,strided<1,?,?>>) {
  %g = group_id.x : index
  %a = subview %A[:,:,%g] : memref<f32x?x9>
  %c = subview %C[:,:,%g] : memref<f32x?x7,strided<1,?>>
  gemm.n.n %alpha, %a, %B, %beta, %c
}
"""
MEMBERS = """
func @members(%alpha: f64, %A: group<memref<f64x?x?>x?, offset: ?>, %B: group<memref<f64x?x?>x?>) {
  %one = constant 1.0 : f64
  %g = group_id.x : index
  %a = load %A[%g] : memref<f64x?x?>
  %b = load %B[%g] : memref<f64x?x?>
  axpby.n %alpha, %a, %one, %b
}
"""
GRID = """
func @twice(%A: memref<i32x4x?x?>) {
  %x = group_id.x : index
  %y = group_id.y : index
  foreach (%i)=(0),(4) {
    %a = load %A[%i,%x,%y] : i32
    %b = arith.add %a, %a : i32
    store %b, %A[%i,%x,%y]
  }
}
"""
SCALE = """
func @scale_{0}(%a: {0}, %X: memref<{0}x37>) {{
  foreach (%i)=(0),(37) {{
    %x = load %X[%i] : {0}
    %y = arith.mul %a, %x : {0}
    store %y, %X[%i]
  }}
}}
"""
LARGE = """
func @large(%A: memref<f32x128x128>, %B: memref<f32x128x128>) {
  %zero = constant 0.0 : f32
  %one = constant 1.0 : f32
  %L = alloca : memref<f32x128x128,local>
  axpby.n %one, %A, %zero, %L
  axpby.t %one, %L, %zero, %B
}
"""
TYPES = ("i8", "i16", "i32", "i64", "bf16", "f16", "f32", "f64", "c32", "c64")
TEXT = "".join([GEMM, MEMBERS, GRID, LARGE, *map(SCALE.format, TYPES)])
