// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target=target=cpu \
// RUN:   --tinytc-choose-work-group-size --tinytc-convert-to-linalg --canonicalize --cse \
// RUN:   | FileCheck %s

// The layout of cooperative matrices, and the instructions that depend on it.

// Four columns of four rows lie side by side; the fifth column leaves padding.
// CHECK-LABEL: @load_few_rows
//       CHECK:   %[[LANE:.*]] = gpu.lane_id
//       CHECK:   %[[ROW:.*]] = arith.remui %[[LANE]], %c4
//       CHECK:   %[[FIRST:.*]] = arith.divui %[[LANE]], %c4
//       CHECK:   memref.load
//       CHECK:   %[[COLUMN:.*]] = arith.addi %[[FIRST]], %c4
//       CHECK:   %[[INSIDE:.*]] = arith.cmpi slt, %[[COLUMN]], %c5
//       CHECK:   scf.if %[[INSIDE]]
//   CHECK-NOT:   memref.load {{.*}} memref.load
tinytc.func @load_few_rows(%a: !tinytc.memref<64x64xf32>, %x: index)
    attributes {subgroup_size = 16 : i32} {
  tinytc.parallel {
    %0 = tinytc.cooperative_matrix_load n %a[%x, %x]
      : !tinytc.memref<64x64xf32> -> !tinytc.coopmatrix<4x5xf32, matrix_acc>
    tinytc.cooperative_matrix_store %0, %a[%x, %x]
      : !tinytc.coopmatrix<4x5xf32, matrix_acc>, !tinytc.memref<64x64xf32>
  }
}

// -----

// Padding reads as 0.
// CHECK-LABEL: @extract_padding
//       CHECK:   %[[INSIDE:.*]] = arith.cmpi slt, %{{.*}}, %c5
//       CHECK:   %[[X:.*]] = arith.select %[[INSIDE]], %{{.*}}, %cst
//       CHECK:   memref.store %[[X]]
tinytc.func @extract_padding(%a: !tinytc.memref<f32>, %x: f32)
    attributes {subgroup_size = 16 : i32} {
  tinytc.parallel {
    %0 = tinytc.cooperative_matrix_construct %x
      : f32 -> !tinytc.coopmatrix<4x5xf32, matrix_acc>
    %1 = tinytc.cooperative_matrix_extract %0[1]
      : !tinytc.coopmatrix<4x5xf32, matrix_acc> -> f32
    tinytc.store %1, %a[] : f32, !tinytc.memref<f32>
  }
}

// -----

// CHECK-LABEL: @negative_extract_without_padding
//   CHECK-NOT:   arith.select
//       CHECK:   memref.store %arg1
tinytc.func @negative_extract_without_padding(%a: !tinytc.memref<f32>, %x: f32)
    attributes {subgroup_size = 16 : i32} {
  tinytc.parallel {
    %0 = tinytc.cooperative_matrix_construct %x
      : f32 -> !tinytc.coopmatrix<4x8xf32, matrix_acc>
    %1 = tinytc.cooperative_matrix_extract %0[1]
      : !tinytc.coopmatrix<4x8xf32, matrix_acc> -> f32
    tinytc.store %1, %a[] : f32, !tinytc.memref<f32>
  }
}

// -----

// -----

// Each lane has its row of A; the columns of a row of B go to the lanes that have them.
// CHECK-LABEL: @product_of_few_rows
// CHECK-COUNT-12: gpu.shuffle  idx
//   CHECK-NOT:   gpu.shuffle
//   CHECK-NOT:   gpu.subgroup_broadcast
tinytc.func @product_of_few_rows(%a: !tinytc.memref<64x64xf32>, %x: index)
    attributes {subgroup_size = 16 : i32} {
  tinytc.parallel {
    %0 = tinytc.cooperative_matrix_load n %a[%x, %x]
      : !tinytc.memref<64x64xf32> -> !tinytc.coopmatrix<4x4xf32, matrix_a>
    %1 = tinytc.cooperative_matrix_load n %a[%x, %x]
      : !tinytc.memref<64x64xf32> -> !tinytc.coopmatrix<4x8xf32, matrix_b>
    %2 = tinytc.constant 0.0 : f32 -> !tinytc.coopmatrix<4x8xf32, matrix_acc>
    %3 = tinytc.cooperative_matrix_mul_add %0, %1, %2
      : !tinytc.coopmatrix<4x4xf32, matrix_a>, !tinytc.coopmatrix<4x8xf32, matrix_b>,
        !tinytc.coopmatrix<4x8xf32, matrix_acc>
        -> !tinytc.coopmatrix<4x8xf32, matrix_acc>
    tinytc.cooperative_matrix_store %3, %a[%x, %x]
      : !tinytc.coopmatrix<4x8xf32, matrix_acc>, !tinytc.memref<64x64xf32>
  }
}

// -----

// The region is pure: it may run for padding. Both entries of a lane have the same row.
// CHECK-LABEL: @apply
//   CHECK-NOT:   scf.if
//       CHECK:   arith.addf
//   CHECK-NOT:   arith.addf
//   CHECK-NOT:   scf.if
// CHECK-COUNT-2: arith.mulf
//   CHECK-NOT:   arith.mulf
tinytc.func @apply(%a: !tinytc.memref<64x64xf32>, %x: index, %alpha: f32)
    attributes {subgroup_size = 16 : i32} {
  tinytc.parallel {
    %0 = tinytc.cooperative_matrix_construct %alpha
      : f32 -> !tinytc.coopmatrix<4x5xf32, matrix_acc>
    %1 = tinytc.cooperative_matrix_apply (%i, %j, %c) = %0
        : !tinytc.coopmatrix<4x5xf32, matrix_acc> {
      %f = tinytc.cast %i : i32 -> f32
      %d = tinytc.arith.add %c, %f : f32
      tinytc.yield %d : f32
    }
    %2 = tinytc.cooperative_matrix_apply (%i, %j, %c) = %1
        : !tinytc.coopmatrix<4x5xf32, matrix_acc> {
      %f = tinytc.cast %j : i32 -> f32
      %d = tinytc.arith.mul %c, %f : f32
      tinytc.yield %d : f32
    }
    tinytc.cooperative_matrix_store %2, %a[%x, %x]
      : !tinytc.coopmatrix<4x5xf32, matrix_acc>, !tinytc.memref<64x64xf32>
  }
}

// -----

// Nothing is stored for padding.
// CHECK-LABEL: @apply_with_store
//       CHECK:   memref.store %[[X:.*]], %{{.*}}[]
//       CHECK:   scf.if
//       CHECK:     memref.store %[[X]], %{{.*}}[]
//   CHECK-NOT:   memref.store
tinytc.func @apply_with_store(%a: !tinytc.memref<f32>, %alpha: f32)
    attributes {subgroup_size = 16 : i32} {
  tinytc.parallel {
    %0 = tinytc.cooperative_matrix_construct %alpha
      : f32 -> !tinytc.coopmatrix<4x5xf32, matrix_acc>
    %1 = tinytc.cooperative_matrix_apply (%i, %j, %c) = %0
        : !tinytc.coopmatrix<4x5xf32, matrix_acc> {
      tinytc.store %c, %a[] : f32, !tinytc.memref<f32>
      tinytc.yield %c : f32
    }
  }
}

// -----

// The divisor of padding is 1.
// CHECK-LABEL: @divide_integers
//       CHECK:   arith.divsi
//       CHECK:   %[[DIVISOR:.*]] = arith.select %{{.*}}, %{{.*}}, %c1_i32
//       CHECK:   arith.divsi %{{.*}}, %[[DIVISOR]]
tinytc.func @divide_integers(%a: !tinytc.memref<64x64xi32>, %x: index)
    attributes {subgroup_size = 16 : i32} {
  tinytc.parallel {
    %0 = tinytc.cooperative_matrix_load n %a[%x, %x]
      : !tinytc.memref<64x64xi32> -> !tinytc.coopmatrix<4x5xi32, matrix_acc>
    %1 = tinytc.arith.div %0, %0 : !tinytc.coopmatrix<4x5xi32, matrix_acc>
    tinytc.cooperative_matrix_store %1, %a[%x, %x]
      : !tinytc.coopmatrix<4x5xi32, matrix_acc>, !tinytc.memref<64x64xi32>
  }
}

// -----

// Lanes that hold parts of a row exchange them: lanes 4 and 8 apart.
// CHECK-LABEL: @reduce_rows
//       CHECK:   gpu.shuffle  xor %{{.*}}, %c4_i32
//       CHECK:   gpu.shuffle  xor %{{.*}}, %c8_i32
//   CHECK-NOT:   gpu.shuffle
tinytc.func @reduce_rows(%a: !tinytc.memref<64x64xf32>, %x: index) attributes {subgroup_size = 16 : i32} {
  tinytc.parallel {
    %0 = tinytc.cooperative_matrix_load n %a[%x, %x]
      : !tinytc.memref<64x64xf32> -> !tinytc.coopmatrix<4x8xf32, matrix_acc>
    %1 = tinytc.cooperative_matrix_reduce_add row %0
      : !tinytc.coopmatrix<4x8xf32, matrix_acc> -> !tinytc.coopmatrix<4x1xf32, matrix_acc>
    tinytc.cooperative_matrix_store %1, %a[%x, %x]
      : !tinytc.coopmatrix<4x1xf32, matrix_acc>, !tinytc.memref<64x64xf32>
  }
}

// -----
