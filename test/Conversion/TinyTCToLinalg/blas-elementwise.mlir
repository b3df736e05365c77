// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target \
// RUN:   --tinytc-choose-work-group-size --tinytc-convert-to-linalg | FileCheck %s

// Element-wise instructions are one linalg.generic on the destination.

//   CHECK-DAG: #[[$ID1:.*]] = affine_map<(d0) -> (d0)>
//   CHECK-DAG: #[[$ID2:.*]] = affine_map<(d0, d1) -> (d0, d1)>

!vector = !tinytc.memref<5xf32>
!matrix = !tinytc.memref<5x3xf32>

// The old value is ignored if beta is 0 at run time.
// CHECK-LABEL: @axpby
//  CHECK-SAME:   (%[[ALPHA:.*]]: f32, %{{.*}}: memref<5xf32, strided<[1]>>, %[[BETA:[^:]*]]: f32
//       CHECK:   linalg.generic {indexing_maps = [#[[$ID1]], #[[$ID1]]], iterator_types = ["parallel"]}
//  CHECK-NEXT:   ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
//       CHECK:   %[[AX:.*]] = arith.mulf %[[ALPHA]], %[[A]] fastmath<contract> : f32
//       CHECK:   %[[READS:.*]] = arith.cmpf une, %[[BETA]], %{{.*}} : f32
//       CHECK:   %[[BY:.*]] = scf.if %[[READS]] -> (f32) {
//  CHECK-NEXT:   %[[SCALED:.*]] = arith.mulf %[[BETA]], %[[B]] fastmath<contract> : f32
//  CHECK-NEXT:   scf.yield %[[SCALED]]
//       CHECK:   %[[SUM:.*]] = arith.addf %[[AX]], %[[BY]] fastmath<contract> : f32
//  CHECK-NEXT:   linalg.yield %[[SUM]]
tinytc.func @axpby(%alpha: f32, %a: !vector, %beta: f32, %b: !vector) {
  tinytc.axpby n %alpha, %a, %beta, %b : f32, !vector, f32, !vector
}

// Integers have no NaN that must not spread.
// CHECK-LABEL: @axpby_integers
//   CHECK-NOT:   scf.if
tinytc.func @axpby_integers(%alpha: i8, %a: !tinytc.memref<5xi8>, %beta: i8,
                            %b: !tinytc.memref<5xi8>) {
  tinytc.axpby n %alpha, %a, %beta, %b
    : i8, !tinytc.memref<5xi8>, i8, !tinytc.memref<5xi8>
}

// CHECK-LABEL: @constant_one_and_zero
//       CHECK:   ^bb0(%[[A:.*]]: f32, %{{.*}}: f32):
//  CHECK-NEXT:   linalg.yield %[[A]] : f32
tinytc.func @constant_one_and_zero(%a: !vector, %b: !vector) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.axpby n %one, %a, %zero, %b : f32, !vector, f32, !vector
}

// CHECK-LABEL: @hadamard_product
//       CHECK:   linalg.generic {indexing_maps = [#[[$ID2]], #[[$ID2]], #[[$ID2]]]
//  CHECK-NEXT:   ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: f32):
//  CHECK-NEXT:   %[[AB:.*]] = arith.mulf %[[A]], %[[B]]
//  CHECK-NEXT:   linalg.yield %[[AB]]
tinytc.func @hadamard_product(%a: !matrix, %b: !matrix, %c: !matrix) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.hadamard_product %one, %a, %b, %zero, %c
    : f32, !matrix, !matrix, f32, !matrix
}

// CHECK-LABEL: @half_computes_in_f32
//       CHECK:   ^bb0(%[[A:.*]]: f16, %{{.*}}: f16):
//  CHECK-NEXT:   %[[WIDE:.*]] = arith.extf %[[A]] : f16 to f32
//       CHECK:   %[[PRODUCT:.*]] = arith.mulf %{{.*}}, %[[WIDE]] {{.*}}: f32
//  CHECK-NEXT:   %[[NARROW:.*]] = arith.truncf %[[PRODUCT]] : f32 to f16
//  CHECK-NEXT:   linalg.yield %[[NARROW]]
tinytc.func @half_computes_in_f32(%alpha: f16, %a: !tinytc.memref<5xf16>,
                                  %b: !tinytc.memref<5xf16>) {
  %zero = tinytc.constant 0.0 : f16
  tinytc.axpby n %alpha, %a, %zero, %b
    : f16, !tinytc.memref<5xf16>, f16, !tinytc.memref<5xf16>
}
