// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target \
// RUN:   --tinytc-choose-work-group-size --tinytc-convert-to-linalg | FileCheck %s

// Reductions are a fill of a private accumulator, a sum, and an update.

//   CHECK-DAG: #[[$MK:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
//   CHECK-DAG: #[[$KN:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
//   CHECK-DAG: #[[$MN:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
//   CHECK-DAG: #[[$KM:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
//   CHECK-DAG: #[[$NK:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
//   CHECK-DAG: #[[$ID2:.*]] = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: @gemm
//       CHECK:   %[[SUM:.*]] = memref.alloca() : memref<5x3xf32, #gpu.address_space<private>>
//       CHECK:   linalg.fill ins(%{{.*}} : f32) outs(%[[SUM]] :
//       CHECK:   linalg.generic {indexing_maps = [#[[$MK]], #[[$KN]], #[[$MN]]], iterator_types = ["parallel", "parallel", "reduction"]}
//  CHECK-SAME:   outs(%[[SUM]] :
//  CHECK-NEXT:   ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[OLD:.*]]: f32):
//  CHECK-NEXT:   %[[PRODUCT:.*]] = arith.mulf %[[A]], %[[B]] fastmath<contract>
//  CHECK-NEXT:   %[[NEW:.*]] = arith.addf %[[OLD]], %[[PRODUCT]] fastmath<contract>
//  CHECK-NEXT:   linalg.yield %[[NEW]]
//       CHECK:   linalg.generic {indexing_maps = [#[[$ID2]], #[[$ID2]]], iterator_types = ["parallel", "parallel"]}
//  CHECK-SAME:   ins(%[[SUM]] :
tinytc.func @gemm(%alpha: f32, %a: !tinytc.memref<5x7xf32>, %b: !tinytc.memref<7x3xf32>,
                  %beta: f32, %c: !tinytc.memref<5x3xf32>) {
  tinytc.gemm n n %alpha, %a, %b, %beta, %c : f32, !tinytc.memref<5x7xf32>,
    !tinytc.memref<7x3xf32>, f32, !tinytc.memref<5x3xf32>
}

// Elements of a real matrix are their own conjugates.
// CHECK-LABEL: @gemm_conjugated
//       CHECK:   linalg.generic {indexing_maps = [#[[$KM]], #[[$NK]], #[[$MN]]]
//  CHECK-NEXT:   ^bb0(%[[A:.*]]: complex<f32>, %[[B:.*]]: f32, %[[OLD:.*]]: complex<f32>):
//  CHECK-NEXT:   %[[CONJ:.*]] = complex.conj %[[A]] : complex<f32>
//   CHECK-NOT:   complex.conj
//       CHECK:   complex.mul %[[CONJ]], %{{.*}}
tinytc.func @gemm_conjugated(%a: !tinytc.memref<7x5xcomplex<f32>>,
                             %b: !tinytc.memref<3x7xf32>,
                             %c: !tinytc.memref<5x3xcomplex<f32>>) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.gemm c c %one, %a, %b, %zero, %c : f32, !tinytc.memref<7x5xcomplex<f32>>,
    !tinytc.memref<3x7xf32>, f32, !tinytc.memref<5x3xcomplex<f32>>
}

// CHECK-LABEL: @gemm_dynamic
//       CHECK:   %[[N:.*]] = memref.dim %{{.*}}, %c1
//       CHECK:   memref.alloca(%[[N]]) : memref<5x?xf32, #gpu.address_space<private>>
tinytc.func @gemm_dynamic(%alpha: f32, %a: !tinytc.memref<5x?xf32>,
                          %b: !tinytc.memref<?x?xf32>, %beta: f32,
                          %c: !tinytc.memref<5x?xf32>) {
  tinytc.gemm n n %alpha, %a, %b, %beta, %c : f32, !tinytc.memref<5x?xf32>,
    !tinytc.memref<?x?xf32>, f32, !tinytc.memref<5x?xf32>
}

// Sums of 16-bit floats are computed in f32 and rounded once.
// CHECK-LABEL: @gemm_mixed_precision
//       CHECK:   memref.alloca() : memref<5x3xf32, #gpu.address_space<private>>
//       CHECK:   ^bb0(%[[A:.*]]: f16, %[[B:.*]]: f16, %{{.*}}: f32):
//   CHECK-DAG:   arith.extf %[[A]] : f16 to f32
//   CHECK-DAG:   arith.extf %[[B]] : f16 to f32
//       CHECK:   ^bb0(%{{.*}}: f32, %{{.*}}: f16):
//       CHECK:   %[[RESULT:.*]] = arith.truncf %{{.*}} : f32 to f16
//  CHECK-NEXT:   linalg.yield %[[RESULT]]
tinytc.func @gemm_mixed_precision(%alpha: f16, %a: !tinytc.memref<5x7xf16>,
                                  %b: !tinytc.memref<7x3xf16>, %beta: f16,
                                  %c: !tinytc.memref<5x3xf16>) {
  tinytc.gemm n n %alpha, %a, %b, %beta, %c : f16, !tinytc.memref<5x7xf16>,
    !tinytc.memref<7x3xf16>, f16, !tinytc.memref<5x3xf16>
}
