// RUN: tinytc-opt %s --tinytc-choose-strategies --tinytc-distribute-linalg | FileCheck %s

// Elements are not exchanged between 16 lanes: the first one copies squares by vectors.

#id = affine_map<(d0, d1) -> (d0, d1)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true, vector_bytes = 64>} {

// Squares of 4; the last row and the last columns are in squares that overlap others.
// CHECK-LABEL: @squares
//  CHECK-SAME:   (%[[A:[^:]*]]: memref<6x9xf32, {{.*}}>, %[[B:[^:]*]]: memref<9x6xf32, {{.*}}>)
//       CHECK:   %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0
//       CHECK:   scf.if %[[FIRST]] {
//       CHECK:     scf.for %[[I:.*]] = %c0{{[^ ]*}} to %c8{{[^ ]*}} step %c4
//       CHECK:     scf.for %[[J:.*]] = %c0{{[^ ]*}} to %c4{{[^ ]*}} step %c4
//       CHECK:       %[[LINE:.*]] = memref.subview %[[A]][%[[J]], %[[I]]] [4, 1] [1, 1]
//       CHECK:       %[[A0:.*]] = vector.load %[[LINE]]
//       CHECK:       %[[NEXT:.*]] = arith.addi %[[I]], %c1
//       CHECK:       %[[LINE:.*]] = memref.subview %[[A]][%[[J]], %[[NEXT]]] [4, 1] [1, 1]
//       CHECK:       %[[A1:.*]] = vector.load %[[LINE]]
//       CHECK:       %[[A2:.*]] = vector.load
//       CHECK:       %[[A3:.*]] = vector.load
//       CHECK:       %[[P0:.*]] = vector.shuffle %[[A0]], %[[A1]] [0, 4, 2, 6]
//       CHECK:       vector.shuffle %[[A0]], %[[A1]] [1, 5, 3, 7]
//       CHECK:       %[[P2:.*]] = vector.shuffle %[[A2]], %[[A3]] [0, 4, 2, 6]
//       CHECK:       vector.shuffle %[[A2]], %[[A3]] [1, 5, 3, 7]
//       CHECK:       %[[B0:.*]] = vector.shuffle %[[P0]], %[[P2]] [0, 1, 4, 5]
//       CHECK:       vector.shuffle %[[P0]], %[[P2]] [2, 3, 6, 7]
//       CHECK:       %[[COLUMN:.*]] = memref.subview %[[B]][%[[I]], %[[J]]] [4, 1] [1, 1]
//       CHECK:       vector.store %[[B0]], %[[COLUMN]]
//       CHECK:       vector.store
//       CHECK:       vector.store
//       CHECK:       vector.store
//       CHECK:     scf.for %[[I:.*]] = %c8{{[^ ]*}} to %c9{{[^ ]*}} step %c4
//       CHECK:       arith.cmpi slt, %[[I]], %c5
//       CHECK:       scf.for %{{.*}} = %c0{{[^ ]*}} to %c6{{[^ ]*}} step %c4
//       CHECK:         arith.cmpi slt, %{{.*}}, %c2
//       CHECK:     scf.for %{{.*}} = %c0{{[^ ]*}} to %c8{{[^ ]*}} step %c4
//       CHECK:       scf.for %[[J:.*]] = %c4{{[^ ]*}} to %c6{{[^ ]*}} step %c4
//       CHECK:         arith.cmpi slt, %[[J]], %c2
func.func @squares(%a: memref<6x9xf32, strided<[1, 6]>>,
                   %b: memref<9x6xf32, strided<[1, 9]>>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  linalg.generic {indexing_maps = [#transposed, #id],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<6x9xf32, strided<[1, 6]>>)
      outs(%b : memref<9x6xf32, strided<[1, 9]>>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  return
}

// CHECK-LABEL: @negative_narrow
//   CHECK-NOT:   vector.load
//       CHECK:   return
func.func @negative_narrow(%a: memref<3x16xf32, strided<[1, 3]>>,
                           %b: memref<16x3xf32, strided<[1, 16]>>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  linalg.generic {indexing_maps = [#transposed, #id],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<3x16xf32, strided<[1, 3]>>)
      outs(%b : memref<16x3xf32, strided<[1, 16]>>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  return
}

// CHECK-LABEL: @negative_dynamic
//   CHECK-NOT:   vector.load
//       CHECK:   return
func.func @negative_dynamic(%a: memref<?x16xf32, strided<[1, 32]>>,
                            %b: memref<16x?xf32, strided<[1, 16]>>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  linalg.generic {indexing_maps = [#transposed, #id],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<?x16xf32, strided<[1, 32]>>)
      outs(%b : memref<16x?xf32, strided<[1, 16]>>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  return
}

// Eight lanes exchange elements.
// CHECK-LABEL: @negative_exchange
//   CHECK-NOT:   vector.load
//       CHECK:   gpu.shuffle
func.func @negative_exchange(%a: memref<8x8xf64, strided<[1, 8]>>,
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
}
