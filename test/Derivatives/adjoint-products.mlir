// RUN: tinytc-opt %s --tinytc-adjoint=atomic | FileCheck %s

// The adjoint of a factor is a product with the other one, transposes flipped.
// CHECK-LABEL: @gemm_nn_vjp(
//  CHECK-SAME:   %[[A:[^:]*]]: !tinytc.memref<8x6xf32>, %[[B:[^:]*]]: !tinytc.memref<6x4xf32>, %[[C:[^:]*]]: !tinytc.memref<8x4xf32>,
//  CHECK-SAME:   %[[A_A:[^:]*]]: !tinytc.memref<8x6xf32>, %[[B_A:[^:]*]]: !tinytc.memref<6x4xf32>, %[[C_A:[^:]*]]: !tinytc.memref<8x4xf32>)
//       CHECK:   tinytc.gemm n t atomic %[[ONE:.*]], %[[C_A]], %[[B]], %[[ONE]], %[[A_A]]
//  CHECK-NEXT:   tinytc.gemm t n atomic %[[ONE]], %[[A]], %[[C_A]], %[[ONE]], %[[B_A]]
//  CHECK-NEXT: }
tinytc.func @gemm_nn(%A: !tinytc.memref<8x6xf32>, %B: !tinytc.memref<6x4xf32>,
                     %C: !tinytc.memref<8x4xf32>) {
  %one = tinytc.constant 1.0 : f32
  tinytc.gemm n n %one, %A, %B, %one, %C
    : f32, !tinytc.memref<8x6xf32>, !tinytc.memref<6x4xf32>, f32, !tinytc.memref<8x4xf32>
}

// CHECK-LABEL: @axpby_vjp(
//  CHECK-SAME:   %[[A_A:[^:]*]]: !tinytc.memref<4x8xf32>, %[[B_A:[^:]*]]: !tinytc.memref<8x4xf32>)
//       CHECK:   tinytc.axpby t atomic %[[ONE:.*]], %[[B_A]], %[[ONE]], %[[A_A]]
//  CHECK-NEXT: }
tinytc.func @axpby(%A: !tinytc.memref<4x8xf32>, %B: !tinytc.memref<8x4xf32>) {
  %one = tinytc.constant 1.0 : f32
  tinytc.axpby t %one, %A, %one, %B
    : f32, !tinytc.memref<4x8xf32>, f32, !tinytc.memref<8x4xf32>
}

// A sum is broadcast; a running sum begins at the other end.
// CHECK-LABEL: @sums_vjp(
//       CHECK:   tinytc.cumsum atomic %{{.*}}, %{{.*}}, 0, %{{.*}}, %{{.*}}
//       CHECK:   tinytc.cumsum reverse atomic %{{.*}}, %{{.*}}, 1, %{{.*}}, %{{.*}}
//       CHECK:   tinytc.foreach (%[[I:.*]], %{{.*}}) =
//       CHECK:     tinytc.load %{{.*}}[%[[I]]]
//       CHECK:     tinytc.store atomic_add
tinytc.func @sums(%A: !tinytc.memref<5x7xf32>, %b: !tinytc.memref<5xf32>,
                  %C: !tinytc.memref<5x7xf32>) {
  %one = tinytc.constant 1.0 : f32
  tinytc.sum n %one, %A, %one, %b
    : f32, !tinytc.memref<5x7xf32>, f32, !tinytc.memref<5xf32>
  tinytc.cumsum %one, %A, 1, %one, %C
    : f32, !tinytc.memref<5x7xf32>, f32, !tinytc.memref<5x7xf32>
  tinytc.cumsum reverse %one, %A, 0, %one, %C
    : f32, !tinytc.memref<5x7xf32>, f32, !tinytc.memref<5x7xf32>
}
