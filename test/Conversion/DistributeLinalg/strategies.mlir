// RUN: tinytc-opt %s --tinytc-attach-target --tinytc-distribute-linalg | FileCheck %s

// The attribute decides, not the cost model of the target.

#line = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
#sums = affine_map<(d0, d1) -> (d1)>
#id = affine_map<(d0) -> (d0)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>
!sum = memref<64xf32, #gpu.address_space<private>>

// Two rows and four steps in an iteration.
// CHECK-LABEL: @tile
//       CHECK:   scf.for {{.*}} = %c0{{.*}} to %c64{{.*}} step %c32
//       CHECK:     scf.for {{.*}} to %c8{{.*}} step %c4{{.*}} -> (f32, f32)
// CHECK-COUNT-8:     memref.load %arg0
func.func @tile(%a: memref<64x8xf32>, %x: memref<8xf32>, %b: memref<64xf32>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloca() : !sum
  linalg.fill ins(%zero : f32) outs(%sum : !sum)
  linalg.generic {indexing_maps = [#line, #sums, #rows],
                  iterator_types = ["parallel", "reduction"]}
      ins(%a, %x : memref<64x8xf32>, memref<8xf32>) outs(%sum : !sum)
      attrs = {tinytc.strategy = #tinytc.strategy<kind = work_items, rows = 2, columns = 1,
        unroll = 4, grid_rows = 16, grid_columns = 1, adjacent = 1>} {
  ^bb0(%y: f32, %z: f32, %old: f32):
    %product = arith.mulf %y, %z : f32
    %next = arith.addf %old, %product : f32
    linalg.yield %next : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%sum : !sum) outs(%b : memref<64xf32>) {
  ^bb0(%y: f32, %old: f32):
    linalg.yield %y : f32
  }
  return
}

// The same sum, where the lanes load the vector for each other.
// CHECK-LABEL: @shared_operand
//       CHECK:   %[[LANE:.*]] = gpu.lane_id
//       CHECK:   gpu.subgroup_broadcast
func.func @shared_operand(%a: memref<64x8xf32>, %x: memref<8xf32>, %b: memref<64xf32>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloca() : !sum
  linalg.fill ins(%zero : f32) outs(%sum : !sum)
  linalg.generic {indexing_maps = [#line, #sums, #rows],
                  iterator_types = ["parallel", "reduction"]}
      ins(%a, %x : memref<64x8xf32>, memref<8xf32>) outs(%sum : !sum)
      attrs = {tinytc.strategy = #tinytc.strategy<kind = shared_operand, rows = 1, columns = 1,
        unroll = 8, grid_rows = 16, grid_columns = 1, adjacent = 1, operand = 1>} {
  ^bb0(%y: f32, %z: f32, %old: f32):
    %product = arith.mulf %y, %z : f32
    %next = arith.addf %old, %product : f32
    linalg.yield %next : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%sum : !sum) outs(%b : memref<64xf32>) {
  ^bb0(%y: f32, %old: f32):
    linalg.yield %y : f32
  }
  return
}

// A transposed copy element by element, though lanes could exchange elements.
// CHECK-LABEL: @elements
//   CHECK-NOT:   gpu.shuffle
//       CHECK:   memref.load
//       CHECK:   memref.store
func.func @elements(%a: memref<16x16xf32>, %b: memref<16x16xf32>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  linalg.generic {indexing_maps = [#transposed, #line],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<16x16xf32>) outs(%b : memref<16x16xf32>)
      attrs = {tinytc.strategy = #tinytc.strategy<kind = work_items>} {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  return
}

// CHECK-LABEL: @lane_transpose
//       CHECK:   gpu.shuffle xor
func.func @lane_transpose(%a: memref<16x16xf32>, %b: memref<16x16xf32>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  linalg.generic {indexing_maps = [#transposed, #line],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<16x16xf32>) outs(%b : memref<16x16xf32>)
      attrs = {tinytc.strategy = #tinytc.strategy<kind = lane_transpose>} {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  return
}

// CHECK-LABEL: @vector_transpose
//       CHECK:   vector.shuffle
func.func @vector_transpose(%a: memref<16x16xf32, strided<[1, 16]>>, %b: memref<16x16xf32, strided<[1, 16]>>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  linalg.generic {indexing_maps = [#transposed, #line],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<16x16xf32, strided<[1, 16]>>) outs(%b : memref<16x16xf32, strided<[1, 16]>>)
      attrs = {tinytc.strategy = #tinytc.strategy<kind = vector_transpose>} {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  return
}
