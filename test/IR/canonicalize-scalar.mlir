// RUN: tinytc-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @fold_integers
tinytc.func @fold_integers(%A: !tinytc.memref<8xi32>, %i: index) {
  %c7 = tinytc.constant 7 : i32
  %c2 = tinytc.constant -2 : i32
  // CHECK-DAG: %[[ADD:.*]] = tinytc.constant 5 : i32
  // CHECK-DAG: %[[DIV:.*]] = tinytc.constant -3 : i32
  // CHECK-DAG: %[[REM:.*]] = tinytc.constant 1 : i32
  // CHECK-DAG: %[[MIN:.*]] = tinytc.constant -2 : i32
  // CHECK: tinytc.store %[[ADD]]
  %0 = tinytc.arith.add %c7, %c2 : i32
  tinytc.store %0, %A[%i] : i32, !tinytc.memref<8xi32>
  // CHECK: tinytc.store %[[DIV]]
  %1 = tinytc.arith.div %c7, %c2 : i32
  tinytc.store %1, %A[%i] : i32, !tinytc.memref<8xi32>
  // CHECK: tinytc.store %[[REM]]
  %2 = tinytc.arith.rem %c7, %c2 : i32
  tinytc.store %2, %A[%i] : i32, !tinytc.memref<8xi32>
  // CHECK: tinytc.store %[[MIN]]
  %3 = tinytc.arith.min %c7, %c2 : i32
  tinytc.store %3, %A[%i] : i32, !tinytc.memref<8xi32>
}

// Distances count modulo the number of bits.
// CHECK-LABEL: @fold_shifts
tinytc.func @fold_shifts(%A: !tinytc.memref<8xi8>, %i: index) {
  %one = tinytc.constant 1 : i8
  %c9 = tinytc.constant 9 : i8
  // CHECK-DAG: %[[TWO:.*]] = tinytc.constant 2 : i8
  // CHECK-DAG: %[[ONE:.*]] = tinytc.constant 1 : i8
  // CHECK: tinytc.store %[[TWO]]
  %0 = tinytc.arith.shl %one, %c9 : i8
  tinytc.store %0, %A[%i] : i8, !tinytc.memref<8xi8>
  // CHECK: tinytc.store %[[ONE]]
  %c64 = tinytc.constant 64 : i8
  %c6 = tinytc.constant -2 : i8
  %1 = tinytc.arith.shr %c64, %c6 : i8
  tinytc.store %1, %A[%i] : i8, !tinytc.memref<8xi8>
}

// What traps, overflows or is undefined stays.
// CHECK-LABEL: @negative_fold_integers
tinytc.func @negative_fold_integers(%A: !tinytc.memref<8xi8>, %i: index) {
  %zero = tinytc.constant 0 : i8
  %one = tinytc.constant 1 : i8
  %minus = tinytc.constant -1 : i8
  %min = tinytc.constant -128 : i8
  // CHECK: tinytc.arith.div
  %0 = tinytc.arith.div %one, %zero : i8
  tinytc.store %0, %A[%i] : i8, !tinytc.memref<8xi8>
  // CHECK: tinytc.arith.rem
  %1 = tinytc.arith.rem %one, %zero : i8
  tinytc.store %1, %A[%i] : i8, !tinytc.memref<8xi8>
  // CHECK: tinytc.arith.div
  %2 = tinytc.arith.div %min, %minus : i8
  tinytc.store %2, %A[%i] : i8, !tinytc.memref<8xi8>
  // CHECK: tinytc.arith.add
  %4 = tinytc.arith.add %min, %minus : i8
  tinytc.store %4, %A[%i] : i8, !tinytc.memref<8xi8>
  // CHECK: tinytc.arith.neg
  %5 = tinytc.arith.neg %min : i8
  tinytc.store %5, %A[%i] : i8, !tinytc.memref<8xi8>
  // CHECK: tinytc.arith.abs
  %6 = tinytc.arith.abs %min : i8
  tinytc.store %6, %A[%i] : i8, !tinytc.memref<8xi8>
}

// The language has no constant -2^63.
// CHECK-LABEL: @negative_fold_smallest
tinytc.func @negative_fold_smallest(%A: !tinytc.memref<i64>) {
  %a = tinytc.constant -9223372036854775807 : i64
  %b = tinytc.constant 1 : i64
  // CHECK: tinytc.arith.sub
  %0 = tinytc.arith.sub %a, %b : i64
  tinytc.store %0, %A[] : i64, !tinytc.memref<i64>
}

// CHECK-LABEL: @identities
// CHECK-SAME: %[[X:[^:]+]]: i32, %[[Y:[^:]+]]: f32, %[[A:[^:]+]]: !tinytc.memref<i32>, %[[B:[^:]+]]: !tinytc.memref<f32>)
tinytc.func @identities(%x: i32, %y: f32, %A: !tinytc.memref<i32>,
                        %B: !tinytc.memref<f32>) {
  %zero = tinytc.constant 0 : i32
  %one = tinytc.constant 1 : i32
  %fone = tinytc.constant 1.0 : f32
  %fzero = tinytc.constant 0.0 : f32
  // CHECK: tinytc.store %[[X]]
  %0 = tinytc.arith.add %zero, %x : i32
  %1 = tinytc.arith.mul %one, %0 : i32
  %2 = tinytc.arith.div %1, %one : i32
  %3 = tinytc.arith.shl %2, %zero : i32
  %4 = tinytc.arith.neg %3 : i32
  %5 = tinytc.arith.neg %4 : i32
  %6 = tinytc.arith.and %5, %5 : i32
  tinytc.store %6, %A[] : i32, !tinytc.memref<i32>
  // CHECK: tinytc.store %[[Y]]
  %7 = tinytc.arith.mul %y, %fone : f32
  %8 = tinytc.arith.sub %7, %fzero : f32
  %9 = tinytc.cast %8 : f32 -> f32
  tinytc.store %9, %B[] : f32, !tinytc.memref<f32>
}

// -0.0 + 0.0 is 0.0, NaN * 0.0 and NaN - NaN are NaN.
// CHECK-LABEL: @negative_identities
tinytc.func @negative_identities(%x: f32, %A: !tinytc.memref<f32>) {
  %zero = tinytc.constant 0.0 : f32
  // CHECK: tinytc.arith.add
  %0 = tinytc.arith.add %x, %zero : f32
  // CHECK: tinytc.arith.mul
  %1 = tinytc.arith.mul %0, %zero : f32
  // CHECK: tinytc.arith.sub
  %2 = tinytc.arith.sub %1, %1 : f32
  tinytc.store %2, %A[] : f32, !tinytc.memref<f32>
}

// CHECK-LABEL: @fold_floats
tinytc.func @fold_floats(%A: !tinytc.memref<f32>) {
  %a = tinytc.constant 7.0 : f32
  %b = tinytc.constant -2.0 : f32
  // CHECK-DAG: %[[MUL:.*]] = tinytc.constant -1.400000e+01 : f32
  // CHECK-DAG: %[[REM:.*]] = tinytc.constant 1.000000e+00 : f32
  // CHECK-DAG: %[[ABS:.*]] = tinytc.constant 2.000000e+00 : f32
  // CHECK: tinytc.store %[[MUL]]
  %0 = tinytc.arith.mul %a, %b : f32
  tinytc.store %0, %A[] : f32, !tinytc.memref<f32>
  // CHECK: tinytc.store %[[REM]]
  %1 = tinytc.arith.rem %a, %b : f32
  tinytc.store %1, %A[] : f32, !tinytc.memref<f32>
  // CHECK: tinytc.store %[[ABS]]
  %2 = tinytc.arith.abs %b : f32
  tinytc.store %2, %A[] : f32, !tinytc.memref<f32>
}

// CHECK-LABEL: @fold_complex
tinytc.func @fold_complex(%A: !tinytc.memref<complex<f32>>, %B: !tinytc.memref<f32>) {
  %a = tinytc.constant [1.0 : f32, 2.0 : f32] -> complex<f32>
  %b = tinytc.constant [3.0 : f32, -1.0 : f32] -> complex<f32>
  // CHECK-DAG: %[[MUL:.*]] = tinytc.constant [5.000000e+00 : f32, 5.000000e+00 : f32] -> complex<f32>
  // CHECK-DAG: %[[CONJ:.*]] = tinytc.constant [1.000000e+00 : f32, -2.000000e+00 : f32] -> complex<f32>
  // CHECK-DAG: %[[IM:.*]] = tinytc.constant 2.000000e+00 : f32
  // CHECK: tinytc.store %[[MUL]]
  %0 = tinytc.arith.mul %a, %b : complex<f32>
  tinytc.store %0, %A[] : complex<f32>, !tinytc.memref<complex<f32>>
  // CHECK: tinytc.store %[[CONJ]]
  %1 = tinytc.arith.conj %a : complex<f32>
  tinytc.store %1, %A[] : complex<f32>, !tinytc.memref<complex<f32>>
  // CHECK: tinytc.store %[[IM]]
  %2 = tinytc.arith.im %a : complex<f32>
  tinytc.store %2, %B[] : f32, !tinytc.memref<f32>
  // A quotient is rounded in an order that the device chooses.
  // CHECK: tinytc.arith.div
  %3 = tinytc.arith.div %a, %b : complex<f32>
  tinytc.store %3, %A[] : complex<f32>, !tinytc.memref<complex<f32>>
}

// CHECK-LABEL: @fold_casts
tinytc.func @fold_casts(%A: !tinytc.memref<i8>, %B: !tinytc.memref<complex<f32>>) {
  %a = tinytc.constant 300 : i32
  %b = tinytc.constant -2.75 : f64
  %c = tinytc.constant 1.0e10 : f32
  // CHECK-DAG: %[[I:.*]] = tinytc.constant 44 : i8
  // CHECK-DAG: %[[T:.*]] = tinytc.constant -2 : i8
  // CHECK-DAG: %[[C:.*]] = tinytc.constant [-2.750000e+00 : f32, 0.000000e+00 : f32] -> complex<f32>
  // CHECK: tinytc.store %[[I]]
  %0 = tinytc.cast %a : i32 -> i8
  tinytc.store %0, %A[] : i8, !tinytc.memref<i8>
  // CHECK: tinytc.store %[[T]]
  %1 = tinytc.cast %b : f64 -> i8
  tinytc.store %1, %A[] : i8, !tinytc.memref<i8>
  // CHECK: tinytc.store %[[C]]
  %2 = tinytc.cast %b : f64 -> complex<f32>
  tinytc.store %2, %B[] : complex<f32>, !tinytc.memref<complex<f32>>
  // CHECK: tinytc.cast %{{.*}} : f32 -> i8
  %3 = tinytc.cast %c : f32 -> i8
  tinytc.store %3, %A[] : i8, !tinytc.memref<i8>
}

// CHECK-LABEL: @fold_comparisons
// CHECK-SAME: %[[X:[^:]+]]: f32, %[[Y:[^:]+]]: f32, %[[I:[^:]+]]: i32,
tinytc.func @fold_comparisons(%x: f32, %y: f32, %i: i32, %A: !tinytc.memref<f32>) {
  // CHECK-NOT: tinytc.if
  // CHECK: tinytc.store %[[X]]
  %0 = tinytc.cmp.le %i, %i : i32
  tinytc.if %0 {
    tinytc.store %x, %A[] : f32, !tinytc.memref<f32>
  } else {
    tinytc.store %y, %A[] : f32, !tinytc.memref<f32>
  }
  // CHECK-NEXT: tinytc.store %[[Y]]
  %a = tinytc.constant 1.0 : f32
  %b = tinytc.constant 2.0 : f32
  %1 = tinytc.cmp.gt %a, %b : f32
  %2 = tinytc.if %1 -> (f32) {
    tinytc.yield %x : f32
  } else {
    tinytc.yield %y : f32
  }
  tinytc.store %2, %A[] : f32, !tinytc.memref<f32>
  // CHECK: tinytc.cmp.eq %[[X]], %[[X]]
  %3 = tinytc.cmp.eq %x, %x : f32
  tinytc.if %3 {
    tinytc.store %x, %A[] : f32, !tinytc.memref<f32>
  }
}

// CHECK-LABEL: @fold_matrix
tinytc.func @fold_matrix(%A: !tinytc.memref<8x8xf32>, %i: index) {
  tinytc.parallel {
    %a = tinytc.constant 1.5 : f32 -> !tinytc.coopmatrix<8x8xf32, matrix_acc>
    // CHECK: tinytc.constant -3.000000e+00 : f32 -> !tinytc.coopmatrix<8x8xf32, matrix_acc>
    // CHECK-NOT: tinytc.arith
    %0 = tinytc.arith.add %a, %a : !tinytc.coopmatrix<8x8xf32, matrix_acc>
    %1 = tinytc.arith.neg %0 : !tinytc.coopmatrix<8x8xf32, matrix_acc>
    tinytc.cooperative_matrix_store %1, %A[%i, %i]
      : !tinytc.coopmatrix<8x8xf32, matrix_acc>, !tinytc.memref<8x8xf32>
  }
}

// A work-group has no third mode.
// CHECK-LABEL: @subgroups_in_z
//   CHECK-DAG:   %[[ZERO:.*]] = tinytc.constant 0 : i32
//   CHECK-DAG:   %[[ONE:.*]] = tinytc.constant 1 : i32
//       CHECK:   tinytc.builtin.num_subgroups x : i32
//       CHECK:   tinytc.store %[[ONE]]
//       CHECK:   tinytc.store %[[ZERO]]
//       CHECK:   tinytc.builtin.subgroup_id : i32
tinytc.func @subgroups_in_z(%a: !tinytc.memref<i32>) {
  %0 = tinytc.builtin.num_subgroups x : i32
  tinytc.store %0, %a[] : i32, !tinytc.memref<i32>
  %1 = tinytc.builtin.num_subgroups z : i32
  tinytc.store %1, %a[] : i32, !tinytc.memref<i32>
  tinytc.parallel {
    %2 = tinytc.builtin.subgroup_id z : i32
    tinytc.store %2, %a[] : i32, !tinytc.memref<i32>
    %3 = tinytc.builtin.subgroup_id : i32
    tinytc.store %3, %a[] : i32, !tinytc.memref<i32>
  }
}
