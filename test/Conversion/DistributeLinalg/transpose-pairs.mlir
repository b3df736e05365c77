// RUN: tinytc-opt %s --tinytc-choose-strategies --tinytc-distribute-linalg | FileCheck %s

// Elements are not exchanged between 16 lanes: each lane reads its own line, two elements at a
// time.

#id = affine_map<(d0, d1) -> (d0, d1)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true, vector_bytes = 64>} {

// The last rows and the last column overlap others.
// CHECK-LABEL: @pairs
//  CHECK-SAME:   (%[[A:[^:]*]]: memref<5x18xf32, {{.*}}>, %[[B:[^:]*]]: memref<18x5xf32, {{.*}}>)
//       CHECK:   gpu.lane_id
//       CHECK:   scf.for %[[I:.*]] = %c0{{[^ ]*}} to %c18{{[^ ]*}} step %c16
//       CHECK:     %[[FITS:.*]] = arith.cmpi slt, %[[I]], %c2
//       CHECK:     %[[BASE:.*]] = arith.select %[[FITS]], %[[I]], %c2{{.*}}
//       CHECK:     scf.for %[[J:.*]] = %c0{{[^ ]*}} to %c5{{[^ ]*}} step %c2
//       CHECK:       %[[FITS:.*]] = arith.cmpi slt, %[[J]], %c3
//       CHECK:       %[[COLUMN:.*]] = arith.select %[[FITS]], %[[J]], %c3{{.*}}
//       CHECK:       %[[ROW:.*]] = arith.addi %[[BASE]], %[[LANE:.*]] : index
//       CHECK:       %[[X:.*]] = memref.load %[[A]][%[[COLUMN]], %[[ROW]]]
//       CHECK:       %[[NEXT:.*]] = arith.addi %[[COLUMN]], %c1
//       CHECK:       %[[Y:.*]] = memref.load %[[A]][%[[NEXT]], %[[ROW]]]
//       CHECK:       %[[MINUS_X:.*]] = arith.negf %[[X]]
//       CHECK:       memref.store %[[MINUS_X]], %[[B]][%[[ROW]], %[[COLUMN]]]
//       CHECK:       %[[MINUS_Y:.*]] = arith.negf %[[Y]]
//       CHECK:       memref.store %[[MINUS_Y]], %[[B]][%[[ROW]],
//   CHECK-NOT:   memref.store
//   CHECK-NOT:   gpu.shuffle
func.func @pairs(%a: memref<5x18xf32, strided<[1, 5]>>,
                 %b: memref<18x5xf32, strided<[1, 18]>>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  linalg.generic {indexing_maps = [#transposed, #id],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<5x18xf32, strided<[1, 5]>>)
      outs(%b : memref<18x5xf32, strided<[1, 18]>>) {
  ^bb0(%x: f32, %old: f32):
    %y = arith.negf %x : f32
    linalg.yield %y : f32
  }
  return
}

// Elements of a line that are apart are read one by one.
// CHECK-LABEL: @negative_apart
//       CHECK:   memref.load
//   CHECK-NOT:   memref.load
//   CHECK-NOT:   gpu.shuffle
//       CHECK:   return
func.func @negative_apart(%a: memref<6x16xf32, strided<[2, 12]>>,
                          %b: memref<16x6xf32, strided<[1, 16]>>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  linalg.generic {indexing_maps = [#transposed, #id],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<6x16xf32, strided<[2, 12]>>)
      outs(%b : memref<16x6xf32, strided<[1, 16]>>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  return
}
}
