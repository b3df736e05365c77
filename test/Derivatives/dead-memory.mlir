// RUN: tinytc-opt %s --tinytc-adjoint=wrt=Q | FileCheck %s

// The adjoint of the intermediate result is 0 at first, added to once, and 0 in the end:
// it is assigned. What the kernel computes is not needed.
// CHECK-LABEL: @chain_vjp(
//   CHECK-DAG:   %[[ZERO:.*]] = tinytc.constant 0.0
//   CHECK-DAG:   %[[ONE:.*]] = tinytc.constant 1.0
//       CHECK:   %[[T:.*]] = tinytc.alloca
//  CHECK-NEXT:   tinytc.gemm n t %[[ONE]], %{{.*}}, %{{.*}}, %[[ZERO]], %[[T]]
//  CHECK-NEXT:   tinytc.gemm t n %[[ONE]], %{{.*}}, %[[T]], %[[ONE]], %{{.*}}
//  CHECK-NEXT: }
tinytc.func @chain(%K: !tinytc.memref<8x8xf32>, %Q: !tinytc.memref<8x4x?xf32>,
                   %B: !tinytc.memref<4x4xf32>, %R: !tinytc.memref<8x4x?xf32>) {
  %g = tinytc.builtin.group_id : index
  %zero = tinytc.constant 0.0 : f32
  %one = tinytc.constant 1.0 : f32
  %q = tinytc.subview %Q[0:8, 0:4, %g] : !tinytc.memref<8x4x?xf32> -> !tinytc.memref<8x4xf32>
  %r = tinytc.subview %R[0:8, 0:4, %g] : !tinytc.memref<8x4x?xf32> -> !tinytc.memref<8x4xf32>
  %t = tinytc.alloca : !tinytc.memref<8x4xf32, local>
  tinytc.gemm n n %one, %K, %q, %zero, %t
    : f32, !tinytc.memref<8x8xf32>, !tinytc.memref<8x4xf32>, f32, !tinytc.memref<8x4xf32, local>
  tinytc.gemm n n %one, %t, %B, %one, %r
    : f32, !tinytc.memref<8x4xf32, local>, !tinytc.memref<4x4xf32>, f32, !tinytc.memref<8x4xf32>
}

// The adjoint is 0 at the start of each iteration, as it is at the end.
// CHECK-LABEL: @loop_vjp(
//       CHECK:   %[[T:.*]] = tinytc.alloca
//   CHECK-NOT:   tinytc.foreach
//       CHECK:   tinytc.for
//   CHECK-NOT:     tinytc.foreach
//       CHECK:     tinytc.gemm n t %{{.*}}, %{{.*}}, %{{.*}}, %[[ZERO:.*]], %[[T]]
//   CHECK-NOT:     tinytc.foreach
tinytc.func @loop(%K: !tinytc.memref<8x8xf32>, %Q: !tinytc.memref<8x4x?xf32>,
                  %B: !tinytc.memref<4x4xf32>, %R: !tinytc.memref<8x4x?xf32>) {
  %g = tinytc.builtin.group_id : index
  %zero = tinytc.constant 0.0 : f32
  %one = tinytc.constant 1.0 : f32
  %c0 = tinytc.constant 0 : index
  %c3 = tinytc.constant 3 : index
  %q = tinytc.subview %Q[0:8, 0:4, %g] : !tinytc.memref<8x4x?xf32> -> !tinytc.memref<8x4xf32>
  %r = tinytc.subview %R[0:8, 0:4, %g] : !tinytc.memref<8x4x?xf32> -> !tinytc.memref<8x4xf32>
  %t = tinytc.alloca : !tinytc.memref<8x4xf32, local>
  tinytc.for %i = %c0, %c3 {
    tinytc.gemm n n %one, %K, %q, %zero, %t
      : f32, !tinytc.memref<8x8xf32>, !tinytc.memref<8x4xf32>, f32, !tinytc.memref<8x4xf32, local>
    tinytc.gemm n n %one, %t, %B, %one, %r
      : f32, !tinytc.memref<8x4xf32, local>, !tinytc.memref<4x4xf32>, f32, !tinytc.memref<8x4xf32>
  }
}
