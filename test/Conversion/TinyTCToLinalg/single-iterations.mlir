// RUN: tinytc-opt %s --tinytc-attach-target --tinytc-choose-work-group-size \
// RUN:   --tinytc-convert-to-linalg --canonicalize | FileCheck %s

// Without the loop, each work-item would add 1.
// CHECK-LABEL: @foreach
//       CHECK:   scf.forall (%{{.*}}) in (1) {
//  CHECK-NEXT:     tinytc.atomic add
//  CHECK-NEXT:   } {mapping = [#tinytc.work_item<0>]}
tinytc.func @foreach(%a: !tinytc.memref<1xf32>) {
  %zero = tinytc.constant 0 : index
  %end = tinytc.constant 1 : index
  %one = tinytc.constant 1.0 : f32
  tinytc.foreach (%i) = (%zero), (%end) {
    tinytc.store atomic_add %one, %a[%i] : f32, !tinytc.memref<1xf32>
  }
}

// CHECK-LABEL: @atomic_sum
//       CHECK:   scf.forall (%[[I:.*]], %{{.*}}) in (4, 1) {
//  CHECK-NEXT:     memref.load %{{.*}}[%[[I]], %c0]
//  CHECK-NEXT:     tinytc.atomic add
//  CHECK-NEXT:   } {mapping = [#tinytc.work_item<0>, #tinytc.work_item<1>]}
tinytc.func @atomic_sum(%a: !tinytc.memref<4x3xf32>, %b: !tinytc.memref<3x1xf32>,
                        %c: !tinytc.memref<4x1xf32>) {
  %one = tinytc.constant 1.0 : f32
  tinytc.gemm n n atomic %one, %a, %b, %one, %c
    : f32, !tinytc.memref<4x3xf32>, !tinytc.memref<3x1xf32>, f32, !tinytc.memref<4x1xf32>
}
