// RUN: tinytc-opt %s --tinytc-attach-target --tinytc-choose-work-group-size \
// RUN:   --tinytc-convert-to-linalg | FileCheck %s
// RUN: tinytc-opt %s --lower-to-linalg | FileCheck %s --check-prefix=FOLDED

// An atomic update is a loop around the atomic operation on one element, which has the
// summand as its operand: folding the summand changes nothing else.

!vector = !tinytc.memref<5xf32>
!integers = !tinytc.memref<5xi32>

// CHECK-LABEL: @add
//   CHECK-NOT:   linalg.generic
//       CHECK:   scf.forall (%[[I:.*]]) in (%c5) {
//  CHECK-NEXT:     %[[X:.*]] = memref.load %{{.*}}[%[[I]]]
//  CHECK-NEXT:     %[[SUMMAND:.*]] = arith.mulf %{{.*}}, %[[X]]
//  CHECK-NEXT:     tinytc.atomic add device relaxed %{{.*}}[%[[I]]], %[[SUMMAND]]
//  CHECK-NEXT:   } {mapping = [#tinytc.work_item<0>]}
tinytc.func @add(%alpha: f32, %a: !vector, %b: !vector) {
  %one = tinytc.constant 1.0 : f32
  tinytc.axpby n atomic %alpha, %a, %one, %b : f32, !vector, f32, !vector
}

// CHECK-LABEL: @store
//       CHECK:   scf.forall
//  CHECK-NEXT:     %[[X:.*]] = memref.load
//  CHECK-NEXT:     tinytc.atomic store device relaxed %{{.*}}[%{{.*}}], %[[X]]
tinytc.func @store(%a: !vector, %b: !vector) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.axpby n atomic %one, %a, %zero, %b : f32, !vector, f32, !vector
}

// CHECK-LABEL: @transposed
//       CHECK:   scf.forall (%[[I:.*]], %[[J:.*]]) in (%c3, %c5)
//  CHECK-NEXT:     memref.load %{{.*}}[%[[J]], %[[I]]]
//       CHECK:     tinytc.atomic add device relaxed %{{.*}}[%[[I]], %[[J]]], %{{.*}}
tinytc.func @transposed(%alpha: f32, %a: !tinytc.memref<5x3xf32>,
                        %b: !tinytc.memref<3x5xf32>) {
  %one = tinytc.constant 1.0 : f32
  tinytc.axpby t atomic %alpha, %a, %one, %b
    : f32, !tinytc.memref<5x3xf32>, f32, !tinytc.memref<3x5xf32>
}

// CHECK-LABEL: @scalar
//       CHECK:   scf.forall (%{{.*}}) in (%c1) {
//  CHECK-NEXT:     %[[X:.*]] = memref.load %{{.*}}[]
//  CHECK-NEXT:     tinytc.atomic add device relaxed %{{.*}}[], %[[X]]
tinytc.func @scalar(%a: !tinytc.memref<f32>, %b: !tinytc.memref<f32>) {
  %one = tinytc.constant 1.0 : f32
  tinytc.axpby n atomic %one, %a, %one, %b
    : f32, !tinytc.memref<f32>, f32, !tinytc.memref<f32>
}

// The loop that updates the destination reads the sums.
// CHECK-LABEL: @gemm
//       CHECK:   %[[SUMS:.*]] = memref.alloca
//       CHECK:   linalg.generic
//  CHECK-SAME:   outs(%[[SUMS]] :
//   CHECK-NOT:   linalg.generic
//       CHECK:   scf.forall (%[[I:.*]], %[[J:.*]]) in (%c5, %c3)
//  CHECK-NEXT:     %[[SUM:.*]] = memref.load %[[SUMS]][%[[I]], %[[J]]]
//  CHECK-NEXT:     %[[SUMMAND:.*]] = arith.mulf %{{.*}}, %[[SUM]]
//  CHECK-NEXT:     tinytc.atomic add device relaxed %{{.*}}[%[[I]], %[[J]]], %[[SUMMAND]]
tinytc.func @gemm(%alpha: f32, %a: !tinytc.memref<5x7xf32>, %b: !tinytc.memref<7x3xf32>,
                  %c: !tinytc.memref<5x3xf32>) {
  %one = tinytc.constant 1.0 : f32
  tinytc.gemm n n atomic %alpha, %a, %b, %one, %c : f32, !tinytc.memref<5x7xf32>,
    !tinytc.memref<7x3xf32>, f32, !tinytc.memref<5x3xf32>
}

// FOLDED-LABEL: @minus_one
//       FOLDED:   scf.forall (%[[I:.*]]) in
//  FOLDED-NEXT:     %[[X:.*]] = memref.load %{{.*}}[%[[I]]]
//  FOLDED-NEXT:     %[[SUMMAND:.*]] = arith.muli %[[X]], %c-1
//  FOLDED-NEXT:     tinytc.atomic add device relaxed %{{.*}}[%[[I]]], %[[SUMMAND]]
tinytc.func @minus_one(%a: !integers, %b: !integers) {
  %minus_one = tinytc.constant -1 : i32
  %one = tinytc.constant 1 : i32
  tinytc.axpby n atomic %minus_one, %a, %one, %b : i32, !integers, i32, !integers
}

// FOLDED-LABEL: @zero
//       FOLDED:   scf.forall (%[[I:.*]]) in
//  FOLDED-NEXT:     tinytc.atomic add device relaxed %{{.*}}[%[[I]]], %c0_i32
tinytc.func @zero(%a: !integers, %b: !integers) {
  %zero = tinytc.constant 0 : i32
  %one = tinytc.constant 1 : i32
  tinytc.axpby n atomic %zero, %a, %one, %b : i32, !integers, i32, !integers
}

// An atomic sum of a memref and itself is not a copy of it.
// FOLDED-LABEL: @twice
//       FOLDED:   scf.forall (%[[I:.*]]) in
//  FOLDED-NEXT:     %[[X:.*]] = memref.load %{{.*}}[%[[I]]]
//  FOLDED-NEXT:     tinytc.atomic add device relaxed %{{.*}}[%[[I]]], %[[X]]
tinytc.func @twice(%a: !integers) {
  %one = tinytc.constant 1 : i32
  tinytc.axpby n atomic %one, %a, %one, %a : i32, !integers, i32, !integers
}
