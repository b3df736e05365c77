// RUN: tinytc-opt %s --tinytc-tangent=wrt=A,alpha | FileCheck %s

// Linear in each factor: the same instruction, once with the tangent of each; before the
// instruction itself.
// CHECK-LABEL: @gemm(
// CHECK-LABEL: @gemm_jvp(
//  CHECK-SAME:   %[[ALPHA:[^:]*]]: f32, %[[A:[^:]*]]: !tinytc.memref<8x6xf32>, %[[B:[^:]*]]: !tinytc.memref<6x4xf32>, %[[C:[^:]*]]: !tinytc.memref<8x4xf32>,
//  CHECK-SAME:   %[[ALPHA_T:[^:]*]]: f32, %[[A_T:[^:]*]]: !tinytc.memref<8x6xf32>, %[[C_T:[^:]*]]: !tinytc.memref<8x4xf32>)
//       CHECK:   %[[ONE:.*]] = tinytc.constant 1.000000e+00
//       CHECK:   tinytc.gemm n n %[[ALPHA]], %[[A_T]], %[[B]], %[[ONE]], %[[C_T]]
//  CHECK-NEXT:   tinytc.gemm n n %[[ALPHA_T]], %[[A]], %[[B]], %[[ONE]], %[[C_T]]
//  CHECK-NEXT:   tinytc.gemm n n %[[ALPHA]], %[[A]], %[[B]], %[[ONE]], %[[C]]
tinytc.func @gemm(%alpha: f32, %A: !tinytc.memref<8x6xf32>, %B: !tinytc.memref<6x4xf32>,
                  %C: !tinytc.memref<8x4xf32>) {
  %one = tinytc.constant 1.0 : f32
  tinytc.gemm n n %alpha, %A, %B, %one, %C
    : f32, !tinytc.memref<8x6xf32>, !tinytc.memref<6x4xf32>, f32, !tinytc.memref<8x4xf32>
}

// Scalars: after the instruction, whose result the tangent is made of.
// CHECK-LABEL: @exp_jvp(
//       CHECK:   foreach
//       CHECK:     %[[X_T:.*]] = tinytc.load %{{.*}}
//       CHECK:     %[[X:.*]] = tinytc.load %{{.*}}
//       CHECK:     %[[Y:.*]] = tinytc.math.exp %[[X]]
//       CHECK:     %[[Y_T:.*]] = tinytc.arith.mul %[[Y]], %[[X_T]]
//       CHECK:     tinytc.store %[[Y_T]]
//       CHECK:     tinytc.store %[[Y]]
tinytc.func @exp(%alpha: f32, %A: !tinytc.memref<8xf32>) {
  %c0 = tinytc.constant 0 : index
  %c8 = tinytc.constant 8 : index
  tinytc.foreach (%i) = (%c0), (%c8) {
    %x = tinytc.load %A[%i] : !tinytc.memref<8xf32>
    %y = tinytc.math.exp %x : f32
    tinytc.store %y, %A[%i] : f32, !tinytc.memref<8xf32>
  }
}

// Carried values and results carry their tangents.
// CHECK-LABEL: @carried_jvp(
//       CHECK:   %[[SUM:.*]]:2 = tinytc.for %{{.*}} init({{.*}}) -> (f32, f32)
//       CHECK:     tinytc.yield %{{.*}}, %{{.*}} : f32, f32
//       CHECK:   %{{.*}}:2 = tinytc.if %{{.*}} -> (f32, f32)
tinytc.func @carried(%alpha: f32, %A: !tinytc.memref<8xf32>, %p: i1) {
  %c0 = tinytc.constant 0 : index
  %c8 = tinytc.constant 8 : index
  %sum = tinytc.for %i = %c0, %c8 init(%s = %alpha) -> (f32) {
    %x = tinytc.load %A[%i] : !tinytc.memref<8xf32>
    %t = tinytc.arith.mul %s, %x : f32
    tinytc.yield %t : f32
  }
  %y = tinytc.if %p -> (f32) {
    tinytc.yield %sum : f32
  } else {
    tinytc.yield %alpha : f32
  }
  tinytc.store %y, %A[%c0] : f32, !tinytc.memref<8xf32>
}
