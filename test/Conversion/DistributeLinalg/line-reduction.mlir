// RUN: tinytc-opt %s --lower-to-gpu | FileCheck %s

// Sums along the contiguous mode: the work-items of a subgroup lie along it.

// Eight sums for each work-item, then the remainder, then the sum over the subgroup, which
// one work-item writes.
// CHECK-LABEL: gpu.func @sum
//       CHECK:   %[[LANE:.*]] = gpu.lane_id
//       CHECK:   %[[SUMS:.*]]:8 = scf.for %[[K:.*]] = %c0 to %c896 step %c128
//       CHECK:   %[[FIRST:.*]] = arith.addi %[[LANE]], %[[K]]
//  CHECK-NEXT:   memref.load %{{.*}}[%[[FIRST]]]
//       CHECK:   scf.for %{{.*}} = %c896 to %c992 step %c16
//       CHECK:   %[[REST:.*]] = arith.addi %[[LANE]], %c992
//       CHECK:   tinytc.opaque_index %c1000
//       CHECK:   %[[INSIDE:.*]] = arith.cmpi slt, %[[REST]], %
//  CHECK-NEXT:   %[[MINE:.*]] = scf.if %[[INSIDE]] -> (f32)
//       CHECK:   %[[TOTAL:.*]] = gpu.subgroup_reduce add %[[MINE]]
//       CHECK:   tinytc.opaque_index %c1
//       CHECK:   %[[ONE:.*]] = arith.cmpi slt, %[[LANE]], %
//  CHECK-NEXT:   scf.if %[[ONE]] {
//  CHECK-NEXT:   memref.store %[[TOTAL]]
tinytc.func @sum(%a: !tinytc.memref<1000xf32>, %b: !tinytc.memref<f32>) {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.sum n %one, %a, %zero, %b
    : f32, !tinytc.memref<1000xf32>, f32, !tinytc.memref<f32>
}

// Four lines at once; the subgroups take turns.
// CHECK-LABEL: gpu.func @gemv_transposed
//       CHECK:   %[[SUBGROUP:.*]] = gpu.subgroup_id
//       CHECK:   %[[FIRST:.*]] = arith.muli %[[SUBGROUP]], %c4
//       CHECK:   scf.for %{{.*}} = %[[FIRST]] to %c20 step %c8
//       CHECK:   scf.for %{{.*}} iter_args
//       CHECK:   gpu.subgroup_reduce
//       CHECK:   gpu.subgroup_reduce
//       CHECK:   gpu.subgroup_reduce
//       CHECK:   gpu.subgroup_reduce
//       CHECK:   scf.for %{{.*}} to %c21 step %c2
tinytc.func @gemv_transposed(%a: !tinytc.memref<64x21xf32>, %b: !tinytc.memref<64xf32>,
                             %c: !tinytc.memref<21xf32>)
    attributes {subgroup_size = 16 : i32, work_group_size = array<i32: 32, 1>} {
  %one = tinytc.constant 1.0 : f32
  %zero = tinytc.constant 0.0 : f32
  tinytc.gemv t %one, %a, %b, %zero, %c
    : f32, !tinytc.memref<64x21xf32>, !tinytc.memref<64xf32>, f32, !tinytc.memref<21xf32>
}
