// RUN: tinytc-opt %s --tinytc-choose-strategies --tinytc-distribute-linalg | FileCheck %s

// A native launch runs groups in turn, so that products fetch the matrices of the next group
// without a loop over groups in the kernel.

#id2 = affine_map<(d0, d1) -> (d0, d1)>
#mk = affine_map<(d0, d1, d2) -> (d0, d2)>
#kn = affine_map<(d0, d1, d2) -> (d2, d1)>
#mn = affine_map<(d0, d1, d2) -> (d0, d1)>
!a = memref<16x7xf32, strided<[1, 16], offset: ?>>
!b = memref<7x3xf32, strided<[1, 7]>>
!c = memref<16x3xf32, strided<[1, 16], offset: ?>>
!private = memref<16x3xf32, #gpu.address_space<private>>

module attributes {tinytc.target = #tinytc.target<name = "native", family = native,
    subgroup_sizes = [16], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true, vector_bytes = 32>} {

// The number of the next group is one more, and where an address is loaded, at most the last one.
// All groups have the same B.
// CHECK-LABEL: @batch
//  CHECK-SAME:   (%[[A:[^:]*]]: memref<?xf32>, %{{[^:]*}}: memref<7x3xf32{{.*}}>, %[[C:[^:]*]]: memref<?xmemref<
//       CHECK:   gpu.block_id x
//       CHECK:   %[[GROUP:.*]] = gpu.block_id x
//       CHECK:   %[[NEXT:.*]] = arith.addi %[[GROUP]], %c1
//       CHECK:   %[[OFFSET:.*]] = arith.muli %[[NEXT]], %c112
//       CHECK:   %[[NEXT_A:.*]] = memref.reinterpret_cast %[[A]] to offset: [%[[OFFSET]]]
//       CHECK:   %[[END:.*]] = gpu.grid_dim x
//       CHECK:   %[[BELOW:.*]] = arith.subi %[[END]], %c1
//       CHECK:   %[[EXISTS:.*]] = arith.cmpi slt, %[[OTHER:.*]], %[[BELOW]]
//       CHECK:   %[[BOUND:.*]] = arith.select %[[EXISTS]], %[[OTHER]], %[[BELOW]]
//       CHECK:   %[[NEXT_C:.*]] = memref.load %[[C]][%[[BOUND]]]
//   CHECK-DAG:   memref.prefetch %[[NEXT_C]][{{.*}}], read, locality<3>, data
//   CHECK-DAG:   memref.prefetch %[[NEXT_A]][{{.*}}], read, locality<3>, data
//       CHECK:   return
func.func @batch(%as: memref<?xf32>, %b: !b, %cs: memref<?x!c>)
    attributes {tinytc.subgroup_size = 16 : i32, tinytc.work_group_size = array<i32: 16, 1>} {
  %zero = arith.constant 0.0 : f32
  %size = arith.constant 112 : index
  %group = gpu.block_id x
  %offset = arith.muli %group, %size : index
  %a = memref.reinterpret_cast %as to offset: [%offset], sizes: [16, 7], strides: [1, 16]
    : memref<?xf32> to !a
  %c = memref.load %cs[%group] : memref<?x!c>
  %sum = memref.alloca() : !private
  linalg.fill ins(%zero : f32) outs(%sum : !private)
  linalg.generic {indexing_maps = [#mk, #kn, #mn],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : !a, !b) outs(%sum : !private) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %product = arith.mulf %x, %y fastmath<contract> : f32
    %next = arith.addf %old, %product fastmath<contract> : f32
    linalg.yield %next : f32
  }
  linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%sum : !private) outs(%c : !c) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  return
}

// The rows of the grid are not run in turn.
// CHECK-LABEL: @negative_another_dimension
//   CHECK-NOT:   memref.prefetch
//       CHECK:   return
func.func @negative_another_dimension(%a: !a, %b: !b, %cs: memref<?x!c>)
    attributes {tinytc.subgroup_size = 16 : i32, tinytc.work_group_size = array<i32: 16, 1>} {
  %zero = arith.constant 0.0 : f32
  %row = gpu.block_id y
  %c = memref.load %cs[%row] : memref<?x!c>
  %sum = memref.alloca() : !private
  linalg.fill ins(%zero : f32) outs(%sum : !private)
  linalg.generic {indexing_maps = [#mk, #kn, #mn],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : !a, !b) outs(%sum : !private) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %product = arith.mulf %x, %y fastmath<contract> : f32
    %next = arith.addf %old, %product fastmath<contract> : f32
    linalg.yield %next : f32
  }
  linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%sum : !private) outs(%c : !c) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  }
  return
}
}
