// RUN: tinytc-opt %s --lower-to-gpu=target=intel-gpu:pvc | FileCheck %s

// On GPUs of Intel, a work-item loads adjacent elements of a line at once, and the old
// elements of several lines under one condition.
// CHECK-LABEL: gpu.func @sums
//       CHECK:   %[[LANE:.*]] = gpu.lane_id
//       CHECK:   %[[OWN:.*]] = arith.muli %[[LANE]], %c2
//       CHECK:   %[[LINE:.*]] = arith.addi %[[OWN]], %
//       CHECK:   scf.for %[[K:.*]] = %c0 to %c64 step %c32 iter_args
//  CHECK-NEXT:     %[[FIRST:.*]] = arith.addi %[[LINE]], %[[K]]
//       CHECK:     %[[SECOND:.*]] = arith.addi %[[FIRST]], %c1
//       CHECK:   scf.if %{{.*}} -> (f32, f32, f32, f32)
// CHECK-COUNT-4: memref.store
tinytc.func @sums(%beta: f32, %a: !tinytc.memref<64x16xf32>, %b: !tinytc.memref<16xf32>) {
  %one = tinytc.constant 1.0 : f32
  tinytc.sum t %one, %a, %beta, %b
    : f32, !tinytc.memref<64x16xf32>, f32, !tinytc.memref<16xf32>
}

// Elements of a line with gaps: those of neighbouring work-items are closest.
// CHECK-LABEL: gpu.func @negative_strided
//   CHECK-NOT:   arith.muli %{{.*}}, %c2
//       CHECK:   gpu.subgroup_reduce
tinytc.func @negative_strided(%a: !tinytc.memref<64x16xf32, strided<3, 192>>,
                           %b: !tinytc.memref<16xf32>) {
  %one = tinytc.constant 1.0 : f32
  tinytc.sum t %one, %a, %one, %b
    : f32, !tinytc.memref<64x16xf32, strided<3, 192>>, f32, !tinytc.memref<16xf32>
}
