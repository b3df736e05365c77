// RUN: tinytc-opt %s | tinytc-opt | FileCheck %s
// RUN: tinytc-opt %s --mlir-print-op-generic | tinytc-opt | FileCheck %s
// RUN: tinytc-opt %s --emit-bytecode | tinytc-opt | FileCheck %s

// CHECK-LABEL: @constants
// CHECK: tinytc.constant true
// CHECK: tinytc.constant -128 : i8
// CHECK: tinytc.constant 9223372036854775807 : i64
// CHECK: tinytc.constant 3 : index
// CHECK: tinytc.constant 0x7F80 : bf16
// CHECK: tinytc.constant [1.000000e+00 : f32, -0.000000e+00 : f32] -> complex<f32>
// CHECK: tinytc.constant 1.000000e+00 : f32 -> !tinytc.coopmatrix<8x8xf32, matrix_acc>
tinytc.func @constants() {
  %0 = tinytc.constant true
  %1 = tinytc.constant -128 : i8
  %2 = tinytc.constant 9223372036854775807 : i64
  %3 = tinytc.constant 3 : index
  %4 = tinytc.constant 0x7F80 : bf16
  %5 = tinytc.constant [1.0 : f32, -0.0 : f32] -> complex<f32>
  %6 = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x8xf32, matrix_acc>
}

// CHECK-LABEL: @binary
tinytc.func @binary(%i: i32, %f: f32, %z: complex<f64>, %b: i1) {
  // CHECK: tinytc.arith.add %{{.*}}, %{{.*}} : i32
  %0 = tinytc.arith.add %i, %i : i32
  // CHECK: tinytc.arith.sub %{{.*}}, %{{.*}} : f32
  %1 = tinytc.arith.sub %f, %f : f32
  // CHECK: tinytc.arith.mul %{{.*}}, %{{.*}} : complex<f64>
  %2 = tinytc.arith.mul %z, %z : complex<f64>
  // CHECK: tinytc.arith.div %{{.*}}, %{{.*}} : i32
  %3 = tinytc.arith.div %i, %i : i32
  // CHECK: tinytc.arith.rem %{{.*}}, %{{.*}} : f32
  %4 = tinytc.arith.rem %f, %f : f32
  // CHECK: tinytc.arith.shl %{{.*}}, %{{.*}} : i32
  %5 = tinytc.arith.shl %i, %i : i32
  // CHECK: tinytc.arith.shr %{{.*}}, %{{.*}} : i32
  %6 = tinytc.arith.shr %i, %i : i32
  // CHECK: tinytc.arith.and %{{.*}}, %{{.*}} : i1
  %7 = tinytc.arith.and %b, %b : i1
  // CHECK: tinytc.arith.or %{{.*}}, %{{.*}} : i1
  %8 = tinytc.arith.or %b, %b : i1
  // CHECK: tinytc.arith.xor %{{.*}}, %{{.*}} : i32
  %9 = tinytc.arith.xor %i, %i : i32
  // CHECK: tinytc.arith.min %{{.*}}, %{{.*}} : f32
  %10 = tinytc.arith.min %f, %f : f32
  // CHECK: tinytc.arith.max %{{.*}}, %{{.*}} : i32
  %11 = tinytc.arith.max %i, %i : i32
  %c = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x8xf32, matrix_acc>
  // CHECK: tinytc.arith.add %{{.*}}, %{{.*}} : !tinytc.coopmatrix<8x8xf32, matrix_acc>
  %12 = tinytc.arith.add %c, %c : !tinytc.coopmatrix<8x8xf32, matrix_acc>
}

// CHECK-LABEL: @unary
tinytc.func @unary(%i: i32, %f: f32, %z: complex<f64>, %b: i1) {
  // CHECK: %[[ABS:.*]] = tinytc.arith.abs %{{.*}} : complex<f64>
  %0 = tinytc.arith.abs %z : complex<f64>
  // CHECK: tinytc.arith.neg %[[ABS]] : f64
  %1 = tinytc.arith.neg %0 : f64
  // CHECK: tinytc.arith.not %{{.*}} : i1
  %2 = tinytc.arith.not %b : i1
  // CHECK: tinytc.arith.conj %{{.*}} : complex<f64>
  %3 = tinytc.arith.conj %z : complex<f64>
  // CHECK: tinytc.arith.im %{{.*}} : complex<f64>
  %4 = tinytc.arith.im %z : complex<f64>
  // CHECK: tinytc.arith.re %{{.*}} : complex<f64>
  %5 = tinytc.arith.re %z : complex<f64>
  // CHECK: tinytc.math.exp %{{.*}} : f32
  %6 = tinytc.math.exp %f : f32
  // CHECK: tinytc.math.native_exp %{{.*}} : complex<f64>
  %7 = tinytc.math.native_exp %z : complex<f64>
  // CHECK: tinytc.cos %{{.*}} : f32
  %8 = tinytc.cos %f : f32
  // CHECK: tinytc.native_log2 %{{.*}} : f32
  %9 = tinytc.native_log2 %f : f32
  // CHECK: tinytc.exp2 %{{.*}} : complex<f64>
  %10 = tinytc.exp2 %z : complex<f64>
}

// CHECK-LABEL: @cmp
tinytc.func @cmp(%i: i32, %f: f32, %z: complex<f64>) {
  // CHECK: tinytc.cmp.eq %{{.*}}, %{{.*}} : complex<f64>
  %0 = tinytc.cmp.eq %z, %z : complex<f64>
  // CHECK: tinytc.cmp.ne %{{.*}}, %{{.*}} : i32
  %1 = tinytc.cmp.ne %i, %i : i32
  // CHECK: tinytc.cmp.gt %{{.*}}, %{{.*}} : f32
  %2 = tinytc.cmp.gt %f, %f : f32
  // CHECK: tinytc.cmp.ge %{{.*}}, %{{.*}} : f32
  %3 = tinytc.cmp.ge %f, %f : f32
  // CHECK: tinytc.cmp.lt %{{.*}}, %{{.*}} : i32
  %4 = tinytc.cmp.lt %i, %i : i32
  // CHECK: tinytc.cmp.le %{{.*}}, %{{.*}} : i32
  %5 = tinytc.cmp.le %i, %i : i32
}

// CHECK-LABEL: @cast
tinytc.func @cast(%i: i32) {
  // CHECK: tinytc.cast %{{.*}} : i32 -> complex<f32>
  %0 = tinytc.cast %i : i32 -> complex<f32>
  %c = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x8xf32, matrix_acc>
  // CHECK: tinytc.cast %{{.*}} : !tinytc.coopmatrix<8x8xf32, matrix_acc> -> !tinytc.coopmatrix<8x8xbf16, matrix_acc>
  %1 = tinytc.cast %c : !tinytc.coopmatrix<8x8xf32, matrix_acc>
    -> !tinytc.coopmatrix<8x8xbf16, matrix_acc>
}

// CHECK-LABEL: @builtin
tinytc.func @builtin() {
  // CHECK: tinytc.builtin.group_id : index
  %0 = tinytc.builtin.group_id : index
  // CHECK: tinytc.builtin.group_size : index
  %1 = tinytc.builtin.group_size : index
  // CHECK: tinytc.builtin.num_subgroups : i32
  %2 = tinytc.builtin.num_subgroups : i32
  // CHECK: tinytc.builtin.subgroup_size : i32
  %3 = tinytc.builtin.subgroup_size : i32
}

// The first dimension of a grid is not printed; a count of subgroups without one counts
// all of them.
// CHECK-LABEL: @dimensions
tinytc.func @dimensions() {
  // CHECK: tinytc.builtin.group_id : index
  %0 = tinytc.builtin.group_id : index
  // CHECK: tinytc.builtin.group_id y : index
  %1 = tinytc.builtin.group_id y : index
  // CHECK: tinytc.builtin.group_id z : index
  %2 = tinytc.builtin.group_id z : index
  // CHECK: tinytc.builtin.group_size y : index
  %3 = tinytc.builtin.group_size y : index
  // CHECK: tinytc.builtin.num_subgroups x : i32
  %4 = tinytc.builtin.num_subgroups x : i32
  // CHECK: tinytc.builtin.num_subgroups y : i32
  %5 = tinytc.builtin.num_subgroups y : i32
  // CHECK: tinytc.builtin.num_subgroups z {user.note = 1 : i64} : i32
  %6 = tinytc.builtin.num_subgroups z {user.note = 1 : i64} : i32
}
