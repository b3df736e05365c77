// RUN: tinytc-opt %s --tinytc-adjoint="wrt=x atomic report" --split-input-file --verify-diagnostics | FileCheck %s
// RUN: tinytc-opt %s --tinytc-adjoint="wrt=x atomic local-memory-bytes=64 buffers=false" --split-input-file | FileCheck %s --check-prefix=AGAIN

// A linear instruction needs no values: the kernel does not run again.
// CHECK-LABEL: @linear_vjp(
//   CHECK-NOT:   tinytc.alloca
//   CHECK-NOT:   tinytc.gemv n
//       CHECK:   tinytc.gemv t
tinytc.func @linear(%A: !tinytc.memref<8x8xf32>, %x: !tinytc.memref<8xf32>, %y: !tinytc.memref<8xf32>) {
  %one = tinytc.constant 1.0 : f32
  tinytc.gemv n %one, %A, %x, %one, %y
    : f32, !tinytc.memref<8x8xf32>, !tinytc.memref<8xf32>, f32, !tinytc.memref<8xf32>
}

// -----

// The square needs a vector that is overwritten later.
// CHECK-LABEL: @overwritten_vjp(
//       CHECK:   tinytc.gemv n %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[T:[0-9]*]] :
//       CHECK:   %[[COPY:.*]] = tinytc.alloca
//       CHECK:   tinytc.axpby n %{{.*}}, %[[T]], %{{.*}}, %[[COPY]]
//       CHECK:   tinytc.hadamard_product %{{.*}}, %{{.*}}, %[[COPY]]
tinytc.func @overwritten(%A: !tinytc.memref<8x8xf32>, %x: !tinytc.memref<8xf32>, %y: !tinytc.memref<8xf32>) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  %t = tinytc.alloca : !tinytc.memref<8xf32, local>
  tinytc.gemv n %one, %A, %x, %zero, %t
    : f32, !tinytc.memref<8x8xf32>, !tinytc.memref<8xf32>, f32, !tinytc.memref<8xf32, local>
  // expected-remark @+1 {{its adjoint needs what is overwritten later: kept in 32 bytes of local memory}}
  tinytc.hadamard_product %one, %t, %t, %one, %y
    : f32, !tinytc.memref<8xf32, local>, !tinytc.memref<8xf32, local>, f32, !tinytc.memref<8xf32>
  tinytc.axpby n %one, %x, %zero, %t
    : f32, !tinytc.memref<8xf32>, f32, !tinytc.memref<8xf32, local>
  // expected-remark @+1 {{kept in 32 bytes}}
  tinytc.hadamard_product %one, %t, %t, %one, %y
    : f32, !tinytc.memref<8xf32, local>, !tinytc.memref<8xf32, local>, f32, !tinytc.memref<8xf32>
  tinytc.gemv n %one, %A, %y, %zero, %t
    : f32, !tinytc.memref<8x8xf32>, !tinytc.memref<8xf32>, f32, !tinytc.memref<8xf32, local>
  tinytc.hadamard_product %one, %t, %t, %one, %y
    : f32, !tinytc.memref<8xf32, local>, !tinytc.memref<8xf32, local>, f32, !tinytc.memref<8xf32>
}

// -----

// Each iteration begins with the vector of the one before. What it begins with is kept,
// or there is a loop up to each iteration.
// CHECK-LABEL: @loop_vjp(
//       CHECK:   %[[KEPT:.*]] = tinytc.alloca : !tinytc.memref<8x3xf32, local>
//       CHECK:   tinytc.for %[[I:.*]] =
//       CHECK:     tinytc.subview %[[KEPT]][0:8, %[[I]]]
//       CHECK:   tinytc.for %[[STEP:.*]] =
//       CHECK:     %[[ITERATION:.*]] = tinytc.arith.sub %{{.*}}, %[[STEP]]
//       CHECK:     tinytc.subview %[[KEPT]][0:8, %[[ITERATION]]]
// AGAIN-LABEL: @loop_vjp(
//       AGAIN:   tinytc.for %[[STEP:.*]] =
//       AGAIN:     %[[ITERATION:.*]] = tinytc.arith.sub %{{.*}}, %[[STEP]]
//       AGAIN:     tinytc.for %{{.*}} = %{{.*}}, %[[ITERATION]] {
tinytc.func @loop(%x: !tinytc.memref<8xf32>) {
  %one = tinytc.constant 1.0 : f32
  %c0 = tinytc.constant 0 : index
  %c3 = tinytc.constant 3 : index
  %t = tinytc.alloca : !tinytc.memref<8xf32, local>
  // expected-remark @+1 {{its adjoint needs what each iteration begins with: kept in 96 bytes of local memory}}
  tinytc.for %i = %c0, %c3 {
    %zero = tinytc.constant 0.0 : f32
    tinytc.axpby n %one, %x, %zero, %t : f32, !tinytc.memref<8xf32>, f32, !tinytc.memref<8xf32, local>
    tinytc.hadamard_product %one, %t, %t, %one, %x
      : f32, !tinytc.memref<8xf32, local>, !tinytc.memref<8xf32, local>, f32, !tinytc.memref<8xf32>
  }
}
