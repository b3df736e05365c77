"""Kernels that together have the instructions with a derivative; last modes are batches."""

from differentiated_functions import FUNCTIONS

KERNELS = FUNCTIONS | {
    "chain_of_products": """
func @k(%alpha: f64, %A: memref<f64x8x8>, %Q: memref<f64x8x4x?>, %B: memref<f64x4x4>,
        %C: memref<f64x8x4x?>) {
  %gid = group_id : index
  %q = subview %Q[0:8,0:4,%gid] : memref<f64x8x4,strided<1,8>>
  %c = subview %C[0:8,0:4,%gid] : memref<f64x8x4,strided<1,8>>
  %zero = constant 0.0 : f64
  %one = constant 1.0 : f64
  %t = alloca : memref<f64x8x4,local>
  gemm.n.n %one, %A, %q, %zero, %t
  gemm.n.n %alpha, %t, %B, %one, %c
}
""",
    "factors_alpha_and_beta": """
func @k(%alpha: f64, %beta: f64, %A: memref<f64x8x8>, %C: memref<f64x8x8x?>) {
  %gid = group_id : index
  %c = subview %C[0:8,0:8,%gid] : memref<f64x8x8,strided<1,8>>
  gemm.n.t %alpha, %A, %A, %beta, %c
  axpby.t %alpha, %A, %beta, %c
}
""",
    "overwritten_factors": """
func @k(%C: memref<f64x8x8x?>) {
  %gid = group_id : index
  %c = subview %C[0:8,0:8,%gid] : memref<f64x8x8,strided<1,8>>
  %zero = constant 0.0 : f64
  %one = constant 1.0 : f64
  %t = alloca : memref<f64x8x8,local>
  gemm.n.t %one, %c, %c, %zero, %t
  axpby.n %one, %t, %one, %c
  hadamard_product %one, %t, %t, %one, %c
}
""",
    "loop": """
func @k(%a: f64, %A: memref<f64x8x8>, %x: memref<f64x8x?>) {
  %gid = group_id : index
  %c = subview %x[0:8,%gid] : memref<f64x8,strided<1>>
  %zero = constant 0.0 : f64
  %one = constant 1.0 : f64
  %t = alloca : memref<f64x8,local>
  for %i = 0, 3 {
    gemv.n %a, %A, %c, %zero, %t
    hadamard_product %one, %t, %t, %one, %c
  }
}
""",
    "loop_of_unknown_length": """
func @k(%n: index, %a: f64, %A: memref<f64x8x8>, %x: memref<f64x8x?>) {
  %gid = group_id : index
  %c = subview %x[0:8,%gid] : memref<f64x8,strided<1>>
  %zero = constant 0.0 : f64
  %one = constant 1.0 : f64
  %t = alloca : memref<f64x8,local>
  for %i = 0, %n, 2 {
    gemv.n %a, %A, %c, %zero, %t
    hadamard_product %one, %t, %t, %one, %c
  }
}
""",
    "elementwise": """
func @k(%a: f64, %A: memref<f64x8x8>, %C: memref<f64x8x8x?>) {
  %gid = group_id : index
  %c = subview %C[0:8,0:8,%gid] : memref<f64x8x8,strided<1,8>>
  foreach (%i,%j) = (0,0),(8,8) {
    %x = load %c[%i,%j] : f64
    %y = load %A[%j,%i] : f64
    %z = arith.mul %x, %y : f64
    %u = math.exp %z : f64
    %s = arith.mul %a, %u : f64
    store %s, %c[%i,%j]
  }
  gemm.n.n %a, %A, %A, %a, %c
}
""",
    "carried_by_work_items": """
func @k(%a: f64, %A: memref<f64x8>, %C: memref<f64x8x?>) {
  %gid = group_id : index
  foreach (%i) = (0),(8) {
    %x0 = load %C[%i,%gid] : f64
    %x = for %j = 0, 4 init(%y = %x0) -> (f64) {
      %b = load %A[%j] : f64
      %t = arith.mul %b, %y : f64
      %u = sin %t : f64
      %v = arith.mul %u, %a : f64
      yield (%v)
    }
    store %x, %C[%i,%gid]
  }
}
""",
    "carried_values": """
func @k(%a: f64, %A: memref<f64x8>, %C: memref<f64x8x?>) {
  %gid = group_id : index
  %c = subview %C[0:8,%gid] : memref<f64x8,strided<1>>
  %one = constant 1.0 : f64
  %x = for %j = 0, 4 init(%y = %a) -> (f64) {
    axpby.n %y, %A, %y, %c
    %b = load %A[%j] : f64
    %t = arith.mul %b, %y : f64
    %u = sin %t : f64
    %v = arith.mul %u, %a : f64
    yield (%v)
  }
  axpby.n %x, %A, %one, %c
}
""",
    "conditional": """
func @k(%a: f64, %A: memref<f64x8>, %C: memref<f64x8x?>) {
  %gid = group_id : index
  %c = subview %C[0:8,%gid] : memref<f64x8,strided<1>>
  %c1 = constant 1 : index
  %p = less_than %gid, %c1 : bool
  %x = if %p -> (f64) {
    axpby.n %a, %A, %a, %c
    %y = arith.mul %a, %a : f64
    yield (%y)
  } else {
    hadamard_product %a, %A, %A, %a, %c
    yield (%a)
  }
  axpby.n %x, %A, %x, %c
}
""",
    "sums": """
func @k(%a: f64, %A: memref<f64x5x7>, %B: memref<f64x5x7x?>, %c: memref<f64x5x?>,
        %d: memref<f64x?>) {
  %gid = group_id : index
  %b = subview %B[0:5,0:7,%gid] : memref<f64x5x7,strided<1,5>>
  %cc = subview %c[0:5,%gid] : memref<f64x5,strided<1>>
  %dd = subview %d[%gid] : memref<f64,strided<>>
  %one = constant 1.0 : f64
  cumsum %a, %A, 1, %one, %b
  cumsum %a, %A, 0, %a, %b
  cumsum.reverse %a, %A, 0, %one, %b
  cumsum.reverse %a, %A, 1, %a, %b
  sum.n %a, %b, %a, %cc
  sum.n %a, %cc, %one, %dd
  axpby.n %a, %dd, %a, %dd
}
""",
    "complex_numbers": """
func @k(%a: c64, %A: memref<c64x6x6>, %C: memref<c64x6x6x?>, %E: memref<f64x6x6x?>) {
  %gid = group_id : index
  %c = subview %C[0:6,0:6,%gid] : memref<c64x6x6,strided<1,6>>
  gemm.n.t %a, %A, %A, %a, %c
  %e = subview %E[0:6,0:6,%gid] : memref<f64x6x6,strided<1,6>>
  foreach (%i,%j) = (0,0),(6,6) {
    %x = load %c[%i,%j] : c64
    %y = arith.conj %x : c64
    %z = arith.mul %x, %y : c64
    %re = arith.re %z : f64
    %im = arith.im %x : f64
    %ab = arith.abs %x : f64
    %s = arith.add %re, %im : f64
    %t = arith.mul %s, %ab : f64
    store %t, %e[%i,%j]
    %q = arith.div %y, %x : c64
    store %q, %c[%i,%j]
  }
}
""",
    "subgroup_operations": """
func @k(%a: f64, %A: memref<f64x8>, %C: memref<f64x8x?>, %S: memref<f64x?>) {
  %gid = group_id : index
  %s = subview %S[%gid] : memref<f64,strided<>>
  %c = subview %C[0:8,%gid] : memref<f64x8,strided<1>>
  parallel {
    %l = subgroup_local_id : i32
    %c8 = constant 8 : i32
    %m = arith.rem %l, %c8 : i32
    %i = cast %m : index
    %x = load %A[%i] : f64
    %y = load %c[%i] : f64
    %z = arith.mul %x, %y : f64
    %u = arith.mul %z, %a : f64
    %v = subgroup_add.inclusive_scan %u : f64
    %w = arith.mul %v, %u : f64
    %k = constant 3 : i32
    %q = subgroup_broadcast %w, %k : f64
    %r = arith.mul %q, %v : f64
    store.atomic_add %r, %s[]
  }
}
""",
    "views": """
func @k(%A: memref<f64x16x8x?>, %C: memref<f64x4x4x8x?>) {
  %gid = group_id : index
  %m = subview %A[0:16,0:8,%gid] : memref<f64x16x8,strided<1,16>>
  %c = subview %C[0:4,0:4,0:8,%gid] : memref<f64x4x4x8,strided<1,4,16>>
  %f = fuse %c[0,1] : memref<f64x16x8>
  %e = expand %m[0 -> 4 x 4] : memref<f64x4x4x8>
  %s = subview %m[2:3,0:8] : memref<f64x3x8,strided<1,16>>
  %z = constant 0.5 : f64
  %t = subview %f[1:3,0:8] : memref<f64x3x8,strided<1,16>>
  hadamard_product %z, %s, %s, %z, %t
  axpby.n %z, %m, %z, %f
}
""",
    "vectors": """
func @k(%a: f64, %A: memref<f64x5x7>, %x: memref<f64x7>, %C: memref<f64x5x7x?>,
        %y: memref<f64x5x?>) {
  %gid = group_id : index
  %c = subview %C[0:5,0:7,%gid] : memref<f64x5x7,strided<1,5>>
  %yy = subview %y[0:5,%gid] : memref<f64x5,strided<1>>
  gemv.n %a, %A, %x, %a, %yy
  ger %a, %yy, %x, %a, %c
  sum.n %a, %c, %a, %yy
  %z = alloca : memref<f64x7,local>
  %zero = constant 0.0 : f64
  gemv.t %a, %c, %yy, %zero, %z
  ger %a, %yy, %z, %a, %c
  sum.t %a, %c, %zero, %z
  ger %a, %yy, %z, %a, %c
}
""",
    "functions": """
func @k(%a: f64, %A: memref<f64x8>, %C: memref<f64x8x?>) {
  %gid = group_id : index
  foreach (%i) = (0),(8) {
    %x = load %A[%i] : f64
    %y = load %C[%i,%gid] : f64
    %u = arith.min %x, %y : f64
    %v = arith.max %x, %a : f64
    %w = arith.rem %u, %v : f64
    %n = arith.neg %w : f64
    %b = arith.abs %n : f64
    %c = cos %b : f64
    %q = arith.div %c, %x : f64
    %e = exp2 %q : f64
    %l = arith.mul %x, %x : f64
    %k = log %l : f64
    %p = arith.sub %e, %k : f64
    %less = minimum %p, %a : f64
    %more = maximum %less, %y : f64
    store %more, %C[%i,%gid]
  }
}
""",
    "nested_loops": """
func @k(%a: f64, %A: memref<f64x8x8>, %x: memref<f64x8x?>) {
  %gid = group_id : index
  %c = subview %x[0:8,%gid] : memref<f64x8,strided<1>>
  %zero = constant 0.0 : f64
  %one = constant 1.0 : f64
  %half = constant 0.125 : f64
  %t = alloca : memref<f64x8,local>
  for %i = 0, 3 {
    gemv.n %a, %A, %c, %zero, %t
    for %j = 0, 2 {
      gemv.t %half, %A, %t, %half, %c
      hadamard_product %half, %c, %c, %half, %t
    }
    hadamard_product %half, %t, %t, %one, %c
  }
  hadamard_product %half, %t, %t, %one, %c
}
""",
    "cooperative_matrices": """
func @k(%a: f64, %A: memref<f64x16x8>, %B: memref<f64x8x16>, %C: memref<f64x16x8x?>)
    attributes {subgroup_size=16, work_group_size=[16, 1]} {
  %gid = group_id : index
  %c = subview %C[0:16,0:8,%gid] : memref<f64x16x8>
  %half = constant 0.5 : f64
  parallel {
    %acc = cooperative_matrix_load %c[0, 0] : coopmatrix<f64x16x8,matrix_acc>
    %sum = for %k = 0, 16, 8 init(%s = %acc) -> (coopmatrix<f64x16x8,matrix_acc>) {
      %a0 = cooperative_matrix_load %A[0, 0] : coopmatrix<f64x16x8,matrix_a>
      %b0 = cooperative_matrix_load.t %B[0, %k] : coopmatrix<f64x8x8,matrix_b>
      %next = cooperative_matrix_mul_add %a0, %b0, %s : coopmatrix<f64x16x8,matrix_acc>
      yield (%next)
    }
    %d = cooperative_matrix_scale %half, %sum : coopmatrix<f64x16x8,matrix_acc>
    %e = add %d, %acc : coopmatrix<f64x16x8,matrix_acc>
    %f = mul %e, %d : coopmatrix<f64x16x8,matrix_acc>
    cooperative_matrix_store %f, %c[0, 0]
  }
}
""",
    "tiles": """
func @k(%A: memref<f64x20x6>, %C: memref<f64x20x6x?>)
    attributes {subgroup_size=16, work_group_size=[32, 1]} {
  %gid = group_id : index
  %c = subview %C[0:20,0:6,%gid] : memref<f64x20x6>
  foreach_tile (%i, %j) = (0, 0), (20, 6) as (%m, %n) <= (16, 4) {
    %x = cooperative_matrix_load.both_checked %A[%i, %j] : coopmatrix<f64x16x4,matrix_acc>
    %y = cooperative_matrix_load.both_checked %c[%i, %j] : coopmatrix<f64x16x4,matrix_acc>
    %z = mul %x, %y : coopmatrix<f64x16x4,matrix_acc>
    %w = neg %z : coopmatrix<f64x16x4,matrix_acc>
    cooperative_matrix_store.both_checked %w, %c[%i, %j]
    cooperative_matrix_store.both_checked.atomic_add %z, %c[%i, %j]
  }
}
""",
}
