// RUN: tinytc-opt %s --tinytc-choose-strategies --tinytc-distribute-linalg | FileCheck %s

// Element-wise ops and parallel loops become loops of one work-item.

#id1 = affine_map<(d0) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {

// Full blocks, then the rest under one condition, on an index that drivers do not see
// through.
// CHECK-LABEL: @elementwise
//  CHECK-SAME:   (%[[A:[^:]*]]: memref<20xf32>, %[[B:[^:]*]]: memref<20xf32>)
//       CHECK:   %[[LANE:.*]] = gpu.lane_id
//   CHECK-NOT:   scf
//       CHECK:   %[[X:.*]] = memref.load %[[A]][%[[LANE]]]
//  CHECK-NEXT:   %[[OLD:.*]] = memref.load %[[B]][%[[LANE]]]
//  CHECK-NEXT:   %[[SUM:.*]] = arith.addf %[[X]], %[[OLD]]
//  CHECK-NEXT:   memref.store %[[SUM]], %[[B]][%[[LANE]]]
//       CHECK:   %[[REST:.*]] = arith.addi %c16{{.*}}, %[[LANE]]
//       CHECK:   %[[END:.*]] = tinytc.opaque_index %c20
//       CHECK:   %[[INSIDE:.*]] = arith.cmpi slt, %[[REST]], %[[END]]
//       CHECK:   scf.if %[[INSIDE]] {
//       CHECK:   memref.load %[[A]][%[[REST]]]
func.func @elementwise(%a: memref<20xf32>, %b: memref<20xf32>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
      ins(%a : memref<20xf32>) outs(%b : memref<20xf32>) {
  ^bb0(%x: f32, %old: f32):
    %sum = arith.addf %x, %old : f32
    linalg.yield %sum : f32
  }
  return
}

// Contiguous elements are one long row.
// CHECK-LABEL: @contiguous
//       CHECK:   %[[LANE:.*]] = gpu.lane_id
//       CHECK:   %[[A:.*]] = memref.reinterpret_cast %{{.*}} sizes: [40], strides: [1]
//       CHECK:   scf.for %[[BASE:.*]] = %c0{{.*}} to %c32{{.*}} step %c16
//  CHECK-NEXT:   %[[I:.*]] = arith.addi %[[BASE]], %[[LANE]]
//       CHECK:   memref.load %[[A]][%[[I]]]
//       CHECK:   scf.if
func.func @contiguous(%a: memref<5x8xf32, strided<[1, 5]>>,
                      %b: memref<5x8xf32, strided<[1, 5]>>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<5x8xf32, strided<[1, 5]>>)
      outs(%b : memref<5x8xf32, strided<[1, 5]>>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  return
}

// The tail has its own loop over the columns, with the condition inside.
// CHECK-LABEL: @padded
//       CHECK:   scf.for %{{.*}} = %c0{{.*}} to %c8
//   CHECK-NOT:   scf.if
//       CHECK:   scf.for %{{.*}} = %c0{{.*}} to %c8
//       CHECK:   tinytc.opaque_index
//       CHECK:   scf.if
//  CHECK-NEXT:   memref.load
func.func @padded(%a: memref<20x8xf32, strided<[1, 24]>>,
                  %b: memref<20x8xf32, strided<[1, 24]>>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<20x8xf32, strided<[1, 24]>>)
      outs(%b : memref<20x8xf32, strided<[1, 24]>>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  return
}

// What is read across lines is read line by line: the rows are the outer loop.
// CHECK-LABEL: @transposed
//  CHECK-SAME:   (%[[A:[^:]*]]: memref<8x32xf32, strided<[2, 16]>>
//       CHECK:   scf.for %[[BASE:.*]] = %c0{{.*}} to %c32{{.*}} step %c16
//       CHECK:   %[[I:.*]] = arith.addi %[[BASE]], %
//       CHECK:   scf.for %[[J:.*]] = %c0{{.*}} to %c8{{.*}} step %c1
//       CHECK:   memref.load %[[A]][%[[J]], %[[I]]]
func.func @transposed(%a: memref<8x32xf32, strided<[2, 16]>>,
                      %b: memref<32x8xf32, strided<[1, 32]>>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, #id2],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<8x32xf32, strided<[2, 16]>>)
      outs(%b : memref<32x8xf32, strided<[1, 32]>>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  return
}

// The old value is loaded only where it is needed.
// CHECK-LABEL: @old_value_in_a_branch
//  CHECK-SAME:   (%[[CONDITION:[^:]*]]: i1, %[[B:[^:]*]]: memref<16xf32>)
//   CHECK-NOT:   memref.load
//       CHECK:   scf.if %[[CONDITION]] -> (f32) {
//  CHECK-NEXT:   %[[OLD:.*]] = memref.load %[[B]]
//  CHECK-NEXT:   arith.addf %[[OLD]], %[[OLD]]
//   CHECK-NOT:   memref.load
//       CHECK:   memref.store
func.func @old_value_in_a_branch(%condition: i1, %b: memref<16xf32>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  linalg.generic {indexing_maps = [#id1], iterator_types = ["parallel"]}
      outs(%b : memref<16xf32>) {
  ^bb0(%old: f32):
    %zero = arith.constant 0.0 : f32
    %new = scf.if %condition -> f32 {
      %double = arith.addf %old, %old : f32
      scf.yield %double : f32
    } else {
      scf.yield %zero : f32
    }
    linalg.yield %new : f32
  }
  return
}

// The first mode is innermost and along the work-group, others are loops.
// CHECK-LABEL: @parallel
//       CHECK:   %[[LANE:.*]] = gpu.lane_id
//   CHECK-NOT:   scf.forall
//       CHECK:   scf.for %[[K:.*]] = %{{.*}} step %c1
//       CHECK:   scf.for %[[J:.*]] = %{{.*}} step %c1
//       CHECK:   scf.for %[[BASE:.*]] = %{{.*}} step %c16
//  CHECK-NEXT:   %[[I:.*]] = arith.addi %[[BASE]], %[[LANE]]
//       CHECK:   memref.store %{{.*}}[%[[I]], %[[J]], %[[K]]]
//       CHECK:   scf.for
//       CHECK:   scf.for
//       CHECK:   scf.if
//       CHECK:   memref.store
func.func @parallel(%from: index, %to: index, %x: f32, %a: memref<8x8x8xf32>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  scf.forall (%i, %j, %k) = (%from, %from, %from) to (%to, %to, %to) step (1, 1, 1) {
    memref.store %x, %a[%i, %j, %k] : memref<8x8x8xf32>
  }
  return
}
}
