// RUN: tinytc-opt %s --tinytc-choose-strategies \
// RUN:   --tinytc-distribute-linalg --canonicalize --cse | FileCheck %s

// Where sizes are not known, a full tile fetches a line of each matrix in a step; how far apart
// they are, the sizes decide. They are taken for 35 where it is asked whether two groups fit the first
// cache.

#id2 = affine_map<(d0, d1) -> (d0, d1)>
#mk = affine_map<(d0, d1, d2) -> (d0, d2)>
#kn = affine_map<(d0, d1, d2) -> (d2, d1)>
#mn = affine_map<(d0, d1, d2) -> (d0, d1)>
!a = memref<?x?xf32, strided<[1, ?], offset: ?>>
!b = memref<?x3xf32, strided<[1, ?]>>
!c = memref<?x3xf32, strided<[1, ?]>>
!private = memref<?x3xf32, #gpu.address_space<private>>

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true, vector_bytes = 64>} {

// Only A differs from group to group. The remainder of the rows fetches nothing.
// CHECK-LABEL: @batch
//  CHECK-SAME:   (%[[A:[^:]*]]: memref<?xf32>,
//       CHECK:   scf.for %[[GROUP:.*]] = %{{.*}} to %{{.*}} step %
//       CHECK:     %[[NEXT:.*]] = arith.addi %[[GROUP]], %c1
//       CHECK:     %[[OFFSET:.*]] = arith.muli %[[NEXT]], %
//       CHECK:     %[[NEXT_A:.*]] = memref.reinterpret_cast %[[A]] to offset: [%[[OFFSET]]]
//       CHECK:     %[[TILES:.*]] = arith.divui
//       CHECK:     %[[STEPS:.*]] = arith.muli %[[TILES]], %[[K:.*]] : index
//       CHECK:     %[[EMPTY:.*]] = arith.cmpi eq, %[[STEPS]], %c0
//       CHECK:     %[[AT_LEAST:.*]] = arith.select %[[EMPTY]], %c1, %[[STEPS]]
//       CHECK:     %[[STEP:.*]] = arith.divui %{{.*}}, %[[AT_LEAST]]
//       CHECK:     %[[PART:.*]] = arith.muli %[[STEP]], %[[K]]
//       CHECK:     scf.for
//       CHECK:       %[[BEGIN:.*]] = arith.muli %{{.*}}, %[[PART]]
//       CHECK:       scf.for %[[I:.*]] = %c0 to %[[K]]
//       CHECK:         %[[DISTANCE:.*]] = arith.muli %[[I]], %[[STEP]]
//       CHECK:         %[[PLACE:.*]] = arith.addi %[[BEGIN]], %[[DISTANCE]]
//       CHECK:         memref.prefetch %[[NEXT_A]][%[[PLACE]], %c0], read, locality<3>, data
//   CHECK-NOT:   memref.prefetch
//       CHECK:   return
func.func @batch(%as: memref<?xf32>, %b: !b, %c: !c, %m: index, %k: index, %end: index)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.schedule = #tinytc.schedule<rows = 2, groups = 8>,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %zero = arith.constant 0.0 : f32
  %begin = arith.constant 0 : index
  %one = arith.constant 1 : index
  %size = arith.muli %m, %k : index
  scf.for %group = %begin to %end step %one {
    %offset = arith.muli %group, %size : index
    %a = memref.reinterpret_cast %as to offset: [%offset], sizes: [%m, %k], strides: [1, %m]
      : memref<?xf32> to !a
    %sum = memref.alloca(%m) : !private
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
  }
  return
}
}
