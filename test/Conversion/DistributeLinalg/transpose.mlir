// RUN: tinytc-opt %s --tinytc-choose-strategies --tinytc-distribute-linalg | FileCheck %s

// A transposed source is read by its own lines, which four lanes exchange in two steps.

#id = affine_map<(d0, d1) -> (d0, d1)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [4], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true, vector_bytes = 32>} {

// CHECK-LABEL: @blocks
//  CHECK-SAME:   (%[[A:[^:]*]]: memref<4x8xf64, {{.*}}>, %[[B:[^:]*]]: memref<8x4xf64, {{.*}}>)
//       CHECK:   %[[LANE:.*]] = gpu.lane_id
//       CHECK:   scf.for %[[ROW:.*]] = %c0{{.*}} to %c8{{.*}} step %c4
//       CHECK:     scf.for %[[COLUMN:.*]] = %c0{{.*}} to %c4{{.*}} step %c4
//       CHECK:       %[[LINE:.*]] = arith.addi %[[COLUMN]], %[[LANE:.*]]
//       CHECK:       %[[L0:.*]] = memref.load %[[A]][%[[LINE]], %[[ROW]]]
//       CHECK:       %[[L1:.*]] = memref.load %[[A]][%[[LINE]],
//       CHECK:       %[[L2:.*]] = memref.load %[[A]][%[[LINE]],
//       CHECK:       %[[L3:.*]] = memref.load %[[A]][%[[LINE]],
//       CHECK:       %[[BIT:.*]] = arith.andi %{{.*}}, %c1_i32
//       CHECK:       %[[ODD:.*]] = arith.cmpi ne, %[[BIT]],
//       CHECK:       %[[GIVEN:.*]] = arith.select %[[ODD]], %[[L0]], %[[L1]]
//       CHECK:       %[[TAKEN:.*]], %{{.*}} = gpu.shuffle xor %[[GIVEN]], %c1_i32
//       CHECK:       arith.select %[[ODD]], %[[TAKEN]], %[[L0]]
//       CHECK:       arith.select %[[ODD]], %[[L1]], %[[TAKEN]]
//       CHECK:       gpu.shuffle xor
//       CHECK:       gpu.shuffle xor %{{.*}}, %c2_i32
//       CHECK:       gpu.shuffle xor %{{.*}}, %c2_i32
//   CHECK-NOT:       gpu.shuffle
//       CHECK:       %[[PLACE:.*]] = arith.addi %[[ROW]], %[[LANE]]
// CHECK-COUNT-4:     memref.store %{{.*}}, %[[B]][%[[PLACE]],
//   CHECK-NOT:   memref.store
func.func @blocks(%a: memref<4x8xf64, strided<[1, 4]>>,
                  %b: memref<8x4xf64, strided<[1, 8]>>)
    attributes {tinytc.subgroup_size = 4 : i32,
                tinytc.work_group_size = array<i32: 4, 1>} {
  linalg.generic {indexing_maps = [#transposed, #id],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<4x8xf64, strided<[1, 4]>>)
      outs(%b : memref<8x4xf64, strided<[1, 8]>>) {
  ^bb0(%x: f64, %old: f64):
    linalg.yield %x : f64
  }
  return
}

// More lanes than a vector register has elements, types that are not exchanged, fewer
// rows than lanes.
// CHECK-LABEL: @negative_bytes
//   CHECK-NOT:   gpu.shuffle xor
func.func @negative_bytes(%a: memref<8x8xi8, strided<[1, 8]>>,
                          %b: memref<8x8xi8, strided<[1, 8]>>)
    attributes {tinytc.subgroup_size = 4 : i32,
                tinytc.work_group_size = array<i32: 4, 1>} {
  linalg.generic {indexing_maps = [#transposed, #id],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<8x8xi8, strided<[1, 8]>>)
      outs(%b : memref<8x8xi8, strided<[1, 8]>>) {
  ^bb0(%x: i8, %old: i8):
    linalg.yield %x : i8
  }
  return
}

// CHECK-LABEL: @negative_two_registers
//   CHECK-NOT:   gpu.shuffle xor
func.func @negative_two_registers(%a: memref<8x8xf64, strided<[1, 8]>>,
                                  %b: memref<8x8xf64, strided<[1, 8]>>)
    attributes {tinytc.subgroup_size = 8 : i32,
                tinytc.work_group_size = array<i32: 8, 1>} {
  linalg.generic {indexing_maps = [#transposed, #id],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<8x8xf64, strided<[1, 8]>>)
      outs(%b : memref<8x8xf64, strided<[1, 8]>>) {
  ^bb0(%x: f64, %old: f64):
    linalg.yield %x : f64
  }
  return
}

// CHECK-LABEL: @negative_few_rows
//   CHECK-NOT:   gpu.shuffle xor
func.func @negative_few_rows(%a: memref<8x3xf64, strided<[1, 8]>>,
                             %b: memref<3x8xf64, strided<[1, 3]>>)
    attributes {tinytc.subgroup_size = 4 : i32,
                tinytc.work_group_size = array<i32: 4, 1>} {
  linalg.generic {indexing_maps = [#transposed, #id],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<8x3xf64, strided<[1, 8]>>)
      outs(%b : memref<3x8xf64, strided<[1, 3]>>) {
  ^bb0(%x: f64, %old: f64):
    linalg.yield %x : f64
  }
  return
}
}
