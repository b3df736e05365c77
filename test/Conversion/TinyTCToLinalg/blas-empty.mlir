// RUN: tinytc-opt %s --tinytc-attach-target --tinytc-choose-work-group-size \
// RUN:   --tinytc-convert-to-linalg | FileCheck %s

// linalg drops ops on memrefs without elements, which a sum over none of them is too.

// CHECK-LABEL: @gemm_of_no_columns
//   CHECK-NOT:   memref.alloca
//   CHECK-NOT:   linalg.fill
//       CHECK:   linalg.generic
//  CHECK-SAME:   iterator_types = ["parallel", "parallel"]}
//  CHECK-SAME:   outs(%{{.*}} : memref<5x3xf32
//  CHECK-NEXT:   ^bb0(%[[OLD:.*]]: f32):
//       CHECK:   %[[PRODUCT:.*]] = arith.mulf %{{.*}}, %cst
//       CHECK:   %[[NEW:.*]] = arith.addf %[[PRODUCT]],
//       CHECK:   linalg.yield %[[NEW]]
tinytc.func @gemm_of_no_columns(%alpha: f32, %a: !tinytc.memref<5x0xf32>,
                                %b: !tinytc.memref<0x3xf32>, %beta: f32,
                                %c: !tinytc.memref<5x3xf32>) {
  tinytc.gemm n n %alpha, %a, %b, %beta, %c : f32, !tinytc.memref<5x0xf32>,
    !tinytc.memref<0x3xf32>, f32, !tinytc.memref<5x3xf32>
}

// The size of one factor is enough.
// CHECK-LABEL: @gemv_of_no_columns
//   CHECK-NOT:   linalg.fill
//       CHECK:   linalg.generic
//  CHECK-SAME:   iterator_types = ["parallel"]}
tinytc.func @gemv_of_no_columns(%alpha: f32, %a: !tinytc.memref<5x?xf32>,
                                %b: !tinytc.memref<0xf32>, %beta: f32,
                                %c: !tinytc.memref<5xf32>) {
  tinytc.gemv n %alpha, %a, %b, %beta, %c : f32, !tinytc.memref<5x?xf32>,
    !tinytc.memref<0xf32>, f32, !tinytc.memref<5xf32>
}

// CHECK-LABEL: @sum_of_nothing
//   CHECK-NOT:   linalg.fill
//       CHECK:   scf.forall
//   CHECK-NOT:     memref.load
//       CHECK:     tinytc.atomic add device relaxed
tinytc.func @sum_of_nothing(%alpha: f32, %a: !tinytc.memref<0xf32>,
                            %b: !tinytc.memref<f32>) {
  %one = tinytc.constant 1.0 : f32
  tinytc.sum n atomic %alpha, %a, %one, %b
    : f32, !tinytc.memref<0xf32>, f32, !tinytc.memref<f32>
}

// CHECK-LABEL: @no_destination
//   CHECK-NOT:   memref.alloca
//   CHECK-NOT:   linalg
//       CHECK:   return
tinytc.func @no_destination(%alpha: f32, %a: !tinytc.memref<4x0xf32>, %beta: f32,
                            %b: !tinytc.memref<0xf32>) {
  tinytc.sum t %alpha, %a, %beta, %b
    : f32, !tinytc.memref<4x0xf32>, f32, !tinytc.memref<0xf32>
}
