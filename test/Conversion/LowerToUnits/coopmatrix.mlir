// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target \
// RUN:   --tinytc-choose-work-group-size --tinytc-convert-to-linalg | FileCheck %s

// A coopmatrix is the scalars that each work-item holds.

!matrix = !tinytc.memref<64x64xf32>

// Lane i holds row i.
// CHECK-LABEL: @load
//  CHECK-SAME:   (%[[A:.*]]: memref<64x64xf32, strided<[1, 64]>>, %[[X:.*]]: index, %[[Y:.*]]: index)
//       CHECK:   %[[LANE:.*]] = gpu.lane_id
//       CHECK:   %[[ROW:.*]] = arith.addi %[[X]], %[[LANE]]
//       CHECK:   memref.load %{{.*}}[%[[ROW]], %[[Y]]]
//       CHECK:   %[[NEXT:.*]] = arith.addi %[[Y]], %c1
//       CHECK:   memref.load %{{.*}}[%[[ROW]], %[[NEXT]]]
//   CHECK-NOT:   memref.load
tinytc.func @load(%a: !matrix, %x: index, %y: index)
    attributes {subgroup_size = 16 : i32} {
  tinytc.parallel {
    %0 = tinytc.cooperative_matrix_load n %a[%x, %y]
      : !matrix -> !tinytc.coopmatrix<16x2xf32, matrix_acc>
  }
}

// CHECK-LABEL: @load_transposed_checked
//  CHECK-SAME:   (%[[A:.*]]: memref<64x64xf32, strided<[1, 64]>>, %[[X:.*]]: index, %[[Y:.*]]: index)
//       CHECK:   %[[ROW:.*]] = arith.addi %[[Y]], %{{.*}}
//   CHECK-DAG:   %[[INSIDE1:.*]] = arith.cmpi ult, %[[ROW]], %
//   CHECK-DAG:   %[[INSIDE0:.*]] = arith.cmpi ult, %[[X]], %
//       CHECK:   %[[INSIDE:.*]] = arith.andi %[[INSIDE1]], %[[INSIDE0]]
//       CHECK:   scf.if %[[INSIDE]] -> (f32)
//  CHECK-NEXT:   memref.load %{{.*}}[%[[X]], %[[ROW]]]
tinytc.func @load_transposed_checked(%a: !matrix, %x: index, %y: index)
    attributes {subgroup_size = 16 : i32} {
  tinytc.parallel {
    %0 = tinytc.cooperative_matrix_load t both_checked %a[%x, %y]
      : !matrix -> !tinytc.coopmatrix<16x1xf32, matrix_acc>
  }
}

// CHECK-LABEL: @store_checked
//  CHECK-SAME:   (%{{.*}}, %[[X:.*]]: index, %[[Y:.*]]: index)
//       CHECK:   %[[ROW:.*]] = arith.addi %[[X]], %{{.*}}
//       CHECK:   %[[INSIDE:.*]] = arith.cmpi ult, %[[ROW]], %
//       CHECK:   scf.if %[[INSIDE]] {
//  CHECK-NEXT:   tinytc.atomic add device relaxed %{{.*}}[%[[ROW]], %[[Y]]], %{{.*}}
tinytc.func @store_checked(%a: !matrix, %x: index, %y: index)
    attributes {subgroup_size = 16 : i32} {
  tinytc.parallel {
    %0 = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<16x1xf32, matrix_acc>
    tinytc.cooperative_matrix_store rows_checked atomic_add %0, %a[%x, %y]
      : !tinytc.coopmatrix<16x1xf32, matrix_acc>, !matrix
  }
}

// An element of B belongs to one lane, which broadcasts it to all others.
// CHECK-LABEL: @scale_and_mul_add
//       CHECK:   %[[A0:.*]] = memref.load
//       CHECK:   %[[A1:.*]] = memref.load
//       CHECK:   %[[B:.*]] = scf.if
//       CHECK:   %[[B0:.*]] = gpu.subgroup_broadcast %[[B]], {{ *}}specific_lane %c0
//       CHECK:   %[[P0:.*]] = arith.mulf %[[A0]], %[[B0]]
//       CHECK:   %[[S0:.*]] = arith.addf %{{.*}}, %[[P0]]
//       CHECK:   %[[B1:.*]] = gpu.subgroup_broadcast %[[B]], {{ *}}specific_lane %c1
//       CHECK:   %[[P1:.*]] = arith.mulf %[[A1]], %[[B1]]
//       CHECK:   %[[S1:.*]] = arith.addf %[[S0]], %[[P1]]
//       CHECK:   %[[SCALED:.*]] = arith.mulf %{{.*}}, %[[S1]]
//       CHECK:   memref.store %[[SCALED]]
tinytc.func @scale_and_mul_add(%a: !matrix, %x: index, %alpha: f32)
    attributes {subgroup_size = 16 : i32} {
  tinytc.parallel {
    %0 = tinytc.cooperative_matrix_load n %a[%x, %x]
      : !matrix -> !tinytc.coopmatrix<16x2xf32, matrix_a>
    %1 = tinytc.cooperative_matrix_load n %a[%x, %x]
      : !matrix -> !tinytc.coopmatrix<2x1xf32, matrix_b>
    %2 = tinytc.constant 0.0 : f32 -> !tinytc.coopmatrix<16x1xf32, matrix_acc>
    %3 = tinytc.cooperative_matrix_mul_add %0, %1, %2
      : !tinytc.coopmatrix<16x2xf32, matrix_a>, !tinytc.coopmatrix<2x1xf32, matrix_b>,
        !tinytc.coopmatrix<16x1xf32, matrix_acc>
        -> !tinytc.coopmatrix<16x1xf32, matrix_acc>
    %4 = tinytc.cooperative_matrix_scale %alpha, %3
      : f32, !tinytc.coopmatrix<16x1xf32, matrix_acc>
    tinytc.cooperative_matrix_store %4, %a[%x, %x]
      : !tinytc.coopmatrix<16x1xf32, matrix_acc>, !matrix
  }
}

// Each component is an access of its own; what is not accessed is 0 in the result.
// CHECK-LABEL: @atomic_checked
//       CHECK:   %[[OLD:.*]] = scf.if %{{.*}} -> (f32) {
//       CHECK:     %[[BEFORE:.*]] = tinytc.atomic max device acquire %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}
//       CHECK:     scf.yield %[[BEFORE]]
//       CHECK:   } else {
//       CHECK:     scf.yield %cst
//       CHECK:   scf.if
//       CHECK:     tinytc.atomic store work_group relaxed %{{.*}}[%{{.*}}, %{{.*}}], %[[OLD]]
tinytc.func @atomic_checked(%a: !matrix, %x: index, %y: index)
    attributes {subgroup_size = 16 : i32} {
  tinytc.parallel {
    %0 = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<16x1xf32, matrix_acc>
    %1 = tinytc.cooperative_matrix_atomic_max n rows_checked device acquire %0, %a[%x, %y]
      : !tinytc.coopmatrix<16x1xf32, matrix_acc>, !matrix
    tinytc.cooperative_matrix_atomic_store t both_checked %1, %a[%x, %y]
      : !tinytc.coopmatrix<16x1xf32, matrix_acc>, !matrix
  }
}
