// RUN: tinytc-opt %s --tinytc-convert-to-linalg --canonicalize --cse | FileCheck %s

// One subgroup: a loop over the tiles of each mode, the first one innermost.
// CHECK-LABEL: @one_subgroup
//       CHECK:   scf.for %[[COLUMN:.*]] = %c0 to %c3 step %c1
//       CHECK:     scf.for %[[ROW:.*]] = %c0 to %c4 step %c1
//       CHECK:       %[[I:.*]] = arith.muli %[[ROW]], %c16 : index
//       CHECK:       %[[J:.*]] = arith.muli %[[COLUMN]], %c8 : index
//       CHECK:       %[[LEFT:.*]] = arith.subi %c20, %[[J]] : index
//       CHECK:       %[[EXTENT:.*]] = arith.minsi %[[LEFT]], %c8 : index
//       CHECK:       memref.store %[[EXTENT]], %{{.*}}[%[[I]], %[[J]]]
tinytc.func @one_subgroup(%A: !tinytc.memref<64x20xindex>)
    attributes {subgroup_size = 16 : i32, work_group_size = array<i32: 16, 1>} {
  %c0 = tinytc.constant 0 : index
  %c20 = tinytc.constant 20 : index
  %c64 = tinytc.constant 64 : index
  tinytc.foreach_tile (%i, %j) = (%c0, %c0), (%c64, %c20) as (%m, %n) <= (16, 8) {
    tinytc.store %n, %A[%i, %j] : index, !tinytc.memref<64x20xindex>
  }
}

// Several subgroups take turns. A size that divides the range is the extent.
// CHECK-LABEL: @several_subgroups
//       CHECK:   %[[FIRST:.*]] = gpu.subgroup_id : index
//       CHECK:   %[[STEP:.*]] = gpu.num_subgroups : index
//       CHECK:   scf.for %[[TILE:.*]] = %[[FIRST]] to %c12 step %[[STEP]]
//       CHECK:     %[[ROW:.*]] = arith.remui %[[TILE]], %c4 : index
//       CHECK:     %[[COLUMN:.*]] = arith.divui %[[TILE]], %c4 : index
//       CHECK:     memref.store %c16, %{{.*}}[%{{.*}}, %{{.*}}]
tinytc.func @several_subgroups(%A: !tinytc.memref<64x20xindex>)
    attributes {subgroup_size = 16 : i32, work_group_size = array<i32: 32, 2>} {
  %c0 = tinytc.constant 0 : index
  %c20 = tinytc.constant 20 : index
  %c64 = tinytc.constant 64 : index
  tinytc.foreach_tile (%i, %j) = (%c0, %c0), (%c64, %c20) as (%m, %n) <= (16, 8) {
    tinytc.store %m, %A[%i, %j] : index, !tinytc.memref<64x20xindex>
  }
}

// Distances of a narrow type are computed as indices.
// CHECK-LABEL: @narrow
//  CHECK-SAME:   %[[FROM:[^:]*]]: i8, %[[TO:[^:]*]]: i8
//       CHECK:   arith.cmpi sge, %[[FROM]], %[[TO]] : i8
//       CHECK:   arith.index_cast
//       CHECK:   scf.for
//       CHECK:     arith.minsi %{{.*}}, %c64 : index
tinytc.func @narrow(%from: i8, %to: i8, %A: !tinytc.memref<i8>)
    attributes {subgroup_size = 16 : i32, work_group_size = array<i32: 16, 1>} {
  tinytc.foreach_tile (%i) : i8 = (%from), (%to) as (%m) <= (64) {
    tinytc.store %m, %A[] : i8, !tinytc.memref<i8>
  }
}
