"""Kernels with functions, extrema, and the components of cooperative matrices."""

FUNCTIONS = {
    "roots_and_powers": """
func @k(%a: f64, %A: memref<f64x8>, %C: memref<f64x8x?>) {
  %gid = group_id : index
  foreach (%i) = (0),(8) {
    %x = load %A[%i] : f64
    %y = load %C[%i,%gid] : f64
    %p = arith.abs %x : f64
    %q = arith.abs %y : f64
    %s = sqrt %p : f64
    %r = rsqrt %q : f64
    %t = tanh %y : f64
    %e = expm1 %x : f64
    %l = log1p %p : f64
    %w = pow %p, %y : f64
    %h = hypot %x, %y : f64
    %m = fma %s, %r, %t : f64
    %n = fma %e, %l, %m : f64
    %o = fma %w, %h, %n : f64
    %f = floor %y : f64
    %c = ceil %x : f64
    %u = mul %f, %o : f64
    %v = fma %c, %x, %u : f64
    %less = less_than %x, %y : bool
    %z = select %less, %v, %a : f64
    store %z, %C[%i,%gid]
  }
}
""",
    "native_functions": """
func @k(%A: memref<f64x8>, %C: memref<f64x8x?>, %D: memref<c64x8x?>) {
  %gid = group_id : index
  foreach (%i) = (0),(8) {
    %x = load %A[%i] : f64
    %p = arith.abs %x : f64
    %0 = native_exp %x : f64
    %1 = native_exp2 %x : f64
    %2 = native_sin %x : f64
    %3 = native_cos %x : f64
    %4 = native_log %p : f64
    %5 = native_log2 %p : f64
    %6 = log2 %p : f64
    %7 = fma %0, %1, %2 : f64
    %8 = fma %3, %4, %5 : f64
    %9 = fma %6, %7, %8 : f64
    store %9, %C[%i,%gid]
    %z = load %D[%i,%gid] : c64
    %e = exp %z : c64
    %f = exp2 %e : c64
    store %f, %D[%i,%gid]
  }
}
""",
    "extrema_of_subgroups": """
func @k(%A: memref<f64x8>, %C: memref<f64x8x?>, %S: memref<f64x?>) {
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
    %u = subgroup_min.reduce %z : f64
    %v = subgroup_max.reduce %z : f64
    %w = arith.mul %u, %z : f64
    %p = arith.mul %w, %v : f64
    %q = subgroup_add.exclusive_scan %p : f64
    %r = subgroup_add.reduce %q : f64
    %t = arith.mul %q, %r : f64
    store.atomic_add %t, %s[]
    %o = atomic_add %q, %s[] : f64
  }
}
""",
    "components_of_matrices": """
func @k(%a: f64, %A: memref<f64x16x8>, %C: memref<f64x16x8x?>, %R: memref<f64x16x1x?>,
        %S: memref<f64x1x8x?>)
    attributes {subgroup_size=16, work_group_size=[16, 1]} {
  %gid = group_id : index
  %c = subview %C[0:16,0:8,%gid] : memref<f64x16x8>
  %r = subview %R[0:16,0:1,%gid] : memref<f64x16x1>
  %s = subview %S[0:1,0:8,%gid] : memref<f64x1x8>
  parallel {
    %x = cooperative_matrix_load %A[0, 0] : coopmatrix<f64x16x8,matrix_acc>
    %y = cooperative_matrix_load %c[0, 0] : coopmatrix<f64x16x8,matrix_acc>
    %u = min %x, %y : coopmatrix<f64x16x8,matrix_acc>
    %v = max %x, %y : coopmatrix<f64x16x8,matrix_acc>
    %w = abs %y : coopmatrix<f64x16x8,matrix_acc>
    %q = div %u, %x : coopmatrix<f64x16x8,matrix_acc>
    %n = cooperative_matrix_construct %a : coopmatrix<f64x16x8,matrix_acc>
    %m = mul %n, %q : coopmatrix<f64x16x8,matrix_acc>
    %d = cooperative_matrix_scale %a, %v : coopmatrix<f64x16x8,matrix_acc>
    %e = mul %d, %w : coopmatrix<f64x16x8,matrix_acc>
    %f = cooperative_matrix_apply (%i, %j, %p, %o) = %m, %e -> coopmatrix<f64x16x8,matrix_acc> {
      %is_upper = less_than %i, %j : bool
      %g = if %is_upper -> (f64) {
        %sine = sin %p : f64
        %k = mul %sine, %o : f64
        yield (%k)
      } else {
        %k = mul %p, %a : f64
        yield (%k)
      }
      %h = mul %g, %o : f64
      yield (%h)
    }
    %g0 = cooperative_matrix_extract %f[0] : f64
    %g1 = cooperative_matrix_extract %f[3] : f64
    %g2 = mul %g0, %g1 : f64
    %ins = cooperative_matrix_insert %g2, %f[5] : coopmatrix<f64x16x8,matrix_acc>
    %rows = cooperative_matrix_reduce_add.row %ins : coopmatrix<f64x16x1,matrix_acc>
    %columns = cooperative_matrix_reduce_add.column %ins : coopmatrix<f64x1x8,matrix_acc>
    cooperative_matrix_store %rows, %r[0, 0]
    cooperative_matrix_store.atomic_add %columns, %s[0, 0]
    %before = cooperative_matrix_atomic_add %ins, %c[0, 0] : coopmatrix<f64x16x8,matrix_acc>
  }
}
""",
    "components_in_a_loop": """
func @k(%a: f64, %A: memref<f64x16x8>, %C: memref<f64x16x8x?>)
    attributes {subgroup_size=16, work_group_size=[16, 1]} {
  %gid = group_id : index
  %c = subview %C[0:16,0:8,%gid] : memref<f64x16x8>
  parallel {
    %x = cooperative_matrix_load %A[0, 0] : coopmatrix<f64x16x8,matrix_acc>
    %y = for %k = 0, 3 init(%z = %x) -> (coopmatrix<f64x16x8,matrix_acc>) {
      %u = cooperative_matrix_apply (%i, %j, %p) = %z -> coopmatrix<f64x16x8,matrix_acc> {
        %s = sin %p : f64
        %t = mul %s, %a : f64
        yield (%t)
      }
      %v = mul %u, %z : coopmatrix<f64x16x8,matrix_acc>
      yield (%v)
    }
    cooperative_matrix_store.atomic_add %y, %c[0, 0]
  }
}
""",
    "products_with_ones": """
func @k(%A: memref<f64x16x8>, %C: memref<f64x16x8x?>)
    attributes {subgroup_size=16, work_group_size=[16, 1]} {
  %gid = group_id : index
  %c = subview %C[0:16,0:8,%gid] : memref<f64x16x8>
  parallel {
    %a = cooperative_matrix_load %A[0, 0] : coopmatrix<f64x16x8,matrix_a>
    %b = constant 1.0 : coopmatrix<f64x8x8,matrix_b>
    %x = cooperative_matrix_load %c[0, 0] : coopmatrix<f64x16x8,matrix_acc>
    %y = mul %x, %x : coopmatrix<f64x16x8,matrix_acc>
    %z = cooperative_matrix_mul_add %a, %b, %y : coopmatrix<f64x16x8,matrix_acc>
    cooperative_matrix_store %z, %c[0, 0]
  }
}
""",
}
