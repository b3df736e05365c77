// RUN: tinytc-opt %s | tinytc-opt | FileCheck %s
// RUN: tinytc-opt %s --mlir-print-op-generic | tinytc-opt | FileCheck %s
// RUN: tinytc-opt %s --canonicalize | FileCheck %s --check-prefix=FOLDED

// CHECK-LABEL: @types
tinytc.func @types(%i: i64, %x: f64, %z: complex<f32>, %A: !tinytc.memref<3xi64>,
                   %B: !tinytc.memref<f64>, %j: index) {
  // CHECK: tinytc.bitcast %{{.*}} : i64 -> f64
  %0 = tinytc.bitcast %i : i64 -> f64
  // CHECK: tinytc.bitcast %{{.*}} : f64 -> i64
  %1 = tinytc.bitcast %x : f64 -> i64
  // CHECK: tinytc.bitcast %{{.*}} : complex<f32> -> i64
  %2 = tinytc.bitcast %z : complex<f32> -> i64
  tinytc.store %0, %B[] : f64, !tinytc.memref<f64>
  tinytc.store %1, %A[%j] : i64, !tinytc.memref<3xi64>
  tinytc.store %2, %A[%j] : i64, !tinytc.memref<3xi64>
}

// FOLDED-LABEL: @back
//  FOLDED-SAME:   (%[[X:[^:]*]]: f64
//   FOLDED-NOT:   bitcast
//       FOLDED:   tinytc.store %[[X]]
tinytc.func @back(%x: f64, %A: !tinytc.memref<f64>) {
  %0 = tinytc.bitcast %x : f64 -> i64
  %1 = tinytc.bitcast %0 : i64 -> f64
  tinytc.store %1, %A[] : f64, !tinytc.memref<f64>
}

// Three types of one size: nothing has the bits of an f64 as a c32.
// FOLDED-LABEL: @other
// FOLDED-COUNT-2: tinytc.bitcast
tinytc.func @other(%x: f64, %A: !tinytc.memref<complex<f32>>) {
  %0 = tinytc.bitcast %x : f64 -> i64
  %1 = tinytc.bitcast %0 : i64 -> complex<f32>
  tinytc.store %1, %A[] : complex<f32>, !tinytc.memref<complex<f32>>
}

// FOLDED-LABEL: @change_of_use
//   FOLDED-NOT:   bitcast
//       FOLDED:   tinytc.cast %{{.*}} : !tinytc.coopmatrix<8x4xf32, matrix_acc> -> !tinytc.coopmatrix<8x4xf32, matrix_a>
tinytc.func @change_of_use(%A: !tinytc.memref<8x4xf32>, %x: f32, %i: index) {
  tinytc.parallel {
    %0 = tinytc.cooperative_matrix_construct %x
      : f32 -> !tinytc.coopmatrix<8x4xf32, matrix_acc>
    %1 = tinytc.bitcast %0 : !tinytc.coopmatrix<8x4xf32, matrix_acc> -> !tinytc.coopmatrix<8x4xi32, matrix_acc>
    %2 = tinytc.bitcast %1 : !tinytc.coopmatrix<8x4xi32, matrix_acc> -> !tinytc.coopmatrix<8x4xf32, matrix_a>
    tinytc.cooperative_matrix_store %2, %A[%i, %i]
      : !tinytc.coopmatrix<8x4xf32, matrix_a>, !tinytc.memref<8x4xf32>
  }
}

// FOLDED-LABEL: @constants
//   FOLDED-DAG:   tinytc.constant 1065353216 : i32
//   FOLDED-DAG:   tinytc.constant -2.000000e+00 : f64
//   FOLDED-DAG:   tinytc.constant [1.000000e+00 : f32, -0.000000e+00 : f32] -> complex<f32>
//   FOLDED-DAG:   tinytc.constant 4575657221408423936 : i64
//   FOLDED-NOT:   bitcast
tinytc.func @constants(%A: !tinytc.memref<i32>, %B: !tinytc.memref<f64>,
                       %C: !tinytc.memref<complex<f32>>, %D: !tinytc.memref<i64>) {
  %one = tinytc.constant 1.0 : f32
  %two = tinytc.constant -4611686018427387904 : i64
  %parts = tinytc.constant -9223372035789422592 : i64
  %complex = tinytc.constant [0.0 : f32, 1.0 : f32] -> complex<f32>
  %0 = tinytc.bitcast %one : f32 -> i32
  %1 = tinytc.bitcast %two : i64 -> f64
  %2 = tinytc.bitcast %parts : i64 -> complex<f32>
  %3 = tinytc.bitcast %complex : complex<f32> -> i64
  tinytc.store %0, %A[] : i32, !tinytc.memref<i32>
  tinytc.store %1, %B[] : f64, !tinytc.memref<f64>
  tinytc.store %2, %C[] : complex<f32>, !tinytc.memref<complex<f32>>
  tinytc.store %3, %D[] : i64, !tinytc.memref<i64>
}

// The language has neither a spelling for the bits of a NaN nor the constant -2^63.
// FOLDED-LABEL: @negative_constants
// FOLDED-COUNT-3: tinytc.bitcast
tinytc.func @negative_constants(%A: !tinytc.memref<i32>, %B: !tinytc.memref<f32>,
                                %C: !tinytc.memref<i64>) {
  %nan = tinytc.constant 0x7FC00000 : f32
  %bits = tinytc.constant 2143289344 : i32
  %zero = tinytc.constant -0.0 : f64
  %0 = tinytc.bitcast %nan : f32 -> i32
  %1 = tinytc.bitcast %bits : i32 -> f32
  %2 = tinytc.bitcast %zero : f64 -> i64
  tinytc.store %0, %A[] : i32, !tinytc.memref<i32>
  tinytc.store %1, %B[] : f32, !tinytc.memref<f32>
  tinytc.store %2, %C[] : i64, !tinytc.memref<i64>
}
