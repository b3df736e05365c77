// RUN: tinytc-opt %s | tinytc-opt | FileCheck %s
// RUN: tinytc-opt %s --mlir-print-op-generic | tinytc-opt | FileCheck %s
// RUN: tinytc-opt %s --emit-bytecode | tinytc-opt | FileCheck %s
// RUN: tinytc-opt %s --cse --canonicalize | FileCheck %s --check-prefix=KEPT

// CHECK-LABEL: @element
tinytc.func @element(%A: !tinytc.memref<16x?xf32>, %i: index, %x: f32, %s: !tinytc.memref<i64>,
                     %n: i64) {
  // CHECK: %[[L:.*]] = tinytc.atomic_load %{{.*}}[%{{.*}}, %{{.*}}] : !tinytc.memref<16x?xf32>
  %0 = tinytc.atomic_load %A[%i, %i] : !tinytc.memref<16x?xf32>
  // CHECK: tinytc.atomic_load device acquire %
  %1 = tinytc.atomic_load device acquire %A[%i, %i] : !tinytc.memref<16x?xf32>
  // The defaults may be written.
  // CHECK: tinytc.atomic_store %[[L]], %
  tinytc.atomic_store work_group relaxed %0, %A[%i, %i] : f32, !tinytc.memref<16x?xf32>
  // CHECK: tinytc.atomic_store release %
  tinytc.atomic_store release %1, %A[%i, %i] : f32, !tinytc.memref<16x?xf32>
  // CHECK: tinytc.atomic_add device acquire_release %{{.*}}, %{{.*}}[] : i64, !tinytc.memref<i64>
  %2 = tinytc.atomic_add device acquire_release %n, %s[] : i64, !tinytc.memref<i64>
  // CHECK: tinytc.atomic_min subgroup %{{.*}}, %{{.*}}[%{{.*}}] : f32, !tinytc.memref<16x?xf32>
  %3 = tinytc.atomic_min subgroup %x, %A[%i, %i] : f32, !tinytc.memref<16x?xf32>
  // CHECK: tinytc.atomic_max cross_device sequentially_consistent %
  %4 = tinytc.atomic_max cross_device sequentially_consistent %x, %A[%i, %i]
    : f32, !tinytc.memref<16x?xf32>
}

// CHECK-LABEL: @matrix
tinytc.func @matrix(%M: !tinytc.memref<64x64xf32>, %x: index, %y: index) {
  tinytc.parallel {
    // CHECK: tinytc.cooperative_matrix_atomic_load n %{{.*}}[%{{.*}}, %{{.*}}] : !tinytc.memref<64x64xf32> -> !tinytc.coopmatrix<8x16xf32, matrix_acc>
    %0 = tinytc.cooperative_matrix_atomic_load n %M[%x, %y]
      : !tinytc.memref<64x64xf32> -> !tinytc.coopmatrix<8x16xf32, matrix_acc>
    // CHECK: tinytc.cooperative_matrix_atomic_store t both_checked device release %
    tinytc.cooperative_matrix_atomic_store t both_checked device release %0, %M[%x, %y]
      : !tinytc.coopmatrix<8x16xf32, matrix_acc>, !tinytc.memref<64x64xf32>
    // CHECK: tinytc.cooperative_matrix_atomic_add n rows_checked subgroup %{{.*}} : !tinytc.coopmatrix<8x16xf32, matrix_acc>, !tinytc.memref<64x64xf32>
    %1 = tinytc.cooperative_matrix_atomic_add n rows_checked subgroup %0, %M[%x, %y]
      : !tinytc.coopmatrix<8x16xf32, matrix_acc>, !tinytc.memref<64x64xf32>
    // CHECK: tinytc.cooperative_matrix_atomic_min n acquire %
    %2 = tinytc.cooperative_matrix_atomic_min n acquire %1, %M[%x, %y]
      : !tinytc.coopmatrix<8x16xf32, matrix_acc>, !tinytc.memref<64x64xf32>
    // CHECK: tinytc.cooperative_matrix_atomic_max t cols_checked %
    %3 = tinytc.cooperative_matrix_atomic_max t cols_checked %2, %M[%x, %y]
      : !tinytc.coopmatrix<8x16xf32, matrix_acc>, !tinytc.memref<64x64xf32>
  }
}

// Two atomic loads may see different elements, and loads stay on their side of an
// atomic one.
// KEPT-LABEL: @loads
//       KEPT:   tinytc.load
//       KEPT:   tinytc.atomic_load
//       KEPT:   tinytc.atomic_load
//       KEPT:   tinytc.load
tinytc.func @loads(%A: !tinytc.memref<f32>, %B: !tinytc.memref<4xf32>, %i: index) {
  %0 = tinytc.load %A[] : !tinytc.memref<f32>
  %1 = tinytc.atomic_load acquire %B[%i] : !tinytc.memref<4xf32>
  %2 = tinytc.atomic_load acquire %B[%i] : !tinytc.memref<4xf32>
  %3 = tinytc.load %A[] : !tinytc.memref<f32>
  %4 = tinytc.arith.add %0, %1 : f32
  %5 = tinytc.arith.add %2, %3 : f32
  %6 = tinytc.arith.mul %4, %5 : f32
  tinytc.store %6, %A[] : f32, !tinytc.memref<f32>
}
