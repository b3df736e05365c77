// RUN: tinytc-opt %s --split-input-file --tinytc-choose-strategies --tinytc-distribute-linalg | FileCheck %s

// The products of a group fetch the matrices of the next one.

#id2 = affine_map<(d0, d1) -> (d0, d1)>
#mk = affine_map<(d0, d1, d2) -> (d0, d2)>
#kn = affine_map<(d0, d1, d2) -> (d2, d1)>
#mn = affine_map<(d0, d1, d2) -> (d0, d1)>
!a = memref<16x7xf32, strided<[1, 16], offset: ?>>
!b = memref<7x3xf32, strided<[1, 7]>>
!c = memref<16x3xf32, strided<[1, 16], offset: ?>>
!private = memref<16x3xf32, #gpu.address_space<private>>

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true, vector_bytes = 64>} {

// A, at a place that the number of the group gives, has seven lines, one for each step. C, whose
// address is loaded, has three, fetched before the loop; the address is that of a group that
// exists. All groups have the same B.
// CHECK-LABEL: @batch
//  CHECK-SAME:   (%[[A:[^:]*]]: memref<?xf32>, %{{[^:]*}}: memref<7x3xf32{{.*}}>, %[[C:[^:]*]]: memref<?xmemref<
//       CHECK:   scf.for %[[GROUP:.*]] = %{{.*}} to %[[END:.*]] step %[[ONE:[^ ]*]] {
//       CHECK:     %[[NEXT:.*]] = arith.addi %[[GROUP]], %[[ONE]]
//       CHECK:     %[[OFFSET:.*]] = arith.muli %[[NEXT]], %c112
//       CHECK:     %[[NEXT_A:.*]] = memref.reinterpret_cast %[[A]] to offset: [%[[OFFSET]]]
//       CHECK:     %[[BELOW:.*]] = arith.subi %[[END]], %c1{{.*}}
//       CHECK:     %[[EXISTS:.*]] = arith.cmpi slt, %[[OTHER:.*]], %[[BELOW]]
//       CHECK:     %[[BOUND:.*]] = arith.select %[[EXISTS]], %[[OTHER]], %[[BELOW]]
//       CHECK:     %[[NEXT_C:.*]] = memref.load %[[C]][%[[BOUND]]]
//   CHECK-NOT:     memref.prefetch
//       CHECK:     memref.prefetch %[[NEXT_C]][{{.*}}], read, locality<3>, data
//       CHECK:     memref.prefetch %[[NEXT_C]][
//       CHECK:     memref.prefetch %[[NEXT_C]][
//   CHECK-NOT:     memref.prefetch
//       CHECK:     scf.for %[[K:.*]] = %c0{{.*}} to %c7
//       CHECK:       %[[LINE:.*]] = arith.muli %[[K]], %c16{{.*}}
//       CHECK:       memref.prefetch %[[NEXT_A]][%{{.*}}, %c0{{.*}}], read, locality<3>, data
//   CHECK-NOT:       memref.prefetch
//       CHECK:       scf.yield
//   CHECK-NOT:   memref.prefetch
//       CHECK:   return
func.func @batch(%as: memref<?xf32>, %b: !b, %cs: memref<?x!c>, %begin: index, %end: index)
    attributes {tinytc.subgroup_size = 16 : i32, tinytc.schedule = #tinytc.schedule<groups = 8>,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : index
  %size = arith.constant 112 : index
  scf.for %group = %begin to %end step %one {
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
  }
  return
}

// This loop is one of the program, not one over groups.
// CHECK-LABEL: @negative_no_groups
//   CHECK-NOT:   memref.prefetch
//       CHECK:   return
func.func @negative_no_groups(%cs: memref<?x!c>, %b: !b, %a: !a, %end: index)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %zero = arith.constant 0.0 : f32
  %begin = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %group = %begin to %end step %one {
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
  }
  return
}
}
